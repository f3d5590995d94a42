// Package trouble tells what went wrong in words that stay the same for as long as the trouble does, so that it is
// written down, and told, once.
package trouble

import "regexp"

// drawn are what is drawn anew at each try, or counted, and what stands for it.
var drawn = []struct {
	pattern *regexp.Regexp
	by      string
}{
	{regexp.MustCompile(`strandline-[A-Z2-7]{13}(/[^\s:'",)\]]*)?`), "strandline-*"},            // in a process's scratch folder
	{regexp.MustCompile(`\b[A-Z2-7]{26}\b`), "*"},                                               // a file on its way
	{regexp.MustCompile(`\.strandline-[A-Z2-7]{8}\b`), ".strandline-*"},                         // a file that is put away
	{regexp.MustCompile(`(/(?:rejects|archive|data(?:/[^\s/]+)?)/)[0-9a-f]{32}\b`), "$1*"},      // a file of data that is written
	{regexp.MustCompile(`(?:RequestID|HostID): [^,\s]*, `), ""},                                 // a request to S3
	{regexp.MustCompile(`((?:\d+\.\d+\.\d+\.\d+|\[[0-9a-f:]+\])):\d+->`), "$1->"},               // this end of a connection
	{regexp.MustCompile(` \([\d.]+ [KMGT]?i?B(?:ytes)?/[\d.]+ [KMGT]?i?B(?:ytes)? used\)`), ""}, // how full the engine's memory is
}

// Text is what err says, without what was drawn for this one try: names of files that were to be made, of requests and
// of connections. It is for what may be tried again; what a person has to mend is named by the error itself.
func Text(err error) string { return Same(err.Error()) }

// Same is Text of an error that is text already.
func Same(text string) string {
	for _, d := range drawn {
		text = d.pattern.ReplaceAllString(text, d.by)
	}
	return text
}
