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

func (b *budget) spend() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.had++
	if b.had == b.max {
		close(b.spent)
	}
}

func (b *budget) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.had
}
