package duck

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator writes random queries over events: sound ones and unsound ones, of
// all the constructs whose result may depend on the order of rows.
type generator struct {
	*rand.Rand
	names int
}

// typed is an expression or column with its kind of value.
type typed struct {
	sql, kind string // kind: int, dec, dbl, str, ts, bool
}

// eventColumns are those of the input that queries use.
var eventColumns = []typed{
	{"window_start", "ts"}, {"position", "int"}, {"event_time", "ts"}, {"id", "str"}, {"kind", "str"}, {"shop", "str"},
	{"qty", "int"}, {"amount", "dec"}, {"price", "dbl"}, {"ok", "bool"}, {"big", "int"},
}

func (g *generator) one(of ...string) string { return of[g.IntN(len(of))] }
func (g *generator) chance(p float64) bool   { return g.Float64() < p }

func (g *generator) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

// column picks one of the kind, or of any.
func (g *generator) column(scope []typed, kind string) typed {
	var fit []typed
	for _, c := range scope {
		if kind == "" || c.kind == kind {
			fit = append(fit, c)
		}
	}
	if len(fit) == 0 {
		return map[string]typed{
			"": {"(1 + 0)", "int"}, "int": {"(3 + 0)", "int"}, "dec": {"(1.5 + 0)", "dec"}, "dbl": {"(0.1::DOUBLE + 0)", "dbl"}, "str": {"lower('x')", "str"},
			"ts": {"to_timestamp(0)", "ts"}, "bool": {"(1 = 1)", "bool"},
		}[kind]
	}
	return fit[g.IntN(len(fit))]
}

func (g *generator) kind() string {
	return g.one("int", "int", "dec", "dbl", "str", "str", "ts", "bool")
}

// expr writes an expression of a kind over the scope.
func (g *generator) expr(scope []typed, kind string, depth int) string {
	if depth <= 0 || g.chance(0.45) {
		return g.column(scope, kind).sql
	}
	e := func(kind string) string { return g.expr(scope, kind, depth-1) }
	switch kind {
	case "int":
		return g.one("("+e("int")+" + 1)", "("+e("int")+" % 7)", "length("+e("str")+")", "CASE WHEN "+e("bool")+" THEN "+e("int")+" ELSE 0 END",
			"coalesce("+e("int")+", 0)", "list_sum([1, "+e("int")+" % 5])::BIGINT", "(hash("+e("str")+") % 5)::INTEGER", "TRY_CAST("+e("dbl")+" AS INTEGER)",
			"extract(hour FROM "+e("ts")+")", "len(list_distinct(["+e("str")+", 'a', 'b']))", "(hash("+e("dbl")+") % 9)::INTEGER")
	case "dec":
		return g.one("("+e("dec")+" + 1)::DECIMAL(18,2)", "round("+e("dec")+", 1)::DECIMAL(18,2)", "TRY_CAST("+e("dbl")+" AS DECIMAL(18,2))", "CAST("+e("int")+" % 100 AS DECIMAL(18,2))")
	case "dbl":
		return g.one("("+e("dbl")+" * -1)", "("+e("dbl")+" + 0)", "abs("+e("dbl")+")", "round("+e("dbl")+", 1)", "("+e("dbl")+" / 3)", "(1 / "+e("dbl")+")",
			"("+e("int")+" / 3)", "sqrt(abs("+e("dbl")+"))", "greatest("+e("dbl")+", 0::DOUBLE)", "-("+e("dbl")+")")
	case "str":
		return g.one("lower("+e("str")+")", "("+e("str")+" || "+e("str")+")", e("int")+"::VARCHAR", e("dbl")+"::VARCHAR", "left("+e("str")+", 2)", e("dec")+"::VARCHAR",
			"to_json("+e("dbl")+")::VARCHAR", "md5("+e("str")+")", "strftime("+e("ts")+", '%H')", "array_to_string(list_sort(["+e("str")+", 'k1']), '-')")
	case "ts":
		return g.one("date_trunc('hour', "+e("ts")+")", e("ts")+" + INTERVAL 1 HOUR", "time_bucket(INTERVAL 2 HOUR, "+e("ts")+")", "greatest("+e("ts")+", "+e("ts")+")")
	}
	return g.one("("+e("int")+" > 2)", "("+e("str")+" = 'k1')", "("+e("dbl")+" < 0)", "("+e("dbl")+" = 0)", e("str")+" IN ('k1', 's2')", "NOT "+e("bool"), e("str")+" IS NULL",
		"("+e("bool")+" AND "+e("bool")+")", "("+e("ts")+" < "+e("ts")+")", e("int")+" BETWEEN 1 AND 5")
}

