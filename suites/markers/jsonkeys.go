package markers

import (
	"strconv"

	"hookwatch/suites/jsontree"
)

// maxDepth bounds the nesting that is followed.
const maxDepth = 500

// jsonEntries are the key paths of a document, such as "a.b" and "list.0".
func jsonEntries(src []byte) []entry {
	root, err := jsontree.Parse(src)
	if err != nil {
		return nil
	}
	entries, _ := keyPaths(nil, "", root, 0)
	return entries
}

// keyPaths appends what lies below a value; not ok where it nests too deep.
func keyPaths(to []entry, prefix string, v jsontree.Value, depth int) (entries []entry, ok bool) {
	if depth > maxDepth {
		return nil, false
	}
	for i, m := range v.Members {
		name := m.Key
		if v.Kind == '[' {
			name = strconv.Itoa(i)
		}
		if prefix != "" {
			name = prefix + "." + name
		}
		value := m.Value
		to = append(to, entry{
			rule: ByKey, name: name, start: m.At, end: value.End,
			content: func() []byte { return value.Canonical(nil) },
		})
		if to, ok = keyPaths(to, name, value, depth+1); !ok {
			return nil, false
		}
	}
	return to, true
}
