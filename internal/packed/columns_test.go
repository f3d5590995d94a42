package packed

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// columns are columns of n values each.
type columns struct {
	ints  []int64
	texts []string
	ids   []string
}

func (c columns) write() []byte {
	var w Writer
	w.Ints(c.ints)
	w.Texts(c.texts)
	w.IDs(c.ids)
	for _, n := range c.ints {
		w.Bytes = append(w.Bytes, byte(n), byte(n>>8))
	}
	w.Block([]byte("end"))
	return w.Bytes
}

// readColumns asks for every value of n, by itself and backwards.
func readColumns(r *Reader, n int) (c columns) {
	ints, texts, ids, blocks := r.Ints(n), r.Texts(n), r.IDs(n), r.Blocks(n, 2)
	if end := r.Block(); r.Done() != nil || string(end) != "end" {
		return c
	}
	for i := n - 1; i >= 0; i-- {
		c.ints, c.texts, c.ids = append(c.ints, ints.At(i)), append(c.texts, texts.At(i)), append(c.ids, ids.At(i))
		if b := blocks.At(i); b[0] != byte(ints.At(i)) {
			c.ints[len(c.ints)-1]++
		}
	}
	slices.Reverse(c.ints)
	slices.Reverse(c.texts)
	slices.Reverse(c.ids)
	return c
}

func TestColumnsAreReadBackAndAnyCutIsAnError(t *testing.T) {
	near := rapid.Custom(func(t *rapid.T) int64 {
		return rapid.Int64().Draw(t, "base") + rapid.SampledFrom([]int64{0, 255, 256, 1 << 16, 1 << 32}).Draw(t, "above")
	})
	ids := rapid.OneOf(rapid.StringMatching(`[0-9a-f]{32}`), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 5).Draw(t, "n")
		least := near.Draw(t, "least")
		want := columns{
			ints:  rapid.SliceOfN(rapid.OneOf(rapid.Just(least), rapid.Map(rapid.Int64Range(0, 1<<33), func(d int64) int64 { return least + d }), near), n, n).Draw(t, "ints"),
			texts: rapid.SliceOfN(rapid.String(), n, n).Draw(t, "texts"),
			ids:   rapid.SliceOfN(ids, n, n).Draw(t, "ids"),
		}
		written := want.write()
		r := NewReader(written)
		got := readColumns(r, n)
		if r.Done() != nil || !slices.Equal(got.ints, want.ints) || !slices.Equal(got.texts, want.texts) || !slices.Equal(got.ids, want.ids) {
			t.Fatalf("wrote %+v, read %+v (%v)", want, got, r.Done())
		}
		cut := NewReader(written[:rapid.IntRange(0, len(written)-1).Draw(t, "cut")])
		if readColumns(cut, n); cut.Done() == nil {
			t.Fatal("a cut is read without error")
		}
	})
}

func TestAColumnTakesAsManyBytesAsItsRange(t *testing.T) {
	for _, c := range []struct {
		values []int64
		bytes  int
	}{
		{nil, 0},
		{[]int64{7, 7, 7}, 0},
		{[]int64{1_000_000, 1_000_255}, 2},
		{[]int64{1_000_000, 1_000_256}, 4},
		{[]int64{0, 1 << 16}, 8},
		{[]int64{0, 1 << 32}, 16},
		{[]int64{math.MinInt64, math.MaxInt64}, 16},
	} {
		var w, head Writer
		w.Ints(c.values)
		if len(c.values) > 0 {
			head.Int(slices.Min(c.values))
		} else {
			head.Int(0)
		}
		if got := len(w.Bytes) - len(head.Bytes) - 1; got != c.bytes {
			t.Errorf("%v take %d bytes, want %d", c.values, got, c.bytes)
		}
	}
}

func TestAColumnThatCannotBeIsAnError(t *testing.T) {
	for name, data := range map[string][]byte{
		"numbers of 3 bytes":    {0, 0, 3, 1, 2, 3, 1, 2, 3},
		"ends that go back":     {0, 10, 1, 0, 251, 0, 0, 0, 0, 0, 0},
		"ends below 0":          {1, 0, 0},
		"ends beyond the bytes": {60, 0, 0},
	} {
		r := NewReader(data)
		if r.Ends(2); r.Err() == nil {
			t.Errorf("%s are no error", name)
		}
	}
}

func FuzzAnyColumnsAreReadOrRefused(f *testing.F) {
	f.Add(uint8(2), columns{ints: []int64{1, 300}, texts: []string{"a", ""}, ids: []string{"0123456789abcdef0123456789abcdef", "b"}}.write())
	f.Fuzz(func(_ *testing.T, n uint8, data []byte) { readColumns(NewReader(data), int(n)) })
}

func TestNumbersThatAscendAreToldAsSuch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(-3, 300), rapid.Int64Range(0, 1<<20), rapid.Int64()), 0, 6).Draw(t, "values")
		if rapid.Bool().Draw(t, "sorted") {
			slices.Sort(values)
		}
		if rapid.Bool().Draw(t, "once") {
			values = slices.Compact(values)
		}
		want := true
		for i := 1; i < len(values); i++ {
			want = want && values[i] > values[i-1]
		}
		var w Writer
		w.Ints(values)
		column := NewReader(w.Bytes).Ints(len(values))
		if got := column.Ascend(len(values)); got != want {
			t.Fatalf("got %v of %v", got, values)
		}
	})
}

func TestNumbersThatWrapAroundDoNotAscend(t *testing.T) {
	var w Writer
	w.Int(math.MaxInt64 - 1)
	w.Uint(1)
	w.Bytes = append(w.Bytes, 0, 1, 2)
	if column := NewReader(w.Bytes).Ints(3); column.Ascend(3) {
		t.Errorf("%d is told to be above %d", column.At(2), column.At(1))
	}
}
