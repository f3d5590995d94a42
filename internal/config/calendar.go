package config

import (
	"time"

	"strandline/window"
)

// grain reads what a job overwrites at once, and the zone of its calendar.
func (f fields) grain() window.Grain {
	var g window.Grain
	if v, ok := f.need("partition", "15m, hour, day, week, month or year"); ok {
		g.Unit = v.unit(window.Units...)
	}
	if v, ok := f.get("timezone"); ok {
		if name, ok := v.text(); ok {
			g.Zone, _ = v.zone(name, "")
		}
	}
	return g
}

// unit reads one of some units.
func (v value) unit(units ...window.Unit) window.Unit {
	var choices []string
	for _, unit := range units {
		choices = append(choices, string(unit))
	}
	unit, _ := v.oneOf(choices...)
	return window.Unit(unit)
}

// tumbling reads the size of windows, or a unit of the calendar that has none.
func (v value) tumbling() (time.Duration, window.Unit) {
	for _, unit := range []window.Unit{window.UnitWeek, window.UnitMonth, window.UnitYear} {
		if v.isText() && v.node.Value == string(unit) {
			return 0, unit
		}
	}
	return v.size(), ""
}

// fitsDays adds a problem where windows of a zone neither are whole days nor divide one.
func (v value) fitsDays(w window.Window) {
	const day = 24 * time.Hour
	step := w.Size
	if w.Kind == window.Hopping {
		step = w.Every
	}
	if !w.Zone.IsUTC() && step > 0 && step%day != 0 && day%step != 0 {
		v.problem("%s: in a time zone windows are counted from the start of each local day, so they must be whole days or divide 24h", window.FormatDuration(step))
	}
}
