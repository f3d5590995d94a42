package window

import (
	"runtime"
	"sync"
)

// leastPart is how many partitions are worth a goroutine of their own.
const leastPart = 4096

// inParts calls fn with 0, 1, 2 … n-1: in order, and parts of that at the same time
// where there are many. Each part ends at its first error; the one of the lowest
// number is returned, so that it is the same each time.
func inParts(n int, fn func(i int) error) error {
	parts := max(1, min(runtime.GOMAXPROCS(0), n/leastPart))
	errs := make([]error, parts)
	var work sync.WaitGroup
	for part := range parts {
		work.Go(func() {
			for i := n * part / parts; i < n*(part+1)/parts && errs[part] == nil; i++ {
				errs[part] = fn(i)
			}
		})
	}
	work.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
