package manifests

import "time"

// Retention says which versions of a table are kept: those that are among the
// newest, and those that were the newest at some time within an age. The zero
// Retention keeps all.
type Retention struct {
	Versions uint64        // 0: their number keeps none
	Age      time.Duration // 0: their age keeps none
}

// KeepsAll tells whether no version expires.
func (r Retention) KeepsAll() bool { return r == Retention{} }

// Oldest returns the oldest version to keep. written says when the versions from
// first on were written, up to the newest, by the store's clock. The newest is
// always kept, and so is what was the newest within the grace: somebody may read it.
func (r Retention) Oldest(first Version, written []time.Time, now time.Time, grace time.Duration) Version {
	if r.KeepsAll() {
		return first
	}
	since := now.Add(-max(r.Age, grace))
	for i := range written {
		last := i == len(written)-1
		isAmongNewest := uint64(len(written)-i) <= r.Versions
		if last || isAmongNewest || written[i+1].IsZero() || written[i+1].After(since) {
			return first + Version(i)
		}
	}
	return first
}
