package config

import (
	"strconv"

	"strandline/manifests"
)

// retention reads which versions of a table are kept: a map, or all.
func (v value) retention() manifests.Retention {
	if v.isText() && v.node.Value == "all" {
		return manifests.Retention{}
	}
	f := v.fieldsOr("all", "versions", "age")
	f.anyOf("versions", "age")
	var r manifests.Retention
	if v, ok := f.get("versions"); ok {
		r.Versions = v.positive("versions")
	}
	if v, ok := f.get("age"); ok {
		if age, ok := v.duration(); ok && age <= 0 {
			v.problem("%v: want more than 0s; to keep the newest version alone write {versions: 1}", age)
		} else {
			r.Age = age
		}
	}
	return r
}

// positive reads how many of something, at least 1.
func (v value) positive(of string) uint64 {
	text, ok := v.measure("a number of " + of)
	if !ok {
		return 0
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil || n == 0 {
		v.problem("%q: want a whole number of %s, 1 or more", text, of)
	}
	return n
}
