package audit

import (
	"fmt"

	"strandline/internal/log"
)

// Name is the stable name of a fault. Those of logs are log.Fault's.
type Name string

// The faults of files and of what was published, and the notes.
const (
	MissingLog       Name = "missing-log"
	MissingSegment   Name = "missing-segment"
	TruncatedSegment Name = "truncated-segment"
	DamagedSegment   Name = "damaged-segment"
	MissingRejects   Name = "missing-rejects"
	DamagedRejects   Name = "damaged-rejects"
	MissingArchive   Name = "missing-archive"
	TruncatedArchive Name = "truncated-archive"
	DamagedArchive   Name = "damaged-archive"
	MissingFile      Name = "missing-file"
	TruncatedFile    Name = "truncated-file"
	DamagedFile      Name = "damaged-file"
	MissingLookup    Name = "missing-lookup"
	DamagedLookup    Name = "damaged-lookup"
	MissingPlan      Name = "missing-plan"
	DamagedPlan      Name = "damaged-plan"
	UnbackedReceipt  Name = "unbacked-receipt"
	ReplacedFile     Name = "replaced-file"
	UnnamedFile      Name = "unnamed-file"
	UntoldFiles      Name = "untold-files"
	Leftover         Name = "leftover"
	ForeignObject    Name = "foreign"

	unreadable = Name(log.Unreadable)
)

// Level tells what harms from what does not.
type Level string

// The levels. A lake with notes alone is sound.
const (
	LevelFault Level = "fault"
	LevelNote  Level = "note"
)

// Fault is one thing that was found, as --json prints it.
type Fault struct {
	Name  Name   `json:"fault"`
	Level Level  `json:"level"`
	Room  Room   `json:"-"`
	In    string `json:"in,omitempty"` // "stream sales", "table sales_hourly"
	// Key is the object, or where it should be.
	Key string `json:"key"`
	// Seen says what was seen, and Means what that comes to.
	Seen  string `json:"seen"`
	Means string `json:"means"`
	Do    string `json:"do"`
	// What is hit, as far as can be told.
	Entries    *Span    `json:"entries,omitempty"`   // numbers of log entries; of a table these are its versions
	Positions  *Span    `json:"positions,omitempty"` // of the stream's rows
	EventTime  *Times   `json:"event_time,omitempty"`
	Partitions []string `json:"partitions,omitempty"`
}

// Span is a half-open range of numbers. To is 0 where the end is not known.
type Span struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// String writes the span as text does: [0, 12), or "from 12 on".
func (s Span) String() string {
	if s.To == 0 {
		return fmt.Sprintf("from %d on", s.From)
	}
	return fmt.Sprintf("[%d, %d)", s.From, s.To)
}

// complete fills in what follows from the name, but for what is to be done where
// that is known better.
func (f *Fault) complete() {
	e := explanations[f.Name]
	f.Means = e.means
	if f.Do == "" {
		f.Do = e.do
	}
	if f.Level == "" {
		f.Level = e.level
	}
	if f.Room.Name != "" {
		f.In = f.Room.String()
	}
}

// explanation is what a name means and what can be done.
type explanation struct {
	level     Level
	means, do string
}

const (
	archiveMeans = "it can't be told what has landed already, so nothing lands in the stream; no row and no table is hit"
	archiveDo    = "restore the file from a copy of the lake"

	lookupMeans = "partitions that were computed with it can't be computed again as they were; what is published stays"
	lookupDo    = "restore the object from a copy of the lake, or put the file with these bytes where the lookup is declared and run strandline run --once"

	planMeans = "the request can't be worked on or resumed; what is published stands"

	recomputeDo = "run strandline backfill with --recompute for the partition, which brings the same rows back; for an older version restore the file from a copy"
)

