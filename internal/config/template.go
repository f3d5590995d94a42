package config

import _ "embed"

//go:embed template.yaml
var template []byte

// Template returns the configuration that strandline init writes: a valid file
// that explains itself.
func Template() []byte { return append([]byte(nil), template...) }
