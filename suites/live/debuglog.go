package live

import (
	"strconv"
	"strings"

	"hookwatch/suites/pattern"
)

// A Logged is a hook that the client's debug log says has ended. Client 2.1.330
// writes one for every command, 2.1.197 none.
type Logged struct {
	Event   string
	Value   string // what the matcher was compared with
	Command string
	Exit    int
}

var ended = pattern.Lazy(`^\S+ \[\w+\] Hooks: ([A-Za-z]+)(?::(\S*))? \[(?s:(.*))\](?: \(plugin [^)]*\))? finished with status (-?\d+) \(`)

// entry begins one of the log's entries; what follows may take several lines.
var entry = pattern.Lazy(`(?m)^\d{4}-\d\d-\d\dT[\d:.]+Z \[[A-Z]+\] `)

// ReadDebugLog lists the hooks that a debug log names, in order.
func ReadDebugLog(b []byte) []Logged {
	text := string(b)
	starts := entry().FindAllStringIndex(text, -1)
	var out []Logged
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		m := ended().FindStringSubmatch(strings.TrimSuffix(text[at[0]:end], "\n"))
		if m == nil {
			continue
		}
		exit, err := strconv.Atoi(m[4])
		if err != nil {
			continue
		}
		out = append(out, Logged{Event: m[1], Value: m[2], Command: m[3], Exit: exit})
	}
	return out
}
