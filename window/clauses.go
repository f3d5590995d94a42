package window

import "strings"

// opening are the words that a line begins with.
var opening = []string{
	"SELECT ", "FROM ", "WHERE ", "GROUP BY ", "HAVING ", "QUALIFY ", "WINDOW ", "ORDER BY ", "LIMIT ",
	"UNION ", "INTERSECT ", "EXCEPT ", "LEFT JOIN ", "RIGHT JOIN ", "FULL JOIN ", "INNER JOIN ", "CROSS JOIN ", "ASOF JOIN ",
}

// clauses breaks SQL that stands on one line, as an engine writes it, where a clause or
// a selected expression begins. It is for people: a text that it does not understand is
// broken somewhere else, and nothing is left out but blanks.
func clauses(sql string) string {
	c := clauseBreaker{sql: sql, selects: map[int]bool{}}
	for c.at < len(sql) {
		c.next()
	}
	return strings.Join(append(c.lines, sql[c.start:]), "\n")
}

type clauseBreaker struct {
	sql       string
	start, at int // of the line, and of what is looked at
	depth     int // of parentheses
	selects   map[int]bool
	lines     []string
}

func (c *clauseBreaker) next() {
	switch b := c.sql[c.at]; b {
	case '\'', '"':
		c.at += quoted(c.sql[c.at:])
		return
	case '(', '[', '{':
		c.depth++
		c.selects[c.depth] = false
	case ')', ']', '}':
		c.depth--
	case ',':
		c.at++
		if c.selects[c.depth] {
			c.end()
		}
		return
	default:
		c.word()
		return
	}
	c.at++
}

// quoted is how long a quoted text is that the SQL begins with. A quote within it is
// written twice, which reads as two texts.
func quoted(sql string) int {
	end := strings.IndexByte(sql[1:], sql[0])
	if end < 0 {
		return len(sql)
	}
	return end + 2
}

// word ends a line before a word that begins one.
func (c *clauseBreaker) word() {
	rest := c.sql[c.at:]
	begins := c.at == 0 || c.sql[c.at-1] == ' ' || c.sql[c.at-1] == '(' || c.sql[c.at-1] == ')'
	for _, word := range opening {
		if !begins || !strings.HasPrefix(rest, word) {
			continue
		}
		if c.at > c.start {
			c.end()
		}
		c.selects[c.depth] = word == "SELECT "
		c.at += len(word)
		return
	}
	c.at++
}

// end ends the line, and leaves out the blank after it.
func (c *clauseBreaker) end() {
	c.lines = append(c.lines, strings.TrimSuffix(c.sql[c.start:c.at], " "))
	if c.at < len(c.sql) && c.sql[c.at] == ' ' {
		c.at++
	}
	c.start = c.at
}
