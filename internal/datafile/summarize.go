package datafile

import (
	"crypto/sha256"
	"fmt"
	"io"

	"strandline/internal/digest"
)

// Summary is what a receipt says of one data file.
type Summary struct {
	Columns    []Column // in file order
	Rows       int64
	Digest     digest.Sum128 // row digest over all columns, in file order
	Bytes      int64
	FileDigest digest.Hash // SHA-256 of the file's bytes
}

// Summarize reads the data file at path once through, and calls check, where it
// is not nil, for each row as Scan does. Its first error ends the reading.
func Summarize(path string, check func(row []Value) error) (s Summary, err error) {
	f, err := Open(path)
	if err != nil {
		return Summary{}, err
	}
	defer func() {
		if cerr := f.Close(); err == nil && cerr != nil {
			s, err = Summary{}, fmt.Errorf("close data file: %w", cerr)
		}
	}()
	s = Summary{Columns: f.Columns(), Rows: f.Rows(), Bytes: f.Bytes()}
	if s.FileDigest, err = f.digest(); err != nil {
		return Summary{}, err
	}
	var canonical []byte
	err = f.Scan(func(row []Value) error {
		canonical = AppendRow(canonical[:0], s.Columns, row)
		s.Digest = s.Digest.Add(digest.OfRow(canonical))
		if check == nil {
			return nil
		}
		return check(row)
	})
	if err != nil {
		return Summary{}, err
	}
	return s, nil
}

// digest returns the SHA-256 of the file's bytes.
func (f *File) digest() (h digest.Hash, err error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f.file, 0, f.bytes)); err != nil {
		return digest.Hash{}, fmt.Errorf("read data file %s: %w", f.path, err)
	}
	sum.Sum(h[:0])
	return h, nil
}
