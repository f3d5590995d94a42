package audit

import (
	"context"
	"sync"
	"time"

	"strandline/internal/log"
	"strandline/landing"
	"strandline/manifests"
	"strandline/publish"
	"strandline/window"
)

// table audits a table's log and files, and what it was computed from.
func (r *run) table(ctx context.Context, room Room) error {
	t := manifests.Open(r.Store, room.Name, manifests.Options{})
	x, err := t.Examine(ctx, func(f log.Finding) { r.tell(finding(room, f)) }, r.step)
	if err != nil {
		return err
	}
	wanted := map[string]named{}
	for id, f := range x.Files {
		wanted[id] = keptFile(room, f)
	}
	for _, receipt := range results(x.Snapshot) {
		whole := &holding{receipt: receipt}
		for _, f := range receipt.Files {
			wanted[f.ID] = r.currentFile(room, whole, f)
		}
	}
	still := stillNamed(ctx, func() (namer, error) {
		now, err := t.Snapshot(ctx)
		if err != nil {
			return nil, err
		}
		return t.Reach(ctx, now.Oldest)
	})
	if err := r.files(ctx, room, Data, wanted, x.Known, still); err != nil {
		return err
	}
	if err := r.lookups(ctx, room, x.Snapshot); err != nil {
		return err
	}
	return r.history(ctx, room, x)
}

// results are the published and the held ones.
func results(s *manifests.Snapshot) []manifests.Receipt {
	all := s.Receipts()
	for _, c := range s.Candidates() {
		all = append(all, c.Receipt)
	}
	return all
}

// keptFile is a file of an older version, whose receipt is not at hand.
func keptFile(room Room, f manifests.KeptFile) named {
	n := named{
		key: manifests.DataKey(room.Name, f.Partition, f.ID), bytes: f.Bytes, names: outputNames,
		hits: func() Fault {
			return Fault{Room: room, Partitions: []string{f.Partition}, Entries: &Span{int64(f.Version), int64(f.Version) + 1}}
		},
		read: func(_ context.Context, path string) (string, error) { return publish.OtherBytes(path, f.File) },
	}
	if f.Repaired {
		n.names = fileNames{ReplacedFile, ReplacedFile, ReplacedFile}
	}
	return n
}

// currentFile is a file of a result that is published or held now. Whichever
// file of the result is read last also holds their sum against the receipt.
func (r *run) currentFile(room Room, whole *holding, f manifests.File) named {
	receipt := whole.receipt
	return named{
		key: manifests.DataKey(room.Name, receipt.Partition, f.ID), bytes: f.Bytes, names: outputNames,
		hits: func() Fault {
			return Fault{Room: room, Partitions: []string{receipt.Partition}, Do: r.restoring(room, receipt)}
		},
		read: func(_ context.Context, path string) (string, error) {
			var h publish.Holding
			fault, err := h.Inspect(path, f, receipt)
			if fault == "" && err == nil {
				fault = whole.add(h)
			}
			return fault, err
		},
	}
}

// restoring is what can be done about a file of a result that can't be computed
// again, or "" if it can be, as far as the logs tell.
func (r *run) restoring(room Room, receipt manifests.Receipt) string {
	for stream := range receipt.Positions {
		if x := r.streams[stream]; x != nil && x.State != nil && x.State.Expired(r.hours(room, stream, receipt)) > 0 {
			return "raw rows of the partition have expired, so it can't be computed again: " + window.Restoring(room.Name)
		}
	}
	return ""
}

// hours are those of a stream that a result was computed from. Where its job is declared
// nowhere these are the hours of its partition.
func (r *run) hours(room Room, stream string, receipt manifests.Receipt) landing.Hours {
	partition := window.Partition{Interval: window.Interval{Start: receipt.Start, End: receipt.End}}
	for _, j := range r.Jobs {
		if in, reads := j.StreamInput(stream); reads && j.Name == room.Name {
			return j.Hours(in, partition)
		}
	}
	return window.Job{Window: window.Window{Kind: window.Tumbling, Size: time.Hour}}.Hours(window.Input{}, partition)
}

// holding is what the files of a result hold together, as far as they were read.
type holding struct {
	receipt manifests.Receipt

	mu    sync.Mutex
	files int
	sum   publish.Holding
}

// add takes in what one more file holds. Having all, it says how they differ from
// the receipt, or "".
func (w *holding) add(h publish.Holding) (fault string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files++
	w.sum.Rows, w.sum.Digest = w.sum.Rows+h.Rows, w.sum.Digest.Add(h.Digest)
	if w.files < len(w.receipt.Files) {
		return ""
	}
	return w.sum.Fault(w.receipt)
}
