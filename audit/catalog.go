package audit

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"strandline/internal/objstore"
	"strandline/sweep"
)

const pageSize = 1000

// Room is a stream, a table or the requests: what has a log of its own.
type Room struct {
	Area sweep.Area
	Name string // none of requests
}

// Prefix is what the keys of the room's objects begin with.
func (r Room) Prefix() string {
	if r.Area == sweep.AreaRequests {
		return string(r.Area) + "/"
	}
	return string(r.Area) + "/" + r.Name + "/"
}

// String names the room: "stream sales".
func (r Room) String() string { return r.Area.Called(r.Name) }

// compare orders streams before tables, and each by name.
func (r Room) compare(other Room) int {
	return cmp.Or(strings.Compare(string(r.Area), string(other.Area)), strings.Compare(r.Name, other.Name))
}

// Part is what an object of a lake is.
type Part string

// The parts of a lake.
const (
	Entries     Part = "log"
	Checkpoints Part = "checkpoints"
	Data        Part = "data" // segments, files of a table, and plans
	Rejects     Part = "rejects"
	Archives    Part = "archive" // of arrivals
	Trims       Part = "trims"   // records of what was removed from a log
	Reconcile   Part = "reconcile"
	Selftest    Part = "selftest"
	Lookups     Part = "lookups" // what files of lookups held
	Foreign     Part = "foreign" // not ours
)

// Object is an object of a lake and what it is.
type Object struct {
	objstore.Object
	Room Room // zero for Selftest, Lookups and Foreign
	Part Part
	ID   string // of Data, Rejects and Archives
}

// Classify tells by its key alone what an object is. What lies among the
// entries and checkpoints of a log is the log's to judge, whatever its name.
func Classify(o objstore.Object) Object {
	found := Object{Object: o, Part: Foreign}
	parts := strings.SplitN(o.Key, "/", 4)
	key, ours := sweep.ParseKey(o.Key)
	switch {
	case ours && key.Kind == sweep.SelfTest:
		found.Part = Selftest
	case ours && key.Kind == sweep.Lookup:
		found.Part, found.ID = Lookups, key.ID
	case ours && key.Area == sweep.AreaRequests && key.Kind == sweep.Data:
		found.Room, found.Part, found.ID = Room{Area: key.Area}, Data, key.ID
	case parts[0] == string(sweep.AreaRequests) && len(parts) > 2 && (ours || isLog(parts[1])):
		found.Room, found.Part = Room{Area: sweep.AreaRequests}, Part(parts[1])
	case ours:
		found.Room, found.Part, found.ID = Room{key.Area, key.Owner}, Part(parts[2]), key.ID
	case len(parts) == 4 && inLog(parts[0], parts[2]):
		found.Room, found.Part = Room{sweep.Area(parts[0]), parts[1]}, Part(parts[2])
	}
	return found
}

func inLog(area, part string) bool {
	return (area == string(sweep.AreaLanding) || area == string(sweep.AreaTables)) && isLog(part)
}

func isLog(part string) bool { return part == string(Entries) || part == string(Checkpoints) }

// Amount is a number of objects and their bytes.
type Amount struct {
	Objects int   `json:"objects"`
	Bytes   int64 `json:"bytes"`
}

func (a *Amount) add(o objstore.Object) {
	a.Objects++
	a.Bytes += o.Size
}

// Contents is what lies in a room, by part.
type Contents struct {
	Amount
	Of map[Part]Amount
}

func (h *Contents) String() string {
	if h.Objects == 1 {
		return "1 object with " + bytesText(h.Bytes)
	}
	return fmt.Sprintf("%d objects with %s", h.Objects, bytesText(h.Bytes))
}

// Catalog is what a lake has, by the keys of its objects.
type Catalog struct {
	Amount
	Rooms map[Room]*Contents
}

// Catalogue lists the whole lake once. each is called with every object.
func Catalogue(ctx context.Context, store objstore.Store, each func(Object)) (*Catalog, error) {
	c := &Catalog{Rooms: map[Room]*Contents{}}
	err := list(ctx, store, "", func(o Object) {
		c.add(o.Object)
		each(o)
		if o.Room == (Room{}) {
			return
		}
		holds := c.Rooms[o.Room]
		if holds == nil {
			holds = &Contents{Of: map[Part]Amount{}}
			c.Rooms[o.Room] = holds
		}
		holds.add(o.Object)
		part := holds.Of[o.Part]
		part.add(o.Object)
		holds.Of[o.Part] = part
	})
	return c, err
}

// examined counts the objects that an audit looks at one by one.
func (c *Catalog) examined() (n int) {
	for _, contents := range c.Rooms {
		for _, part := range []Part{Entries, Checkpoints, Data, Rejects, Archives} {
			n += contents.Of[part].Objects
		}
	}
	return n
}

// list calls each with every object under prefix, in order of keys.
func list(ctx context.Context, store objstore.Store, prefix string, each func(Object)) error {
	for after := ""; ; {
		page, err := store.List(ctx, prefix, after, pageSize)
		if err != nil {
			return fmt.Errorf("list %s: %w", store.URL(prefix), err)
		}
		for _, o := range page {
			each(Classify(o))
			after = o.Key
		}
		if len(page) < pageSize {
			return nil
		}
	}
}

// bytesText says how many bytes something has.
func bytesText(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}
