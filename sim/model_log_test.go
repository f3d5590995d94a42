package sim

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"strconv"
)

var logPart = regexp.MustCompile(`^(.*)/(log|checkpoints|trims)/([0-9]{20})\.`)

// trimmed looks at a part of a log that is about to go: an entry only if a
// checkpoint above it tells all that is kept, and a checkpoint only if there is a
// newer one.
func (m *model) trimmed(key string) error {
	part := logPart.FindStringSubmatch(key)
	if part == nil {
		return fmt.Errorf("something was removed that is no part of a log: %s", key)
	}
	first, last := number(part[3])+1, uint64(math.MaxUint64)
	if part[2] == "log" && part[1] == "tables/t" {
		last = uint64(m.files.oldest)
	}
	if part[2] == "trims" {
		return nil
	}
	checkpoints, err := m.store.List(context.Background(), part[1]+"/checkpoints/", "", 1<<20)
	if err != nil {
		return err
	}
	for _, c := range checkpoints {
		if n := number(logPart.FindStringSubmatch(c.Key)[3]); first <= n && n <= last {
			m.files.gone[key] = true
			return nil
		}
	}
	return fmt.Errorf("a part of a log was removed that is needed: %s", key)
}

func number(digits string) uint64 {
	n, _ := strconv.ParseUint(digits, 10, 64)
	return n
}
