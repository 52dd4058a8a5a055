package reference

import "slices"

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
