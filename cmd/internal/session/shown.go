package session

import (
	"fmt"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/printable"
)

// IDs lists cases briefly, with ranges for consecutive ones: "P01-P03 M07".
func IDs(ids []string) string { return printable.Field(strings.Join(suites.ShortenIDs(ids), " ")) }

// Count returns a number with its noun: "1 case", "2 cases".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Label returns the ID and the name of a case for users.
func Label(r suites.Record) string {
	name := printable.Name(r.TestName)
	if r.ID == "" || r.ID == r.TestName {
		return name
	}
	return strings.TrimSuffix(printable.Name(r.ID)+" "+name, " ")
}
