package landing

// RejectClass is a kind of reasons for rejects. There are few, so that they can be
// labels of metrics.
type RejectClass int

// The classes.
const (
	RejectForm      RejectClass = iota // it is no record of its format
	RejectColumn                       // a column's value is not of its type
	RejectEventTime                    // there is no event time, or not a plausible one
	RejectLength                       // it is too long
	RejectEncoding                     // it is not UTF-8, or has a NUL character
	rejectClasses
)

// String returns its name, which never changes.
func (c RejectClass) String() string {
	return [rejectClasses]string{"form", "column", "event_time", "length", "encoding"}[c]
}

// RejectCounts are rejects counted by class.
type RejectCounts [rejectClasses]int64

// without takes away those that were there before.
func (c RejectCounts) without(before RejectCounts) RejectCounts {
	for class := range c {
		c[class] -= before[class]
	}
	return c
}

// ByName returns those that are not 0, by the names of their classes.
func (c RejectCounts) ByName() map[string]int64 {
	names := map[string]int64{}
	for class, n := range c {
		if n > 0 {
			names[RejectClass(class).String()] = n
		}
	}
	return names
}
