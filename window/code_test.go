package window

import (
	"testing"
	"time"

	"strandline/internal/datafile"
	"strandline/internal/duck"
	"strandline/landing"
)

// What is digested of the jobs that lakes have must stay as it is, byte for byte:
// else every partition of every lake would be of old code by an upgrade.
func TestTheFingerprintsOfLakesThatExistStay(t *testing.T) {
	stream := landing.Spec{
		Stream: "sales",
		Columns: []datafile.Column{
			{Name: "shop", Type: datafile.Type{Kind: datafile.Varchar}}, {Name: "cents", Type: datafile.Type{Kind: datafile.BigInt}},
			{Name: "unread", Type: datafile.Type{Kind: datafile.Double}},
		},
		Fields: map[string][]landing.Path{"cents": {{"price", "cents"}}},
	}
	plain := Compiled{
		Job:    Job{Name: "hourly", Inputs: FromStream("sales"), Window: Window{Kind: Tumbling, Size: time.Hour}, Grain: GrainDay, Key: []string{"window_start", "shop"}},
		shapes: []Shape{StreamShape(stream)}, statement: &duck.Statement{Normalized: `{"a": "tree"}`, Columns: []string{"cents", "shop"}},
	}
	deduped := plain
	deduped.Dedup = &Dedup{Key: []string{"shop", "unread"}, Keep: KeepLast}
	for want, c := range map[string]Compiled{
		"95a4e51d1eba2a6f477ca430fbb4b1e961343b5d931fa6ad2ab9e864ff928e7b": plain,
		"d06f1c38be134782161784e58272cb4777d4fc397dbcf48985ffbad1589c8f06": deduped,
	} {
		if got := digestOf(c.code("v1.2.3")); got.String() != want {
			t.Errorf("the fingerprint of %+v is %s, want %s", c.Job, got, want)
		}
	}
}
