package post

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"strandline/ingest"
	"strandline/internal/objstore"
)

// endless is a body that never ends.
type endless struct{ text string }

func (e endless) Read(p []byte) (int, error) {
	return copy(p, strings.Repeat(e.text, len(p)/len(e.text)+1)), nil
}

// What has no end is refused once it is over the limit, as it comes.
func TestWhatNeverEndsIsRefused(t *testing.T) {
	s := serve(t, objstore.NewMemory(), func(o *Options) { o.Limits = Limits{Body: 100_000, Decompressed: 200_000, Line: 1000} })
	for name, body := range map[string]io.Reader{"lines": endless{line("a")}, "one line": endless{"x"}, "blanks": endless{"\n"}} {
		got, err := s.try("POST", "/v1/streams/events", body, "Content-Type: "+ndjson)
		// The server may close the connection while the client still sends.
		if err == nil && got.status != 413 {
			t.Errorf("%s: answered %d %s", name, got.status, got.body)
		}
	}
	if n := s.server.memory.used.Load(); n != 0 {
		t.Errorf("%d bytes are still counted as used", n)
	}
}

// A line that is too long is a reject, and its neighbours land.
func TestALongLineIsAReject(t *testing.T) {
	s := serve(t, objstore.NewMemory(), func(o *Options) { o.Limits = Limits{Line: 1000} })
	got := s.post(ndjson, line("a")+line(strings.Repeat("x", 2000))+line("b"))
	if got.status != 200 || got.answer.Landed != 2 || got.answer.Rejects != 1 {
		t.Errorf("answered %d %s", got.status, got.body)
	}
}

