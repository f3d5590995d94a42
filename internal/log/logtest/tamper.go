// Package logtest damages logs, for tests that look that the damage is found.
package logtest

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"testing"

	"strandline/internal/log"
	"strandline/internal/objstore"
)

// Tampering is one way to damage a log: what is done, where and with what.
// Every value is a valid one.
type Tampering struct {
	Kind  uint8
	Which uint16 // the object
	Other uint16 // another object, where there are two
	At    uint16 // the byte
	Value byte
}

// Objects are a log's entries and checkpoints, by key.
type Objects map[string][]byte

// Take reads the log under prefix.
func Take(ctx context.Context, store objstore.Store, prefix string) (Objects, error) {
	objects := Objects{}
	for _, sub := range []string{"/log/", "/checkpoints/"} {
		listed, err := store.List(ctx, prefix+sub, "", 1<<20)
		if err != nil {
			return nil, err
		}
		for _, o := range listed {
			if objects[o.Key], err = store.Read(ctx, o.Key); err != nil {
				return nil, err
			}
		}
	}
	return objects, nil
}

// Apply returns a store that holds the damaged log, and says what was done to
// it; an empty text if nothing was. It never only takes away the newest
// entries: what is left then is a log as it once was, and nobody can tell.
func (x Tampering) Apply(ctx context.Context, objects Objects) (store *objstore.Memory, done string, err error) {
	damaged := make(Objects, len(objects))
	keys := make([]string, 0, len(objects))
	for key, body := range objects {
		damaged[key] = body
		keys = append(keys, key)
	}
	slices.Sort(keys) // checkpoints first, the newest entry last
	key, other := keys[int(x.Which)%len(keys)], keys[int(x.Other)%len(keys)]
	done = x.damage(damaged, key, other, key == keys[len(keys)-1])
	store = objstore.NewMemory()
	for key, body := range damaged {
		if err := store.Create(ctx, key, body); err != nil {
			return nil, "", err
		}
	}
	return store, done, nil
}

func (x Tampering) damage(objects Objects, key, other string, newest bool) string {
	body := slices.Clone(objects[key])
	at := int(x.At) % len(body)
	switch x.Kind % 7 {
	case 0:
		if x.Value == 0 {
			return ""
		}
		body[at] ^= x.Value
		objects[key] = body
		return fmt.Sprintf("byte %d of %s is another", at, key)
	case 1:
		objects[key] = body[:at]
		return fmt.Sprintf("%s is cut after %d bytes", key, at)
	case 2:
		objects[key] = slices.Insert(body, at, x.Value)
		return fmt.Sprintf("%s has a byte more at %d", key, at)
	case 3:
		objects[other] = body
		return fmt.Sprintf("%s holds what %s does", other, key)
	case 4:
		objects[key], objects[other] = objects[other], body
		return fmt.Sprintf("%s and %s changed places", key, other)
	case 5:
		if newest {
			return ""
		}
		delete(objects, key)
		return fmt.Sprintf("%s is gone", key)
	}
	suffix := path.Ext(key)
	past := key[:len(key)-len("00"+suffix)] + "99" + suffix
	objects[past] = body
	return fmt.Sprintf("%s is there, with what %s holds", past, key)
}

// Opens folds the log of a store and returns its state as text.
type Opens func(ctx context.Context, store objstore.Store) (state string, err error)

// Seeds gives a fuzz test some tamperings of each kind.
func Seeds(f *testing.F) {
	for kind := range uint8(7) {
		for i := range uint16(12) {
			f.Add(kind, i*i*i, i*977, i*i*61, uint8(1)<<(i%8))
		}
	}
}

// Check damages a log and opens it: that must give the state it had, or
// log.ErrCorrupt (or log.ErrNewer, where it is the format that was changed).
func Check(t *testing.T, objects Objects, want string, open Opens, x Tampering) {
	t.Helper()
	store, done, err := x.Apply(t.Context(), objects)
	if err != nil {
		t.Fatal(err)
	}
	got, err := open(t.Context(), store)
	switch {
	case errors.Is(err, log.ErrCorrupt), errors.Is(err, log.ErrNewer):
	case err != nil:
		t.Fatalf("%s: got %v, want ErrCorrupt", done, err)
	case got != want:
		t.Fatalf("%s: opening it gives another state:\n%.500s\nwas\n%.500s", done, got, want)
	}
}
