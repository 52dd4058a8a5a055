// Package conform says of the hooks of a project, without any suite, whether they
// would protect anyone: which the client would drop, could not launch or would not
// heed, which let through what they mean to stop. It judges what lies in the tree
// and what hooks were seen to do; it runs nothing.
package conform

import (
	"cmp"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/conform/rules"
)

// A Finding is what is to be said of one or several hooks for one cause.
type Finding struct {
	Rule     string          `json:"rule"`
	Severity suites.Severity `json:"severity"`
	Hooks    []string        `json:"hooks,omitempty"` // IDs
	Where    suites.Position `json:"-"`
	At       string          `json:"where"`
	What     string          `json:"what"`              // the evidence, one line
	Input    string          `json:"input,omitempty"`   // on which it was seen
	Printed  string          `json:"printed,omitempty"` // what the hook said then
	Effect   string          `json:"effect"`            // what the client does
	Remedy   string          `json:"remedy"`
}

// severities are all, the worst first.
var severities = []suites.Severity{suites.Error, suites.Warning, suites.Info}

// found makes a finding of a rule. Its severity is the rule's own unless given.
func found(rule string, hook string, at suites.Position, what string, severity ...suites.Severity) Finding {
	r := rules.Named(rule)
	f := Finding{Rule: rule, Severity: r.Severity, Where: at, At: at.String(), What: what, Effect: r.Client, Remedy: r.Remedy}
	if len(severity) > 0 {
		f.Severity = severity[0]
	}
	if hook != "" {
		f.Hooks = []string{hook}
	}
	return f
}

// Merge makes one finding of those with one cause, and puts the worst first.
func Merge(all []Finding) []Finding {
	var out []Finding
	for _, f := range all {
		same := func(o Finding) bool {
			return o.Rule == f.Rule && o.Severity == f.Severity && o.What == f.What && (o.Where.File == f.Where.File || f.Where.File == "")
		}
		if i := slices.IndexFunc(out, same); i >= 0 {
			if out[i].Printed == "" { // it was only read, and is now seen
				out[i].Input, out[i].Printed = f.Input, f.Printed
			}
			for _, h := range f.Hooks {
				if !slices.Contains(out[i].Hooks, h) {
					out[i].Hooks = append(out[i].Hooks, h)
				}
			}
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
