package post

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"strandline/ingest"
	"strandline/internal/digest"
	"strandline/internal/log"
	"strandline/landing"
)

// lane is one stream's way from posts to commits. One goroutine commits.
type lane struct {
	Stream
	name     string
	spec     landing.Spec
	delay    time.Duration
	landed   func(stream string, o ingest.Outcome)
	trouble  func(stream string, err error)
	over     func(stream string) // may be nil
	posts    chan *post
	quit     chan struct{} // closed when no more posts come
	underWay underWay
	decoders slots // as many of its posts decode, or are next to
	pace     pace
	ill      atomic.Bool // the last commit went wrong
}

// What is committed together at most.
const (
	maxGroup      = 1024    // posts
	maxGroupBytes = 8 << 20 // of bodies, but for the last of them
)

// run commits posts until quit is closed. Commits end early only if ctx does.
func (l *lane) run(ctx context.Context) {
	for {
		select {
		case first := <-l.posts:
			l.commit(ctx, l.gather(first))
		case <-l.quit:
			return
		}
	}
}

// hand gives a post to the committer and returns what becomes of it. One that nobody
// waits for any more is not landed, unless its commit has begun.
func (l *lane) hand(ctx context.Context, p *post) verdict {
	select {
	case l.posts <- p:
		return <-p.done
	case <-ctx.Done():
	case <-l.quit:
	}
	return verdict{problem: stopping()}
}

// gather returns the posts to commit with first: those that have come while the commit
// before went on, and those that come before first has waited for the delay.
func (l *lane) gather(first *post) []*post {
	group, bytes := []*post{first}, len(first.body)
	due := time.NewTimer(l.delay - time.Since(first.arrived))
	defer due.Stop()
	for len(group) < maxGroup && bytes < maxGroupBytes {
		select {
		case p := <-l.posts: // who waits already comes before the timer, mostly
			group, bytes = append(group, p), bytes+len(p.body)
			continue
		default:
		}
		select {
		case p := <-l.posts:
			group, bytes = append(group, p), bytes+len(p.body)
		case <-due.C:
			return group
		}
	}
	return group
}

// commit lands a group of posts by one entry, and answers each. Posts whose keys have
// landed before are left out, and answered as they were then.
func (l *lane) commit(ctx context.Context, group []*post) {
	for len(group) > 0 {
		err := l.land(ctx, group)
		var before *landing.KeysLandedError
		switch {
		case err == nil:
			if l.ill.Swap(false) && l.over != nil {
				l.over(l.name)
			}
			return
		case errors.As(err, &before) && concerns(group, before.Keys):
			group = l.repeat(group, before.Keys)
		case errors.Is(err, landing.ErrTooManyKeys):
			group = withoutKeys(group, tooManyKeys())
		case errors.Is(err, landing.ErrNoClock):
			l.wentWrong(ctx, err)
			group = withoutKeys(group, noClock())
		default:
			l.wentWrong(ctx, err)
			answerAll(group, whyNot(err))
			return
		}
	}
}

// wentWrong tells of an error of a commit, once until one goes well again.
func (l *lane) wentWrong(ctx context.Context, err error) {
	if !l.ill.Swap(true) && ctx.Err() == nil {
		l.trouble(l.name, err)
	}
}

// answers is nil unless the last commit went wrong and the lake still does not answer. It asks the lake
// then, and does not wait for a post: where nobody posts to who is not ready, none would come.
func (l *lane) answers(ctx context.Context) error {
	if !l.ill.Load() {
		return nil
	}
	return l.Landing.ReadOn(ctx)
}

// land lands a group of posts, or nothing.
func (l *lane) land(ctx context.Context, group []*post) error {
	intake, err := l.Landing.Begin(landing.Source{Name: source, Way: ingest.WayHTTP})
	if err != nil {
		return err
	}
	defer intake.Abort()
	claim := landing.Claim{KeepKeys: l.KeepKeys}
	var rows, bytes int64
	for _, p := range group {
		if err := p.land(l.spec, intake); err != nil {
			return fmt.Errorf("take in a post: %w", err)
		}
		if p.keyed {
			key := p.outcome
			key.From, key.To = rows, rows+p.rows()
			claim.Keys = append(claim.Keys, key)
		}
		rows, bytes = rows+p.rows(), bytes+int64(len(p.body))
	}
	result, err := intake.CommitAs(ctx, claim)
	if err != nil {
		return err
	}
	if result.Rows() != rows {
		return fmt.Errorf("%d rows of posts landed at [%d, %d)", rows, result.From, result.To)
	}
	l.landed(l.name, ingest.Outcome{Result: result, Name: source, Identity: landing.Identity{Size: bytes}})
	at := int64(result.From)
	for _, p := range group {
		key := p.outcome
		key.From, key.To = at, at+p.rows()
		at = key.To
		p.done <- verdict{answer: answerOf(l.name, p.source, key)}
	}
	return nil
}

