// Package conform checks that the hooks of a project work, without any suite: it finds hooks that
// the client would drop, could not launch or would ignore, and guards that let their targets
// through. It judges the tree and the observed behavior of hooks; it runs nothing itself.
package conform

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
	What     string          `json:"what"`              // the evidence, one line
	Input    string          `json:"input,omitempty"`   // the input on which it was seen
	Printed  string          `json:"printed,omitempty"` // the hook's output then
	Effect   string          `json:"effect"`            // the client's behavior
	Remedy   string          `json:"remedy"`
	event    string          // the event of the rule's texts; "" for the finding's own texts
}

// severities are all severities, the worst first.
var severities = []suites.Severity{suites.Error, suites.Warning, suites.Info}

// LeastSeverity returns the lower of two severities.
func LeastSeverity(a, b suites.Severity) suites.Severity {
	return severities[max(slices.Index(severities, a), slices.Index(severities, b))]
}

// FindingOf returns a finding of a rule. Its severity is the rule's own unless given.
func FindingOf(rule string, hook string, at suites.Position, what string, severity ...suites.Severity) Finding {
	r := client.RuleAt(rule, client.Guarding(client.Calls))
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
	usual, here := client.RuleAt(f.Rule, client.Guarding(client.Calls)), client.RuleAt(f.Rule, about)
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
	if f.Effect != other.Effect {
		f.Effect = client.RuleAt(f.Rule, client.Event{}).Client
	}
	if len(other.Remedy) < len(f.Remedy) { // the shorter remedy works at both events
		f.Remedy = other.Remedy
	}
	for _, h := range other.Hooks {
		if !slices.Contains(f.Hooks, h) {
			f.Hooks = append(f.Hooks, h)
		}
	}
}

// MergeFindings merges findings with the same cause, and sorts them, the worst first.
func MergeFindings(all []Finding) []Finding {
	var out []Finding
	for _, f := range all {
		same := func(o Finding) bool {
			alike := o.Effect == f.Effect || o.event != "" && f.event != ""
			return o.Rule == f.Rule && o.Severity == f.Severity && o.What == f.What && alike && (o.Where.File == f.Where.File || f.Where.File == "")
		}
		if i := slices.IndexFunc(out, same); i >= 0 {
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

// habits are rules that a file usually breaks throughout, or not at all.
var habits = []string{"long-timeout", "unset-variable", "relative-path"}

// FindingsPerFile gives the findings of one habit in a file the same text, so that they merge.
func FindingsPerFile(all []Finding) {
	first := map[string]string{}
	for i, f := range all {
		if !slices.Contains(habits, f.Rule) {
			continue
		}
		key := f.Rule + " " + f.Where.File
		if first[key] == "" {
			first[key] = f.What
		}
		all[i].What = first[key]
	}
}
