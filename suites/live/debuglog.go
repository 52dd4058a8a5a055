package live

import (
	"strconv"
	"strings"

	"hookwatch/suites/client"
	"hookwatch/suites/pattern"
)

// A Logged is a hook that the client's debug log says has ended. Clients 2.1.197 and
// 2.1.330 write an entry for each hook of an event of which they print nothing, with the
// command as it is registered; 2.1.330 also writes one for each other hook, with the
// plugin's directory filled in.
type Logged struct {
	Event   string
	Value   string // what the matcher was compared with
	Command string
	Exit    *int // nil: the client ended it
}

var ended = pattern.Lazy(`^\S+ \[\w+\] (?:Hooks: )?([A-Za-z]+)(?::([^\n\[]*?))? \[(?s:(.*))\](?: \(plugin [^)]*\))? ` +
	`(?:(?:finished|completed) with status (-?\d+)|cancelled|timed out after \d+ms)(?: \(|$)`)

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
		if _, known := client.EventByName(m[1]); !known {
			continue
		}
		l := Logged{Event: m[1], Value: m[2], Command: m[3]}
		if exit, err := strconv.Atoi(m[4]); err == nil {
			l.Exit = &exit
		}
		out = append(out, l)
	}
	return out
}
