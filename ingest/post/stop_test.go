package post

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"

	"strandline/internal/objstore"
)

// Posts that are under way when the server is interrupted land and are answered.
func TestAnInterruptedServerLandsWhatIsUnderWay(t *testing.T) {
	store := hold(objstore.NewMemory())
	s := serve(t, store, nil)
	half := line("slow")
	slow, err := net.Dial("tcp", s.address) // a request that is half there
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	fmt.Fprintf(slow, "POST /v1/streams/events HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", ndjson, len(half))
	reader := bufio.NewReader(slow)
	if text, err := reader.ReadString('\n'); err != nil || !strings.Contains(text, "100") { // so the handler reads it
		t.Fatal(text, err)
	}
	_, _ = reader.ReadString('\n')

	var first reply
	var posts, stopping sync.WaitGroup
	posts.Go(func() { first = s.post(ndjson, line("first")) })
	<-store.begun
	stopping.Go(s.stop)
	for !s.server.drain.isStopping() {
		runtime.Gosched() // it is, in a moment
	}
	if late := s.post(ndjson, line("late")); late.status != 503 || late.problem.Reason != reasonStopping {
		t.Errorf("a post that came while others were under way was answered %d %s", late.status, late.body)
	}
	if ready := s.raw("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n"); ready != 503 { // on a connection of its own
		t.Errorf("it was answered %d whether it is ready", ready)
	}
	close(store.goOn)
	_, _ = io.WriteString(slow, half)
	answer, err := http.ReadResponse(reader, nil)
	if err != nil || answer.StatusCode != 200 {
		t.Errorf("a post that was half there was answered %+v, %v", answer, err)
	}
	posts.Wait()
	stopping.Wait()
	if first.status != 200 {
		t.Errorf("a post that was under way was answered %d %s", first.status, first.body)
	}
	if n := len(s.rows()); n != 2 {
		t.Errorf("%d rows landed, want 2", n)
	}
}

// A post that comes when the server is stopping is told to go elsewhere, and lands nothing.
func TestAStoppingServerTakesNoPost(t *testing.T) {
	s := serve(t, objstore.NewMemory(), nil)
	s.server.drain.stop()
	got := s.post(ndjson, line("late"))
	if got.status != 503 || got.problem.Reason != reasonStopping || !got.closes {
		t.Errorf("answered %d %s", got.status, got.body)
	}
	if ready, err := s.try("GET", "/readyz", nil); err != nil || ready.status != 503 {
		t.Errorf("it says of itself that it is ready: %+v, %v", ready, err)
	}
	if n := len(s.rows()); n != 0 {
		t.Errorf("%d rows landed", n)
	}
}

// A client that goes away before its post is taken leaves nothing; one that goes away
// while it lands may come again.
func TestAClientThatWentAwayMayComeAgain(t *testing.T) {
	store := hold(objstore.NewMemory())
	s := serve(t, store, nil)
	body := line("a")
	gone, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(gone, "POST /v1/streams/events HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nIdempotency-Key: \"k\"\r\nContent-Length: %d\r\n\r\n%s", ndjson, len(body), body)
	<-store.begun
	_ = gone.Close()
	close(store.goOn)
	for {
		got := s.post(ndjson, body, `Idempotency-Key: "k"`)
		if got.status == 409 {
			continue // it is still being landed
		}
		if got.status != 200 || !got.answer.Duplicate || got.answer.From != 0 {
			t.Errorf("answered %d %s", got.status, got.body)
		}
		break
	}
	if n := len(s.rows()); n != 1 {
		t.Errorf("%d rows landed, want 1", n)
	}
}
