package notify

import (
	"strings"

	"hookwatch/suites/idrange"
	"hookwatch/suites/printable"
)

// IDs names cases briefly, with ranges for consecutive ones: "P01-P03 M07".
func IDs(ids []string) string { return printable.Field(strings.Join(idrange.Shorten(ids), " ")) }

// Count is a number with its noun: "1 case", "2 cases".
func Count(n int, noun string) string { return count(n, noun) }
