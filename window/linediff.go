package window

import "strings"

// contextLines is how many equal lines are shown around a difference.
const contextLines = 1

// mostCompared bounds the work of a diff: of texts whose middles have more pairs of lines
// the whole middles differ.
const mostCompared = 4 << 20

// lineDiff tells how two texts differ, line by line: what only the old one has begins
// with "- ", what only the new one has with "+ ", and what both have, near to that, with
// two spaces. A "…" stands for more of it.
func lineDiff(before, after string) []string {
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	head, tail := 0, 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	lines := prefixed(a[:head], "  ")
	lines = append(lines, middle(a[head:len(a)-tail], b[head:len(b)-tail])...)
	return shortened(append(lines, prefixed(a[len(a)-tail:], "  ")...))
}

func prefixed(lines []string, with string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = with + line
	}
	return out
}

// middle compares lines that have no end in common, by the longest common subsequence.
func middle(a, b []string) (lines []string) {
	if len(a)*len(b) > mostCompared {
		return append(prefixed(a, "- "), prefixed(b, "+ ")...)
	}
	common := commonLines(a, b)
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			lines = append(lines, "  "+a[i])
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			lines = append(lines, "- "+a[i])
			i++
		default:
			lines = append(lines, "+ "+b[j])
			j++
		}
	}
	return lines
}

// commonLines tells how many lines, in order, a from i on and b from j on share at most.
func commonLines(a, b []string) [][]int32 {
	common := make([][]int32, len(a)+1)
	for i := range common {
		common[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	return common
}

// shortened leaves out equal lines that are not near to a difference.
func shortened(lines []string) (out []string) {
	near := make([]bool, len(lines))
	for i, line := range lines {
		if strings.HasPrefix(line, "  ") {
			continue
		}
		for at := max(0, i-contextLines); at <= min(len(lines)-1, i+contextLines); at++ {
			near[at] = true
		}
	}
	for i, line := range lines {
		switch {
		case near[i]:
			out = append(out, line)
		case i == 0 || near[i-1]:
			out = append(out, "…")
		}
	}
	return out
}
