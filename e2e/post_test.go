package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// postYAML is the stream of the earthquakes, taken by posts at a port that is free.
const postYAML = `
serve: 127.0.0.1:0
streams:
  quakes:
    format: ndjson
    event_time: {column: time, unit: ms}
    columns: {id: VARCHAR, mag: "DECIMAL(6,3)", net: VARCHAR, place: VARCHAR, updated: BIGINT}
    http: {tokens: {env: QUAKES_TOKENS}}
jobs:
  all_quakes:
    from: quakes
    window: {tumbling: 1h}
    partition: month
    key: [window_start, position]
    every: 10ms
    sql: SELECT window_start, position, id FROM quakes
`

// serving is a "strandline run" that takes posts.
type serving struct {
	t     *testing.T
	cmd   *exec.Cmd
	url   string
	notes *bytes.Buffer // what it said, once it has ended
	read  sync.WaitGroup
}

var servingAt = regexp.MustCompile(`serving (http://\S+),`)

func (w *world) serve() *serving {
	w.t.Helper()
	s := &serving{t: w.t, cmd: w.command("run", "--poll", "20ms"), notes: &bytes.Buffer{}}
	s.cmd.Env = append(s.cmd.Env, "QUAKES_TOKENS=token-of-the-quakes")
	stderr, err := s.cmd.StderrPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	lines := bufio.NewReader(stderr)
	for s.url == "" {
		line, err := lines.ReadString('\n')
		s.notes.WriteString(line)
		if err != nil {
			w.t.Fatalf("strandline run serves nothing: %s", s.notes)
		}
		if m := servingAt.FindStringSubmatch(line); m != nil {
			s.url = m[1]
		}
	}
	s.read.Go(func() { _, _ = io.Copy(s.notes, lines) })
	return s
}

// end sends a signal and waits for the process.
func (s *serving) end(signal syscall.Signal) error {
	_ = s.cmd.Process.Signal(signal)
	s.read.Wait()
	return s.cmd.Wait()
}

// postAnswer is what matters of an answer.
type postAnswer struct {
	From      int `json:"from_position"`
	To        int `json:"to_position"`
	Landed    int
	Duplicate bool
}

// post posts once. An error is that there was no answer.
func (s *serving) post(key, body string) (status int, answer postAnswer, err error) {
	r, err := http.NewRequest("POST", s.url+"/v1/streams/quakes", strings.NewReader(body))
	if err != nil {
		return 0, answer, err
	}
	r.Header.Set("Content-Type", "application/x-ndjson")
	r.Header.Set("Authorization", "Bearer token-of-the-quakes")
	r.Header.Set("Idempotency-Key", fmt.Sprintf("%q", key))
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, answer, err
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err == nil && got.StatusCode == http.StatusOK {
		err = json.Unmarshal(text, &answer)
	}
	return got.StatusCode, answer, err
}

// newPostWorld is a world whose stream takes posts.
func newPostWorld(t *testing.T) *world {
	w := newWorld(t, "", 1)
	if err := os.WriteFile(filepath.Join(w.dir, "strandline.yaml"), []byte("lake: ./lake\n"+postYAML), 0o644); err != nil {
		t.Fatal(err)
	}
	return w
}

// bodiesOf cuts lines into bodies of ten.
func bodiesOf(lines [][]byte) (bodies []string) {
	for len(lines) > 0 {
		n := min(10, len(lines))
		bodies = append(bodies, string(bytes.Join(lines[:n], []byte("\n")))+"\n")
		lines = lines[n:]
	}
	return bodies
}

