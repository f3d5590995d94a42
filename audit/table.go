package audit

import (
	"context"
	"sync"

	"strandline/internal/log"
	"strandline/manifests"
	"strandline/publish"
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
			wanted[f.ID] = currentFile(room, whole, f)
		}
	}
	still := stillNamed(ctx, x.Known, func() (namer, error) {
		now, err := t.Snapshot(ctx)
		if err != nil {
			return nil, err
		}
		return t.Reach(ctx, now.Oldest)
	})
	if err := r.files(ctx, room, Data, wanted, x.Known, still); err != nil {
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
func currentFile(room Room, whole *holding, f manifests.File) named {
	r := whole.receipt
	return named{
		key: manifests.DataKey(room.Name, r.Partition, f.ID), bytes: f.Bytes, names: outputNames,
		hits: func() Fault { return Fault{Room: room, Partitions: []string{r.Partition}} },
		read: func(_ context.Context, path string) (string, error) {
			var h publish.Holding
			fault, err := h.Inspect(path, f, r)
			if fault == "" && err == nil {
				fault = whole.add(h)
			}
			return fault, err
		},
	}
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
