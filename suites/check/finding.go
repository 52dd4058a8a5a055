// Package check judges that the hooks of a project work, without any suite: it finds hooks that
// the client would drop, could not launch or would ignore, and guards that let their targets
// through. It judges the tree and the observed behavior of hooks; it runs nothing itself.
package check

import (
	"cmp"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
)

// A Finding is a statement about one or several hooks for one cause.
type Finding struct {
	Rule     string          `json:"rule"`
	Severity suites.Severity `json:"severity"`
	Hooks    []string        `json:"hooks,omitempty"` // IDs
	Where    suites.Position `json:"-"`
	At       string          `json:"where"`
	Fault    suites.Position `json:"-"` // the line of a script that caused it, if known
	FaultAt  string          `json:"fault,omitempty"`
	What     string          `json:"what"`              // the evidence, one line
	Input    string          `json:"input,omitempty"`   // the input on which it was seen
	Printed  string          `json:"printed,omitempty"` // the hook's output then
	Effect   string          `json:"effect"`            // the client's behavior
	Remedy   string          `json:"remedy"`
	event    string          // the event of the rule's texts; "" for the finding's own texts
	firing   *Firing         // on which it was seen, if it was
}

// A Firing is one run of a hook.
type Firing struct {
	Case   *suites.Case
	Result suites.Result
}

// Firing returns the firing on which a finding was seen; nil if files show it, or if its place is not
// the registration of the hook.
func (f Finding) Firing() *Firing { return f.firing }

// severities are all severities, the worst first.
var severities = []suites.Severity{suites.Error, suites.Warning, suites.Info}

// LeastSeverity returns the lower of two severities.
func LeastSeverity(a, b suites.Severity) suites.Severity {
	return severities[max(slices.Index(severities, a), slices.Index(severities, b))]
}

// FindingOf returns a finding of a rule. Its severity is the rule's own unless given.
func FindingOf(rule string, hook string, at suites.Position, what string, severity ...suites.Severity) Finding {
	r := client.RuleAt(rule, client.GuardEvent(client.Calls))
	f := Finding{Rule: rule, Severity: r.Severity, Where: at, At: at.String(), What: what, Effect: r.Client, Remedy: r.Remedy}
	if len(severity) > 0 {
		f.Severity = severity[0]
	}
	if hook != "" {
		f.Hooks = []string{hook}
	}
	return f
}

// forEvent returns the finding with the texts of its rule for an event. The finding's own texts are
// kept.
func (f Finding) forEvent(event string) Finding {
	about, known := client.EventByName(event)
	if !known {
		return f
	}
	usual, here := client.RuleAt(f.Rule, client.GuardEvent(client.Calls)), client.RuleAt(f.Rule, about)
	if f.Effect == usual.Client {
		f.Effect, f.event = here.Client, event
	}
	if f.Remedy == usual.Remedy {
		f.Remedy = here.Remedy
	}
	return f
}

// merge adds the contents of another finding with the same cause. If the events differ, the effect
// becomes the one for any event.
func (f *Finding) merge(other Finding) {
	if f.Printed == "" { // f was only read, other was observed
		f.Input, f.Printed = other.Input, other.Printed
	}
	if f.FaultAt == "" {
		f.Fault, f.FaultAt = other.Fault, other.FaultAt
	}
	if f.Effect != other.Effect {
		f.Effect = client.RuleAt(f.Rule, client.Event{}).Client
	}
	if len(other.Remedy) < len(f.Remedy) { // the shorter remedy works at both events
		f.Remedy = other.Remedy
	}
	for _, h := range other.Hooks {
		f.Hooks = include(f.Hooks, h)
	}
}

// isLike reports whether another finding has the same cause.
func (f Finding) isLike(o Finding) bool {
	if f.Rule != o.Rule || f.Severity != o.Severity || f.What != o.What {
		return false
	}
	ofEvents := o.event != "" && f.event != ""
	return (ofEvents || o.Effect == f.Effect) && slices.Contains([]string{"", o.Where.File}, f.Where.File)
}

// MergeFindings merges findings with the same cause, and sorts them, the worst first.
func MergeFindings(all []Finding) (out []Finding) {
	for _, f := range all {
		if i := slices.IndexFunc(out, f.isLike); i >= 0 {
			out[i].merge(f)
			continue
		}
		out = append(out, f)
	}
	slices.SortStableFunc(out, func(a, b Finding) int {
		return cmp.Or(
			slices.Index(severities, a.Severity)-slices.Index(severities, b.Severity),
			strings.Compare(a.Where.File, b.Where.File), a.Where.Line-b.Where.Line, strings.Compare(a.Rule, b.Rule))
	})
	return out
}
