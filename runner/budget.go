package runner

import "sync"

// budget counts failures, and says when they are too many.
type budget struct {
	spent chan struct{} // closed then

	mu       sync.Mutex
	max, had int // max 0: however many
}

func newBudget(most, had int) *budget {
	b := &budget{spent: make(chan struct{}), max: most, had: had}
	if most > 0 && had >= most {
		close(b.spent)
	}
	return b
}

func (b *budget) spend() { b.grow(func(had int) int { return had + 1 }) }

// atLeast says that so many failures count, of which this run has met some.
func (b *budget) atLeast(n int) { b.grow(func(had int) int { return max(had, n) }) }

func (b *budget) grow(to func(had int) int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before := b.had
	b.had = to(before)
	if before < b.max && b.had >= b.max {
		close(b.spent)
	}
}

// over tells whether no other partition may begin.
func (b *budget) over() bool { return isClosed(b.spent) }

// isClosed tells whether a channel, on which nothing is sent, is closed; nil never is.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func (b *budget) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.had
}
