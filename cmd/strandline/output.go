package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// fact prints one thing that a command found out, to standard output: the
// object as one line of JSON with --json, and else the text, as Printf would.
// Objects have the keys of the design, and times in RFC 3339.
func (a *app) fact(object any, format string, args ...any) error {
	if a.json {
		return writeJSON(a.out, object)
	}
	if _, err := fmt.Fprintf(a.out, format, args...); err != nil {
		return fmt.Errorf("write to standard output: %w", err)
	}
	return nil
}

// note prints a line for a person to standard error; programs need not read it.
func (a *app) note(format string, args ...any) {
	fmt.Fprintln(a.err, visible(fmt.Sprintf(format, args...)))
}

// writeJSON writes one object as one line, in one write, so that lines of
// programs that share a pipe are not mixed.
func writeJSON(w io.Writer, object any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(object); err != nil {
		return fmt.Errorf("write to standard output: %w", err)
	}
	return nil
}

// print writes text for people to standard output. That nobody reads it is no
// fault of the work it tells of.
func (a *app) print(format string, args ...any) { fmt.Fprintf(a.out, format, args...) }

// toTerminal tells whether facts go to a terminal.
func (a *app) toTerminal() bool {
	f, ok := a.out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// printable is a name that came from outside, safe for a terminal: as it is, or
// quoted where it has characters that are not for printing.
func printable(name string) string {
	if strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return name
	}
	return strconv.Quote(name)
}

// inOneLine is a text as a list has it, safe for a terminal.
func inOneLine(text string) string { return visible(strings.Join(strings.Fields(text), " ")) }

// visible is a text in which names from outside may be, safe for a terminal: what is
// not for printing, but for line ends and tabs, is written as it is in quotes.
func visible(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		one := text[:size]
		if r == '\n' || r == '\t' || unicode.IsPrint(r) && (r != utf8.RuneError || size > 1) {
			b.WriteString(one)
		} else {
			quoted := strconv.Quote(one)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		text = text[size:]
	}
	return b.String()
}
