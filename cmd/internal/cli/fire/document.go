// Package fire puts what fired hooks did into a document and into text.
package fire

import (
	"hookwatch/suites"
	"hookwatch/suites/run"
)

// Document is what fire prints as JSON.
type Document struct {
	Version  int           `json:"version"`
	Event    string        `json:"event"`
	Tool     string        `json:"tool,omitempty"`
	Effect   suites.Effect `json:"effect"` // of all hooks together
	Because  string        `json:"because"`
	Decision string        `json:"decision"`
	Hooks    []Hook        `json:"hooks"`

	Changes []suites.Change `json:"changes,omitempty"` // what they did to files, as far as isolation shows it
	Stopped []string        `json:"stopped,omitempty"` // what isolation kept them from
}

// Hook is one hook that fired.
type Hook struct {
	ID         string        `json:"id"`
	Command    string        `json:"command"`
	Exit       int           `json:"exit"` // -1 when it did not exit by itself
	Signal     string        `json:"signal,omitempty"`
	NotStarted string        `json:"not_started,omitempty"`
	NotRun     string        `json:"not_run,omitempty"` // why it was left out: it is no command
	TimedOut   bool          `json:"timed_out,omitempty"`
	Stdout     string        `json:"stdout"`
	Stderr     string        `json:"stderr"`
	Effect     suites.Effect `json:"effect"`
	Because    string        `json:"because"`
	ModelSees  []string      `json:"model_sees,omitempty"`
	LeftBehind []string      `json:"left_behind,omitempty"`
	DurationMS int64         `json:"duration_ms"`
}

// New makes the document of hooks that fired, and of all together.
func New(c *suites.Case, fired []run.Fired, o suites.Outcome) Document {
	all := o.Last()
	doc := Document{
		Version: 1, Event: c.Steps[0].Event, Tool: c.Steps[0].Tool,
		Effect: all.Effect, Because: all.EffectReason, Decision: all.Decision,
		Changes: o.Changes, Stopped: o.Stopped,
	}
	for _, f := range fired {
		if f.NotRun != "" {
			doc.Hooks = append(doc.Hooks, Hook{ID: f.Hook.ID, Exit: -1, NotRun: f.NotRun})
			continue
		}
		r := f.Result
		doc.Hooks = append(doc.Hooks, Hook{
			ID: f.Hook.ID, Command: f.Hook.Command, Exit: r.Exit, Signal: r.Signal, NotStarted: r.NotStarted,
			TimedOut: r.TimedOut, Stdout: string(r.Stdout), Stderr: string(r.Stderr), Effect: r.Effect,
			Because: r.EffectReason, ModelSees: r.ModelSees, LeftBehind: r.LeftBehind, DurationMS: r.Duration.Milliseconds(),
		})
	}
	return doc
}
