package publish

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/manifests"
)

// Holding is what a partition's files, read again, hold together.
type Holding struct {
	Rows   int64
	Digest digest.Sum128
}

// Inspect reads a published file of a receipt again, at path, and counts its
// rows in. What is wrong with it, if anything, is in fault; then nothing is
// counted. err is of what says nothing about the file.
func (h *Holding) Inspect(path string, f manifests.File, r manifests.Receipt) (fault string, err error) {
	if fault, err := OtherBytes(path, f); fault != "" || err != nil {
		return fault, err
	}
	summary, err := datafile.Summarize(path, nil)
	switch {
	case errors.Is(err, datafile.ErrCorrupt):
		return fmt.Sprintf("can't be read: %v", err), nil
	case err != nil:
		return "", err
	case summary.Rows != f.Rows:
		return fmt.Sprintf("has %d rows, the receipt says %d", summary.Rows, f.Rows), nil
	case !slices.Equal(summary.Columns, r.Columns):
		return fmt.Sprintf("has the columns %v, the receipt says %v", summary.Columns, r.Columns), nil
	}
	h.count(summary)
	return "", nil
}

func (h *Holding) count(s datafile.Summary) {
	h.Rows, h.Digest = h.Rows+s.Rows, h.Digest.Add(s.Digest)
}

// Fault says how the holding differs from what the receipt says, or "".
func (h Holding) Fault(r manifests.Receipt) string {
	if h.Rows == r.Rows && h.Digest == r.RowDigest {
		return ""
	}
	return fmt.Sprintf("%d rows with digest %s, the receipt says %d with %s", h.Rows, h.Digest, r.Rows, r.RowDigest)
}

// Reproduces reads a recompute's files and says how they differ from the
// receipt, or "".
func Reproduces(files []string, r manifests.Receipt) (fault string, err error) {
	var holding Holding
	for _, path := range files {
		summary, err := datafile.Summarize(path, nil)
		if err != nil {
			return "", err
		}
		if !slices.Equal(summary.Columns, r.Columns) {
			return fmt.Sprintf("the columns %v, the receipt says %v", summary.Columns, r.Columns), nil
		}
		holding.count(summary)
	}
	return holding.Fault(r), nil
}

// OtherBytes says how the file at path is not the one that was published, or "".
func OtherBytes(path string, f manifests.File) (fault string, err error) {
	size, hash, err := hashFile(path)
	switch {
	case err != nil:
		return "", err
	case size != f.Bytes:
		return otherSize(size, f), nil
	case hash != f.Digest:
		return fmt.Sprintf("has other bytes than were published: SHA-256 %s, the receipt says %s", hash, f.Digest), nil
	}
	return "", nil
}

func otherSize(bytes int64, f manifests.File) string {
	return fmt.Sprintf("has %d bytes, the receipt says %d: it is truncated or another file", bytes, f.Bytes)
}

func hashFile(path string) (size int64, hash digest.Hash, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, hash, err
	}
	defer file.Close()
	sum := sha256.New()
	if size, err = io.Copy(sum, file); err != nil {
		return 0, hash, fmt.Errorf("read %s: %w", path, err)
	}
	sum.Sum(hash[:0])
	return size, hash, nil
}
