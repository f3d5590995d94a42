package duck

import "strings"

// JobInput is a relation that a job may read, without rows, for CheckJob.
type JobInput struct {
	Name string
	// Unique names columns that together tell its rows apart; none of them is NULL.
	// At least one, and all are columns of the relation.
	Unique []string
}

// jobInputs are those of one job, at least one.
type jobInputs []JobInput

func (in jobInputs) names() []string {
	names := make([]string, len(in))
	for i, input := range in {
		names[i] = input.Name
	}
	return names
}

// unique returns the folded columns that tell the rows of a relation apart, by its
// folded name.
func (in jobInputs) unique() map[string][]string {
	of := map[string][]string{}
	for _, input := range in {
		for _, column := range input.Unique {
			of[fold(input.Name)] = append(of[fold(input.Name)], fold(column))
		}
	}
	return of
}

// ordered is advice that names position, for the first input whose rows other
// columns tell apart: what is told apart by position alone needs no other words.
func (in jobInputs) ordered(write string) string {
	for _, input := range in {
		if len(input.Unique) > 1 || fold(input.Unique[0]) != positionColumn {
			return strings.ReplaceAll(write, positionColumn, strings.Join(input.Unique, ", "))
		}
	}
	return write
}
