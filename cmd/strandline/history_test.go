package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestHistoryShowsTheNewestVersionsFirst(t *testing.T) {
	p := newProof(t)
	p.good("rollback", "sales_hourly", "--to", "1")
	all := p.good("history", "sales_hourly", "--limit", "0")
	lines := strings.SplitAfter(strings.TrimSuffix(all, "\n"), "\n")
	newest := len(lines) // versions are dense
	for i, line := range lines {
		if !strings.HasPrefix(line, fmt.Sprintf("%4d  ", newest-i)) {
			t.Fatalf("the history is\n%s", all)
		}
	}
	for limit, want := range map[int]string{
		newest: all, newest + 1: all,
		2: lines[0] + lines[1] + fmt.Sprintf("   …  version %d and older are not shown: --limit 0 shows all\n", newest-2),
	} {
		if out := p.good("history", "sales_hourly", "--limit", fmt.Sprint(limit)); out != want {
			t.Errorf("with --limit %d:\n%s\nwant\n%s", limit, out, want)
		}
	}
	out := p.good("history", "sales_hourly", "--limit", "2", "--json")
	if strings.Count(out, "\n") != 2 || !strings.HasPrefix(out, fmt.Sprintf(`{"version":%d,`, newest)) {
		t.Errorf("with --limit 2 --json:\n%s", out)
	}
	p.bad(exitUsage, "--limit", "history", "sales_hourly", "--limit", "-1")
}

// A person is shown some; a program gets all that it did not refuse.
func TestHistoryIsWholeForPrograms(t *testing.T) {
	p := newProof(t)
	for range defaultVersions / 2 {
		p.good("rollback", "sales_hourly", "--to", "1")
		p.good("rollback", "sales_hourly", "--to", "2")
	}
	if out := p.good("history", "sales_hourly"); strings.Count(out, "\n") != defaultVersions+1 || !strings.Contains(out, "are not shown") {
		t.Errorf("the history is\n%s", out)
	}
	if out := p.good("history", "sales_hourly", "--json"); strings.Count(out, "\n") <= defaultVersions+1 || !strings.Contains(out, `{"version":1,`) {
		t.Errorf("the history has %d lines", strings.Count(out, "\n"))
	}
}
