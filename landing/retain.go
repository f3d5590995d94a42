package landing

import "time"

// Retain says how much of a stream's raw rows is kept. Whichever bound is
// passed first counts; the zero Retain keeps everything for ever.
type Retain struct {
	Age   time.Duration // since the newest row of a segment landed; 0: no bound
	Bytes int64         // of all segments of the stream together; 0: no bound
}

// Forever tells whether nothing ever expires.
func (r Retain) Forever() bool { return r == Retain{} }
