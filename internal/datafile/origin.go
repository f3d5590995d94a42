package datafile

// Origin says where a file has values of a column that was declared otherwise when
// the file was written.
type Origin struct {
	// Column is one of the file's.
	Column Column
	// Paths lead to the values in the JSON that Column holds: each is the names of
	// the fields from the outermost object on, and an empty one is all of it. None
	// means the values of Column as they are.
	Paths [][]string
}
