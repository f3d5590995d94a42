package sweep

import (
	"strings"
	"testing"

	"strandline/manifests"
)

func TestKeysThatStrandlineWrites(t *testing.T) {
	n, log := id(1), "00000000000000000100"
	for key, want := range map[string]Key{
		"landing/s_1/data/" + n + ".parquet":                        {AreaLanding, "s_1", Data, n},
		"landing/s/rejects/" + n + ".parquet":                       {AreaLanding, "s", Data, n},
		"landing/s/archive/" + n + ".bin":                           {AreaLanding, "s", Data, n},
		"landing/s/log/" + log + ".json":                            {AreaLanding, "s", LogPart, ""},
		"landing/s/checkpoints/" + log + ".bin":                     {AreaLanding, "s", LogPart, ""},
		"tables/t/trims/" + log + ".json":                           {AreaTables, "t", LogPart, ""},
		manifests.DataKey("t", "2026-03-01T05", n):                  {AreaTables, "t", Data, n},
		"tables/t/reconcile/20260301T000000.000001Z-" + n + ".json": {AreaTables, "t", Record, ""},
		"plans/" + n + n:                                            {AreaRequests, "", Data, n + n},
		"requests/log/" + log + ".json":                             {AreaRequests, "", LogPart, ""},
		"lookups/" + n + n:                                          {"", "", Lookup, n + n},
		"selftest/proof-" + strings.Repeat("A", 26):                 {"", "", SelfTest, ""},
	} {
		if got, ok := ParseKey(key); !ok || got != want {
			t.Errorf("%s is %+v, %v; want %+v", key, got, ok, want)
		}
	}
}
