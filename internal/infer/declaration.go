package infer

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"strandline/ingest"
	"strandline/internal/datafile"
	"strandline/landing"
)

// ErrNoEventTime says that no field of a sample looks like an event time.
var ErrNoEventTime = errors.New("no field looks like the time of an event")

// timesRead says what times are read.
const timesRead = "an event time is a text such as 2026-03-01T12:00:00Z, or a number since 1970. " +
	"Times that are written otherwise, such as 01.03.2026 12:00, are read under no declaration: convert them in the file. " +
	"For numbers of before 1990 write the declaration by hand (strandline init without --from)"

// Declaration returns a strandline.yaml that declares the sample as a stream of this
// name with a first job, and its doubts as comments.
func (s *Sample) Declaration(stream string) (string, error) {
	columns, without := s.columns()
	candidates := s.eventTimes(columns)
	if len(candidates) == 0 {
		return "", s.timeless(columns)
	}
	var b strings.Builder
	fmt.Fprintf(&b, header, s.basis(), stream, s.Format)
	b.WriteString(s.dialect())
	b.WriteString(s.eventTime(candidates))
	b.WriteString("    columns:\n")
	for _, c := range columns {
		b.WriteString(c.line(s.Records))
	}
	for _, name := range without {
		fmt.Fprintf(&b, "      # %s can't be a column's name; the field stays in extra\n", quoted(name))
	}
	b.WriteString(s.optional(columns))
	fmt.Fprintf(&b, job, stream)
	return b.String(), nil
}

