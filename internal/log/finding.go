package log

// Fault is the stable name of something that is wrong with a log.
type Fault string

// The faults of a log.
const (
	// MissingEntry: entries are not there, and others show that they were.
	MissingEntry Fault = "missing-entry"
	// DamagedEntry: an entry's bytes are not those that were written.
	DamagedEntry Fault = "damaged-entry"
	// BrokenChain: an entry is sound, and follows another one than is there.
	BrokenChain Fault = "broken-chain"
	// RefusedEntry: an entry is sound, and says what the entries before it
	// don't allow.
	RefusedEntry Fault = "refused-entry"
	// NewerFormat: an object was written by a newer program.
	NewerFormat Fault = "newer-format"
	// DamagedCheckpoint: a checkpoint's bytes are not those that were written.
	DamagedCheckpoint Fault = "damaged-checkpoint"
	// WrongCheckpoint: a checkpoint is sound, and not what the entries fold to.
	WrongCheckpoint Fault = "wrong-checkpoint"
	// MissingCheckpoint: the newest checkpoint that is due is not there.
	MissingCheckpoint Fault = "missing-checkpoint"
	// MissingBase: the log was trimmed, and no checkpoint is there to fold it from.
	MissingBase Fault = "missing-base"
	// DamagedTrim: the record of a trim is not what was written.
	DamagedTrim Fault = "damaged-trim"
	// MissingTrim: a log begins as a trim leaves it, and no record of a trim says so.
	MissingTrim Fault = "missing-trim"
	// UnfinishedTrim: entries are left that a trim was about to remove.
	UnfinishedTrim Fault = "unfinished-trim"
	// StrangeObject: what lies among entries or checkpoints is neither.
	StrangeObject Fault = "strange-log-object"
	// Unreadable: the store lists an object and does not give it.
	Unreadable Fault = "unreadable"
)

// Finding is one thing that is wrong with a log.
type Finding struct {
	Fault Fault
	// Key is the object, or where the first object should be.
	Key string
	// First and Last are the numbers of the entries that are hit, both
	// included; zero where no entry is. Last is math.MaxUint64 where the end is not
	// known.
	First, Last uint64
	Err         error // what was seen
}
