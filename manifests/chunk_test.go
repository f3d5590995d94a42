package manifests

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/internal/packed"
)

var anyHash = rapid.Map(rapid.StringN(0, 3, 3), hash)

var anyFile = rapid.Custom(func(t *rapid.T) File {
	return File{
		ID:   rapid.OneOf(rapid.StringMatching(`[0-9a-f]{32}`), rapid.String()).Draw(t, "id"),
		Rows: rapid.Int64().Draw(t, "rows"), Bytes: rapid.Int64().Draw(t, "bytes"), Digest: anyHash.Draw(t, "digest"),
	}
})

var anyInput = rapid.Custom(func(t *rapid.T) Input {
	return Input{rapid.Int64().Draw(t, "rows of an input"), anyHash.Draw(t, "its digest")}
})

// anyReceipt is a receipt of any fields, of partition n.
func anyReceipt(t *rapid.T, n int) *Receipt {
	start := time.Unix(rapid.Int64Range(-1<<40, 1<<40).Draw(t, "start"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanos")).UTC()
	columns := rapid.SampledFrom([][]datafile.Column{nil, definition("c").Columns}).Draw(t, "columns")
	r := &Receipt{
		Partition: partitionName(n), Start: start, End: start.Add(time.Duration(rapid.Int64Range(1, 1<<62).Draw(t, "long"))),
		Positions: rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", ""}), rapid.Int64(), 0, 3).Draw(t, "positions"),
		InputRows: rapid.Int64().Draw(t, "input rows"), InputDigest: anyHash.Draw(t, "input"), Fingerprint: anyHash.Draw(t, "code"),
		Rows: rapid.Int64().Draw(t, "rows"), RowDigest: digest.OfRow([]byte(rapid.String().Draw(t, "sum"))), Columns: columns,
	}
	if inputs := rapid.MapOfN(rapid.SampledFrom([]string{"a", "tables/b", ""}), anyInput, 0, 3).Draw(t, "inputs"); len(inputs) > 0 {
		r.Inputs = inputs
	}
	if files := rapid.SliceOfN(anyFile, 0, 3).Draw(t, "files"); len(files) > 0 {
		r.Files = files
	}
	return r
}

// What is asked of a packed receipt, field by field or as a whole, is what its list says.
func TestAPackedReceiptSaysWhatItIsOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plain := &chunk{}
		for n := range rapid.IntRange(1, 5).Draw(t, "receipts") {
			plain.list = append(plain.list, anyReceipt(t, n))
		}
		var w packed.Writer
		if err := writeChunk(&w, plain.list); err != nil {
			t.Fatal(err)
		}
		read, err := readChunk(w.Bytes, words{})
		if err != nil {
			t.Fatal(err)
		}
		c := &chunk{packed: read}
		if !reflect.DeepEqual(c.receipts(), plain.list) || !maps.Equal(c.furthest(), plain.furthest()) {
			t.Fatalf("got %+v\nwant %+v", c.receipts(), plain.list)
		}
		if got, want := layoutsOf(c.layouts()), layoutsOf(plain.layouts()); !maps.Equal(got, want) {
			t.Fatalf("the files have the columns %v, want %v", got, want)
		}
		if got, want := codesOf(c), codesOf(plain); !maps.Equal(got, want) || c.rows() != plain.rows() {
			t.Fatalf("%d rows by the codes %v, want %d by %v", c.rows(), got, plain.rows(), want)
		}
		for i, r := range plain.list {
			if !reflect.DeepEqual(c.receipt(i), r) || fields(Published{c, i}) != fields(Published{plain, i}) {
				t.Fatalf("receipt %d is %+v, %s\nwant %+v, %s", i, c.receipt(i), fields(Published{c, i}), r, fields(Published{plain, i}))
			}
		}
	})
}

func codesOf(c *chunk) map[digest.Hash]int {
	counted := map[digest.Hash]int{}
	c.countCodes(counted)
	return counted
}

func layoutsOf(layouts iter.Seq[[]datafile.Column]) map[string]bool {
	found := map[string]bool{}
	for columns := range layouts {
		found[fmt.Sprint(columns)] = true
	}
	return found
}

func fields(p Published) string {
	start, end := p.Interval()
	text := fmt.Sprintln(p.Is(), p.Partition(), start, end, p.InputDigest(), p.Fingerprint(), p.Rows(), p.RowDigest(), p.Columns(), p.Files())
	text += string(p.appendNames([]byte("before"))) + "\n"
	for _, stream := range []string{"a", "b", "", "none"} {
		upTo, reads := p.Read(stream)
		text += fmt.Sprintln(stream, upTo, reads)
	}
	return text
}

func TestAChunkThatCannotBeIsRefused(t *testing.T) {
	good := func() []*Receipt {
		a, b := receipt(1, "i", "c", "r", 10), receipt(2, "j", "c", "r", 10)
		return []*Receipt{&a, &b}
	}
	for name, spoil := range map[string]func([]*Receipt) []*Receipt{
		"nothing":                  func(list []*Receipt) []*Receipt { return list },
		"no receipt":               func([]*Receipt) []*Receipt { return nil },
		"partitions out of order":  func(list []*Receipt) []*Receipt { slices.Reverse(list); return list },
		"a partition twice":        func(list []*Receipt) []*Receipt { return append(list, list[1]) },
		"a partition that is none": func(list []*Receipt) []*Receipt { list[1].End = list[1].Start; return list },
	} {
		var w packed.Writer
		if err := writeChunk(&w, spoil(good())); err != nil {
			t.Fatal(err)
		}
		if _, err := readChunk(w.Bytes, words{}); (err == nil) != (name == "nothing") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever bytes a chunk is, it is refused, or all of it can be asked for.
func FuzzAChunkIsReadWholeOrRefused(f *testing.F) {
	one := receipt(1, "i", "c", "r", 10)
	two := receipt(2, "j", "d", "r", 10)
	two.Files = []File{{ID: "0123456789abcdef0123456789abcdef"}, {ID: "b"}}
	for _, list := range [][]*Receipt{{&one}, {&one, &two}} {
		var w packed.Writer
		if err := writeChunk(&w, list); err != nil {
			f.Fatal(err)
		}
		f.Add(w.Bytes)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		read, err := readChunk(data, words{})
		if err != nil {
			return
		}
		c := &chunk{packed: read}
		for i, r := range c.receipts() {
			plain := Published{&chunk{list: []*Receipt{r}}, 0}
			if fields(plain) != fields(Published{c, i}) {
				t.Fatalf("receipt %d is %s, its fields %s", i, fields(plain), fields(Published{c, i}))
			}
		}
		c.furthest()
	})
}

// A checkpoint that an older program wrote is read as it was meant.
func TestReceiptsFromBeforeThereWereChunksAreRead(t *testing.T) {
	data, err := os.ReadFile("testdata/before-chunks.bin")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/before-chunks.json")
	if err != nil {
		t.Fatal(err)
	}
	var want []Receipt
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	old, again := newState(), newState()
	if err := old.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	if got := old.snapshot("t").Receipts(); !slices.EqualFunc(got, want, Receipt.equal) {
		t.Fatalf("got %+v\nwant %+v", got, want)
	}
	now, err := old.AppendBinary(nil)
	if err == nil {
		err = again.UnmarshalBinary(now)
	}
	if err != nil || !sameState(old, again) {
		t.Fatalf("written anew it is another: %v", err)
	}
}