// A small body that decompresses to a large one costs no more memory than the limit.
func TestABombIsDefused(t *testing.T) {
	s := serve(t, objstore.NewMemory(), func(o *Options) { o.Limits = Limits{Decompressed: 1 << 20} })
	zeros := make([]byte, 1<<20)
	var gz, zs bytes.Buffer
	z := gzip.NewWriter(&gz)
	e, err := zstd.NewWriter(&zs, zstd.WithWindowSize(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	for range 64 {
		_, _ = z.Write(zeros)
		_, _ = e.Write(zeros)
	}
	_, _ = z.Close(), e.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for encoding, body := range map[string]string{"gzip": gz.String(), "zstd": zs.String()} {
		if got := s.post(ndjson, body, "Content-Encoding: "+encoding); got.status != 413 {
			t.Errorf("%s: answered %d %s", encoding, got.status, got.body)
		}
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 48<<20 {
		t.Errorf("two bombs of 64 MiB allocated %d MiB", grown>>20)
	}
}

// zstd may ask for a window that is larger than what RFC 9659 has for HTTP.
func TestALargeWindowIsRefused(t *testing.T) {
	var b bytes.Buffer
	e, err := zstd.NewWriter(&b, zstd.WithWindowSize(64<<20))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = e.Write([]byte(line("a")))
	if err := e.Flush(); err != nil { // or the window would be as small as the content
		t.Fatal(err)
	}
	_ = e.Close()
	s := serve(t, objstore.NewMemory(), nil)
	if got := s.post(ndjson, b.String(), "Content-Encoding: zstd"); got.status != 400 {
		t.Errorf("answered %d %s", got.status, got.body)
	}
}

// raw sends bytes as they are, and returns the status of the answer, 0 for none.
func (s *served) raw(text string) int {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, text)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

func TestMalformedRequestsAreRefused(t *testing.T) {
	s := serve(t, objstore.NewMemory(), func(o *Options) { o.Limits = Limits{Read: 100 * time.Millisecond} })
	const head = "POST /v1/streams/events HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\n"
	for name, c := range map[string]struct {
		text   string
		status int
	}{
		"a large head":         {head + "X: " + strings.Repeat("x", 64<<10) + "\r\n\r\n", 431},
		"a length below zero":  {head + "Content-Length: -1\r\n\r\n", 400},
		"two lengths":          {head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400},
		"a length and chunks":  {head + "Content-Length: 5\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 501},
		"a bad chunk":          {head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400},
		"an enormous length":   {head + "Content-Length: 999999999999\r\n\r\n", 413},
		"fewer than announced": {head + "Content-Length: 100\r\n\r\n" + line("a"), 408},
		"no end of chunks":     {head + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", 408},
		"no HTTP":              {"hello\r\n\r\n", 400},
	} {
		if got := s.raw(c.text); got != c.status {
			t.Errorf("%s: answered %d, want %d", name, got, c.status)
		}
	}
	if n := len(s.rows()); n != 0 {
		t.Errorf("%d rows landed", n)
	}
}

// Whatever clients send at a time, no more memory is taken than there is for them: who
// comes then is asked to come again, and does land.
func TestMemoryIsBoundedHoweverManyPost(t *testing.T) {
	store := hold(objstore.NewMemory())
	body := lines("row", 300)
	s := serve(t, store, func(o *Options) { o.Limits = Limits{Body: 32 << 10, Decompressed: 32 << 10, Memory: 256 << 10} })
	var landed, busy atomic.Int64
	var posts sync.WaitGroup
	refused := make(chan struct{}, 40)
	for i := range 40 {
		posts.Go(func() {
			for {
				got := s.post(ndjson, body, fmt.Sprintf(`Idempotency-Key: "%d"`, i))
				switch got.status {
				case 200:
					landed.Add(1)
					return
				case 503:
					busy.Add(1)
					select {
					case refused <- struct{}{}:
					default:
					}
					<-store.goOn
				default:
					t.Errorf("answered %d %s", got.status, got.body)
					return
				}
			}
		})
	}
	<-refused
	if used := s.server.memory.used.Load(); used > 256<<10 {
		t.Errorf("%d bytes are counted as used", used)
	}
	close(store.goOn)
	posts.Wait()
	if n := len(s.rows()); landed.Load() != 40 || n != 40*300 || busy.Load() == 0 {
		t.Errorf("%d posts were answered and %d rows landed; %d were refused", landed.Load(), n, busy.Load())
	}
}

// A token that posts faster than it may is told when to come again.
func TestATokenHasItsPace(t *testing.T) {
	s := serve(t, objstore.NewMemory(), func(o *Options) {
		o.Streams["events"] = Stream{Landing: o.Streams["events"].Landing, Rate: .01}
	})
	first, second := s.post(ndjson, line("a")), s.post(ndjson, line("b"))
	if first.status != 200 || second.status != 429 || second.problem.Reason != reasonRate {
		t.Errorf("answered %s and %s", first.body, second.body)
	}
	if wait := second.header.Get("Retry-After"); len(wait) < 2 || len(wait) > 3 { // of the 100 seconds
		t.Errorf("it is to come again after %q seconds", wait)
	}
}

// A few bytes of Parquet that say very many rows land none.
func TestParquetOfTooManyRowsIsRefused(t *testing.T) {
	s := serve(t, objstore.NewMemory(), func(o *Options) { o.Limits = Limits{Decompressed: 1 << 20} })
	const parquetType = "application/vnd.apache.parquet"
	for rows, status := range map[int]int{10: 200, 100_000: 413} {
		body := parquetOf(t, rows)
		if got := s.post(parquetType, body); got.status != status || status == 200 && got.answer.Landed != int64(rows) {
			t.Errorf("%d rows in %d bytes were answered %d %s", rows, len(body), got.status, got.body)
		}
	}
}

// parquetOf is a file of equal rows.
func parquetOf(t *testing.T, rows int) string {
	t.Helper()
	type row struct {
		Time int64  `parquet:"time,dict"`
		ID   string `parquet:"id,dict"`
		N    int64  `parquet:"n,dict"`
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, slices.Repeat([]row{{1772366400000, "a", 1}}, rows)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A small body of very many rejects lands none, and does not take the time to tell all.
func TestTooManyRejectsAreRefused(t *testing.T) {
	s := serve(t, objstore.NewMemory(), nil)
	for rejects, status := range map[int]int{maxRejects: 200, maxRejects + 1: 422} {
		got := s.post(ndjson, gzipped(strings.Repeat("x\n", rejects)), "Content-Encoding: gzip")
		if got.status != status || status == 422 && got.problem.Reason != reasonRejects {
			t.Errorf("%d rejects: answered %d %s", rejects, got.status, got.body)
		}
	}
}

// A body is not decoded on once nobody waits for it.
func TestDecodingEndsWithItsRequest(t *testing.T) {
	s := serve(t, objstore.NewMemory(), nil)
	lane := s.server.lanes["events"]
	for _, body := range []string{line("a"), "x\n"} {
		p := lane.newPost(asked{format: ingest.FormatNDJSON}, DefaultLimits)
		p.body = []byte(body)
		ctx, gone := context.WithCancel(t.Context())
		gone()
		if err := p.check(ctx, lane.spec, 1<<20); !errors.Is(err, context.Canceled) {
			t.Errorf("%q was decoded: %v", body, err)
		}
	}
}

// However many posts wait to be decoded for one stream, another's is next.
func TestPlacesToDecodeAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{decoders: make(slots, 1)}
		full, other := &lane{decoders: make(slots, 1)}, &lane{decoders: make(slots, 1)}
		goOn := make(chan struct{})
		var order []string
		decode := func(l *lane, name string) {
			go func() {
				_ = s.decoding(t.Context(), l, func() error {
					<-goOn
					order = append(order, name)
					return nil
				})
			}()
			synctest.Wait()
		}
		for range 5 {
			decode(full, "full")
		}
		decode(other, "other")
		for range 6 {
			goOn <- struct{}{}
			synctest.Wait()
		}
		if at := slices.Index(order, "other"); at != 1 {
			t.Errorf("they were decoded as %v", order)
		}
	})
}

// A client that reads its answer only when it has sent all, as most do, is told why it was refused.
func TestWhoIsRefusedWhileSendingReadsWhy(t *testing.T) {
	s := serve(t, objstore.NewMemory(), func(o *Options) { o.Limits.Body = 1 << 20 })
	body := strings.Repeat(line("a"), 30<<20/len(line("a")))
	for path, want := range map[string]int{"/v1/streams/events": http.StatusRequestEntityTooLarge, "/v1/streams/none": http.StatusNotFound} {
		conn, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", path, ndjson, len(body), body); err != nil {
			t.Fatalf("%s: while sending: %v", path, err)
		}
		got, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if _, err := io.ReadAll(got.Body); err != nil || got.StatusCode != want {
			t.Errorf("%s: got %d, %v", path, got.StatusCode, err)
		}
	}
}