// order writes terms of ORDER BY, often with what makes them total.
func (g *generator) order(scope []typed) string {
	var terms []string
	for range 1 + g.IntN(2) {
		terms = append(terms, g.expr(scope, g.kind(), g.IntN(2))+g.one("", "", " DESC", " NULLS FIRST"))
	}
	if g.chance(0.65) {
		for _, c := range scope {
			if strings.HasSuffix(c.sql, "position") {
				terms = append(terms, c.sql+g.one("", " DESC"))
			}
		}
	}
	return strings.Join(terms, ", ")
}

// aggregate writes an aggregate of the scope.
func (g *generator) aggregate(scope []typed) typed {
	kind := g.kind()
	x := g.expr(scope, kind, 1)
	filter := ""
	if g.chance(0.15) {
		filter = " FILTER (" + g.expr(scope, "bool", 1) + ")"
	}
	ordered := "(" + x + " ORDER BY " + g.order(scope) + ")"
	number := g.one("int", "dec", "dbl")
	n := g.expr(scope, number, 1)
	switch g.IntN(16) {
	case 0, 1:
		return typed{"count(" + g.one("*", x, "DISTINCT "+x) + ")" + filter, "int"}
	case 2, 3:
		return typed{g.one("min", "max") + "(" + g.one("", "DISTINCT ") + x + ")" + filter, kind}
	case 4, 5:
		return typed{"sum(" + n + ")" + filter + "::DOUBLE", "dbl"}
	case 6:
		return typed{"avg(" + n + ")" + filter, "dbl"}
	case 7:
		return typed{g.one("median", "mad") + "(" + n + ")::DOUBLE", "dbl"}
	case 8:
		return typed{g.one("quantile_disc", "quantile_cont") + "(" + n + ", " + g.one("0.1", "0.5", "0.99") + ")::DOUBLE", "dbl"}
	case 9:
		return typed{g.one("first", "last", "any_value") + g.one("("+x+")", ordered, ordered), kind}
	case 10:
		return typed{g.one("string_agg("+g.expr(scope, "str", 1)+", ',' ORDER BY "+g.order(scope)+")", "string_agg(DISTINCT kind ORDER BY kind)",
			"array_to_string(list("+g.expr(scope, "str", 1)+" ORDER BY "+g.order(scope)+"), ',')"), "str"}
	case 11:
		return typed{g.one("arg_max", "arg_min", "max_by") + "(" + x + ", " + g.one(g.expr(scope, g.kind(), 1), g.column(scope, "int").sql, "("+g.column(scope, "ts").sql+", "+g.column(scope, "int").sql+")") + ")", kind}
	case 12:
		return typed{g.one("bool_or", "bool_and") + "(" + g.expr(scope, "bool", 1) + ")", "bool"}
	case 13:
		return typed{"bit_xor(" + g.expr(scope, "int", 1) + "::BIGINT)", "int"}
	case 14:
		return typed{g.one("sum", "avg", "stddev", "fsum", "product", "var_pop") + "(" + g.expr(scope, "dbl", 1) + " ORDER BY " + g.order(scope) + ")", "dbl"}
	}
	return typed{g.one("stddev", "corr", "skewness", "mode", "list_x") + "(" + n + ")", "dbl"}
}

