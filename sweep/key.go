package sweep

import "regexp"

// Area is a part of the lake: that of streams, that of tables, or that of requests.
type Area string

// The areas, as keys begin.
const (
	AreaLanding  Area = "landing"
	AreaTables   Area = "tables"
	AreaRequests Area = "requests" // and the plans, which it names; there is one, without a name
)

// Noun is what an area has many of.
func (a Area) Noun() string {
	if a == AreaTables {
		return "table"
	}
	return "stream"
}

// Called names a stream, a table, or the requests: "stream sales".
func (a Area) Called(name string) string {
	if a == AreaRequests {
		return string(a)
	}
	return a.Noun() + " " + name
}

// Kind is what an object is for.
type Kind string

// The kinds of objects that Strandline writes.
const (
	Data     Kind = "data"     // a segment, rejects, an archive of arrivals, a published file, or a plan; a log names it
	LogPart  Kind = "log"      // an entry, a checkpoint, or a record of a trim
	Record   Kind = "record"   // what a reconcile counted
	SelfTest Kind = "selftest" // of a proof of the store
	Lookup   Kind = "lookup"   // what the file of a lookup held, which stays
)

// Key is what the key of an object of Strandline says. A self-test and a
// lookup belong to nobody.
type Key struct {
	Area  Area
	Owner string // the stream or table; none of requests
	Kind  Kind
	ID    string // of a data file
}

// shapes are how keys are written. Owner and ID are what the groups hold.
var shapes = []struct {
	area    Area
	kind    Kind
	pattern *regexp.Regexp
}{
	{AreaLanding, Data, regexp.MustCompile(`^landing/([a-z][a-z0-9_]*)/(?:data|rejects)/([0-9a-f]{32})\.parquet$`)},
	{AreaLanding, Data, regexp.MustCompile(`^landing/([a-z][a-z0-9_]*)/archive/([0-9a-f]{32})\.bin$`)},
	{AreaTables, Data, regexp.MustCompile(`^tables/([a-z][a-z0-9_]*)/data/[^/]+/([0-9a-f]{32})\.parquet$`)},
	{AreaLanding, LogPart, regexp.MustCompile(`^landing/([a-z][a-z0-9_]*)/(?:log|checkpoints|trims)/[0-9]{20}\.(?:json|bin)$`)},
	{AreaTables, LogPart, regexp.MustCompile(`^tables/([a-z][a-z0-9_]*)/(?:log|checkpoints|trims)/[0-9]{20}\.(?:json|bin)$`)},
	{AreaTables, Record, regexp.MustCompile(`^tables/([a-z][a-z0-9_]*)/reconcile/[0-9TZ.]+-[0-9a-f]{32}\.json$`)},
	{AreaRequests, Data, regexp.MustCompile(`^plans/()([0-9a-f]{64})$`)},
	{AreaRequests, LogPart, regexp.MustCompile(`^requests/()(?:log|checkpoints|trims)/[0-9]{20}\.(?:json|bin)$`)},
	{"", Lookup, regexp.MustCompile(`^lookups/()([0-9a-f]{64})$`)},
	{"", SelfTest, regexp.MustCompile(`^selftest/()[a-z]+-[A-Z2-7]{26}(?:-[0-9])*$`)},
}

// ParseKey tells what an object is by its key; false if no object of Strandline has
// such a key.
func ParseKey(key string) (Key, bool) {
	for _, shape := range shapes {
		if m := shape.pattern.FindStringSubmatch(key); m != nil {
			return Key{shape.area, m[1], shape.kind, append(m, "")[2]}, true
		}
	}
	return Key{}, false
}
