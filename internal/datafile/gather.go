package datafile

// gather takes the values of rows until their texts have that many bytes, and returns
// how many rows that are. What lies one after another in memory is taken at once.
func (p *page) gather(v *Vector, rows []int32, enough int) (taken int) {
	p.kind, p.words, p.text, p.offsets = v.kind, p.words[:0], p.text[:0], append(p.offsets[:0], 0)
	if v.nulls == v.rows {
		return len(rows)
	}
	for taken < len(rows) && len(p.text) < enough {
		s, first := v.slices[uint(rows[taken])/BlockRows], int(rows[taken])%BlockRows
		n := 1
		if len(s.levels) == 0 && len(s.codes) == 0 {
			n = runOf(rows[taken:])
		}
		switch {
		case len(s.levels) > 0 && s.levels[first] == 0:
		case len(s.codes) > 0:
			p.gatherTexts(s.text, []span{s.span(first)}, enough)
		case v.bytes:
			n = p.gatherTexts(s.text, s.spans[first:first+n], enough)
		default:
			p.gatherWords(s.words[first : first+n])
		}
		taken += n
	}
	return taken
}

// runOf returns how many rows at first follow each other within a slice.
func runOf(rows []int32) int {
	first := rows[0]
	rows = rows[:min(len(rows), BlockRows-int(first)%BlockRows)]
	for i, row := range rows {
		if row != first+int32(i) {
			return i
		}
	}
	return len(rows)
}

func (p *page) gatherWords(words []uint64) {
	for _, word := range words {
		p.words = append(p.words, int64(word))
	}
}

// gatherTexts takes the first texts, as many as follow each other until there is enough.
func (p *page) gatherTexts(text []byte, spans []span, enough int) (taken int) {
	all := span{spans[0].from, spans[0].from}
	shift := uint32(len(p.text)) - all.from
	most := uint64(all.from) + uint64(enough-len(p.text))
	for taken < len(spans) && spans[taken].from == all.to && uint64(all.to) < most {
		all.to = spans[taken].to
		p.offsets = append(p.offsets, all.to+shift)
		taken++
	}
	p.text = appendSpan(p.text, text, all)
	return taken
}
