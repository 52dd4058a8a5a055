// Package fire puts what fired hooks did into a document and into text.
package fire

import (
	"errors"
	"fmt"
	"strings"

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

	Live *Live `json:"live,omitempty"` // of hooks that the real client fired

	Isolation    string `json:"isolation"`               // in which the hooks were fired
	IsolationWhy string `json:"isolation_why,omitempty"` // why it is not namespaces
}

// Line is a hook as a line of its own.
func (d Document) Line(i int) any {
	return struct {
		Hook
		Isolation    string `json:"isolation"`
		IsolationWhy string `json:"isolation_why,omitempty"`
	}{d.Hooks[i], d.Isolation, d.IsolationWhy}
}

// Live is what is known of hooks that the real client fired. The effect is what it did;
// of one hook alone it tells none.
type Live struct {
	Client    string        `json:"client"`               // version
	ModelSees []string      `json:"model_sees,omitempty"` // what it sent the model from then on; long texts are cut
	Foretold  suites.Effect `json:"foretold,omitempty"`   // by hookwatch, where the client did otherwise
	Fault     string        `json:"fault,omitempty"`      // what went wrong with the client
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

// Nothing is the error of an event that fires no hook.
func Nothing(c *suites.Case) error {
	return fmt.Errorf("no hook is registered for %s (hookwatch fire --hook SCRIPT fires one that is not)", strings.TrimSpace(c.Steps[0].Event+" "+c.Steps[0].Tool))
}

// Wrong counts the hooks with which the client did otherwise than hookwatch foretells.
func (d Document) Wrong() int {
	if d.Live.Foretold == "" {
		return 0
	}
	return len(d.Hooks)
}

// Faulty is 1 where something went wrong with the client.
func (d Document) Faulty() int { return min(1, len(d.Live.Fault)) }

// NewLive makes the document of hooks that the real client fired. The error says why it
// could not be brought to do so.
func NewLive(c *suites.Case, o suites.Outcome) (Document, error) {
	if o.NotRun != nil {
		return Document{}, errors.New(o.NotRun.Note)
	}
	all := o.Last()
	doc := Document{
		Version: 1, Event: c.Steps[0].Event, Tool: c.Steps[0].Tool, Effect: all.Effect, Because: all.EffectReason, Decision: all.Decision,
		Hooks: []Hook{}, Changes: o.Changes, Stopped: o.Stopped, Live: &Live{Client: all.Client, Fault: all.NotStarted},
	}
	if all.TimedOut {
		doc.Live.Fault = "the client did not end in " + all.Timeout.String()
	}
	if all.Live == nil {
		return doc, nil
	}
	doc.Live.ModelSees, doc.Live.Foretold = all.Live.ModelSees, all.Live.Predicted
	for _, h := range all.Live.Returned {
		one := Hook{ID: h.Hook, Command: h.Command, Exit: -1, Stdout: h.Stdout, Stderr: h.Stderr, ModelSees: h.Told, TimedOut: h.Outcome == "cancelled"}
		if h.Exit != nil {
			one.Exit = *h.Exit
		}
		doc.Hooks = append(doc.Hooks, one)
	}
	return doc, nil
}