func (p *post) rows() int64 { return p.outcome.To - p.outcome.From }

// concerns tells whether there is a post in the group whose key is among these.
func concerns(group []*post, keys []landing.Key) bool {
	return slices.ContainsFunc(group, func(p *post) bool {
		return p.keyed && slices.ContainsFunc(keys, func(k landing.Key) bool { return k.Digest == p.outcome.Digest })
	})
}

// repeat answers those of a group whose keys have landed, and returns the others.
func (l *lane) repeat(group []*post, landed []landing.Key) []*post {
	known := map[digest.Hash]landing.Key{}
	for _, k := range landed {
		known[k.Digest] = k
	}
	var left []*post
	for _, p := range group {
		key, ok := known[p.outcome.Digest]
		if !p.keyed || !ok {
			left = append(left, p)
			continue
		}
		p.done <- l.again(p, key)
	}
	return left
}

// again is the answer to a post whose key has landed.
func (l *lane) again(p *post, key landing.Key) verdict {
	if key.Body != p.outcome.Body {
		return verdict{problem: newProblem(http.StatusUnprocessableEntity, reasonKeyReused,
			"nothing landed: another body was posted with this Idempotency-Key before; a key is for one post and its repetitions")}
	}
	answer := answerOf(l.name, p.source, key)
	answer.Duplicate = true
	l.landed(l.name, ingest.Outcome{Result: landing.Result{Duplicate: true, DuplicateOf: p.source}, Name: p.source})
	return verdict{answer: answer}
}

// withoutKeys refuses those of a group that have a key, and returns the others.
func withoutKeys(group []*post, why *problem) []*post {
	var left []*post
	for _, p := range group {
		if !p.keyed {
			left = append(left, p)
			continue
		}
		p.done <- verdict{problem: why}
	}
	return left
}

func answerAll(group []*post, p *problem) {
	for _, one := range group {
		one.done <- verdict{problem: p}
	}
}

// tooManyKeys does not say to post without a key: a post that repeats one which may have
// landed must have its key.
func tooManyKeys() *problem {
	return newProblem(http.StatusServiceUnavailable, reasonKeys,
		"nothing landed: the stream remembers as many idempotency keys as it may; post again later, and more rows at a time").after(time.Minute)
}

func noClock() *problem {
	return newProblem(http.StatusServiceUnavailable, reasonStore,
		"nothing landed: the time of the lake's store can't be read, by which idempotency keys are kept; post again").after(soon)
}

// whyNot is what posts are answered when their commit went wrong. What exactly did is
// told where the server runs.
func whyNot(err error) *problem {
	if errors.Is(err, log.ErrUnknown) {
		return newProblem(http.StatusServiceUnavailable, reasonUnknown,
			"it is not known whether the post landed: post it again with the same Idempotency-Key, which tells; without one it may land twice").after(soon)
	}
	if errors.Is(err, landing.ErrTypeChanged) || errors.Is(err, landing.ErrEventTimeChanged) {
		return misdeclared()
	}
	return newProblem(http.StatusServiceUnavailable, reasonStore, "nothing landed: the lake could not be written to; post again").after(soon)
}

// misdeclared is for what lasts until a person mends the declaration and starts the server
// anew: nobody has to ask for it each second.
func misdeclared() *problem {
	return newProblem(http.StatusServiceUnavailable, reasonMisdeclared,
		"nothing landed: this server declares the stream otherwise than rows of it that have landed, such as with a narrower type; "+
			"whoever runs it is told which, and has to mend that and start it again: post again then").after(time.Minute)
}

func stopping() *problem {
	return newProblem(http.StatusServiceUnavailable, reasonStopping, "nothing landed: the server is stopping; post again to the next one").
		after(soon).with("Connection", "close")
}
