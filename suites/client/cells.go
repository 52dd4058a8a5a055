package client

import (
	"strings"
	"unicode"

	"hookwatch/suites"
)

// A Cell is one kind of output at one event.
type Cell struct {
	Title  string // the section of the measurements, and the row
	Event  string
	Output Output
	Want   Want
}

// A Want is what was observed. Old is 2.1.197, newer are 2.1.329 and 2.1.330; "" was
// not observed. Sees is text that the model must be told, "" that it is told nothing.
type Want struct {
	old, newer         suites.Effect
	oldSees, newerSees string
}

func both(effect suites.Effect, sees string) Want { return Want{effect, effect, sees, sees} }

func newOnly(effect suites.Effect, sees string) Want { return Want{newer: effect, newerSees: sees} }

func oldOnly(effect suites.Effect, sees string) Want { return Want{old: effect, oldSees: sees} }

var (
	dropped = both(suites.Ignored, "")
	goesOn  = both(suites.Proceeds, "")
)

// On is what was observed on a version; not ok: nothing.
func (w Want) On(v Version) (effect suites.Effect, sees string, ok bool) {
	effect, sees = w.newer, w.newerSees
	if v.Profile() == V197 {
		effect, sees = w.old, w.oldSees
	}
	return effect, sees, effect != ""
}

// ID names the cell, the same in every version of this list that has it.
func (c Cell) ID() string {
	section, row, _ := strings.Cut(c.Title, " ")
	var b strings.Builder
	between := false
	for _, r := range row {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("{}[]+", r) {
			between = true
			continue
		}
		if between && b.Len() > 0 {
			b.WriteByte('-')
		}
		between = false
		b.WriteRune(r)
	}
	return section + "/" + c.Event + "/" + b.String()
}

// CellCommand is what the hook of a cell is called where nothing runs.
const CellCommand = "hook.sh"

// What hooks of cells say. No other text that a model is told holds these words.
const (
	blockDecision = `{"decision":"block","reason":"my-reason"}`
	long          = 10_001 // one character more than a context may have
)

func stdoutOnly(text string) Output { return Output{Stdout: []byte(text)} }

func exitsWith(code int, stdout, stderr string) Output {
	return Output{Exit: code, Stdout: []byte(stdout), Stderr: []byte(stderr)}
}

func with(in Output, entry Entry) Output {
	in.Entry = entry
	return in
}

func specificOutput(event, fields string) string {
	return `{"hookSpecificOutput":{"hookEventName":"` + event + `",` + fields + `}}`
}
