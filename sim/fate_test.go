package sim

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"time"

	"strandline/internal/digest"
	"strandline/internal/objstore"
)

// fate is what becomes of one call.
type fate struct {
	label string
	after time.Duration // when it happens
	end   end
	late  time.Duration // how long after that it happens, if it comes late
	sent  bool          // it happens even if the caller stops waiting
}

type end int

const (
	passes end = iota
	fails
	loses
	comesLate
	diesBefore
	diesAfter
)

// weather is how often calls go wrong, in thousandths.
type weather struct{ fault, death, sleep int }

var (
	calm  = weather{}
	rain  = weather{fault: 40, death: 4, sleep: 4}
	storm = weather{fault: 250, death: 15, sleep: 15}
)

// fate draws what becomes of a process's call. It depends on the seed, the
// process, the call, and how often the process has made it, and on nothing that
// other processes do: so a history stays as it was when a part of it is left out.
func (p *process) fate(op objstore.Op, key string) fate {
	label := fmt.Sprintf("%s %s", op, p.world.names.of(key))
	random := draw("call", p.world.seed, p.id, label, p.makes(label))
	f := fate{label: label, sent: random.IntN(2) == 0, late: duration(random, 2*time.Minute)}
	f.after = p.at(label, latency(random, p.weather))
	switch chance := random.IntN(1000); {
	case chance < p.weather.death:
		f.end = []end{diesBefore, diesAfter}[random.IntN(2)]
	case chance < p.weather.death+p.weather.fault:
		f.end = []end{fails, loses, comesLate}[random.IntN(3)]
	}
	if f.end == comesLate && op != objstore.OpCreate && op != objstore.OpUpload && op != objstore.OpDelete {
		f.end = fails
	}
	return f
}

// made is how often a process has made a call, and when the last time.
type made struct {
	times int
	last  time.Time
}

// makes counts a call, and tells how many there were. Two goroutines that make the same
// call at the same instant make it as one: else it would be by chance which of them has
// which fate.
func (p *process) makes(label string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.calls[label]
	if now := time.Now(); !m.last.Equal(now) {
		m = made{m.times + 1, now}
		p.calls[label] = m
	}
	return m.times
}

// latency is mostly some milliseconds, and at times longer than any writer's
// deadline.
func latency(random *rand.Rand, w weather) time.Duration {
	switch chance := random.IntN(1000); {
	case chance < w.sleep:
		return duration(random, 3*time.Minute)
	case chance < 50:
		return duration(random, 3*time.Second)
	case chance < 200:
		return duration(random, 300*time.Millisecond)
	}
	return duration(random, 20*time.Millisecond)
}

func duration(random *rand.Rand, most time.Duration) time.Duration {
	return time.Duration(random.Int64N(int64(most)))
}

// at moves the end of a wait to an instant that no other process's call has, so
// that what comes first never depends on which goroutine runs first.
func (p *process) at(label string, wait time.Duration) time.Duration {
	const slot = 1 << 20 // ns
	now := time.Now().UnixNano()
	hash := digest.OfBytes([]byte(label))
	instant := (now+int64(wait))&^(slot-1) + slot + int64(p.id%1024)<<10 + int64(binary.BigEndian.Uint16(hash[:])%1024)
	return time.Duration(instant - now)
}

// draw returns the random numbers that belong to what is named.
func draw(what ...any) *rand.Rand {
	hash := digest.OfBytes(fmt.Append(nil, what...))
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(hash[:]), binary.BigEndian.Uint64(hash[8:])))
}

// names calls data files, whose keys are drawn afresh in every run, by what they
// hold.
type names struct {
	mu   sync.Mutex
	byID map[string]string
}

var freshID = regexp.MustCompile(`[0-9a-f]{32}`)

func (n *names) add(key string, body []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	hash := digest.OfBytes(body)
	n.byID[freshID.FindString(key)] = "#" + hash.String()[:10]
}

func (n *names) of(key string) string {
	if strings.HasPrefix(key, "selftest/") {
		return "selftest/*"
	}
	id := freshID.FindString(key)
	if id == "" {
		return key
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Replace(key, id, n.byID[id], 1)
}
