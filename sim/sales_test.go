package sim

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/parquet-go/parquet-go"

	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/landing"
	"strandline/window"
)

// sale is one row that arrives.
type sale struct {
	at    time.Time
	id    string
	shop  string
	cents int64
}

// row is a sale as the system takes it in, from line i of its file.
func (s sale) row(i int) landing.Row {
	return landing.Row{EventTime: s.at.UnixMicro(), SourcePosition: int64(i + 1), Values: []datafile.Value{
		parquet.ByteArrayValue([]byte(s.id)), parquet.ByteArrayValue([]byte(s.shop)), parquet.Int64Value(s.cents),
	}}
}

// content is what one file holds.
type content struct {
	name     string
	sales    []sale
	identity landing.Identity
	posted   bool              // it comes with a key, and not as a file
	read     *landing.Progress // it comes of the queue
}

// claim is what the content lands as.
func (c *content) claim() landing.Claim {
	switch {
	case c.posted:
		return landing.Claim{Keys: []landing.Key{{Digest: c.identity.Digest, To: c.identity.Size}}}
	case c.read != nil:
		return landing.Claim{Progress: []landing.Progress{*c.read}}
	}
	return landing.Claim{Identity: c.identity}
}

// queue is an ordered source of sales without end.
const queue = "queue"

// queued is what the queue has at offsets [from, to).
func queued(from, to int64) *content {
	c := &content{name: fmt.Sprintf("%s %d-%d", queue, from, to), read: &landing.Progress{Source: queue, From: from, To: to}}
	for i := from; i < to; i++ {
		c.sales = append(c.sales, newSale(draw(queue, i)))
	}
	c.identify()
	return c
}

var firstDay = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func newContent(random *rand.Rand, name string) *content {
	c := &content{name: name}
	for range random.IntN(12) {
		c.sales = append(c.sales, newSale(random))
	}
	c.identify()
	return c
}

func newSale(random *rand.Rand) sale {
	return sale{
		at: instant(random),
		id: fmt.Sprint(random.IntN(60)), shop: fmt.Sprint("shop", random.IntN(2)), cents: random.Int64N(1000),
	}
}

func (c *content) identify() {
	c.identity = landing.Identity{Digest: digest.OfBytes(fmt.Append(nil, c.name, c.sales)), Size: int64(len(c.sales))}
}

// instant is in the first hours of one of three days, and at times the very
// first or last of a day.
func instant(random *rand.Rand) time.Time {
	day := firstDay.AddDate(0, 0, random.IntN(3))
	switch random.IntN(12) {
	case 0:
		return day
	case 1:
		return day.AddDate(0, 0, 1).Add(-time.Microsecond)
	}
	return day.Add(duration(random, 4*time.Hour)).Truncate(time.Microsecond)
}

var salesSpec = landing.Spec{
	Stream:    "sales",
	EventTime: landing.EventTime{Column: "at", Unit: landing.UnitMicros},
	Columns: []datafile.Column{
		{Name: "id", Type: datafile.Type{Kind: datafile.Varchar}},
		{Name: "shop", Type: datafile.Type{Kind: datafile.Varchar}},
		{Name: "cents", Type: datafile.Type{Kind: datafile.BigInt}},
	},
}

// landedColumns are those that the digest of a landed row is taken of.
var landedColumns = slices.Concat([]datafile.Column{
	{Name: "event_time", Type: datafile.Type{Kind: datafile.TimestampTZ}},
	{Name: "landed_at", Type: datafile.Type{Kind: datafile.TimestampTZ}},
	{Name: "source", Type: datafile.Type{Kind: datafile.Varchar}},
	{Name: "source_position", Type: datafile.Type{Kind: datafile.BigInt}},
}, salesSpec.Columns, []datafile.Column{{Name: "extra", Type: datafile.Type{Kind: datafile.JSON}}})

// landedRow is what row i of a content is in a segment, without its offset.
func landedRow(c *content, i int, landedAt time.Time) []datafile.Value {
	s := c.sales[i]
	return []datafile.Value{
		parquet.Int64Value(s.at.UnixMicro()), parquet.Int64Value(landedAt.UnixMicro()),
		parquet.ByteArrayValue([]byte(c.name)), parquet.Int64Value(int64(i + 1)),
		parquet.ByteArrayValue([]byte(s.id)), parquet.ByteArrayValue([]byte(s.shop)), parquet.Int64Value(s.cents),
		{},
	}
}

