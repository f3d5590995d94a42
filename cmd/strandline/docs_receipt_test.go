package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// The page on receipts shows what the demo makes today.
func TestThePageOnReceiptsShowsTheDemosFingerprint(t *testing.T) {
	var job validated
	if err := json.Unmarshal([]byte(strandline(t, "validate", "--json", "-c", "../../tools/demo/strandline.yaml").out), &job); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/receipts.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := "    fingerprint   " + job.Fingerprint + "\n"; job.Fingerprint == "" || !strings.Contains(string(page), want) {
		t.Errorf("docs/receipts.md has no line %q: run make demo and take over what strandline receipt says then", want)
	}
}
