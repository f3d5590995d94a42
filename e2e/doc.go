// Package e2e holds tests of the whole program: the real binary, on real data,
// over a folder and over MinIO, killed at random.
package e2e
