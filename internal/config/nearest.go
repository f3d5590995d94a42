package config

import (
	"fmt"
	"strings"
)

// DidYouMean returns `; did you mean "…"?` with the choice nearest to what was
// written, or nothing where none is near.
func DidYouMean(written string, choices []string) string {
	if best := Nearest(written, choices); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

// Nearest returns the choice nearest to what was written, or nothing where none is near.
func Nearest(written string, choices []string) string {
	best, least := "", len(written)/3+2
	for _, c := range choices {
		if d := distance(strings.ToLower(written), strings.ToLower(c)); d < least {
			best, least = c, d
		}
	}
	return best
}

// nearestOr is DidYouMean, or the list of the choices where none is near.
func nearestOr(noun, written string, choices []string) string {
	hint := DidYouMean(written, choices)
	if hint == "" && len(choices) > 0 {
		hint = " (" + listed(noun, choices) + ")"
	}
	return hint
}

// listed returns "the keys are a, b", or "the only key is a".
func listed(noun string, names []string) string {
	if len(names) == 1 {
		return "the only " + noun + " is " + names[0]
	}
	return "the " + noun + "s are " + strings.Join(names, ", ")
}

// maxCompared bounds the names that are compared, in bytes.
const maxCompared = 64

// distance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b (optimal string alignment).
func distance(a, b string) int {
	if len(a) > maxCompared || len(b) > maxCompared {
		return maxCompared
	}
	var before []int
	last, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, make([]int, len(b)+1)
	}
	return last[len(b)]
}
