package datafile

// scanCivil reads YYYY-MM-DD[(T| )HH:MM[:SS[.fraction]][Z|±HH[[:]MM]]].
func scanCivil(text []byte) (c civil, ok bool) {
	if c.days, ok = scanDate(text); !ok {
		return civil{}, false
	}
	rest := text[len("YYYY-MM-DD"):]
	if len(rest) == 0 {
		return c, true
	}
	if rest[0] != 'T' && rest[0] != 't' && rest[0] != ' ' {
		return civil{}, false
	}
	c.hasClock = true
	if rest, ok = c.scanClock(rest[1:]); !ok {
		return civil{}, false
	}
	c.offset, ok = scanOffset(rest)
	return c, ok
}

func scanDate(text []byte) (days int64, ok bool) {
	if len(text) < len("YYYY-MM-DD") || text[4] != '-' || text[7] != '-' {
		return 0, false
	}
	century, ok1 := twoDigits(text)
	year, ok2 := twoDigits(text[2:])
	month, ok3 := twoDigits(text[5:])
	day, ok4 := twoDigits(text[8:])
	if !ok1 || !ok2 || !ok3 || !ok4 || month < 1 || month > 12 || day < 1 {
		return 0, false
	}
	year += 100 * century
	if day > daysIn(year, month) {
		return 0, false
	}
	return daysFromCivil(year, month, day), true
}

// scanClock reads HH:MM[:SS[.fraction]] and returns what follows it. The hour
// 24 and leap seconds are refused: the same instant has another spelling.
func (c *civil) scanClock(text []byte) (rest []byte, ok bool) {
	if len(text) < len("HH:MM") || text[2] != ':' {
		return nil, false
	}
	hour, ok1 := twoDigits(text)
	minute, ok2 := twoDigits(text[3:])
	if !ok1 || !ok2 || hour > 23 || minute > 59 {
		return nil, false
	}
	c.micros = (hour*60 + minute) * 60 * microsPerSecond
	rest = text[len("HH:MM"):]
	if len(rest) == 0 || rest[0] != ':' {
		return rest, true
	}
	second, ok := twoDigits(rest[1:])
	if !ok || second > 59 {
		return nil, false
	}
	c.micros += second * microsPerSecond
	return c.scanFraction(rest[len(":SS"):])
}

func (c *civil) scanFraction(text []byte) (rest []byte, ok bool) {
	if len(text) == 0 || text[0] != '.' {
		return text, true
	}
	n := countDigits(text[1:])
	if n == 0 {
		return nil, false
	}
	unit := int64(microsPerSecond)
	for _, d := range text[1 : 1+n] {
		unit /= 10
		c.micros += int64(d-'0') * unit
		c.excess = c.excess || unit == 0 && d != '0'
	}
	return text[1+n:], true
}

// scanOffset reads nothing, Z, ±HH, ±HHMM or ±HH:MM, up to the end.
func scanOffset(text []byte) (o offset, ok bool) {
	if len(text) == 0 {
		return offset{}, true
	}
	if len(text) == 1 {
		return offset{given: true}, text[0] == 'Z' || text[0] == 'z'
	}
	if text[0] != '+' && text[0] != '-' {
		return offset{}, false
	}
	hour, ok := twoDigits(text[1:])
	if !ok || hour > 23 {
		return offset{}, false
	}
	minute := int64(0)
	if rest := text[len("+HH"):]; len(rest) > 0 {
		if rest[0] == ':' {
			rest = rest[1:]
		}
		minute, ok = twoDigits(rest)
		if !ok || minute > 59 || len(rest) != 2 {
			return offset{}, false
		}
	}
	seconds := (hour*60 + minute) * 60
	if text[0] == '-' {
		seconds = -seconds
	}
	return offset{given: true, seconds: seconds}, true
}

func twoDigits(text []byte) (n int64, ok bool) {
	if len(text) < 2 {
		return 0, false
	}
	hi, lo := text[0]-'0', text[1]-'0'
	return int64(hi)*10 + int64(lo), hi <= 9 && lo <= 9
}

func daysIn(year, month int64) int64 {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// daysFromCivil counts days since 1970-01-01, for years from 0 on, in years
// that start on 1 March so that the leap day comes last (Howard Hinnant,
// "chrono-Compatible Low-Level Date Algorithms", days_from_civil).
func daysFromCivil(year, month, day int64) int64 {
	if month <= 2 {
		year--
		month += 12
	}
	dayOfYear := (153*(month-3)+2)/5 + day - 1
	era := (year + 400) / 400 // 400 years on, so that year -1 divides like the rest
	yearOfEra := year + 400 - era*400
	return era*146_097 + yearOfEra*365 + yearOfEra/4 - yearOfEra/100 + dayOfYear - 719_468 - 146_097
}
