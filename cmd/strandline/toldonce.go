package main

import "strandline/internal/trouble"

// toldOnce keeps what was told last, so that trouble is told once for as long as it stays the same.
type toldOnce struct{ text string }

// news tells whether a text is another than was told last, and keeps it.
func (o *toldOnce) news(text string) bool {
	text = trouble.Same(text)
	is := text != o.text
	o.text = text
	return is
}
