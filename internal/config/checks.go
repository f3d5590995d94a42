package config

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"strandline/window"
)

// checkKinds are the keys of a check that say what it asks; one is there.
var checkKinds = []string{"not_null", "unique", "accepted", "range", "rows", "sql"}

func (v value) checks() []window.Check {
	var out []window.Check
	seen := map[string]bool{}
	for _, item := range v.items("a list of checks such as [{not_null: [id]}]", false) {
		f := item.fields(append(slices.Clone(checkKinds), "name", "on_failure")...)
		c := window.Check{OnFailure: window.Block, Rule: f.rule()}
		if v, ok := f.get("name"); ok {
			c.Name, _ = v.text()
			if c.Name != "" && seen[c.Name] {
				v.problem("another check has the name %q too", c.Name)
			}
			seen[c.Name] = true
		}
		if v, ok := f.get("on_failure"); ok {
			what, _ := v.oneOf(string(window.Block), string(window.Warn))
			c.OnFailure = window.OnFailure(what)
		}
		out = append(out, c)
	}
	return out
}

// rule reads what a check asks, or adds a problem where that is not one thing.
func (f fields) rule() (rule window.Rule) {
	var kinds []string
	for _, kind := range checkKinds {
		if v, ok := f.of[kind]; ok {
			kinds = append(kinds, kind)
			rule = v.ruleOf(kind)
		}
	}
	misspelled := slices.ContainsFunc(checkKinds, func(k string) bool { return f.meant[k] })
	switch {
	case len(kinds) > 1:
		f.problemAt(f.key, "asks for %s; make each a check of its own", strings.Join(kinds, " and "))
	case len(kinds) == 0 && !misspelled && f.node.Kind == yaml.MappingNode:
		f.problemAt(f.key, "asks for nothing: want one of %s", strings.Join(checkKinds, ", "))
	}
	return rule
}

func (v value) ruleOf(kind string) window.Rule {
	const columns = "a list of output columns such as [id]"
	switch kind {
	case "not_null":
		return window.NotNull{Columns: namesOf(v.names(columns))}
	case "unique":
		return window.Unique{Columns: namesOf(v.names(columns))}
	case "accepted":
		return v.accepted()
	case "range":
		return v.numberRange()
	case "rows":
		return v.rowCount()
	}
	return window.NoRow{SQL: v.sql()}
}

func (v value) accepted() window.Accepted {
	f := v.fields("column", "values")
	var r window.Accepted
	r.Column = f.column()
	list, ok := f.need("values", "the values that the column may have, such as [us, ak]")
	if !ok {
		return r
	}
	for _, item := range list.items("a list of values such as [us, ak]", false) {
		text, ok := item.plainValue()
		switch {
		case ok && slices.Contains(r.Values, text):
			item.problem("%q is here twice", text)
		case ok:
			r.Values = append(r.Values, text)
		}
	}
	if list.isEmpty(yaml.SequenceNode) {
		list.problem("names no value")
	}
	return r
}

func (f fields) column() string {
	v, ok := f.need("column", "the output column that it is about")
	if !ok {
		return ""
	}
	name, _ := v.text()
	return name
}

// plainValue returns a value as it is written, whatever YAML takes it for. A
// text may be empty.
func (v value) plainValue() (string, bool) {
	if v.node.Kind != yaml.ScalarNode || v.isNothing() {
		v.unwanted("a text, a number, true or false")
		return "", false
	}
	if v.isText() {
		return v.anyText()
	}
	return v.node.Value, true
}

func (v value) numberRange() window.Range {
	f := v.fields("column", "min", "max")
	r := window.Range{Column: f.column()}
	var least, most *big.Rat
	r.Min, least = f.decimal("min")
	r.Max, most = f.decimal("max")
	f.anyOf("min", "max")
	if least != nil && most != nil && least.Cmp(most) > 0 {
		f.of["min"].problem("%s is more than max, which is %s", r.Min, r.Max)
	}
	return r
}

func (f fields) decimal(key string) (string, *big.Rat) {
	v, ok := f.get(key)
	if !ok {
		return "", nil
	}
	text, ok := v.measure("a decimal number such as 10 or -0.25")
	if !ok {
		return "", nil
	}
	n, err := window.ParseDecimal(text)
	if err != nil {
		v.problem("%v", err)
	}
	return text, n
}

func (v value) rowCount() window.RowCount {
	f := v.fields("min", "max", "max_drop", "max_growth")
	r := window.RowCount{Min: f.count("min"), Max: f.count("max"), MaxDrop: f.percent("max_drop"), MaxGrowth: f.percent("max_growth")}
	f.anyOf("min", "max", "max_drop", "max_growth")
	if r.Min != nil && r.Max != nil && *r.Min > *r.Max {
		f.of["min"].problem("%d is more than max, which is %d", *r.Min, *r.Max)
	}
	if r.MaxDrop != nil && *r.MaxDrop >= 100_00 {
		f.of["max_drop"].problem("%v forbids nothing: a partition can't lose more than all its rows", *r.MaxDrop)
	}
	return r
}

// count reads a number of rows.
func (f fields) count(key string) *int64 {
	v, ok := f.get(key)
	if !ok {
		return nil
	}
	text, ok := v.measure("a number of rows")
	if !ok {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		v.problem("%q: want a whole number of rows, such as 1000", text)
		return nil
	}
	return &n
}

func (f fields) percent(key string) *window.Percent {
	v, ok := f.get(key)
	if !ok {
		return nil
	}
	text, ok := v.measure("a share such as 50%")
	if !ok {
		return nil
	}
	p, err := window.ParsePercent(text)
	if err != nil {
		v.problem("%v", err)
		return nil
	}
	return &p
}

// anyOf adds a problem where none of the keys is there, nor was meant to be.
func (f fields) anyOf(keys ...string) {
	for _, key := range keys {
		if _, ok := f.of[key]; ok || f.meant[key] {
			return
		}
	}
	if f.node.Kind == yaml.MappingNode {
		f.problemAt(f.key, "bounds nothing: want one of %s", strings.Join(keys, ", "))
	}
}
