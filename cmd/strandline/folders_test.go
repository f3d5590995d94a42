package main

import (
	"os"
	"strings"
	"testing"
)

func TestFoldersThatGetInEachOthersWayAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ one, other, want string }{
		"the same":                 {"{path: ./in, after_landing: delete}", "./in", "streams sales and other"},
		"nested":                   {"./in", "{path: ./in/b, after_landing: delete}", "streams other and sales"},
		"by a link":                {"{path: ./link, after_landing: {move: ./done}}", "./in", "streams sales and other"},
		"moved to the other":       {"{path: ./a, after_landing: {move: ./in/x/y}}", "./link", "would land it again"},
		"the lake by a link":       {"./lakelink/landing", "./in", "the lake"},
		"moved into the lake":      {"{path: ./in, after_landing: {move: ./lakelink/x}}", "./a", "the lake"},
		"both keep":                {"./in", "./in", ""},
		"moved within what is its": {"{path: ./in, after_landing: {move: ./in/done}}", "./a", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := proof{t, t.TempDir()}
			for _, dir := range []string{"in", "a", "lake"} {
				if err := os.Mkdir(p.path(dir), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			for link, to := range map[string]string{"link": "in", "lakelink": "lake"} {
				if err := os.Symlink(p.path(to), p.path(link)); err != nil {
					t.Fatal(err)
				}
			}
			streams := "\n    dir: " + c.one + "\n  other: {format: ndjson, event_time: {column: at, unit: iso}, columns: {n: BIGINT}, dir: " + c.other + "}\njobs:"
			p.write("strandline.yaml", strings.Replace(proveYAML, "\njobs:", streams, 1))
			if got := p.run("validate"); (got.code == exitDone) != (c.want == "") || !strings.Contains(got.err, c.want) {
				t.Errorf("validate: exit %d: %s", got.code, got.err)
			}
			if c.want == "" {
				return
			}
			if got := p.run("run"); got.code == exitDone || !strings.Contains(got.err, c.want) {
				t.Errorf("run: exit %d: %s", got.code, got.err)
			}
		})
	}
}
