package audit

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"
)

// What the program can tell, the documentation explains.
func TestEveryNameIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/check-lake.md")
	if err != nil {
		t.Fatal(err)
	}
	var explained []Name
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllSubmatch(page, -1) {
		explained = append(explained, Name(m[1]))
	}
	slices.Sort(explained)
	if told := slices.Sorted(maps.Keys(explanations)); !slices.Equal(told, explained) {
		t.Errorf("the program tells\n%q, docs/check-lake.md explains\n%q", told, explained)
	}
}
