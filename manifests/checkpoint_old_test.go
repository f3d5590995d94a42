package manifests

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// The file is the state that a program of before packing wrote of a table with two
// partitions, one of which was published twice.
func TestAStateOfJSONIsRead(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "state-of-json.bin"))
	if err != nil {
		t.Fatal(err)
	}
	old, anew := newState(), newState()
	if err := old.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	packed, err := old.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := anew.UnmarshalBinary(packed); err != nil {
		t.Fatal(err)
	}
	for what, s := range map[string]*State{"as it is": old, "written anew": anew} {
		var got string
		for r := range s.partitions.all() {
			got += fmt.Sprintln(r.Partition, r.Rows, r.RowDigest, r.InputDigest.Short(), r.Positions["s"])
		}
		if want := "2026-03-01 1 454349e422f05297191ead13e21d3db5 de7d1b721a1e 5\n2026-03-02 1 e49d63b2a8a78f048bafc4b459002960 9a83c6cb1126 9\n"; got != want {
			t.Errorf("%s: the receipts are\n%swant\n%s", what, got, want)
		}
		if s.version != 3 || s.definition.Generation != 1 || s.definition.Key[0] != "window_start" {
			t.Errorf("%s: version %d of %+v", what, s.version, s.definition)
		}
	}
	for cut := range len(data) {
		if err := newState().UnmarshalBinary(data[:cut]); err == nil {
			t.Errorf("of %d bytes %d were enough", len(data), cut)
		}
	}
	wrong := bytes.Replace(data, []byte(`"2026-03-01":`), []byte(`"2026-03-07":`), 1)
	if err := newState().UnmarshalBinary(wrong); err == nil {
		t.Error("a receipt of another partition is taken")
	}
}
