package duck

import (
	"fmt"
	"strings"

	"strandline/internal/datafile"
)

// writtenAlike groups the files that are read alike, each group in order.
func writtenAlike(files []InputFile) (groups [][]InputFile) {
	at := map[string]int{}
	for _, file := range files {
		key := ""
		if file.Origins != nil {
			key = fmt.Sprint(file.Below, file.Origins) // maps print in the order of their keys
		}
		i, known := at[key]
		if !known {
			i, at[key] = len(groups), len(groups)
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], file)
	}
	return groups
}

// originsSQL reads the declared columns from files that were written under another
// declaration; scan reads these as they are.
func originsSQL(columns []datafile.Column, file InputFile, scan string) (string, error) {
	list := joined(builtIn, func(c datafile.Column) string { return Ident(c.Name) }) + ", " + extra.Name
	for _, c := range columns {
		origins := file.Origins[c.Name]
		if len(origins) == 0 {
			continue // NULL, as other files say of which type
		}
		sql, err := columnSQL(c, origins, file.Below)
		if err != nil {
			return "", fmt.Errorf("column %s: %w", c.Name, err)
		}
		list += ", " + sql + " AS " + Ident(c.Name)
	}
	return "SELECT " + list + " FROM (" + scan + ")", nil
}

// columnSQL is the one value that a column's origins have. Where they differ it is an
// error, as it is a reject when it lands.
func columnSQL(c datafile.Column, origins []datafile.Origin, below int64) (string, error) {
	values := make([]string, len(origins))
	for i, o := range origins {
		var err error
		if values[i], err = originSQL(c, o, below); err != nil {
			return "", err
		}
	}
	if len(values) == 1 {
		return values[0], nil
	}
	all := strings.Join(values, ", ")
	condition, message := differ(c, all)
	return fmt.Sprintf("CASE WHEN %s THEN %s ELSE coalesce(%s) END", condition, message, all), nil
}

func originSQL(c datafile.Column, o datafile.Origin, below int64) (string, error) {
	if len(o.Paths) == 0 && o.Column.Type.Widens(c.Type) {
		return "CAST(" + Ident(o.Column.Name) + " AS " + c.Type.String() + ")", nil
	}
	how := conversion{Column: c, From: o.Column.Name, Paths: o.Paths, Below: below}
	return how.sql(o.Column.Type)
}
