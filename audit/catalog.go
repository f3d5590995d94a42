package audit

import (
	"context"
	"fmt"
	"strings"

	"strandline/internal/objstore"
)

const pageSize = 1000

// RoomKind tells streams from tables.
type RoomKind string

// The kinds of rooms, in the order in which an audit goes through them.
const (
	StreamRoom RoomKind = "stream"
	TableRoom  RoomKind = "table"
)

// Room is a stream or a table: what has a log of its own.
type Room struct {
	Kind RoomKind
	Name string
}

// Prefix is what the keys of the room's objects begin with.
func (r Room) Prefix() string {
	if r.Kind == StreamRoom {
		return "landing/" + r.Name + "/"
	}
	return "tables/" + r.Name + "/"
}

// Part is what an object of a lake is.
type Part string

// The parts of a lake.
const (
	Entries     Part = "log"
	Checkpoints Part = "checkpoints"
	Data        Part = "data" // segments, and files of a table
	Rejects     Part = "rejects"
	Reconcile   Part = "reconcile"
	Selftest    Part = "selftest"
	Foreign     Part = "foreign" // not ours
)

// Object is an object of a lake and what it is.
type Object struct {
	objstore.Object
	Room Room // zero for Selftest and Foreign
	Part Part
	ID   string // of Data and Rejects
}

// Classify tells by its key alone what an object is. What lies among the
// entries and checkpoints of a log is its own to judge.
func Classify(o objstore.Object) Object {
	top, rest, _ := strings.Cut(o.Key, "/")
	name, rest, _ := strings.Cut(rest, "/")
	part, rest, inside := strings.Cut(rest, "/")
	found := Object{Object: o, Part: Foreign}
	switch {
	case top == "selftest":
		found.Part = Selftest
	case !inside:
	case top == "landing":
		found.inRoom(Room{StreamRoom, name}, Part(part), rest)
	case top == "tables":
		found.inRoom(Room{TableRoom, name}, Part(part), rest)
	}
	return found
}

func (o *Object) inRoom(room Room, part Part, rest string) {
	id, ours := "", false
	switch {
	case part == Entries, part == Checkpoints:
		ours = true
	case part == Reconcile:
		ours = room.Kind == TableRoom && strings.HasSuffix(rest, ".json")
	case room.Kind == StreamRoom && (part == Data || part == Rejects):
		id, ours = fileID(rest)
	case room.Kind == TableRoom && part == Data:
		_, file, _ := strings.Cut(rest, "/") // below the partition
		id, ours = fileID(file)
	}
	if ours {
		o.Room, o.Part, o.ID = room, part, id
	}
}

// fileID reads the id out of the name of a data file.
func fileID(name string) (id string, ok bool) {
	id, ok = strings.CutSuffix(name, ".parquet")
	return id, ok && len(id) == 32 && strings.Trim(id, "0123456789abcdef") == ""
}

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
		for _, part := range []Part{Entries, Checkpoints, Data, Rejects} {
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
