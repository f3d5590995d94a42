package landing

import (
	"math/rand/v2"
	"testing"

	"strandline/internal/digest"
)

// A list of keys, however long and whatever was forgotten of it, has those that were added
// and no other, in their order.
func TestAListOfKeysHasThoseThatWereKept(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 0))
	list, want, forgotten := newKeyList(), []landedKey(nil), []landedKey(nil)
	for round := range 12 {
		for range random.IntN(3 * keyPage) {
			// Many have the same last bits, so that they are looked for in the same place.
			k := landedKey{short: digest.Sum128{Hi: random.Uint64(), Lo: random.Uint64() &^ 7}, until: int64(random.IntN(4))}
			list.add(k)
			want = append(want, k)
		}
		if round%3 == 2 {
			over, kept := int64(random.IntN(5)), []landedKey(nil)
			for _, k := range want {
				if k.until != over && over < 4 {
					kept = append(kept, k)
				} else {
					forgotten = append(forgotten, k)
				}
			}
			want = kept
			list.keep(func(k *landedKey) bool { return k.until != over && over < 4 })
		}
		holdKeys(t, &list, want)
		for _, k := range forgotten {
			if list.find(k.short) != nil {
				t.Fatalf("round %d: a key that was forgotten is there", round)
			}
		}
	}
}

func holdKeys(t *testing.T, list *keyList, want []landedKey) {
	t.Helper()
	if list.len != len(want) || len(list.places) != placesOfKeys(len(want)) && len(want) > 0 {
		t.Fatalf("%d keys in %d places, want %d in %d", list.len, len(list.places), len(want), placesOfKeys(len(want)))
	}
	i := 0
	for k := range list.all() {
		if found := list.find(want[i].short); *k != want[i] || found == nil || *found != want[i] {
			t.Fatalf("key %d is %v and found as %v, want %v", i, *k, found, want[i])
		}
		i++
	}
	if list.find(digest.Sum128{Hi: 1, Lo: 2}) != nil {
		t.Fatal("a key is there that was never added")
	}
}
