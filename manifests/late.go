package manifests

import "strandline/internal/digest"

// Late is the input of a partition that a person leaves as it is published,
// though rows have come since: raw rows of it have expired, so that it can't be
// computed again. To drop it sets that input aside.
type Late struct {
	Partition   string      `json:"partition"`
	Positions   Positions   `json:"positions"`
	InputRows   int64       `json:"input_rows"`
	InputDigest digest.Hash `json:"input_digest"`
	Fingerprint digest.Hash `json:"fingerprint"`
}

// receipt is what a result of the input would say of it.
func (l Late) receipt() Receipt {
	return Receipt{
		Partition: l.Partition, Positions: l.Positions, InputRows: l.InputRows,
		InputDigest: l.InputDigest, Fingerprint: l.Fingerprint,
	}
}
