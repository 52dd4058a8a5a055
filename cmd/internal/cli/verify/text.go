package verify

import (
	"fmt"
	"io"

	"hookwatch/cmd/internal/cli/page"
	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/project"
)

// Text lists the markers for people.
func Text(w io.Writer, found []project.Verified) {
	for i := range found {
		page.Writef(w, "%s\n", Line(&found[i]))
	}
}

// Line is one marker for people: where it stands, what it names, where
// that is and whom it concerns.
func Line(v *project.Verified) string {
	means := v.Marker.At + " (" + v.Rule + ")"
	if !v.Resolved {
		means = "unresolved: " + v.Marker.Why
	}
	line := fmt.Sprintf("%s:%d  %s -> %s", v.Spec, v.Line, v.Marker.Ref(), means)
	if len(v.IDs) > 0 {
		line += "  " + notify.IDs(v.IDs)
	}
	return line
}

// Strangers tells the IDs that no suite has, each at the first marker that
// names it.
func Strangers(found []project.Verified) []string {
	var warnings []string
	told := map[string]bool{}
	for _, v := range found {
		var fresh []string
		for _, id := range v.Unknown {
			if !told[id] {
				told[id] = true
				fresh = append(fresh, id)
			}
		}
		if len(fresh) > 0 {
			warnings = append(warnings, fmt.Sprintf("%s:%d names %s, which no suite has", v.Spec, v.Line, notify.IDs(fresh)))
		}
	}
	return warnings
}
