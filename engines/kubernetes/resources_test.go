package kubernetes

import "testing"

func TestAPodRunsAsManyPartitionsAsItHasProcessors(t *testing.T) {
	cpu := func(value any) object { return object{"cpu": value} }
	for _, c := range []struct {
		resources object
		want      int
	}{
		{nil, 1},
		{object{"requests": object{"memory": "2Gi"}}, 1},
		{object{"requests": cpu(1)}, 1},
		{object{"requests": cpu(4), "limits": cpu(8)}, 4},
		{object{"limits": cpu("3")}, 3},
		{object{"requests": cpu("500m")}, 1},
		{object{"requests": cpu("2500m")}, 2},
		{object{"requests": cpu(2.5)}, 2},
		{object{"requests": cpu("many")}, 1},
		{object{"requests": cpu("NaN")}, 1},
		{object{"requests": cpu("1e12")}, 1},
		{object{"requests": cpu(-3)}, 1},
		{object{"requests": "all"}, 1},
	} {
		if got := processors(c.resources); got != c.want {
			t.Errorf("%v: got %d, want %d", c.resources, got, c.want)
		}
	}
}
