package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// How many rows are posted with keys, which is as many posts as a stream remembers keys of,
// then without, and how many between two looks at the memory.
const (
	keyedRows   = 1_000_000 * postRows
	keylessRows = 10_000_000
	lookEvery   = 1_000_000
)

const memoryYAML = `lake: ./lake
serve: 127.0.0.1:0
maintenance: {compact: 2m}
streams:
  sales:
    format: ndjson
    event_time: {column: at, unit: ms}
    columns: {shop: BIGINT, cents: BIGINT}
    http: {}
`

// memory posts to the program for minutes, and tells what it takes meanwhile: as "run" does it,
// compaction and all.
func (b bench) memory() (err error) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	dir, err := os.MkdirTemp(b.dir, "memory-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.WriteFile(filepath.Join(dir, "strandline.yaml"), []byte(memoryYAML), 0o644); err != nil {
		return err
	}
	s, err := startStream(ctx, b.program, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	t := newTable(fmt.Sprintf("%d clients post %d rows at a time to strandline run", postClients, postRows),
		"rows", "posts", "with keys", "rows/s", "resident MiB", "at most since the row before")
	for rows := 0; rows < keyedRows+keylessRows; rows += lookEvery {
		if err := s.forgetPeak(); err != nil {
			return err
		}
		begun := time.Now()
		key := func(client, n int) string { return fmt.Sprintf(`"%d-%d-%d"`, rows, client, n) }
		if rows >= keyedRows {
			key = func(int, int) string { return "" }
		}
		if err := postAll(ctx, s.url+"/v1/streams/sales", bufio.NewReader(madeSales(rows, lookEvery)), key, &waits{}); err != nil {
			return err
		}
		resident, most, err := s.resident()
		if err != nil {
			return err
		}
		t.row(strconv.Itoa(rows+lookEvery), strconv.Itoa((rows+lookEvery)/postRows), strconv.Itoa(min(rows+lookEvery, keyedRows)/postRows),
			fmt.Sprintf("%.0f", lookEvery/time.Since(begun).Seconds()), mib(resident), mib(most))
	}
	return t.end()
}

// madeSales are n records, of which one begins at each millisecond.
func madeSales(from, n int) io.Reader {
	r, w := io.Pipe()
	go func() {
		b := bufio.NewWriter(w)
		for i := range n {
			fmt.Fprintf(b, `{"at":%d,"shop":%d,"cents":%d}`+"\n", liveStart.UnixMilli()+int64(from+i), i%97, i*7919%10_000)
		}
		w.CloseWithError(b.Flush())
	}()
	return r
}

func (p *process) proc(name string) string {
	return filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), name)
}

// forgetPeak has the system measure anew what the process takes at most.
func (p *process) forgetPeak() error { return os.WriteFile(p.proc("clear_refs"), []byte("5"), 0) }

// resident is how many bytes of memory the process takes now, and has taken at most since
// forgetPeak.
func (p *process) resident() (now, most int64, err error) {
	text, err := os.ReadFile(p.proc("status"))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		var kib int64
		if _, err := fmt.Sscan(value, &kib); err != nil {
			continue
		}
		switch name {
		case "VmRSS":
			now = kib << 10
		case "VmHWM":
			most = kib << 10
		}
	}
	return now, most, nil
}
