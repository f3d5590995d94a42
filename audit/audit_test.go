package audit_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"strandline/audit"
	"strandline/internal/datafile"
	"strandline/internal/objstore"
	"strandline/landing"
)

// keys lists those of a part, sorted.
func (o objects) keys(prefix string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(o)), func(key string) bool { return !strings.HasPrefix(key, prefix) })
}

const (
	landed    = "landing/sales/log/%020d.json"
	edit      = "tables/sales_hourly/log/%020d.json"
	landedAt  = "landing/sales/checkpoints/%020d.bin"
	editedAt  = "tables/sales_hourly/checkpoints/%020d.bin"
	someID    = "0123456789abcdef0123456789abcdef"
	tableData = "tables/sales_hourly/data/"
)

func at(pattern string, n int) string { return fmt.Sprintf(pattern, n) }

// Ways to damage an object.
func lose(o objects, key string)  { delete(o, key) }
func halve(o objects, key string) { o[key] = o[key][:len(o[key])/2] }
func flip(o objects, key string) {
	o[key] = slices.Clone(o[key])
	o[key][len(o[key])/2] ^= 4
}
func lengthen(o objects, key string) { o[key] = append(slices.Clone(o[key]), 0) }

// oneColumn are the bytes of a whole data file of a column and a row.
func oneColumn(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "one.parquet")
	columns := []datafile.Column{{Name: "source", Type: datafile.Type{Kind: datafile.Varchar}}}
	if _, err := datafile.Write(path, columns, [][]datafile.Value{{parquet.ByteArrayValue([]byte("x"))}}, []int{1}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestEveryDamageIsTold(t *testing.T) {
	whole, job := built(t)
	segment := whole.keys("landing/sales/data/")[0]
	rejects := whole.keys("landing/sales/rejects/")[0]
	day2 := whole.keys(tableData + "2026-03-02/")[0]
	cases := []struct {
		name   string
		damage func(objects, string)
		key    string
		want   string // the name, or several with keys
	}{
		{"a first entry", lose, at(landed, 1), "missing-entry"},
		{"an entry in between", lose, at(landed, 2), "missing-entry"},
		{"the newest entry", lose, at(landed, 5), "unbacked-receipt tables/sales_hourly/log/"},
		{"half an entry", halve, at(landed, 2), "damaged-entry"},
		{"a byte of an entry", flip, at(landed, 4), "damaged-entry"},
		{"a byte of the newest entry", flip, at(landed, 5), "damaged-entry"},
		{"a checkpoint's entry", lose, at(landed, 3), "missing-entry"},
		{"a byte of a checkpoint", flip, at(landedAt, 3), "damaged-checkpoint"},
		{"half a checkpoint", halve, at(landedAt, 3), "damaged-checkpoint"},
		{"a segment", lose, segment, "missing-segment"},
		{"half a segment", halve, segment, "truncated-segment"},
		{"a longer segment", lengthen, segment, "damaged-segment"},
		{"a byte of a segment", flip, segment, "damaged-segment"},
		{"rejects", lose, rejects, "missing-rejects"},
		{"half of the rejects", halve, rejects, "damaged-rejects"},
		{"rejects of other columns", func(o objects, key string) { o[key] = oneColumn(t) }, rejects, "damaged-rejects"},
		{"a first edit", lose, at(edit, 1), "missing-entry"},
		{"an edit in between", lose, at(edit, 2), "missing-entry"},
		{"half an edit", halve, at(edit, 2), "damaged-entry"},
		{"a byte of the newest edit", flip, at(edit, 5), "damaged-entry"},
		{"a byte of a table's checkpoint", flip, at(editedAt, 3), "damaged-checkpoint"},
		{"a published file", lose, day2, "missing-file"},
		{"half a published file", halve, day2, "truncated-file"},
		{"a byte of a published file", flip, day2, "damaged-file"},
		{"a strange object in a log", func(o objects, key string) { o[key] = []byte("x") }, "landing/sales/log/notes.txt", "strange-log-object"},
		{"a foreign object", func(o objects, key string) { o[key] = []byte("x") }, "readme.md", "note: foreign"},
		{"a file that nothing names", func(o objects, key string) { o[key] = []byte("x") }, "landing/sales/data/" + someID + ".parquet", "note: unnamed-file"},
		{"a left proof", func(o objects, key string) { o[key] = []byte("x") }, "selftest/proof-ABCDEFGHIJKLMNOPQRSTUVWXYZ", "note: leftover"},
		{"files without a log", func(o objects, key string) { o[key] = []byte("x") }, "landing/other/data/" + someID + ".parquet", "missing-log landing/other/log/"},
	}
	for kind, fresh := range stores {
		t.Run(kind, func(t *testing.T) {
			if found, c := audited(t, whole.put(t, fresh(t)), true, job); len(found) > 0 || c.Streams != 1 || c.Tables != 1 || c.Objects != len(whole) {
				t.Fatalf("of the whole lake: %q, %+v of %d objects", text(found), c, len(whole))
			}
			for _, c := range cases {
				t.Run(c.name, func(t *testing.T) {
					o := maps.Clone(whole)
					c.damage(o, c.key)
					want := c.want
					if !strings.Contains(want, "/") {
						want += " " + c.key
					}
					found, _ := audited(t, o.put(t, fresh(t)), true, job)
					got := text(found)
					if !strings.Contains(want, "unnamed") { // what a lost entry named is not named
						got = slices.DeleteFunc(got, func(line string) bool { return strings.HasPrefix(line, "note: unnamed-file") })
					}
					if !slices.Equal(got, []string{want}) {
						t.Errorf("found %q\nwant %q", got, want)
					}
				})
			}
		})
	}
}

// Several faults are all told by one audit.
func TestAnAuditGoesOnAfterEachFault(t *testing.T) {
	whole, job := built(t)
	segments := whole.keys("landing/sales/data/")
	flip(whole, at(landed, 2))
	lose(whole, segments[0])
	lose(whole, at(edit, 2))
	halve(whole, whole.keys(tableData)[0])
	found, c := audited(t, whole.put(t, stores["memory"](t)), false, job)
	got := map[audit.Name]int{}
	for _, f := range found {
		got[f.Name]++
	}
	want := map[audit.Name]int{"damaged-entry": 1, "missing-segment": 1, "missing-entry": 1, "truncated-file": 1}
	if !maps.Equal(got, want) || c.Faults != 4 {
		t.Errorf("found %q", text(found))
	}
}

// A file that is not there and was named last below an entry that can't be believed may
// have been let go by that entry: one line says so, and none that its rows are gone.
func TestFilesThatAHiddenEntryMayHaveLetGoAreNotToldAsLost(t *testing.T) {
	whole, job := built(t)
	for name, c := range map[string]struct{ entry, files string }{
		"a stream": {at(landed, 5), "landing/sales/data/"},
		"a table":  {at(edit, 5), tableData},
	} {
		t.Run(name, func(t *testing.T) {
			o := maps.Clone(whole)
			flip(o, c.entry)
			files := o.keys(c.files)
			for _, key := range files {
				lose(o, key)
			}
			found, _ := audited(t, o.put(t, objstore.NewMemory()), true, job)
			if got := faults(found); !slices.Equal(text(got), []string{"damaged-entry " + c.entry}) {
				t.Errorf("faults %q", text(got))
			}
			notes := slices.DeleteFunc(found, func(f audit.Fault) bool { return f.Name != "untold-files" })
			if len(notes) != 1 || !slices.Contains(files, notes[0].Key) || notes[0].Level != audit.LevelNote {
				t.Errorf("notes %q of %q", text(notes), files)
			}
		})
	}
}

// faults leaves the notes out.
func faults(found []audit.Fault) []audit.Fault {
	return slices.DeleteFunc(slices.Clone(found), func(f audit.Fault) bool { return f.Level == audit.LevelNote })
}

func TestAFaultTellsWhatItHits(t *testing.T) {
	whole, job := built(t)
	only := func(damage func(o objects)) audit.Fault {
		t.Helper()
		o := maps.Clone(whole)
		damage(o)
		found, _ := audited(t, o.put(t, stores["memory"](t)), false, job)
		found = faults(found)
		if len(found) != 1 {
			t.Fatalf("found %q", text(found))
		}
		return found[0]
	}
	f := only(func(o objects) { lose(o, at(landed, 2)) })
	if *f.Entries != (audit.Span{From: 2, To: 3}) || *f.Positions != (audit.Span{From: 3, To: 6}) || f.In != "stream sales" {
		t.Errorf("an entry: %+v", f)
	}
	f = only(func(o objects) { flip(o, at(landed, 5)) })
	if *f.Positions != (audit.Span{From: 12}) {
		t.Errorf("the newest entry: %+v", f)
	}
	f = only(func(o objects) {
		for _, key := range o.keys("landing/sales/data/") {
			if lose(o, key); !strings.Contains(string(o[at(landed, 2)]), strings.TrimSuffix(key[len("landing/sales/data/"):], ".parquet")) {
				o[key] = whole[key]
			}
		}
	})
	if *f.Positions != (audit.Span{From: 3, To: 6}) || f.EventTime.String() != "[2026-03-02T00:00:00Z, 2026-03-02T03:00:00Z)" ||
		!slices.Equal(f.Partitions, []string{"sales_hourly/2026-03-02"}) {
		t.Errorf("a segment: %+v", f)
	}
	f = only(func(o objects) { lose(o, o.keys(tableData + "2026-03-03/")[0]) })
	if !slices.Equal(f.Partitions, []string{"2026-03-03"}) || f.In != "table sales_hourly" {
		t.Errorf("a file: %+v", f)
	}
	f = only(func(o objects) { lose(o, at(landed, 5)) })
	if !slices.Equal(f.Partitions, []string{"2026-03-01", "2026-03-04"}) {
		t.Errorf("the newest landing entry: %+v", f)
	}
}

// Without the job's code the positions alone tell that entries are lost.
func TestReceiptsOfUnknownJobsAreHeldAgainstPositions(t *testing.T) {
	whole, _ := built(t)
	lose(whole, at(landed, 5))
	if found, _ := audited(t, whole.put(t, stores["memory"](t)), false); len(faults(found)) != 1 || faults(found)[0].Name != audit.UnbackedReceipt {
		t.Errorf("found %q", text(found))
	}
}

// A stream that is gone whole takes every result with it.
func TestALostStreamIsTold(t *testing.T) {
	whole, job := built(t)
	for _, key := range whole.keys("landing/") {
		lose(whole, key)
	}
	if found, _ := audited(t, whole.put(t, stores["memory"](t)), false, job); len(found) != 1 || found[0].Name != audit.MissingLog || len(found[0].Partitions) != 4 {
		t.Errorf("found %q", text(found))
	}
}

// FuzzAnyDamageIsTold damages one object of a lake: a byte, a cut, or all of it.
// The newest edit may go untold where it is gone whole, since what is left is the
// table as it once was; and older checkpoints may be thinned.
func FuzzAnyDamageIsTold(f *testing.F) {
	for i := range uint16(40) {
		f.Add(i, i*i*31, uint8(i%3), uint8(1)<<(i%8))
	}
	var whole objects
	var job audit.Job
	f.Fuzz(func(t *testing.T, which, where uint16, kind, value uint8) {
		if whole == nil {
			whole, job = built(t)
		}
		keys := whole.keys("")
		o, key := maps.Clone(whole), keys[int(which)%len(keys)]
		body := slices.Clone(o[key])
		spot := int(where) % len(body)
		switch kind % 3 {
		case 0:
			if value == 0 {
				return
			}
			body[spot] ^= value
			o[key] = body
		case 1:
			o[key] = body[:spot]
		case 2:
			lose(o, key)
			if key == at(edit, 5) || strings.Contains(key, "/checkpoints/") {
				return
			}
		}
		found, _ := audited(t, o.put(t, stores["memory"](t)), true, job)
		harmless := strings.Contains(key, "/rejects/") && kind%3 == 0 // its pages have sums, the rest of it is for tools
		if !harmless && len(faults(found)) == 0 {
			t.Errorf("kind %d at %d of %s: found %q, no fault", kind%3, spot, key, text(found))
		}
	})
}

// archived is a lake with arrivals in archives, and the key of the first of these.
func archived(t *testing.T) (whole objects, key string) {
	t.Helper()
	store := objstore.NewMemory()
	b := builder{t, landing.Open(store, salesSpec, landing.Options{Scratch: t.TempDir(), ArchiveArrivals: 2}), nil}
	for day := range 4 {
		b.land(fmt.Sprint(day), 1, day+1)
	}
	whole = taken(t, store)
	return whole, whole.keys("landing/sales/archive/")[0]
}

// A stream that can't tell what has landed already lets nothing land.
func TestADamagedArchiveIsTold(t *testing.T) {
	whole, key := archived(t)
	if found, _ := audited(t, whole.put(t, objstore.NewMemory()), true); len(found) > 0 {
		t.Fatalf("of the whole lake: %q", text(found))
	}
	for want, damage := range map[string]func(objects, string){
		"missing-archive": lose, "truncated-archive": halve, "damaged-archive": flip,
	} {
		o := maps.Clone(whole)
		damage(o, key)
		found, _ := audited(t, o.put(t, objstore.NewMemory()), true)
		if got := text(found); !slices.Equal(got, []string{want + " " + key}) {
			t.Errorf("%s: found %q", want, got)
		}
	}
}

// Where the index of an archive is whole, most content lands as before.
func TestADamagedArchiveSaysWhetherItsIndexIsWhole(t *testing.T) {
	whole, key := archived(t)
	for want, at := range map[string]int{"; its index is whole": 0, "; its index is damaged": len(whole[key]) - 1} {
		o := maps.Clone(whole)
		o[key] = slices.Clone(o[key])
		o[key][at] ^= 1
		found, _ := audited(t, o.put(t, objstore.NewMemory()), true)
		if len(found) != 1 || found[0].Name != audit.DamagedArchive || !strings.HasSuffix(found[0].Seen, want) {
			t.Errorf("found %+v, want that it ends with %q", found, want)
		}
	}
}
