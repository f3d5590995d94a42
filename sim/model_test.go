package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	"strandline/internal/condemn"
	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
)

// model is what must be true. It sees every object that reaches the store and
// everything that the system tells its users, and holds each against what came
// before. Its errors begin with the promise that was broken.
type model struct {
	store    *objstore.Memory
	contents map[landing.Identity]*content
	strict   map[string]bool // writers whose job has a check

	entries  uint64 // of the landing log
	arrivals []arrival
	read     int64              // up to which offset of the queue
	refused  map[time.Time]bool // attempts to land that were told they had failed

	versions   []version // the table's versions from 1 on
	generation uint64
	grain      string
	current    map[string]manifests.Receipt
	held       map[string]manifests.Receipt
	aside      map[string]manifests.Receipt
	files      files
}

// arrival is a content that has landed.
type arrival struct {
	content  *content
	from, to landing.Position
	landedAt time.Time
	digests  []digest.Sum128 // of its rows
}

// version is a table at one of its versions, and the edit that made it.
type version struct {
	edit  manifests.Edit
	table map[string]manifests.Receipt
	held  map[string]manifests.Receipt
}

func newModel(store *objstore.Memory) *model {
	return &model{
		store: store, contents: map[landing.Identity]*content{}, strict: map[string]bool{}, refused: map[time.Time]bool{},
		current: map[string]manifests.Receipt{}, held: map[string]manifests.Receipt{},
		aside: map[string]manifests.Receipt{}, files: newFiles(),
	}
}

// created looks at an object that has come to be.
func (m *model) created(key string, body []byte) error {
	var entry struct {
		Number uint64
		Body   json.RawMessage
	}
	decode := func(into any) error {
		if err := json.Unmarshal(body, &entry); err != nil {
			return err
		}
		return json.Unmarshal(entry.Body, into)
	}
	switch {
	case m.files.gone[key]: // a slow writer's, into a part that is folded away: nobody reads it
		return nil
	case strings.HasPrefix(key, "landing/sales/log/"):
		var r landingRecord
		if err := decode(&r); err != nil {
			return err
		}
		return m.appended(entry.Number, r)
	case strings.HasPrefix(key, "tables/t/log/"):
		var e manifests.Edit
		if err := decode(&e); err != nil {
			return err
		}
		return m.edited(entry.Number, e)
	}
	return nil
}

// landingRecord is the body of a landing log entry: one of these.
type landingRecord struct {
	*landing.Commit
	Claimed    *landing.Commit
	Marked     *landing.Commit
	Compaction *landing.Compaction
	Condemned  *condemn.Sentence
}

// appended looks at a landing log entry.
func (m *model) appended(number uint64, r landingRecord) error {
	m.entries++
	switch {
	case number != m.entries:
		return fmt.Errorf("an entry was lost: landing entry %d follows %d", number, m.entries-1)
	case r.Compaction != nil:
		return m.compacted(r.Compaction)
	case r.Condemned != nil:
		return m.condemns(r.Condemned.Files)
	case r.Claimed != nil:
		return m.landed(r.Claimed)
	case r.Marked != nil:
		return m.landed(r.Marked)
	}
	return m.landed(r.Commit)
}

func (m *model) next() landing.Position {
	if len(m.arrivals) == 0 {
		return 0
	}
	return m.arrivals[len(m.arrivals)-1].to
}

func (m *model) arrivalOf(id landing.Identity) *arrival {
	for i := range m.arrivals {
		if m.arrivals[i].content.identity == id {
			return &m.arrivals[i]
		}
	}
	return nil
}

// contentOf returns what landed by a commit, nil if there is no such.
func (m *model) contentOf(c *landing.Commit) *content {
	id := c.Arrival.Identity
	switch {
	case len(c.Keys) == 1:
		id = landing.Identity{Digest: c.Keys[0].Digest, Size: c.Keys[0].To - c.Keys[0].From}
	case len(c.Progress) == 1 && c.Progress[0].From == m.read:
		m.read = c.Progress[0].To
		return queued(c.Progress[0].From, c.Progress[0].To)
	}
	return m.contents[id]
}

// landed looks at an arrival: of content that exists and has not landed, at the
// next positions, with segments that hold its rows.
func (m *model) landed(c *landing.Commit) error {
	content := m.contentOf(c)
	a := arrival{content: content, from: c.Arrival.From, to: c.Arrival.To, landedAt: c.Arrival.LandedAt}
	switch {
	case content == nil:
		return fmt.Errorf("something landed that never arrived: %s", c.Arrival.Name)
	case m.arrivalOf(content.identity) != nil:
		return fmt.Errorf("an arrival landed twice: %s", content.name)
	case a.from != m.next() || c.Arrival.Rows() != int64(len(content.sales)):
		return fmt.Errorf("positions are not dense: %s has [%d, %d) after %d", content.name, a.from, a.to, m.next())
	case m.refused[a.landedAt]:
		return fmt.Errorf("an arrival landed though its user was told that it had not: %s", content.name)
	}
	for i := range content.sales {
		row := landedRow(content, i, a.landedAt)
		a.digests = append(a.digests, digest.OfRow(datafile.AppendRow(nil, landedColumns, row)))
	}
	m.arrivals = append(m.arrivals, a)
	rows := 0
	for _, s := range c.Segments {
		if err := m.holds(s); err != nil {
			return err
		}
		rows += int(s.Rows)
	}
	if rows != len(a.digests) {
		return fmt.Errorf("rows were lost: %s has %d of %d in segments", content.name, rows, len(a.digests))
	}
	return nil
}

func (m *model) file(key string, each func([]datafile.Value) error) (datafile.Summary, error) {
	path := scratch + "/model-" + freshID.FindString(key) + ".parquet"
	if err := m.store.Download(context.Background(), key, path); err != nil {
		return datafile.Summary{}, fmt.Errorf("an entry names a file that is not there: %w", err)
	}
	defer removeFile(path)
	return datafile.Summarize(path, each)
}

// stands tells whether the model's table is the one given.
func (m *model) stands(s *manifests.Snapshot) error {
	if len(m.versions) != int(s.Version) {
		return fmt.Errorf("an edit was lost: the table is at version %d, want %d", s.Version, len(m.versions))
	}
	got := map[string]string{}
	for _, r := range s.Receipts() {
		got[r.Partition] = fmt.Sprint(r)
	}
	want := map[string]string{}
	for name, r := range m.current {
		want[name] = fmt.Sprint(r)
	}
	if !maps.Equal(got, want) {
		return fmt.Errorf("the table is not what its edits make it:\n%v\nwant\n%v", got, want)
	}
	return nil
}
