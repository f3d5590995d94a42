package datafile

// ReadSQL is what stands after FROM to read data files, which list names as a list of SQL.
// Columns are those of the first file, or with byName those of all: one that a file lacks is
// NULL there.
func ReadSQL(list string, byName bool) string {
	before, after := ReadAround(byName)
	return before + list + after
}

// ReadAround is what ReadSQL has before and after the list. A file has the columns that it was
// written with: without hive_partitioning = false the engine would take a folder called
// column=value, anywhere above it, for the values of that column.
func ReadAround(byName bool) (before, after string) {
	after = ", hive_partitioning = false)"
	if byName {
		after = ", union_by_name = true" + after
	}
	return "read_parquet(", after
}
