package manifests

import (
	"errors"
	"testing"

	"strandline/internal/objstore"
)

// Found by simulation: a rebuild that was pinned before newer rows were
// published replaced them by what it had read.
func TestARebuildDoesNotTakeBackNewerInput(t *testing.T) {
	table, generation := table(t, objstore.NewMemory(), "c")
	publish(t, table, generation, receipt(1, "i", "c", "r", 10), receipt(2, "newer", "c", "r", 20))
	rebuild := func(upTo int64) error {
		// One of its receipts stands already, and has read more than the rebuild.
		again := receipt(2, "newer", "c", "r", 20)
		p := Proposal{Driver: DriverBackfill, Generation: generation, Read: Positions{"s": upTo}, Receipts: []Receipt{receipt(1, "i", "d", "r", upTo), again}}
		_, err := table.Rebuild(t.Context(), definition("d"), p)
		return err
	}
	if err := rebuild(10); !errors.Is(err, ErrOutrun) {
		t.Fatalf("got %v, want ErrOutrun", err)
	}
	if s := snapshot(t, table); len(s.Receipts()) != 2 || s.Definition.Generation != generation {
		t.Fatalf("a refused rebuild left %v in generation %d", s.Receipts(), s.Definition.Generation)
	}
	if err := rebuild(20); err != nil {
		t.Fatal(err)
	}
}
