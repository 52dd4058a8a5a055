// Package event finds the event that a person names.
package event

import (
	"fmt"

	"hookwatch/suites/client"
	"hookwatch/suites/spelling"
)

// Named finds an event; the error tells which was most likely meant.
func Named(name string) (client.Event, error) {
	event, known := client.EventByName(name)
	if known {
		return event, nil
	}
	var names []string
	for _, e := range client.Events() {
		names = append(names, e.Name)
	}
	hint := "names are case-sensitive, as in PreToolUse"
	if near := spelling.Nearest(name, names); near != "" {
		hint = "did you mean " + near + "? names are case-sensitive"
	}
	return client.Event{}, fmt.Errorf("the client has no event %q (%s)", name, hint)
}
