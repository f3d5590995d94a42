package main

import (
	"fmt"
	"strings"

	"strandline/manifests"
	"strandline/window"
)

// describeRead says up to where a plan reads its inputs.
func describeRead(plan window.Plan) string {
	return strings.Join(names(plan.Job.Inputs, func(in window.Input) string {
		if in.Table {
			return fmt.Sprintf("version %d of table %s", plan.Read[in.At()], in.Name)
		}
		return fmt.Sprintf("position %d of stream %s", plan.Read[in.At()], in.Name)
	}), ", ")
}

// describeInputs says what a plan reads of its inputs.
func describeInputs(plan window.Plan) string {
	return strings.Join(names(plan.Job.Inputs, func(in window.Input) string { return readOf(in.At(), plan.Read[in.At()]) }), ", ")
}

// inputName says what a name in a position vector means.
func inputName(name string) string {
	if table, is := manifests.InputTable(name); is {
		return "table " + table
	}
	return "stream " + name
}

// readOf says what was read up to a position of a position vector, by its name there.
func readOf(name string, upTo int64) string {
	if table, is := manifests.InputTable(name); is {
		return fmt.Sprintf("version %d of table %s", upTo, table)
	}
	return fmt.Sprintf("positions [0, %d) of stream %s", upTo, name)
}
