package main

import (
	"bytes"
	"strings"

	"hookwatch/suites/mutate"
	"hookwatch/suites/pattern"
)

// registered matches the path of an entry, of its group and of a group's matcher in a
// settings file.
var (
	entryPath   = pattern.Lazy(`^\.hooks\.\w+\[\d+\]\.hooks\[\d+\]$`)
	groupPath   = pattern.Lazy(`^\.hooks\.\w+\[\d+\]$`)
	matcherPath = pattern.Lazy(`^\.hooks\.\w+\[\d+\]\.matcher$`)
)

// registrations switch hooks off: by a matcher that lets nothing through, a time-out
// that no hook meets, an entry that is gone, and the switch for all of them.
func registrations(d *Document) []mutate.Change {
	var list []mutate.Change
	add := func(m member, text string) {
		list = append(list, changed(m.value+1, m.value+1, text+", ", "add "+text+" to "+m.path))
	}
	for _, m := range d.members {
		switch {
		case m.path == "" && bytes.Contains(d.text, []byte(`"hooks"`)) && bytes.Contains(d.text, []byte(`"command"`)):
			add(m, `"disableAllHooks": true`)
		case matcherPath().MatchString(m.path):
			list = append(list, changed(m.value, m.end, `"NoSuchTool"`, "change "+m.path))
		case entryPath().MatchString(m.path) && !strings.Contains(d.valueOf(m), `"timeout"`):
			add(m, `"timeout": 0.001`)
		case groupPath().MatchString(m.path):
			list = append(list, removeMember(d, m)...)
		}
	}
	return list
}

// A Text is a file that is neither a script nor JSON.
type Text struct {
	file string
	text []byte
}

// NewText makes one of a file's content.
func NewText(file string, text []byte) *Text { return &Text{file, text} }

// Lines takes each line away, and changes it.
func (t *Text) Lines() []mutate.Change {
	var list []mutate.Change
	at := 0
	for line := range bytes.Lines(t.text) {
		end := at + len(line)
		if word := bytes.TrimSpace(line); len(word) > 0 {
			list = append(list, changed(at, end, "", "take a line away"), changed(at, at+1, string(line[:1])+"x", "change a line"))
		}
		at = end
	}
	return list
}

// Mutant returns the text with the change.
func (t *Text) Mutant(op string, c mutate.Change) (mutate.Mutant, bool) {
	content := bytes.Join([][]byte{t.text[:c.From], []byte(c.With), t.text[c.To:]}, nil)
	return mutate.Mutant{Operator: op, File: t.file, What: c.What, Original: t.text, Content: content, Line: 1 + bytes.Count(t.text[:c.From], []byte("\n"))}, true
}
