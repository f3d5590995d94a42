package objstore

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Memory is a store that ends with the process. It refuses all that the other
// stores refuse, so that tests on it find the same faults.
type Memory struct {
	mu     sync.RWMutex
	keys   []string // sorted
	bodies map[string]stored
}

// stored is one object: its bytes, which nobody changes, and when it came.
type stored struct {
	body     []byte
	tag      string
	modified time.Time
}

var _ Store = (*Memory)(nil)

// NewMemory returns an empty store.
func NewMemory() *Memory { return &Memory{bodies: map[string]stored{}} }

// Create implements Store.
func (m *Memory) Create(ctx context.Context, key string, body []byte) error {
	if err := begin(ctx, key); err != nil {
		return fmt.Errorf("create object: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	at, taken := slices.BinarySearch(m.keys, key)
	if taken {
		return fmt.Errorf("create %s: %w", m.URL(key), ErrExists)
	}
	if other := m.nested(key); other != "" {
		return fmt.Errorf("create %s: one of it and %q would be a folder: %w", m.URL(key), other, ErrBadKey)
	}
	m.keys = slices.Insert(m.keys, at, key)
	m.bodies[key] = stored{body: bytes.Clone(body), tag: TagOf(body), modified: time.Now()}
	return nil
}

// nested returns a key that key would be a folder of, or that would be a
// folder of key, or "".
func (m *Memory) nested(key string) string {
	for i := range len(key) {
		if _, taken := m.bodies[key[:i]]; taken && key[i] == '/' {
			return key[:i]
		}
	}
	below, _ := slices.BinarySearch(m.keys, key+"/")
	if below < len(m.keys) && strings.HasPrefix(m.keys[below], key+"/") {
		return m.keys[below]
	}
	return ""
}

// Upload implements Store. A key that is taken is ErrExists, as with Create.
func (m *Memory) Upload(ctx context.Context, key, path string) error {
	body, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("upload %q: %w", key, err)
	}
	if err := m.Create(ctx, key, body); err != nil {
		return fmt.Errorf("upload %s: %w", path, err)
	}
	return nil
}

// Read implements Store.
func (m *Memory) Read(ctx context.Context, key string) ([]byte, error) {
	body, err := m.body(ctx, key)
	return bytes.Clone(body), err
}

// ReadRange implements Store.
func (m *Memory) ReadRange(ctx context.Context, key string, offset, length int64) ([]byte, error) {
	body, err := m.body(ctx, key)
	if err != nil {
		return nil, err
	}
	n, err := cut(key, offset, length, int64(len(body)))
	if err != nil {
		return nil, err
	}
	return bytes.Clone(body[offset : offset+n]), nil
}

// Download implements Store.
func (m *Memory) Download(ctx context.Context, key, path string) error {
	body, err := m.body(ctx, key)
	if err != nil {
		return err
	}
	return download(path, func(file *os.File) error {
		_, err := io.Copy(file, bytes.NewReader(body))
		return err
	})
}

// body returns key's bytes, which nobody changes.
func (m *Memory) body(ctx context.Context, key string) ([]byte, error) {
	if err := begin(ctx, key); err != nil {
		return nil, fmt.Errorf("read object: %w", err)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	object, ok := m.bodies[key]
	if !ok {
		return nil, fmt.Errorf("read %s: %w", m.URL(key), ErrNotFound)
	}
	return object.body, nil
}

// List implements Store.
func (m *Memory) List(ctx context.Context, prefix, after string, limit int) ([]Object, error) {
	if err := checkPrefix(prefix); err != nil {
		return nil, fmt.Errorf("list objects: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("list objects: %w", err)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	at, exact := slices.BinarySearch(m.keys, after)
	if exact {
		at++
	}
	first, _ := slices.BinarySearch(m.keys, prefix)
	var found []Object
	for _, key := range m.keys[max(at, first):] {
		if len(found) >= limit || !strings.HasPrefix(key, prefix) {
			break
		}
		object := m.bodies[key]
		found = append(found, Object{Key: key, Size: int64(len(object.body)), Modified: object.modified, Tag: object.tag})
	}
	return found, nil
}

// Delete implements Store.
func (m *Memory) Delete(ctx context.Context, key string) error {
	if err := begin(ctx, key); err != nil {
		return fmt.Errorf("delete object: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if at, found := slices.BinarySearch(m.keys, key); found {
		m.keys = slices.Delete(m.keys, at, at+1)
		delete(m.bodies, key)
	}
	return nil
}

// URL implements Store.
func (m *Memory) URL(key string) string { return "memory:///" + key }
