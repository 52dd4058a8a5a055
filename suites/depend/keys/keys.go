// Package keys says which key paths of a JSON document differ between two
// contents, and which ones the filters in a shell script read. It is pure, and
// in doubt a filter reads all of a document.
package keys

import (
	"encoding/json"
	"strings"
)

// A Path is the keys that lead to a value; empty for the whole document. What
// is below it belongs to it. Elements of arrays are not told apart.
type Path []string

// String formats the path as jq would: ".package_managers.python", or "." for
// the whole document.
func (p Path) String() string {
	if len(p) == 0 {
		return "."
	}
	var b strings.Builder
	for _, key := range p {
		b.WriteByte('.')
		if plain(key) {
			b.WriteString(key)
			continue
		}
		quoted, _ := json.Marshal(key) // a string always can be
		b.Write(quoted)
	}
	return b.String()
}

func plain(key string) bool {
	for i, c := range key {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return key != ""
}

// Touches reports whether a value at one path is part of the value at the other.
func (p Path) Touches(q Path) bool {
	for i := range min(len(p), len(q)) {
		if p[i] != q[i] {
			return false
		}
	}
	return true
}

// Overlap reports whether any read path touches any changed one, and which.
func Overlap(read, changed []Path) (Path, bool) {
	for _, c := range changed {
		for _, r := range read {
			if r.Touches(c) {
				return c, true
			}
		}
	}
	return nil, false
}
