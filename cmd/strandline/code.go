package main

import (
	"fmt"
	"strings"
	"time"

	"strandline/manifests"
	"strandline/window"
)

// describeCode tells all that a receipt's fingerprint is of, the SQL as it was written.
func describeCode(d *manifests.Definition) string {
	if d == nil {
		return "not recorded, since an older strandline registered it"
	}
	var b strings.Builder
	b.WriteString(describeGeneration(*d))
	for _, p := range d.Parts {
		value := p.Value
		if p.Name == window.PartSQL && d.SQL != "" {
			value = d.SQL
		}
		if strings.Contains(value, "\n") {
			value = strings.ReplaceAll("\n"+value, "\n", fmt.Sprintf("\n%16s", ""))
		} else {
			value = " " + value
		}
		fmt.Fprintf(&b, "\n%13s %s:%s", "", p.Name, value)
	}
	return b.String()
}

// describeGeneration tells who registered a code. That of the job as it is may not be
// registered yet.
func describeGeneration(d manifests.Definition) string {
	if d.Generation == 0 {
		return "that of the job as it is, not registered yet"
	}
	return fmt.Sprintf("generation %d, registered %s by %s", d.Generation, d.At.Format(time.RFC3339), d.Writer)
}

// describeShares tells how many partitions are the work of which code.
func describeShares(shares []manifests.Share) string {
	return strings.Join(names(shares, func(s manifests.Share) string {
		if s.Generation == 0 {
			return fmt.Sprintf("%s of code %s", count(s.Partitions, "partition"), s.Fingerprint.Short())
		}
		return fmt.Sprintf("%s of generation %d (code %s)", count(s.Partitions, "partition"), s.Generation, s.Fingerprint.Short())
	}), ", ")
}
