package manifests

import "strandline/internal/digest"

// result tells one result of a partition from another, whichever files hold it.
type result struct {
	partition   string
	input, code digest.Hash
	output      digest.Sum128
}

func (r Receipt) result() result {
	return result{r.Partition, r.InputDigest, r.Fingerprint, r.RowDigest}
}
