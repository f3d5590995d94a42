package plans_test

import (
	"errors"
	"testing"

	"strandline/plans"
)

// Whatever bytes are given for a plan, they are refused as none, or are one that is written
// again as it was read and can be cut.
func FuzzDecode(f *testing.F) {
	good, _, err := planOf(3).Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add(append(good, '{', '}'))
	f.Add([]byte(`{"format":2}`))
	f.Add([]byte(`{"format":1,"job":"j","driver":"stream","tasks":[{"partition":"p","start":"9999-12-31T00:00:00Z","end":"0001-01-01T00:00:00Z","rows":-1}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		file, err := plans.Decode(body)
		if err != nil {
			if !errors.Is(err, plans.ErrPlan) {
				t.Fatalf("refused with %v", err)
			}
			return
		}
		again, id, err := file.Encode()
		if err != nil {
			t.Fatalf("read, and can't be written: %v", err)
		}
		second, err := plans.Decode(again)
		if err != nil {
			t.Fatalf("written, and can't be read: %v", err)
		}
		if _, same, err := second.Encode(); err != nil || same != id {
			t.Fatalf("written twice, it is %s and %s, %v", id, same, err)
		}
		if _, err := file.Slice(file.DefaultSlices()-1, file.DefaultSlices()); err != nil {
			t.Fatal(err)
		}
	})
}

// What can't be right in a plan is told, whatever job it is of.
func TestAPlanThatContradictsItselfIsNone(t *testing.T) {
	for what, change := range map[string]func(*plans.File){
		"another format": func(f *plans.File) { f.Format = 2 },
		"no job":         func(f *plans.File) { f.Job = "" },
		"a stream":       func(f *plans.File) { f.Driver = "stream" },
		"no code":        func(f *plans.File) { f.Fingerprint = [32]byte{} },
		"no positions":   func(f *plans.File) { f.Read = nil },
		"before all":     func(f *plans.File) { f.Read["events"] = -1 },
		"twice":          func(f *plans.File) { f.Tasks[1] = f.Tasks[0] },
		"no name":        func(f *plans.File) { f.Tasks[0].Partition = "" },
		"backwards":      func(f *plans.File) { f.Tasks[0].End = f.Tasks[0].Start },
		"rows of none":   func(f *plans.File) { f.Tasks[0].Rows = 0 },
		"fewer than 0":   func(f *plans.File) { f.Tasks[0].Rows = -1 },
	} {
		f := planOf(3)
		change(&f)
		if _, _, err := f.Encode(); !errors.Is(err, plans.ErrPlan) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, _, err := planOf(0).Encode(); err != nil {
		t.Errorf("a plan of nothing: %v", err)
	}
}
