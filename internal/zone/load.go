package zone

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// database is what tools/zones makes of a release of the database.
//
//go:embed tzdata.zip
var database []byte

// versionEntry is the entry that names the release. No zone is called so.
const versionEntry = "version"

// ErrUnknown says that the database has no zone of a name.
var ErrUnknown = errors.New("the time zone database has no zone of this name")

// ErrDatabase says that the embedded database can't be read.
var ErrDatabase = errors.New("the embedded time zone database can't be read")

var open = sync.OnceValues(func() (*zip.Reader, error) {
	return zip.NewReader(bytes.NewReader(database), int64(len(database)))
})

// Version returns the release of the database, such as "2026f".
func Version() (string, error) {
	text, err := read(versionEntry)
	return string(text), err
}

// Names returns the names of all zones, in order.
func Names() ([]string, error) {
	entries, err := open()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDatabase, err)
	}
	var names []string
	for _, entry := range entries.File {
		if entry.Name != versionEntry {
			names = append(names, entry.Name)
		}
	}
	return names, nil
}

// loaded holds the zones that were loaded, by name, so that those of a name are equal.
var loaded sync.Map

// Load returns the zone of a name of the database, such as "Europe/Berlin", spelled
// as it is there. All names of UTC give UTC. Errors: ErrUnknown, or ErrDatabase.
func Load(name string) (Zone, error) {
	if known, ok := loaded.Load(name); ok {
		return known.(Zone), nil
	}
	z, err := parse(name)
	if err != nil {
		return Zone{}, err
	}
	known, _ := loaded.LoadOrStore(name, z)
	return known.(Zone), nil
}

func parse(name string) (Zone, error) {
	if name == versionEntry {
		return Zone{}, fmt.Errorf("time zone %q: %w", name, ErrUnknown)
	}
	file, err := read(name)
	if err != nil {
		return Zone{}, err
	}
	location, err := time.LoadLocationFromTZData(name, file)
	if err != nil {
		return Zone{}, fmt.Errorf("%w: zone %s: %w", ErrDatabase, name, err)
	}
	return of(rulesOf(location)), nil
}

func of(r *rules) Zone {
	if len(r.changes) == 0 && r.first == 0 {
		return Zone{}
	}
	return Zone{r}
}

func read(name string) ([]byte, error) {
	entries, err := open()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDatabase, err)
	}
	i := slices.IndexFunc(entries.File, func(entry *zip.File) bool { return entry.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("time zone %q: %w", name, ErrUnknown)
	}
	content, err := content(entries.File[i])
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDatabase, name, err)
	}
	return content, nil
}

func content(entry *zip.File) ([]byte, error) {
	file, err := entry.Open()
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(file)
	return content, errors.Join(err, file.Close())
}
