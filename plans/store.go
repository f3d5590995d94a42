package plans

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"strandline/internal/digest"
	"strandline/internal/objstore"
)

// ID names a plan: the SHA-256 of its bytes.
type ID struct{ digest.Hash }

// ErrNoPlan says that the lake has no such plan.
var ErrNoPlan = errors.New("no such plan")

// ErrPlan says that an object is no plan, or not the one that it is named for.
var ErrPlan = errors.New("not a plan that can be used")

// Folder is what the keys of plans begin with.
const Folder = "plans/"

// Key is where a plan is in the lake.
func (id ID) Key() string { return Folder + id.String() }

// MaxBytes is the most that a plan may have: some million partitions.
const MaxBytes = 256 << 20

// Encode returns the bytes of a plan, and its id. It is ErrPlan if nobody could read it
// back.
func (f File) Encode() ([]byte, ID, error) {
	if err := f.check(); err != nil {
		return nil, ID{}, fmt.Errorf("plan of job %s: %w: %w", f.Job, ErrPlan, err)
	}
	body, err := json.Marshal(f)
	if err != nil {
		return nil, ID{}, fmt.Errorf("encode a plan of job %s: %w", f.Job, err)
	}
	if len(body) > MaxBytes {
		return nil, ID{}, fmt.Errorf("plan of job %s: %w: its %d partitions take %d bytes, of which %d are the most; ask for a shorter range", f.Job, ErrPlan, len(f.Tasks), len(body), MaxBytes)
	}
	return body, ID{digest.OfBytes(body)}, nil
}

// Write puts a plan into the lake. One that is there already is the same one, unless its bytes
// are not those that its name says: then it is removed, and written anew.
func Write(ctx context.Context, store objstore.Store, f File) (ID, error) {
	body, id, err := f.Encode()
	if err != nil {
		return id, err
	}
	if err := objstore.Keep(ctx, store, id.Key(), body); err != nil {
		return id, fmt.Errorf("write plan %s: %w; writing it again is safe", id, err)
	}
	return id, nil
}

// Read returns the plan of an id: ErrNoPlan if the lake has none such, ErrPlan if what is
// there is not it.
func Read(ctx context.Context, store objstore.Store, id ID) (File, error) {
	body, err := store.ReadRange(ctx, id.Key(), 0, MaxBytes+1)
	if errors.Is(err, objstore.ErrNotFound) {
		return File{}, fmt.Errorf("plan %s: %w in this lake", id, ErrNoPlan)
	}
	if err != nil {
		return File{}, fmt.Errorf("read plan %s: %w", id, err)
	}
	if len(body) > MaxBytes {
		return File{}, fmt.Errorf("plan %s: %w: it has more than %d bytes", id, ErrPlan, MaxBytes)
	}
	if found := digest.OfBytes(body); found != id.Hash {
		return File{}, fmt.Errorf("plan %s: %w: its bytes were changed or cut off, their digest is %s; plan anew", id, ErrPlan, found)
	}
	f, err := Decode(body)
	if err != nil {
		return File{}, fmt.Errorf("plan %s: %w", id, err)
	}
	return f, nil
}

// leastTask is how many bytes a task has at least.
const leastTask = 90

// Decode reads the bytes of a plan. It is ErrPlan if they are none.
func Decode(body []byte) (f File, err error) {
	f.Tasks = make([]Task, 0, min(bytes.Count(body, []byte(`"partition":`)), len(body)/leastTask))
	if err := json.Unmarshal(body, &f); err != nil {
		return File{}, fmt.Errorf("%w: %w", ErrPlan, err)
	}
	if err := f.check(); err != nil {
		return File{}, fmt.Errorf("%w: %w", ErrPlan, err)
	}
	return f, nil
}

// LeastPrefix is how many digits of an id are enough to name a plan, if they are only its.
const LeastPrefix = 8

var digits = regexp.MustCompile(`^[0-9a-f]+$`)

// Find returns the id of a plan of the lake by its first digits, at least LeastPrefix.
// It is ErrNoPlan where there is none, or more than one.
func Find(ctx context.Context, store objstore.Store, prefix string) (ID, error) {
	if len(prefix) < LeastPrefix || !digits.MatchString(prefix) {
		return ID{}, fmt.Errorf("plan %q: %w: want its id, or the first %d or more of its hexadecimal digits", prefix, ErrNoPlan, LeastPrefix)
	}
	listed, err := store.List(ctx, Folder+prefix, "", 2)
	if err != nil {
		return ID{}, fmt.Errorf("look for plan %s: %w", prefix, err)
	}
	switch len(listed) {
	case 0:
		return ID{}, fmt.Errorf("plan %s: %w in this lake", prefix, ErrNoPlan)
	case 1:
		return ParseID(strings.TrimPrefix(listed[0].Key, Folder))
	}
	return ID{}, fmt.Errorf("plan %s: %w: several begin so; give more digits", prefix, ErrNoPlan)
}

// ParseID reads a whole id.
func ParseID(text string) (ID, error) {
	hash, err := digest.ParseHash(text)
	if err != nil || hash.IsZero() {
		return ID{}, fmt.Errorf("%q is no id of a plan: want 64 hexadecimal digits", text)
	}
	return ID{hash}, nil
}
