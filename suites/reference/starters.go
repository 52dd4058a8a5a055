package reference

import (
	"fmt"
	"slices"
	"strings"
)

// Starters returns the starter projects, sorted by name.
func Starters() []Starter {
	return []Starter{Commands, Guards, Linters, Quality}
}

// Names returns the names of the starter projects.
func Names() []string {
	var names []string
	for _, s := range Starters() {
		names = append(names, s.Name)
	}
	return names
}

// Find returns the starter project with a name.
func Find(name string) (Starter, bool) {
	all := Starters()
	at := slices.IndexFunc(all, func(s Starter) bool { return s.Name == name })
	if at < 0 {
		return Starter{}, false
	}
	return all[at], true
}

// Listing returns a text with one line per starter project.
func Listing() string {
	var lines strings.Builder
	for _, s := range Starters() {
		fmt.Fprintf(&lines, "  %-8s  %s\n", s.Name, s.About)
	}
	return lines.String()
}
