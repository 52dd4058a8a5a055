package live

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites/client"
)

// unreported are the events of whose hooks the client prints nothing.
var unreported = []string{
	"PreCompact", "PostCompact", "SessionEnd", "StopFailure", "InstructionsLoaded", "ConfigChange", "CwdChanged", "FileChanged",
	"WorktreeCreate", "WorktreeRemove", "Elicitation", "ElicitationResult", "Notification", "DirectoryAdded",
}

// Unreported reports whether the client prints nothing of the event's hooks.
func Unreported(event string) bool { return slices.Contains(unreported, event) }

// Replaces reports whether the project's own settings are replaced by a copy with
// witnesses, so that it is seen what the event's hooks print. Of ConfigChange they are not:
// the client has to read the settings that change.
func Replaces(event string) bool { return Unreported(event) && event != "ConfigChange" }

// A Witness stands before a hook of which the client prints nothing: a shell that runs
// the hook's command, passes on all that comes of it, and notes it.
type Witness struct {
	Event, Value string
	Dir          string // of its own: the command in it, and then what came of it
	Command      string
	line         string // that stands before the command
}

// Witnessed are entries with a witness before each command of an unreported event.
func Witnessed(entries []client.Entry, dir string) ([]client.Entry, []Witness) {
	entries = slices.Clone(entries)
	var all []Witness
	for i := range entries {
		e := &entries[i]
		if !Unreported(e.Event) || e.Args != nil || e.Command == "" {
			continue
		}
		w := Witness{Event: e.Event, Dir: path.Join(dir, strconv.Itoa(i)), Command: e.Command}
		w.line = w.stand(e.Shell)
		e.Command = w.line
		all = append(all, w)
	}
	return entries, all
}

// stand is the command line of a witness.
func (w Witness) stand(shell string) string {
	if shell == "" {
		shell = "/bin/sh"
	}
	return strings.NewReplacer("@DIR", "'"+strings.ReplaceAll(w.Dir, "'", `'\''`)+"'", "@SHELL", shell).Replace(
		`at=@DIR; @SHELL "$at/command" >"$at/stdout" 2>"$at/stderr"; code=$?; cat "$at/stdout"; cat "$at/stderr" >&2; echo "$code" >"$at/exit"; exit "$code"`)
}

// Named is what the model was sent, with the command that is registered, not the one that
// stands before it.
func (w Witness) Named(text string) string { return strings.ReplaceAll(text, w.line, w.Command) }

// Saw is what a witness noted; read gives a file in its directory. Not ok: the hook did
// not come to an end.
func (w Witness) Saw(read func(name string) (string, bool)) (Fired, bool) {
	text, ok := read("exit")
	exit, err := strconv.Atoi(strings.TrimSpace(text))
	if !ok || err != nil {
		return Fired{}, false
	}
	out, _ := read("stdout")
	failed, _ := read("stderr")
	h := HookLine{ID: w.Dir, Event: w.Event, Name: w.Event, Stdout: out, Stderr: failed, Exit: &exit}
	return Fired{HookLine: h, Command: w.Command, Registered: -1}, true
}
