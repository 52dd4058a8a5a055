// Package inforce is what was measured of which registered hooks the client runs:
// matchers, each compared with a value, and settings files, with what a mistake in them
// costs. The packages that predict it are tested against it, and an installed client is
// played it. It is pure.
package inforce

import (
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites/client"
	"hookwatch/suites/client/settings"
)

// A Matcher is the matcher of a hook, and a value that it is compared with.
type Matcher struct {
	Event, Matcher, Value string
	Runs                  bool
}

// ID names the row.
func (m Matcher) ID() string {
	id := "5/" + m.Event + "/matcher-" + strconv.Quote(m.Matcher)
	if m.Value != "" {
		id += "-on-" + m.Value
	}
	return id
}

// Predicted is whether hookwatch has the hook run.
func (m Matcher) Predicted() bool { return client.Match(m.Event, m.Matcher, m.Value) }

// A File is a settings file. Old, of 2.1.197, and Newer, of 2.1.330, are the names of those
// of its hooks that run, once every event for which it has some has come.
type File struct {
	Title, Content string
	Old, Newer     []string
}

// On are the hooks that were seen to run on a version.
func (f File) On(v client.Version) []string {
	if v.Profile() == client.V197 {
		return f.Old
	}
	return f.Newer
}

// ID names the row.
func (f File) ID() string {
	return "5/settings/" + strings.ReplaceAll(strings.ReplaceAll(f.Title, "/", ""), " ", "-")
}

// Predicted are the hooks of the file that hookwatch has run on a version.
func (f File) Predicted(v client.Version) (names []string) {
	read, _ := settings.ParseOn(v, "settings.json", []byte(f.Content))
	if read.DisableAllHooks.Line != 0 {
		return nil
	}
	for _, e := range read.Entries {
		_, name, _ := strings.Cut(e.Command, says)
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// The command of a hook notes its name in a file of the project.
const (
	Ran  = "ran"
	says = "; echo >>\"$CLAUDE_PROJECT_DIR\"/" + Ran + " "
)

// Command is that of the hook of a name.
func Command(name string) string { return "cat >/dev/null" + says + name }