// optional declares the columns that some of the files don't have.
func (s *Sample) optional(columns []column) string {
	var names []string
	for _, c := range columns {
		if len(s.lacking(c.path[0])) > 0 {
			names = append(names, quoted(c.name))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "    # Not all of the files have these.\n" + fmt.Sprintf("    optional: [%s]\n", strings.Join(names, ", "))
}

const header = `# Inferred from %s. It is a proposal: read it, above all the event
# time, before anything lands. Comments say what is in doubt; docs/schema.md tells what
# can be changed later. At run time nothing is inferred.
lake: ./lake
streams:
  %s:
    format: %s
`

const job = `jobs:
  %[1]s_daily:
    from: %[1]s
    window: {tumbling: 1d}
    partition: day
    key: [window_start]
    sql: |
      SELECT window_start, count(*) AS events
      FROM "%[1]s"
      GROUP BY window_start
`

// dialect declares how CSV is written, where that is not as usual.
func (s *Sample) dialect() string {
	delimiter := quoted(string(rune(s.Delimiter)))
	switch {
	case len(s.Header) > 0:
		return "    # The first record seems to hold values, and no names: name the columns here, and below.\n" +
			fmt.Sprintf("    csv: {delimiter: %s, header: [%s]}\n", delimiter, strings.Join(s.Header, ", "))
	case s.Format == ingest.FormatCSV && s.Delimiter != ',':
		return fmt.Sprintf("    delimiter: %s\n", delimiter)
	}
	return ""
}

// basis says what the proposal rests on.
func (s *Sample) basis() string {
	text := fmt.Sprintf("%d records", s.Records)
	switch {
	case !s.Whole:
		text = fmt.Sprintf("the first %d records", s.Records)
	case s.Records == 1:
		text = "1 record"
	}
	if s.Unread > 0 {
		text += fmt.Sprintf(" (%d more can't be read under any declaration)", s.Unread)
	}
	return text
}

// eventTimes are the columns that may be the event time, the likeliest first. A file whose
// header has none of it would land nothing.
func (s *Sample) eventTimes(columns []column) []column {
	return slices.DeleteFunc(s.times(columns), func(c column) bool { return len(s.lacking(c.path[0])) > 0 })
}

// times are the columns that hold times, the likeliest event time first.
func (s *Sample) times(columns []column) []column {
	times := slices.DeleteFunc(slices.Clone(columns), func(c column) bool { return len(c.field.times) == 0 || c.field.others == 0 })
	slices.SortStableFunc(times, func(a, b column) int { return b.likelihood(s.Records) - a.likelihood(s.Records) })
	return times
}

// eventTime declares the first of the fields that may be the event time.
func (s *Sample) eventTime(candidates []column) string {
	var b strings.Builder
	best := candidates[0]
	m := best.field.times[0]
	switch {
	case m.unit == landing.UnitISO && slices.Contains([]ingest.Format{ingest.FormatParquet, ingest.FormatArrow, ingest.FormatAvro}, s.Format) && best.typ.Kind != datafile.Varchar:
		fmt.Fprintf(&b, "    # The event time is a %s, which is written %s as a text; of such the unit is iso.", best.typ, best.field.example)
	case m.unit == landing.UnitISO:
		fmt.Fprintf(&b, "    # The event time is a text such as %s.", best.field.example)
	default:
		fmt.Fprintf(&b, "    # The event time is a number such as %s; as %s since 1970 all lie between 1990 and 2100.", best.field.example, m.unit)
	}
	if best.typ.Kind == datafile.Date {
		b.WriteString("\n    # It is a date alone: all of a day would be at its midnight.")
	} else if m.zone != "" {
		b.WriteString("\n    # It has no offset: that it is in UTC is a guess; it may be local time of a zone such as Europe/Berlin.")
	}
	if missing := s.Records - best.field.others; missing > 0 {
		fmt.Fprintf(&b, "\n    # %s", would(missing))
	}
	if others := candidates[1:min(len(candidates), 6)]; len(others) > 0 {
		names := make([]string, len(others))
		for i, c := range others {
			names[i] = oneLine(c.name)
		}
		fmt.Fprintf(&b, "\n    # It might also be %s.", strings.Join(names, ", "))
	}
	fmt.Fprintf(&b, "\n    event_time: {column: %s, unit: %s", quoted(best.name), m.unit)
	if m.zone != "" {
		fmt.Fprintf(&b, ", zone: %s", m.zone)
	}
	b.WriteString("}\n")
	return b.String()
}

// would says what becomes of records without the event time.
func would(missing int64) string {
	if missing == 1 {
		return "1 record lacks it, and would be a reject."
	}
	return fmt.Sprintf("%d records lack it, and would be rejects.", missing)
}

func (c column) line(records int64) string {
	text := quotedType(c.typ.String())
	if len(c.path) > 1 || c.path[0] != c.name {
		text = fmt.Sprintf("{type: %s, path: %s}", text, quotedPath(c.path))
	}
	line := fmt.Sprintf("      %s: %s", key(c.name), text)
	if doubts := c.doubts(records); doubts != "" {
		line += "  # " + doubts
	}
	return line + "\n"
}

var plain = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// words are plain texts that YAML takes for something else.
var words = []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}

// key writes a name as a key of YAML.
func key(name string) string {
	if plain.MatchString(name) && !slices.Contains(words, strings.ToLower(name)) {
		return name
	}
	return oneLine(name)
}

// quoted writes a text as a value, in which a $ would mean a variable.
func quoted(text string) string { return key(strings.ReplaceAll(text, "$", "$$")) }

func quotedType(text string) string {
	if strings.Contains(text, ",") {
		return `"` + text + `"`
	}
	return text
}

func quotedPath(path landing.Path) string {
	parts := make([]string, len(path))
	for i, name := range path {
		parts[i] = quoted(name)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// oneLine quotes a text as Go does, whose escapes are those of YAML too. JSON leaves as they
// are characters that end a line of YAML, or may not be in it.
func oneLine(text string) string { return strconv.Quote(text) }

// StreamName makes a stream's name of a file's.
func StreamName(file string) string {
	base, _, _ := strings.Cut(filepath.Base(file), ".")
	name := strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(base), "_"), "_")
	if name == "" || name[0] < 'a' || name[0] > 'z' {
		name = "events_" + name
	}
	return strings.TrimRight(name[:min(len(name), maxStreamName)], "_")
}

// maxStreamName leaves room for what the job's name adds.
const maxStreamName = 50
