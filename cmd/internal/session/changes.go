package session

import (
	"slices"

	"hookwatch/cmd/internal/notify"
	"hookwatch/suites/plan"
)

// ChangesOf returns the changed files and sections because of which cases are selected.
func ChangesOf(selected []plan.Selected) []notify.Change {
	var out []notify.Change
	for _, s := range selected {
		for _, in := range s.Changed {
			out = addChange(out, in.Path, in.Section)
		}
	}
	return out
}

func addChange(out []notify.Change, path, section string) []notify.Change {
	i := slices.IndexFunc(out, func(c notify.Change) bool { return c.Path == path })
	if i < 0 {
		out = append(out, notify.Change{Path: path})
		i = len(out) - 1
	}
	if section != "" && !slices.Contains(out[i].Sections, section) {
		out[i].Sections = append(out[i].Sections, section)
	}
	return out
}

// SectionsOf returns the changed sections of a file because of which cases are selected.
func SectionsOf(path string, selected []plan.Selected) []string {
	for _, c := range ChangesOf(selected) {
		if c.Path == path {
			return c.Sections
		}
	}
	return nil
}
