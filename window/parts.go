package window

import (
	"runtime"
	"sync"
)

// leastPart is how many partitions are worth a goroutine of their own.
const leastPart = 4096

// inParts calls fn with the parts [from, to) that make up [0, n), at the same time
// where that is many, and returns what it makes of each, in order. The error of the
// lowest part is returned, so that it is the same each time.
func inParts[T any](n int, fn func(from, to int) (T, error)) ([]T, error) {
	parts := max(1, min(runtime.GOMAXPROCS(0), n/leastPart))
	made, errs := make([]T, parts), make([]error, parts)
	var work sync.WaitGroup
	for part := range parts {
		work.Go(func() { made[part], errs[part] = fn(n*part/parts, n*(part+1)/parts) })
	}
	work.Wait()
	for _, err := range errs {
		if err != nil {
			return made, err
		}
	}
	return made, nil
}