// code is one version of the job, and the same again in Go.
type code struct {
	name     string
	job      window.Job
	amount   func(sum, cents int64) int64 // folds the cents of a group
	compiled *window.Compiled
	strict   *code // the same with a check that blocks
}

// strictRows is how many rows a partition may have where a check says so.
const strictRows = 4

func newCode(name, amount string, grain window.Grain, fold func(sum, cents int64) int64) *code {
	return &code{name: name, amount: fold, job: window.Job{
		Name: "t", Inputs: window.FromStream("sales"), Window: window.Window{Kind: window.Tumbling, Size: time.Hour}, Grain: grain,
		Dedup: &window.Dedup{Key: []string{"id"}, Keep: window.KeepLast},
		Key:   []string{"window_start", "shop"}, Every: time.Second,
		SQL: "SELECT window_start, shop, count(*) AS n, " + amount + "::BIGINT AS cents FROM sales GROUP BY window_start, shop",
	}}
}

var codes = []*code{
	newCode("sums by day", "sum(cents)", window.GrainDay, func(sum, cents int64) int64 { return sum + cents }),
	newCode("greatest by day", "max(cents)", window.GrainDay, func(sum, cents int64) int64 { return max(sum, cents) }),
	newCode("sums by hour", "sum(cents)", window.GrainHour, func(sum, cents int64) int64 { return sum + cents }),
}

// input is what a partition is computed from: rows below a position, in order.
type input struct {
	rows   []sale
	digest digest.Hash
}

// inputOf sums up the landed rows of a partition by what a receipt is said to
// hold: see landing.State.InputOf and landing.Bucket.
func (m *model) inputOf(start, end time.Time, upTo int64) input {
	var in input
	type bucket struct {
		rows        int64
		sum, moment digest.Sum128
	}
	buckets := map[int64]*bucket{}
	for _, a := range m.arrivals {
		for i, s := range a.content.sales {
			position := int64(a.from) + int64(i)
			if position >= upTo || s.at.Before(start) || !s.at.Before(end) {
				continue
			}
			in.rows = append(in.rows, s)
			hour := s.at.Unix() / 3600
			if buckets[hour] == nil {
				buckets[hour] = &bucket{}
			}
			b, row := buckets[hour], a.digests[i]
			b.rows++
			b.sum, b.moment = b.sum.Add(row), b.moment.Add(row.Mul(uint64(position)))
		}
	}
	hash := sha256.New()
	hours := make([]int64, 0, len(buckets))
	for hour := range buckets {
		hours = append(hours, hour)
	}
	slices.Sort(hours)
	for _, hour := range hours {
		b := buckets[hour]
		fmt.Fprintf(hash, "%d %d %s %s\n", hour, b.rows, b.sum, b.moment)
	}
	if len(in.rows) > 0 {
		in.digest = digest.Hash(hash.Sum(nil))
	}
	return in
}

var tableColumns = []datafile.Column{
	{Name: "window_start", Type: datafile.Type{Kind: datafile.TimestampTZ}},
	{Name: "shop", Type: datafile.Type{Kind: datafile.Varchar}},
	{Name: "n", Type: datafile.Type{Kind: datafile.BigInt}},
	{Name: "cents", Type: datafile.Type{Kind: datafile.BigInt}},
}

// compute is the job in Go: it returns how many rows a partition has, and their
// digest.
func (c *code) compute(rows []sale) (int64, digest.Sum128) {
	last := map[string]int{}
	for i, s := range rows {
		last[s.id] = i
	}
	type key struct {
		window int64
		shop   string
	}
	type group struct{ n, cents int64 }
	groups := map[key]*group{}
	for i, s := range rows {
		if last[s.id] != i {
			continue
		}
		k := key{s.at.Truncate(time.Hour).UnixMicro(), s.shop}
		if groups[k] == nil {
			groups[k] = &group{}
		}
		groups[k].n++
		groups[k].cents = c.amount(groups[k].cents, s.cents)
	}
	var sum digest.Sum128
	for k, g := range groups {
		row := []datafile.Value{
			parquet.Int64Value(k.window), parquet.ByteArrayValue([]byte(k.shop)),
			parquet.Int64Value(g.n), parquet.Int64Value(g.cents),
		}
		sum = sum.Add(digest.OfRow(datafile.AppendRow(nil, tableColumns, row)))
	}
	return int64(len(groups)), sum
}

func byFingerprint(hash digest.Hash) *code {
	for _, c := range codes {
		if c.compiled.Fingerprint == hash {
			return c
		}
	}
	return nil
}
