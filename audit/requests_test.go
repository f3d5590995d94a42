package audit_test

import (
	"maps"
	"slices"
	"testing"

	"strandline/internal/log"
	"strandline/internal/objstore"
	"strandline/manifests"
	"strandline/plans"
	"strandline/requests"
	"strandline/runner"
)

// asked is a lake in which three things are submitted, and a plan that nothing was submitted of.
// The log of requests has a checkpoint at 3.
func asked(t *testing.T) (whole objects, plan, unasked string) {
	t.Helper()
	store := objstore.NewMemory()
	b := newBuilder(t, store)
	b.land("a", 1, 1)
	b.publish()
	planned, err := b.task.Plan(t.Context(), runner.Request{Driver: manifests.DriverBackfill, Again: true})
	if err != nil {
		t.Fatal(err)
	}
	queue := requests.Open(store, log.Options{CheckpointEvery: 3})
	for _, name := range []string{"unasked", "first", "second", "third"} {
		id, err := plans.Write(t.Context(), store, plans.New(planned, plans.About{Driver: manifests.DriverBackfill, Asked: name}))
		if err != nil {
			t.Fatal(err)
		}
		if plan = id.Key(); name == "unasked" {
			unasked = plan
			continue
		}
		if _, _, err := queue.Submit(t.Context(), requests.Submission{Plan: id, Job: salesJob.Name, Slices: 1, Parallel: 1}, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	return taken(t, store), plan, unasked
}

func TestDamageToRequestsIsTold(t *testing.T) {
	whole, plan, unasked := asked(t)
	entries, checkpoints := whole.keys("requests/log/"), whole.keys("requests/checkpoints/")
	if found, _ := audited(t, whole.put(t, objstore.NewMemory()), true); !slices.Equal(text(found), []string{"note: unnamed-file " + unasked}) {
		t.Fatalf("of the whole lake: %q", text(found))
	}
	for _, c := range []struct {
		damage func(objects, string)
		key    string
		want   string
	}{
		{lose, plan, "missing-plan"},
		{halve, plan, "damaged-plan"},
		{flip, plan, "damaged-plan"},
		{lose, entries[0], "missing-entry"},
		{flip, entries[1], "damaged-entry"},
		{flip, checkpoints[0], "damaged-checkpoint"},
		{func(o objects, key string) { o[key] = []byte("x") }, "requests/log/notes.txt", "strange-log-object"},
	} {
		o := maps.Clone(whole)
		c.damage(o, c.key)
		found, _ := audited(t, o.put(t, objstore.NewMemory()), true)
		if got := text(faults(found)); !slices.Equal(got, []string{c.want + " " + c.key}) {
			t.Errorf("%s: found %q", c.want, got)
		}
	}
}