var explanations = map[Name]explanation{
	Name(log.MissingEntry): {LevelFault,
		"a part of the log is gone; what it said holds only as far as a checkpoint above it knows it",
		"restore the entry from a copy of the lake; until then nothing is written here that reads it"},
	Name(log.DamagedEntry): {LevelFault,
		"the entry can't be believed, nor the log past it but for a checkpoint above",
		"restore the entry from a copy of the lake"},
	Name(log.BrokenChain): {LevelFault,
		"this entry, or the one before it, is of another history",
		"restore both entries from one copy of the lake"},
	Name(log.RefusedEntry): {LevelFault,
		"the entry is sound and contradicts those before it",
		"restore the log from a copy of the lake; if it is as it was written, tell who makes Strandline"},
	Name(log.NewerFormat): {LevelFault,
		"a newer program wrote it, so it was not looked at",
		"run this check with the newest strandline that writes to the lake"},
	Name(log.DamagedCheckpoint): {LevelFault,
		"if it is the newest one the log can't be opened; nothing is lost as long as the entries are there",
		"remove the object if all entries are there, which costs time only; restore it from a copy if the log was trimmed below it"},
	Name(log.WrongCheckpoint): {LevelFault,
		"whoever opens the log from it sees another state than was written",
		"stop all writers, remove the object if all entries are there, and check the lake again"},
	Name(log.MissingCheckpoint): {LevelNote,
		"opening the log takes longer, or has nothing to fall back on; nothing is lost",
		"nothing: the next one is made at the next hundredth entry"},
	Name(log.MissingBase): {LevelFault,
		"the log can't be opened, or not at the entries that are named: those before are gone, as they may be, and so is the state they came to",
		"restore the checkpoint from a copy of the lake"},
	Name(log.DamagedTrim): {LevelFault,
		"it can't be told where the log begins; sweeps leave the log as it is",
		"restore the object from a copy of the lake"},
	Name(log.MissingTrim): {LevelFault,
		"where the log was trimmed the record alone is lost, and all that is kept is there; reading what is older calls the log corrupt, and not trimmed",
		"restore the record from a copy of the lake; or run strandline sweep, which writes it anew"},
	Name(log.UnfinishedTrim): {LevelNote,
		"removing old entries was interrupted; those left are of no use",
		"nothing: strandline sweep goes on with it"},
	Name(log.StrangeObject): {LevelFault,
		"the log can't be read, or not past it, or nothing is written to it, as long as that lies there",
		"move the object out of the lake"},
	unreadable: {LevelFault,
		"the store lists the object and does not give it",
		"see what the store says, and restore the object from a copy if it is damaged"},
	MissingLog: {LevelFault,
		"files are here that a log should name, and the log is gone",
		"restore the log from a copy of the lake; if nothing was ever committed here, remove the files"},
	MissingSegment: {LevelFault,
		"landed rows are gone; partitions with rows of that time can't be computed again, and what is published stays",
		"restore the file from a copy of the lake"},
	TruncatedSegment: {LevelFault,
		"landed rows are gone; partitions with rows of that time can't be computed again, and what is published stays",
		"restore the file from a copy of the lake"},
	DamagedSegment: {LevelFault,
		"the rows are not those that landed; partitions with rows of that time can't be computed again, and what is published stays",
		"restore the file from a copy of the lake"},
	MissingRejects: {LevelFault,
		"records that could not be read as rows are gone; no table is hit",
		"restore the file from a copy of the lake; the source's own file has the records too"},
	DamagedRejects: {LevelFault,
		"records that could not be read as rows can't be shown; no table is hit",
		"restore the file from a copy of the lake; the source's own file has the records too"},
	MissingArchive:   {LevelFault, archiveMeans, archiveDo},
	TruncatedArchive: {LevelFault, archiveMeans, archiveDo},
	DamagedArchive: {LevelFault,
		"of some content it can't be told whether it has landed already: where the index is damaged nothing lands in the stream, else only what may be in the damaged part does not; no row and no table is hit",
		archiveDo},
	MissingFile: {LevelFault,
		"published rows can't be read",
		recomputeDo},
	TruncatedFile: {LevelFault,
		"published rows can't be read",
		recomputeDo},
	DamagedFile: {LevelFault,
		"what is read may not be what was published",
		recomputeDo},
	MissingLookup: {LevelFault, lookupMeans, lookupDo},
	DamagedLookup: {LevelFault, lookupMeans, lookupDo},
	MissingPlan:   {LevelFault, planMeans, "restore the object from a copy of the lake, or submit what was asked for again"},
	DamagedPlan:   {LevelFault, planMeans, "submit what was asked for again, which writes the same plan anew, or restore the object from a copy of the lake"},
	UnbackedReceipt: {LevelFault,
		"what is published was computed from rows that the landing log does not have, or no more",
		"restore the stream's log, its newest entries first, from a copy of the lake"},
	ReplacedFile: {LevelNote,
		"a file of older versions was lost and repaired since; those versions can't be queried, a rollback to them can be made",
		"nothing: it ends when the versions expire"},
	UnnamedFile: {LevelNote,
		"nothing that is kept names the file; an attempt that failed, or a version or a request that is kept no more, left it, or an attempt is under way",
		"nothing: where the lake has no faults, strandline sweep removes those that are old enough"},
	UntoldFiles: {LevelNote,
		"an entry that can't be believed may have let them go, and a sweep removed them; or they are lost",
		"restore the entry that is told of, and check the lake again"},
	Leftover: {LevelNote,
		"nothing depends on it",
		"nothing: strandline sweep removes it"},
	ForeignObject: {LevelNote,
		"it is not of the lake, and nothing here touches it",
		"move it elsewhere, if it is yours"},
}
