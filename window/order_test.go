package window

import (
	"slices"
	"testing"
	"time"

	"strandline/internal/digest"
)

// days are the partitions of the first n days of March 2026, oldest first.
func days(n int) []Status {
	out := make([]Status, n)
	for i := range out {
		out[i].Partition = GrainDay.Containing(time.Date(2026, 3, 1+i, 0, 0, 0, 0, time.UTC))
	}
	return out
}

func arranged(o Order, code string, tasks []Status) (names []string) {
	plan := Plan{Fingerprint: digest.OfBytes([]byte(code)), Tasks: slices.Clone(tasks)}
	plan.Arrange(o)
	for _, s := range plan.Tasks {
		names = append(names, s.String())
	}
	return names
}

func TestNewestIsTheDefaultAndTheReverseOfOldest(t *testing.T) {
	oldest := arranged(Oldest, "code", days(20))
	if oldest[0] != "2026-03-01" || !slices.IsSorted(oldest) {
		t.Errorf("oldest first is %v", oldest)
	}
	slices.Reverse(oldest)
	for _, o := range []Order{"", Newest} {
		if got := arranged(o, "code", days(20)); !slices.Equal(got, oldest) {
			t.Errorf("%q first is %v", o, got)
		}
	}
}

// Who runs it again does the rest in the order of before, and a dry run tells it.
func TestRandomIsRepeatedAlsoOfWhatIsLeft(t *testing.T) {
	all := arranged(Random, "code", days(20))
	if slices.IsSorted(all) || !slices.Equal(all, arranged(Random, "code", days(20))) {
		t.Errorf("random is %v", all)
	}
	if slices.Equal(all, arranged(Random, "other", days(20))) {
		t.Error("other code is in the same order")
	}
	rest := arranged(Random, "code", days(20)[5:])
	left := slices.DeleteFunc(all, func(name string) bool { return name < "2026-03-06" })
	if !slices.Equal(rest, left) {
		t.Errorf("the rest is in the order %v, and was in %v", rest, left)
	}
}

func TestOnlyOrdersAreParsed(t *testing.T) {
	for _, text := range []string{"newest", "oldest", "random"} {
		if o, err := ParseOrder(text); err != nil || string(o) != text {
			t.Errorf("%s is read as %q, %v", text, o, err)
		}
	}
	if o, err := ParseOrder(""); o != Newest || err != nil {
		t.Errorf("nothing is read as %q, %v", o, err)
	}
	if _, err := ParseOrder("Newest"); err == nil {
		t.Error("Newest is taken")
	}
}
