package main

import (
	"path/filepath"
	"testing"
)

// The code moves on, and with it must the mutations.
func TestEveryMutationFitsTheTree(t *testing.T) {
	mutations, err := parse(listed)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mutations {
		if _, _, err := m.apply(filepath.Join("..", "..", m.file)); err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
	}
}
