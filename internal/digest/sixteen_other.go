//go:build !amd64 || purego

package digest

const hasSixteen = false

func digestSixteen(*sixteen, *byte, uint32) {}
