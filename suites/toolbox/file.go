package toolbox

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// file checks a file, and a key of the JSON in it.
func (m *AuditedMachine) file(c *suites.Check) suites.Finding {
	name, by := c.File, ""
	if c.NamedBy != nil {
		if own, ok := m.named(c.NamedBy); ok {
			name, by = own, fmt.Sprintf(" (%s names it as %s)", c.NamedBy.File, c.NamedBy.Key)
		}
	}
	path := m.abs(name)
	if !isFile(path) {
		return suites.Finding{Told: name + " does not exist" + by}
	}
	if c.Key == "" {
		return suites.Finding{Holds: true, Told: name + by}
	}
	value, why := m.keyOf(path, c.Key)
	switch {
	case why != "":
		return suites.Finding{Told: name + ": " + why + by}
	case len(c.Equals) > 0 && !equal(value, c.Equals):
		return suites.Finding{Told: fmt.Sprintf("%s: %s is %s, want %s%s", name, c.Key, brief(value), c.Equals, by)}
	}
	return suites.Finding{Holds: true, Told: fmt.Sprintf("%s: %s is %s%s", name, c.Key, brief(value), by)}
}

// named returns the file that a key names, if the key is set.
func (m *AuditedMachine) named(by *suites.KeyPath) (string, bool) {
	value, why := m.keyOf(m.abs(by.File), by.Key)
	var name string
	if why != "" || json.Unmarshal(value, &name) != nil || name == "" {
		return "", false
	}
	return name, true
}

// sizeLimit bounds the size in bytes of a file in which a key is looked up.
const sizeLimit = 8 << 20

// read reads a file that a check names. It refuses a file that is masked from hooks, because the
// finding is printed in reports, and a file outside the project that a link leads to, because the
// link may have come with the project.
func (m *AuditedMachine) read(path string) (data []byte, why string) {
	r := disk.Reader{Hidden: m.Hidden}
	if rel, err := filepath.Rel(m.Root, path); err == nil && filepath.IsLocal(rel) {
		r.Root = m.Root
	}
	data, err := r.ReadFile(path, sizeLimit)
	var refused *disk.Error
	var pe *fs.PathError
	switch {
	case errors.As(err, &refused):
		return nil, reasons[refused.Reason]
	case errors.As(err, &pe):
		return nil, "cannot be read: " + pe.Err.Error()
	case err != nil:
		return nil, "cannot be read: " + err.Error()
	}
	return data, ""
}

var reasons = map[disk.Reason]string{
	disk.Hidden:  "is masked: it is not read",
	disk.Outside: "leads out of the project: it is not read",
	disk.Kind:    "is no regular file: it is not read",
	disk.Size:    "is too large to be read",
	disk.Moved:   "was exchanged while it was read",
}

// keyOf returns the value of a dotted key, or why there is none.
func (m *AuditedMachine) keyOf(path, key string) (value json.RawMessage, why string) {
	data, why := m.read(path)
	if why != "" {
		return nil, why
	}
	if err := json.Unmarshal(data, &value); err != nil {
		return nil, "not valid JSON: " + err.Error() + atLine(data, err)
	}
	way := ""
	for _, name := range strings.Split(key, ".") {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(value, &object); err != nil || object == nil {
			return nil, cmp.Or(strings.TrimPrefix(way, "."), "it") + " is no object, so it has no " + name
		}
		inner, ok := object[name]
		if !ok {
			return nil, "no key " + strings.TrimPrefix(way+"."+name, ".")
		}
		value, way = inner, way+"."+name
	}
	return value, ""
}

// atLine describes the line of a syntax error.
func atLine(data []byte, err error) string {
	var se *json.SyntaxError
	if !errors.As(err, &se) {
		return ""
	}
	return fmt.Sprintf(", line %d", 1+bytes.Count(data[:min(int(se.Offset), len(data))], []byte("\n")))
}

func equal(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

func brief(value json.RawMessage) string {
	const most = 60
	var b bytes.Buffer
	if json.Compact(&b, value) != nil || b.Len() > most {
		return strings.ToValidUTF8(string(value[:min(len(value), most)]), "?") + "..."
	}
	return b.String()
}
