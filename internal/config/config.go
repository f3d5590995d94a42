// Package config reads strandline.yaml: where the lake is, which streams land
// in it and which jobs compute tables from them.
//
// Every problem of a file is found in one reading and told with its file,
// line and column. Relative folders are relative to the file, not to where
// the program was started. Credentials are never part of it.
package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"strandline/engines/kubernetes"
	"strandline/internal/schedule"
	"strandline/landing"
	"strandline/manifests"
	"strandline/window"
)

// DefaultFile is the name looked for in the current folder.
const DefaultFile = "strandline.yaml"

// Config is a whole, valid strandline.yaml.
type Config struct {
	Path    string // the file, as it was named
	Dir     string // the absolute folder that relative paths start from
	Lake    Lake
	S3      S3
	Engine  Engine
	Streams []Stream // in the file's order
	Jobs    []Job    // in the file's order
	// Tables are those of jobs that other processes run, which jobs here may read.
	Tables []string `json:",omitempty"`

	Maintenance Maintenance
	Backfill    Backfill
	Serve       *Serve             `json:",omitempty"` // nil: nothing is served
	Kubernetes  *kubernetes.Config `json:",omitempty"` // nil: no cluster takes slices
}

// Lake is where the lake lives: a Folder, or a Bucket with a Prefix.
type Lake struct {
	Folder string // absolute; empty where the lake is in a bucket
	Bucket string
	Prefix string // without slashes at its ends; may be empty
}

// InS3 tells whether the lake is in a bucket.
func (l Lake) InS3() bool { return l.Bucket != "" }

// String returns the folder or the s3:// address.
func (l Lake) String() string {
	switch {
	case !l.InS3():
		return l.Folder
	case l.Prefix == "":
		return "s3://" + l.Bucket
	}
	return "s3://" + l.Bucket + "/" + l.Prefix
}

// S3 says how a bucket is reached. Empty fields are left to the AWS
// environment, from which the credentials always come.
type S3 struct {
	Endpoint  string // http:// or https:// with host and port
	Region    string
	PathStyle bool // the bucket in the path rather than the host's name
}

// Engine bounds what the SQL engine may use of this machine.
type Engine struct {
	MemoryLimit int64  // bytes
	TempDir     string // absolute folder to spill to; empty: the system's own
}

// DefaultMemoryLimit is the engine's memory where the file says nothing, in bytes.
const DefaultMemoryLimit int64 = 1 << 30

// Format is how a stream's files are written.
type Format string

// The formats. Each may be compressed with gzip, zstd or framed snappy.
const (
	FormatNDJSON  Format = "ndjson"
	FormatJSON    Format = "json"
	FormatCSV     Format = "csv"
	FormatParquet Format = "parquet"
	FormatArrow   Format = "arrow"
	FormatAvro    Format = "avro"
)

// headed tells whether files of the format name their columns once, for all rows.
func (f Format) headed() bool { return f != FormatNDJSON && f != FormatJSON }

// Stream is a declared stream.
type Stream struct {
	Name     string // also Spec.Stream
	Format   Format
	CSV      CSV      // zero for other formats
	Optional []string // columns that a file's header may lack
	Spec     landing.Spec
	Dir      *Dir     // the folder that is watched; nil: none
	S3       *Objects // the prefix of a bucket that is watched; nil: none
	HTTP     *HTTP    `json:",omitempty"` // how it takes posts; nil: it takes none
	Kafka    *Kafka   `json:",omitempty"` // the topics that are read; nil: none
	Retain   landing.Retain
}

// Job is a declared job.
type Job struct {
	window.Job
	Description string
	SQLLine     int // of the file, where the SQL begins or its block is opened
	// LookupFiles are what its Lookups are read from, by name.
	LookupFiles []LookupFile `json:",omitempty"`
	// Retention says which versions of the table are kept.
	Retention manifests.Retention
	// Schedules are the backfills that strandline run submits again and again.
	Schedules []schedule.Schedule `json:",omitempty"`
}

// DefaultEvery is the least time between two recomputes of a job that names none.
const DefaultEvery = time.Second

// Load reads the file at path. env looks up environment variables, as
// os.LookupEnv does. An error holds a *Problem for everything that is wrong.
func Load(path string, env func(string) (string, bool)) (*Config, error) {
	data, err := readSome(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &Problem{File: path, Err: err,
			Text: "there is no such configuration file (run strandline init to make one, or name one with -c)"}
	}
	if err != nil {
		return nil, &Problem{File: path, Err: err, Text: fmt.Sprintf("read the configuration: %v", reason(err))}
	}
	return Parse(data, path, env)
}

// maxBytes is how large a configuration may be: far more than anybody writes,
// and little enough to read whatever is named by mistake.
const maxBytes = 4 << 20

func readSome(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(file, maxBytes+1))
	if err == nil && len(data) > maxBytes {
		err = fmt.Errorf("it is larger than %d MiB, so it can't be one", maxBytes>>20)
	}
	return data, errors.Join(err, file.Close())
}

// reason strips the act and the path from an error of package os.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
