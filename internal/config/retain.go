package config

import (
	"go.yaml.in/yaml/v3"

	"strandline/landing"
)

// retain reads how much of a stream's raw rows is kept: one bound at least.
func (v value) retain() landing.Retain {
	var r landing.Retain
	f := v.fields("age", "bytes")
	if v, ok := f.get("age"); ok {
		age, ok := v.duration()
		if r.Age = age; ok && age <= 0 {
			v.problem("%v: want a duration greater than 0, such as 90d; leave it out to keep rows for ever", age)
		}
	}
	if v, ok := f.get("bytes"); ok {
		r.Bytes, _ = v.bytes("a size such as 500GB or 2TiB")
	}
	if v.isEmpty(yaml.MappingNode) {
		v.problemAt(v.key, "says nothing: give age, bytes or both, or leave it out to keep rows for ever")
	}
	return r
}
