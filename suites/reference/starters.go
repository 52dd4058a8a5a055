package reference

import (
	"fmt"
	"slices"
	"strings"
)

// Starters lists them by name.
func Starters() []Starter {
	return []Starter{Guards, Linters, Quality}
}

// Names lists what Find finds.
func Names() []string {
	var names []string
	for _, s := range Starters() {
		names = append(names, s.Name)
	}
	return names
}

// Find gives the starter of a name.
func Find(name string) (Starter, bool) {
	all := Starters()
	at := slices.IndexFunc(all, func(s Starter) bool { return s.Name == name })
	if at < 0 {
		return Starter{}, false
	}
	return all[at], true
}

// Listing names the starter projects for people, one a line.
func Listing() string {
	var lines strings.Builder
	for _, s := range Starters() {
		fmt.Fprintf(&lines, "  %-8s  %s\n", s.Name, s.About)
	}
	return lines.String()
}
