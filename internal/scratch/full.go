package scratch

import "regexp"

var full = regexp.MustCompile(`(?i)` + prefix + `[A-Z2-7]{13}[^:\s]*(?:: \w+)?: (?:no space left on device|disk quota exceeded)`)

// IsFull tells whether a text says that the disk is full under a file in a scratch folder. One that says it of another
// place, such as the lake that the file is brought to, may name the file as well.
func IsFull(text string) bool { return full.MatchString(text) }
