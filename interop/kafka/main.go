// Command kafka lands from a real Kafka broker with the strandline program, kills both
// at moments of no program's choosing, and holds what landed against what was sent.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

func main() {
	program := flag.String("strandline", "bin/strandline", "the program")
	libs := flag.String("libs", ".cache/interop/kafka/libs", "the folder of the broker's jars")
	flag.Parse()
	if err := run(*program, *libs); err != nil {
		fmt.Fprintln(os.Stderr, "interop with Kafka:", err)
		os.Exit(1)
	}
}

func run(program, libs string) (err error) {
	program, err = filepath.Abs(program)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "strandline-kafka-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	b, err := newBroker(dir, libs)
	if err != nil {
		return err
	}
	if err := b.start(ctx); err != nil {
		return err
	}
	defer b.kill()
	for _, s := range []struct {
		name string
		run  func(context.Context, *world) error
	}{
		{"transactions", transactions},
		{"TLS, PLAIN and SCRAM", authenticated},
		{"offsets that retention removed", removed},
		{"a topic that was made again", recreated},
		{"kills of strandline", kills},
		{"kills of the broker", brokerKills},
	} {
		begun := time.Now()
		w, err := newWorld(program, filepath.Join(dir, fmt.Sprint(time.Now().UnixNano())), b)
		if err == nil {
			err = s.run(ctx, w)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Printf("ok  %-32s %4d records, each landed once, in %.1fs\n", s.name, len(w.sent), time.Since(begun).Seconds())
	}
	return nil
}
