package post

import (
	"math"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"strandline/internal/digest"
)

// pace bounds how fast each token may post.
type pace struct {
	mu sync.Mutex
	of map[digest.Hash]*rate.Limiter
}

// check refuses a post that comes too soon after others with its token; perSecond
// are taken, and as many at once.
func (p *pace) check(token digest.Hash, perSecond float64) *problem {
	if perSecond == 0 {
		return nil
	}
	next := p.limiter(token, perSecond).Reserve()
	wait := next.Delay()
	if wait == 0 {
		return nil
	}
	next.Cancel()
	return newProblem(http.StatusTooManyRequests, reasonRate, "nothing landed: more posts a second than this token may make; post more rows at a time, or later").after(wait)
}

func (p *pace) limiter(token digest.Hash, perSecond float64) *rate.Limiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.of[token]
	if l == nil {
		l = rate.NewLimiter(rate.Limit(perSecond), int(math.Ceil(perSecond)))
		if p.of == nil {
			p.of = map[digest.Hash]*rate.Limiter{}
		}
		p.of[token] = l
	}
	return l
}

// soon is when to ask again for what is over in a moment.
const soon = time.Second
