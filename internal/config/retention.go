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
	f := v.fields("versions", "age")
	f.anyOf("versions", "age")
	var r manifests.Retention
	if v, ok := f.get("versions"); ok {
		r.Versions = v.versions()
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

// versions reads how many are kept, at least 1.
func (v value) versions() uint64 {
	text, ok := v.measure("a number of versions")
	if !ok {
		return 0
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n == 0 {
		v.problem("%q: want a whole number of versions, 1 or more", text)
	}
	return n
}
