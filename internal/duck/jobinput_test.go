package duck

import (
	"strings"
	"testing"
)

// twoInputs are a stream, and a table whose rows two columns tell apart; that it has
// a column called position says nothing.
func twoInputs(t *testing.T, e *Engine, sql string) error {
	t.Helper()
	s, err := e.Session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	emptyInput(t, s)
	if err := s.Exec(t.Context(), "CREATE TEMP VIEW hourly AS SELECT NULL::TIMESTAMPTZ AS event_time, NULL::VARCHAR AS shop, NULL::BIGINT AS position, NULL::BIGINT AS n WHERE false"); err != nil {
		t.Fatal(err)
	}
	st, err := e.Parse(t.Context(), sql)
	if err != nil {
		return err
	}
	return s.CheckJob(t.Context(), st, []JobInput{
		{Name: "events", Unique: []string{"position"}},
		{Name: "Hourly", Unique: []string{"event_time", "Shop"}},
	})
}

func TestAnOrderIsTotalByTheColumnsThatTellAnInputsRowsApart(t *testing.T) {
	e, _ := open(t, Options{})
	for _, sql := range []string{
		"SELECT shop, row_number() OVER (ORDER BY event_time, shop) FROM hourly",
		"SELECT n FROM hourly ORDER BY shop, event_time LIMIT 3",
		"SELECT first(n ORDER BY n, shop, event_time) FROM hourly",
		"SELECT list(h.n ORDER BY e.position, h.event_time, h.shop) FROM events e JOIN hourly h ON h.shop = e.shop",
		"SELECT list(e.id ORDER BY e.position, h.event_time) FROM events e JOIN hourly h ON h.shop = e.shop GROUP BY h.shop",
	} {
		if err := twoInputs(t, e, sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
	for _, sql := range []string{
		"SELECT shop, row_number() OVER (ORDER BY event_time) FROM hourly",
		"SELECT n FROM hourly ORDER BY position LIMIT 3",
		"SELECT list(h.n ORDER BY e.position) FROM events e JOIN hourly h ON h.shop = e.shop",
	} {
		err := twoInputs(t, e, sql)
		if err == nil || !strings.Contains(err.Error(), "event_time, Shop") {
			t.Errorf("%s: got %v, want to be told of what tells the rows apart", sql, err)
		}
	}
}
