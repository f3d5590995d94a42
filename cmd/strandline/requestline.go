package main

import (
	"fmt"
	"strings"
	"time"

	"strandline/plans"
	"strandline/requests"
)

// line tells of the request in one line, and leaves it to show to say all.
func (f requestFact) line() string {
	return fmt.Sprintf("%s  %s%s", f.Request[:plans.LeastPrefix], f.standing(f.asker(false)), f.why(mostOfReason))
}

// standing tells where the request stands, what was asked for, and by whom.
func (f requestFact) standing(by string) string {
	return fmt.Sprintf("%s  %s%s%s  %s  by %s", f.Job, f.State, f.far(), f.unattended(), f.Asked, by)
}

// unattended says of one that has begun that no worker has anything of it now.
func (f requestFact) unattended() string {
	if f.State != requests.Running || f.Claimed > 0 || f.On != "" {
		return ""
	}
	return ", nobody at work"
}

// asker is who asked, and when. Of a schedule that is when it was due; what it asks for is left out, unless whole is
// wanted, since what was asked says it.
func (f requestFact) asker(whole bool) string {
	when, words, is := strings.Cut(f.By, ": ")
	due := strings.LastIndex(words, dueAt)
	switch {
	case !is || due < 0 || !strings.HasPrefix(f.By, bySchedule):
		return f.By + " at " + f.Submitted.Format(time.RFC3339)
	case whole:
		return f.By
	}
	return when + words[due:]
}

// mostOfReason is how many characters of a reason are told in a line, beside others.
const mostOfReason = 120

// why tells why it ended early, in so many characters at most, and on what it runs.
func (f requestFact) why(most int) (text string) {
	if f.On != "" {
		text = ", on " + f.On
	}
	if f.Differs != "" {
		text += " (" + f.Differs + ")"
	}
	if f.State == requests.Cancelled {
		text += ", cancelled by " + f.EndedBy
		if f.Claimed > 0 {
			text += fmt.Sprintf(", %s still stopping", count(f.Claimed, "slice"))
		}
	}
	if f.Reason != "" {
		text += ": " + cutTo(most, inOneLine(f.Reason))
	}
	return text
}

// cutTo cuts a text to so many characters, and shows that it has.
func cutTo(most int, text string) string {
	if all := []rune(text); len(all) > most {
		return string(all[:most-1]) + "…"
	}
	return text
}
