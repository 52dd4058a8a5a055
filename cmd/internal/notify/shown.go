package notify

import "strings"

// Clean makes text safe to show on a terminal, for output outside of a view.
func Clean(text string) string { return clean(text) }

// IDs names cases briefly, with ranges for consecutive ones: "P01-P03 M07".
func IDs(ids []string) string { return clean(strings.Join(compressIDs(ids), " ")) }

// Count is a number with its noun: "1 case", "2 cases".
func Count(n int, noun string) string { return count(n, noun) }
