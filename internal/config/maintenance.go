package config

import "time"

// Maintenance says how often strandline run does by itself what keeps a lake as
// fast as on its first day; 0 is never.
type Maintenance struct {
	Compact time.Duration // between two compactions of the streams
	Sweep   time.Duration // between two removals of files that nothing names
	Grace   time.Duration // how old a file is at least that these remove
}

// DefaultCompact is how often run compacts where the file does not say. It sweeps
// only where the file says so, since that removes data.
const DefaultCompact = 10 * time.Minute

// DefaultGrace is how old a file is at least that a sweep removes, where nobody says.
const DefaultGrace = 24 * time.Hour

var defaultMaintenance = Maintenance{Compact: DefaultCompact, Grace: DefaultGrace}

func (v value) maintenance() Maintenance {
	f := v.fields("compact", "sweep", "grace")
	m := defaultMaintenance
	if v, ok := f.get("compact"); ok {
		m.Compact = v.period()
	}
	if v, ok := f.get("sweep"); ok {
		m.Sweep = v.period()
	}
	if v, ok := f.get("grace"); ok {
		m.Grace = v.notNegative()
	}
	return m
}

// period returns how often something is to be done, 0 for off.
func (v value) period() time.Duration {
	if v.isText() && v.node.Value == "off" {
		return 0
	}
	d, ok := v.duration()
	if ok && d < time.Second {
		v.problem("%v is too often; want off, or 1s or more", d)
	}
	return d
}
