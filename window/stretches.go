package window

// stretch is where tiles are evenly spaced: one starts each step from its beginning
// on, and the last is what is left.
type stretch struct {
	span
	step int64
}

// stretches cuts a span, which begins and ends at edges of tiles, into few stretches. Of
// tiles within a day there is a new one where clocks change, and of months where
// their lengths do.
func (t tiling) stretches(of span) []stretch {
	if t.uniform() {
		return []stretch{{of, t.size}}
	}
	var out []stretch
	for at := of.from; at < of.to; {
		_, end := t.days(at)
		next := stretch{span{at, min(end, of.to)}, end - at}
		if t.within() {
			next.step = t.size
		}
		if n := len(out); n > 0 && out[n-1].goesOnAs(next) {
			out[n-1].to = next.to
		} else {
			out = append(out, next)
		}
		at = end
	}
	return out
}

// goesOnAs tells whether the stretch that follows is spaced likewise.
func (s stretch) goesOnAs(next stretch) bool {
	return s.step == next.step && (s.to-s.from)%s.step == 0
}
