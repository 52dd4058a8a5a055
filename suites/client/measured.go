package client

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
)

// measuredText is parsed only on demand because no hook is judged by it.
//
//go:embed measured.yaml
var measuredText []byte

// A Cell is one kind of output at one event, with the observed results.
type Cell struct {
	Case   string
	Event  string
	Output Output
	Want   Want
}

// A Want is the observed result. Old is 2.1.197, newer are the newer versions; "" was not
// observed. Sees is text that the model must be sent; "" if it must be sent nothing.
type Want struct {
	old, newer         suites.Effect
	oldSees, newerSees string
	since              Version // of the event
}

// On returns the observation on a version; ok is false if there is none.
func (w Want) On(v Version) (effect suites.Effect, sees string, ok bool) {
	effect, sees = w.newer, w.newerSees
	if v.Profile() == V197 {
		effect, sees = w.old, w.oldSees
	}
	return effect, sees, effect != "" && (v.isOld() || v.Since(w.since))
}

// ID identifies the cell by its event and its case.
func (c Cell) ID() string { return c.Event + "/" + slug(c.Case) }

// slug returns a text without spaces and most punctuation.
func slug(text string) string {
	var b strings.Builder
	between := false
	for _, r := range text {
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
	return b.String()
}

// CellCommand is the command of a cell's hook if nothing is run.
const CellCommand = "hook.sh"

// long is one character more than the limit of a context.
const long = maxContext + 1

// measurements are the contents of measured.yaml.
type measurements struct {
	Outputs []struct {
		Case   string
		Output struct {
			Exit           int
			Signal         string
			TimedOut       bool   `yaml:"timed_out"`
			NotStarted     string `yaml:"not_started"`
			Stdout, Stderr string
		}
		Entry struct {
			Type, URL, Shell, If string
			OnFailure            string `yaml:"onFailure"`
			Async                bool
			AsyncRewake          bool `yaml:"asyncRewake"`
			ContinueOnBlock      bool `yaml:"continueOnBlock"`
			Plugin               bool
		}
		Then []struct {
			At                 []string
			Effect, Old, Newer suites.Effect
			Sees               string
			OldSees            string `yaml:"old_sees"`
			NewerSees          string `yaml:"newer_sees"`
		}
	}
	Matchers   []InForceMatcher
	Conditions []struct {
		Tool  string
		Rules []string
		Calls []struct {
			Input map[string]any
			Runs  []string
		}
	}
	Settings []struct {
		Case, Content string
		Then          []struct{ At, Run, Old, Newer []string }
	}
}

// readMeasured reads the measurements once.
var readMeasured = sync.OnceValues(func() (m measurements, err error) {
	err = yaml.Load(measuredText, &m, yaml.WithKnownFields())
	return m, err
})

// measurementsOnce returns the measurements. It ignores the error because a test ensures that they parse.
func measurementsOnce() measurements {
	m, _ := readMeasured()
	return m
}

// Cells returns the cells.
func Cells() (all []Cell) {
	for _, row := range measurementsOnce().Outputs {
		o, e := row.Output, row.Entry
		for _, then := range row.Then {
			fill := strings.NewReplacer("LONG", strings.Repeat("x", long))
			want := Want{then.Old, then.Newer, fill.Replace(then.OldSees), fill.Replace(then.NewerSees), ""}
			if then.Effect != "" {
				want = Want{then.Effect, then.Effect, fill.Replace(then.Sees), fill.Replace(then.Sees), ""}
			}
			for _, event := range then.At {
				about, _ := EventByName(event)
				want.since = about.Since
				fill := strings.NewReplacer("LONG", strings.Repeat("x", long), "EVENT", event)
				out := Output{
					Exit: o.Exit, Signal: o.Signal, TimedOut: o.TimedOut, NotStarted: o.NotStarted,
					Stdout: []byte(fill.Replace(o.Stdout)), Stderr: []byte(fill.Replace(o.Stderr)), Matched: about.Usual,
					Entry: Entry{
						Command: CellCommand, Type: e.Type, URL: e.URL, Shell: e.Shell, If: e.If, OnFailure: e.OnFailure,
						Async: e.Async, AsyncRewake: e.AsyncRewake, ContinueOnBlock: e.ContinueOnBlock, Plugin: e.Plugin,
					},
				}
				if !out.hasExit() {
					out.Exit = -1
				}
				if about.Tool {
					out.Matched = tools[0].Name
				}
				all = append(all, Cell{row.Case, event, out, want})
			}
		}
	}
	return all
}

// An InForceMatcher is the matcher of a hook, and a value that it is compared with.
type InForceMatcher struct {
	Event, Matcher, Value string
	Runs                  bool
}

// ID identifies the row.
func (m InForceMatcher) ID() string {
	id := m.Event + "/matcher-" + strconv.Quote(m.Matcher)
	if m.Value != "" {
		id += "-on-" + m.Value
	}
	return id
}

// Predict reports whether hookwatch predicts that the hook runs.
func (m InForceMatcher) Predict() bool { return Match(m.Event, m.Matcher, m.Value) }

// Matchers returns the measured matchers.
func Matchers() []InForceMatcher { return slices.Clone(measurementsOnce().Matchers) }

// An InForceCondition is a hook's `if`, and a call that it is compared with.
type InForceCondition struct {
	Tool  string
	Input map[string]any
	If    string
	Runs  bool
}

// ID identifies the row.
func (c InForceCondition) ID() string {
	return GuardEvent(Calls).Name + "/if-" + strconv.Quote(c.If) + "-on-" + c.Tool + string(c.input())
}

func (c InForceCondition) input() []byte {
	text, _ := json.Marshal(c.Input) // values of YAML always encode
	return text
}

// Payload returns the part of the payload that the call decides.
func (c InForceCondition) Payload() []byte {
	return slices.Concat([]byte(`{"tool_input":`), c.input(), []byte(`}`))
}

// Example returns a payload of the call in a project whose directory is /p/w.
func (c InForceCondition) Example() []byte {
	fill := strings.NewReplacer("{override}/..", "/p", "{override}", "/p/w", "{home}", "/elsewhere")
	return []byte(`{"cwd":"/p/w","tool_input":` + fill.Replace(string(c.input())) + `}`)
}

// Conditions returns the measured conditions, those of one call together.
func Conditions() (all []InForceCondition) {
	for _, group := range measurementsOnce().Conditions {
		for _, call := range group.Calls {
			for _, rule := range group.Rules {
				all = append(all, InForceCondition{group.Tool, call.Input, rule, slices.Contains(call.Runs, rule)})
			}
		}
	}
	return all
}

// An InForceFile is a settings file. Old, of 2.1.197, and Newer, of 2.1.330, are the names of its
// hooks that run after every event that it registers hooks for has occurred.
type InForceFile struct {
	Title, Content string
	Old, Newer     []string
}

// Files returns the measured settings files.
func Files() (all []InForceFile) {
	for _, row := range measurementsOnce().Settings {
		for _, then := range row.Then {
			if then.Run != nil {
				then.Old, then.Newer = then.Run, then.Run
			}
			for _, event := range append(then.At, "")[:max(1, len(then.At))] {
				fill := []string{"EVENT", event}
				for _, name := range []string{"wrong", "kept", "last"} {
					command, _ := json.Marshal(InForceCommand(name)) // text always encodes
					fill = append(fill, "COMMAND("+name+")", string(command))
				}
				text := strings.NewReplacer(fill...)
				all = append(all, InForceFile{text.Replace(row.Case), text.Replace(row.Content), then.Old, then.Newer})
			}
		}
	}
	return all
}

// ID identifies the row.
func (f InForceFile) ID() string {
	return "settings/" + strings.ReplaceAll(strings.ReplaceAll(f.Title, "/", ""), " ", "-")
}

// Predict returns the names of the file's hooks that hookwatch predicts to run on a version.
func (f InForceFile) Predict(v Version) (names []string) {
	read, _ := ParseOn(v, "settings.json", []byte(f.Content))
	if read.DisableAllHooks.Line != 0 {
		return nil
	}
	for _, e := range read.Entries {
		_, name, _ := strings.Cut(e.Command, appendsName)
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// A hook's command appends its name to this file of the project.
const (
	Ran         = "ran"
	appendsName = "; echo >>\"$CLAUDE_PROJECT_DIR\"/" + Ran + " "
)

// InForceCommand returns the command of the hook with a name.
func InForceCommand(name string) string { return "cat >/dev/null" + appendsName + name }
