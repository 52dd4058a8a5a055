package settings

import (
	"encoding/json"
	"math"
	"net/url"
	"time"

	"hookwatch/suites/client"
	"hookwatch/suites/jsontree"
)

// others are the settings beside hooks that the client was observed to check
// (2.1.330); env and disableAllHooks are taken to follow the same validation.
var others = []struct {
	name string
	kind client.ValueKind
}{
	{"permissions", client.AnObject},
	{"env", client.AnObject},
	{"model", client.AString},
	{"statusLine", client.AnObject},
	{"outputStyle", client.AString},
	{"cleanupPeriodDays", client.ACount},
	{"includeCoAuthoredBy", client.ABoolean},
	{"allowedHttpHookUrls", client.SomeStrings},
	{"disableAllHooks", client.ABoolean},
}

// hints tell how a value of each kind is written.
var hints = map[client.ValueKind]string{
	client.AString:     "put it in double quotes",
	client.ABoolean:    "write true or false, without quotes",
	client.AnObject:    "write {...}",
	client.SomeStrings: `write a list of text, as in ["first", "second"]`,
	client.ADuration:   "write seconds as a number, such as 5 or 0.5",
	client.AnAddress:   "write a whole URL, such as http://127.0.0.1:8080/hook",
}

const longest = time.Duration(math.MaxInt64)

// holds reports whether a value is of a kind.
func holds(kind client.ValueKind, value jsontree.Value) bool {
	n, isNumber := number(value)
	switch kind {
	case client.ADuration:
		return isNumber && n > 0
	case client.ACount:
		return isNumber && n >= 1 && n == math.Trunc(n)
	case client.AnAddress:
		return isAddress(value)
	default:
		return kind.Holds(decoded(value))
	}
}

// isAddress reports whether a value is an absolute URL.
func isAddress(value jsontree.Value) bool {
	text, _ := textOf(value)
	address, err := url.Parse(text)
	if err != nil || address.Scheme == "" {
		return false
	}
	return address.Host != "" || address.Scheme != "http" && address.Scheme != "https"
}

// number is a number's value; what is too large for one is infinite.
func number(value jsontree.Value) (float64, bool) {
	written, ok := value.Scalar.(json.Number)
	if !ok {
		return 0, false
	}
	n, _ := written.Float64() // a number that is out of range gives infinity
	return n, true
}

// decoded is a value as far as its kind goes.
func decoded(value jsontree.Value) any {
	switch value.Kind {
	case '{':
		return map[string]any{}
	case '[':
		all := []any{}
		for _, member := range value.Members {
			all = append(all, decoded(member.Value))
		}
		return all
	default:
		return value.Scalar
	}
}