// window writes a function with OVER.
func (g *generator) window(scope []typed) typed {
	partition := ""
	if g.chance(0.6) {
		partition = "PARTITION BY " + g.expr(scope, g.one("str", "str", "dbl", "bool"), 1) + " "
	}
	order := ""
	if g.chance(0.85) {
		order = "ORDER BY " + g.order(scope)
	}
	frame := ""
	if order != "" && g.chance(0.4) {
		frame = " " + g.one("ROWS BETWEEN 2 PRECEDING AND CURRENT ROW", "ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING", "GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW",
			"ROWS UNBOUNDED PRECEDING", "RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING", "RANGE UNBOUNDED PRECEDING EXCLUDE CURRENT ROW", "RANGE UNBOUNDED PRECEDING EXCLUDE TIES")
	}
	over := " OVER (" + partition + order + frame + ")"
	kind := g.kind()
	x := g.expr(scope, kind, 1)
	switch g.IntN(8) {
	case 0:
		return typed{"row_number()" + over, "int"}
	case 1:
		return typed{g.one("rank()", "dense_rank()", "ntile(5)") + over, "int"}
	case 2:
		return typed{g.one("cume_dist()", "percent_rank()") + over, "dbl"}
	case 3:
		return typed{g.one("lag(", "lead(") + x + g.one("", ", 2") + ")" + over, kind}
	case 4:
		return typed{g.one("first_value(", "last_value(") + x + g.one("", " IGNORE NULLS", " ORDER BY "+g.order(scope)) + ")" + over, kind}
	case 5:
		return typed{"count(" + g.one("*", x, "DISTINCT "+x) + ")" + over, "int"}
	case 6:
		return typed{g.one("min(", "max(") + x + ")" + over, kind}
	}
	return typed{g.one("sum(", "avg(") + g.expr(scope, g.one("int", "dec", "dbl"), 1) + ")" + over + "::DOUBLE", "dbl"}
}