// Clients post while the server is killed over and over, often after a commit and before
// its answer. Whoever has no answer posts again with its key. In the end every row has
// landed once, and is where its answer said.
func TestPostsToAServerThatIsKilledLandOnce(t *testing.T) {
	w := newPostWorld(t)
	bodies := bodiesOf(quakeLines(t))
	rows := 0
	for _, body := range bodies {
		rows += strings.Count(body, "\n")
	}
	var server atomic.Pointer[serving]
	server.Store(w.serve())
	answers := make([]postAnswer, len(bodies))
	var repeated atomic.Int64
	next, kill := make(chan int), make(chan struct{}, len(bodies))
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for i := range next {
				for {
					status, answer, err := server.Load().post(fmt.Sprint(i), bodies[i])
					if err == nil && status == http.StatusOK {
						answers[i] = answer
						if answer.Duplicate {
							repeated.Add(1)
						}
						break
					}
					if err == nil && status != http.StatusServiceUnavailable && status != http.StatusConflict {
						t.Errorf("post %d was answered %d", i, status)
						return
					}
				}
				kill <- struct{}{}
			}
		})
	}
	clients.Go(func() {
		defer close(next)
		for i := range bodies {
			next <- i
		}
	})
	kills := 5
	for range kills {
		for range len(bodies) / (kills + 1) {
			<-kill
		}
		if err := server.Load().end(syscall.SIGKILL); !wasKilled(err) {
			t.Errorf("the server ended by itself: %v\n%s", err, server.Load().notes)
		}
		server.Store(w.serve())
	}
	clients.Wait()
	if err := server.Load().end(syscall.SIGTERM); err != nil {
		t.Errorf("the server did not end cleanly: %v\n%s", err, server.Load().notes)
	}
	t.Logf("%d posts had landed before they were answered", repeated.Load())
	w.postsLanded(bodies, answers, rows)
}

// postsLanded checks that the table has each body's rows where its answer said.
func (w *world) postsLanded(bodies []string, answers []postAnswer, rows int) {
	w.t.Helper()
	w.run("run", "--once")
	ids := map[int]string{}
	for line := range strings.Lines(w.run("query", "--format", "json", "SELECT position, id FROM all_quakes")) {
		var row struct {
			Position int
			ID       string
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			w.t.Fatalf("%s: %v", line, err)
		}
		ids[row.Position] = row.ID
	}
	if len(ids) != rows {
		w.t.Errorf("the table has %d rows, want %d", len(ids), rows)
	}
	for i, body := range bodies {
		at := answers[i].From
		for line := range strings.Lines(body) {
			if id := ids[at]; id == "" || !strings.Contains(line, `"`+id+`"`) {
				w.t.Errorf("post %d was answered %+v; at %d is %q, want %s", i, answers[i], at, id, line)
			}
			at++
		}
	}
}

// 64 clients are served at a time; when the server is interrupted each gets an answer, or
// is refused, or can't connect any more; what was answered has landed.
func TestAServerThatIsInterruptedAnswersWhatItLanded(t *testing.T) {
	w := newPostWorld(t)
	s := w.serve()
	bodies := bodiesOf(quakeLines(t))
	answers := make([]postAnswer, len(bodies))
	answered := make([]bool, len(bodies))
	started, next := make(chan struct{}, len(bodies)), make(chan int, len(bodies))
	for i := range bodies {
		next <- i
	}
	close(next)
	var clients sync.WaitGroup
	for range 64 {
		clients.Go(func() {
			for i := range next {
				status, answer, err := s.post(fmt.Sprint(i), bodies[i])
				if err == nil && status != http.StatusOK && status != http.StatusServiceUnavailable {
					t.Errorf("post %d was answered %d", i, status)
				}
				if errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("the answer to post %d was cut off", i)
				}
				if answers[i], answered[i] = answer, err == nil && status == http.StatusOK; answered[i] {
					started <- struct{}{}
				}
			}
		})
	}
	for range len(bodies) / 4 {
		<-started
	}
	if err := s.end(syscall.SIGTERM); err != nil {
		t.Errorf("the server did not end cleanly: %v\n%s", err, s.notes)
	}
	clients.Wait()
	var there []string
	var said []postAnswer
	rows := 0
	for i, ok := range answered {
		if ok {
			there, said, rows = append(there, bodies[i]), append(said, answers[i]), rows+answers[i].Landed
		}
	}
	w.postsLanded(there, said, rows)
}
