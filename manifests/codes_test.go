package manifests

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"strandline/internal/digest"
	"strandline/internal/objstore"
)

// coded is the definition of a code whose one part is its name.
func coded(code string) Definition {
	d := definition(code)
	d.SQL, d.Parts = "SELECT '"+code+"'", []Part{{"sql", code}}
	return d
}

// Whatever is registered, published, withheld, failed and rolled back: of all that a
// version of the table tells of, the code is known, also by who reads it later.
func TestTheCodeOfAllThatAVersionTellsOfIsKnown(t *testing.T) {
	for seed := range uint64(8) {
		h := &codeHistory{t, rand.New(rand.NewPCG(seed, 1)), Open(objstore.NewMemory(), "t", Options{}), "", 0}
		for step := range 120 {
			h.step(step)
			h.check(seed, snapshot(t, h.table))
		}
		newest := snapshot(t, h.table).Version
		for version := Version(1); version <= newest; version++ {
			old, err := h.table.SnapshotAt(t.Context(), version)
			if err != nil {
				t.Fatal(err)
			}
			h.check(seed, old)
		}
	}
}

// codeHistory makes edits by chance.
type codeHistory struct {
	t          *testing.T
	rand       *rand.Rand
	table      *Table
	code       string
	generation uint64
}

func (h *codeHistory) step(step int) {
	var err error
	name := func() string { return fmt.Sprintf("%d by %s", step, h.code) }
	r := receipt(1+h.rand.IntN(6), name(), h.code, name(), int64(step))
	switch kind := h.rand.IntN(8); {
	case step == 0 || kind < 2:
		h.code = fmt.Sprintf("code %d", h.rand.IntN(12))
		h.generation, err = h.table.Register(h.t.Context(), DriverStream, coded(h.code))
	case kind == 2:
		err = h.propose(Proposal{Held: []Candidate{{Receipt: r, Violations: []string{"no"}}}})
	case kind == 3:
		err = h.propose(Proposal{Failures: []Failure{{Partition: r.Partition, Start: r.Start, End: r.End, Fingerprint: r.Fingerprint, Reason: name()}}})
	case kind == 4:
		_, err = rollback(h.t.Context(), h.table, 1+Version(h.rand.Uint64N(uint64(snapshot(h.t, h.table).Version))))
	default:
		err = h.propose(Proposal{Receipts: []Receipt{r}})
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *codeHistory) propose(p Proposal) error {
	p.Driver, p.Generation = DriverBackfill, h.generation
	_, err := h.table.Publish(context.WithoutCancel(h.t.Context()), p)
	return err
}

func (h *codeHistory) check(seed uint64, s *Snapshot) {
	h.t.Helper()
	told := map[digest.Hash]string{}
	for _, r := range s.Readings() {
		told[r.Fingerprint] = r.Partition
	}
	for _, f := range s.Failures() {
		told[f.Fingerprint] = f.Partition
	}
	for fingerprint, partition := range told {
		d, known := s.Code(fingerprint)
		if !known || len(d.Parts) != 1 || hash(d.Parts[0].Value) != fingerprint {
			h.t.Fatalf("seed %d: of partition %s at version %d the code is %+v, %v", seed, partition, s.Version, d, known)
		}
	}
}

func TestCodeThatNothingIsTheWorkOfIsForgotten(t *testing.T) {
	table := Open(objstore.NewMemory(), "t", Options{})
	for n := range 20 {
		code := fmt.Sprint(n)
		generation, err := table.Register(t.Context(), DriverStream, coded(code))
		if err != nil {
			t.Fatal(err)
		}
		publish(t, table, generation, receipt(1, code, code, code, int64(n)))
		if n == 4 {
			publish(t, table, generation, receipt(2, code, code, code, int64(n)))
		}
	}
	s := snapshot(t, table)
	if _, known := s.Code(hash("4")); !known || len(s.codes) > 2 {
		t.Errorf("%d codes are kept, want 4 and perhaps the one before the last", len(s.codes))
	}
	if _, err := rollback(t.Context(), table, 4); err != nil {
		t.Fatal(err)
	}
	if d, known := snapshot(t, table).Code(hash("1")); !known || d.Generation != 2 {
		t.Errorf("after a rollback to the work of generation 2 its code is %+v, %v", d, known)
	}
}

// An older program registered no parts, and its checkpoints hold no older codes: to
// tell none of them is to tell what they tell.
func TestACodeWithoutPartsIsNotKept(t *testing.T) {
	table, generation := table(t, objstore.NewMemory(), "old")
	publish(t, table, generation, receipt(1, "i", "old", "r", 1))
	if _, err := table.Register(t.Context(), DriverStream, coded("new")); err != nil {
		t.Fatal(err)
	}
	if d, known := snapshot(t, table).Code(hash("old")); known {
		t.Errorf("the code is %+v", d)
	}
}