// from writes a relation and returns it with its columns; small ones are for
// the sides of joins.
func (g *generator) from(depth int, small bool) (string, []typed) {
	alias := g.name("t")
	scope := func(columns []typed) []typed {
		out := make([]typed, len(columns))
		for i, c := range columns {
			out[i] = typed{alias + "." + c.sql, c.kind}
		}
		return out
	}
	if depth <= 0 || g.chance(0.3) {
		if small {
			return "(SELECT * FROM events WHERE position % 40 = 7) " + alias, scope(eventColumns)
		}
		return "events " + alias, scope(eventColumns)
	}
	switch g.IntN(8) {
	case 0, 1:
		sql, columns := g.query(depth-1, small)
		return "(" + sql + ") " + alias, scope(columns)
	case 2, 3:
		left, ls := g.from(depth-1, true)
		right, rs := g.from(depth-1, true)
		on := g.column(ls, "str").sql + " = " + g.column(rs, "str").sql
		if g.chance(0.3) {
			on += " AND " + g.column(ls, "int").sql + g.one(" = ", " < ") + g.column(rs, "int").sql
		}
		switch g.IntN(7) {
		case 0:
			return left + g.one(" SEMI", " ANTI") + " JOIN " + right + " ON " + on, ls
		case 1:
			return left + g.one(" ASOF JOIN ", " ASOF LEFT JOIN ") + right + " ON " + on + " AND " + g.column(ls, "ts").sql + " >= " + g.column(rs, "ts").sql, append(ls, rs...)
		}
		return left + g.one(" JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " FULL JOIN ") + right + " ON " + on, append(ls, rs...)
	case 4:
		left, ls := g.from(depth-1, small)
		return left + " CROSS JOIN unnest([" + g.column(ls, "str").sql + ", 'u1']) " + alias + "(w)", append(ls, typed{alias + ".w", "str"})
	case 5:
		left, ls := g.from(depth-1, true)
		sub, columns := g.query(0, true)
		inner := g.name("l")
		return left + " CROSS JOIN LATERAL (SELECT * FROM (" + sub + ") " + inner + " WHERE " + inner + "." + g.column(columns, "").sql + " IS NOT NULL AND " + g.column(ls, "int").sql + " % 3 = 1" + g.limit(columns) + ") " + alias, append(ls, scope(columns)...)
	case 6:
		columns := []typed{{"a", "str"}, {"b", "int"}, {"c", "dbl"}}
		part := func() string {
			return "SELECT " + g.expr(eventColumns, "str", 1) + " AS a, " + g.expr(eventColumns, "int", 1) + " AS b, " + g.expr(eventColumns, "dbl", 1) + " AS c FROM events WHERE position % 20 = 3"
		}
		return "(" + part() + g.one(" UNION ALL ", " UNION ", " EXCEPT ", " INTERSECT ", " EXCEPT ALL ") + part() + ") " + alias, scope(columns)
	}
	return "(SELECT * FROM events WHERE position % 40 = 7) " + alias, scope(eventColumns)
}

func (g *generator) limit(scope []typed) string {
	order := ""
	if g.chance(0.85) {
		order = " ORDER BY " + g.one(g.order(scope), g.order(scope), "ALL")
	}
	return order + g.one(" LIMIT 7", " LIMIT 50 OFFSET 3", " LIMIT 10%", " LIMIT 1")
}

// query writes a SELECT and returns it with its columns.
func (g *generator) query(depth int, small bool) (string, []typed) {
	from, scope := g.from(depth, small)
	where := ""
	if g.chance(0.3) {
		where = " WHERE " + g.expr(scope, "bool", 1)
	}
	if g.chance(0.1) {
		where = " WHERE " + g.column(scope, "int").sql + " > (SELECT " + g.aggregate(eventColumns).sql + "::DOUBLE FROM events)"
	}
	if g.chance(0.45) {
		return g.grouped(from+where, scope)
	}
	var list []string
	var columns []typed
	add := func(sql, kind string) {
		name := g.name("c")
		if strings.HasSuffix(sql, "position") && len(columns) == 0 {
			name = "position"
		}
		list = append(list, sql+" AS "+name)
		columns = append(columns, typed{name, kind})
	}
	if position := g.column(scope, "int"); g.chance(0.7) {
		add(position.sql, "int")
	}
	for range 1 + g.IntN(3) {
		switch {
		case g.chance(0.4):
			w := g.window(scope)
			add(w.sql, w.kind)
		case g.chance(0.1):
			inner := g.aggregate(eventColumns)
			add("(SELECT "+inner.sql+" FROM events WHERE "+g.column(eventColumns, "str").sql+" = "+g.column(scope, "str").sql+")", inner.kind)
		case g.chance(0.1):
			add("(SELECT kind FROM events x WHERE x.shop = "+g.column(scope, "str").sql+g.limit([]typed{{"x.qty", "int"}, {"x.position", "int"}})+")", "str")
		default:
			kind := g.kind()
			add(g.expr(scope, kind, 2), kind)
		}
	}
	sql := "SELECT " + g.one("", "", "", "DISTINCT ") + strings.Join(list, ", ") + " FROM " + from + where
	switch g.IntN(6) {
	case 0:
		sql += " QUALIFY " + g.one("row_number()", "rank()") + " OVER (PARTITION BY " + g.column(scope, "str").sql + " ORDER BY " + g.order(scope) + ") <= 2"
	case 1:
		sql = "SELECT DISTINCT ON (" + g.column(scope, "str").sql + ") " + strings.Join(list, ", ") + " FROM " + from + where + " ORDER BY " + g.order(scope)
	}
	if g.chance(0.25) && !strings.Contains(sql, "DISTINCT") {
		sql += g.limit(append(columns, scope...))
	}
	return sql, columns
}

// grouped writes a SELECT with GROUP BY, or of one row.
func (g *generator) grouped(from string, scope []typed) (string, []typed) {
	var list, keys []string
	var columns []typed
	for range g.IntN(3) {
		kind := g.one("str", "str", "int", "dbl", "bool", "ts")
		name := g.name("k")
		keys = append(keys, g.expr(scope, kind, 1))
		list = append(list, keys[len(keys)-1]+" AS "+name)
		columns = append(columns, typed{name, kind})
	}
	for range 1 + g.IntN(3) {
		a := g.aggregate(scope)
		if g.chance(0.1) {
			a.kind, a.sql = "str", a.sql+"::VARCHAR"
		}
		name := g.name("a")
		list = append(list, a.sql+" AS "+name)
		columns = append(columns, typed{name, a.kind})
	}
	sql := "SELECT " + strings.Join(list, ", ") + " FROM " + from
	if len(keys) > 0 {
		sql += " GROUP BY " + g.one("", "", "", "ROLLUP ") + "(" + strings.Join(keys, ", ") + ")"
		if g.chance(0.15) {
			sql += " HAVING count(*) > 1"
		}
	}
	if g.chance(0.2) {
		sql += g.limit(columns)
	}
	return sql, columns
}
