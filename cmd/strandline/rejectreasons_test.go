package main

import "testing"

// Reasons of one kind are one, and say by what they are: the column, the type, the unit.
func TestReasonsAreCountedByTheirKind(t *testing.T) {
	for reason, want := range map[string]string{
		`event time 1772323200123 with unit s would be +58132-08-01T16:00:37Z, outside 1900-01-01 to 2200-01-01: is the unit right?`: `event time … with unit s would be …, outside … to …: is the unit right?`,
		`event time "1772323200123.5" with unit s would be 58132-08-01T16:00:37.5Z`:                                                  `event time … with unit s would be …`,
		`column amount: "7.999" does not fit DECIMAL(18,2) without rounding`:                                                         `column amount: … does not fit DECIMAL(18,2) without rounding`,
		`column amount: 1e400 is not a DECIMAL(38, 10)`:                                                                              `column amount: … is not a DECIMAL(38, 10)`,
		`column 2024: -5 is not a UINT8`:                                                                                             `column 2024: … is not a UINT8`,
		`event time "column x: DECIMAL(1,2)" with unit iso: "a" is not an ISO 8601 date and time`:                                    `event time … with unit iso: … is not an ISO 8601 date and time`,
		`the record is not valid UTF-8`:                                                                                              `the record is not valid UTF-8`,
		`the record has 3 cells, the header has 12`:                                                                                  `the record has … cells, the header has …`,
	} {
		if got := reasonOf(reason); got != want {
			t.Errorf("%s\nis %s\nwant %s", reason, got, want)
		}
	}
}
