package conform

import (
	"cmp"
	"slices"
	"strings"

	"hookwatch/suites"
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

// LeastSeverity is the one of two severities that weighs less.
func LeastSeverity(a, b suites.Severity) suites.Severity {
	return severities[max(slices.Index(severities, a), slices.Index(severities, b))]
}

// FindingOf makes a finding of a rule. Its severity is the rule's own unless given.
func FindingOf(rule string, hook string, at suites.Position, what string, severity ...suites.Severity) Finding {
	r := RuleNamed(rule)
	f := Finding{Rule: rule, Severity: r.Severity, Where: at, At: at.String(), What: what, Effect: r.Client, Remedy: r.Remedy}
	if len(severity) > 0 {
		f.Severity = severity[0]
	}
	if hook != "" {
		f.Hooks = []string{hook}
	}
	return f
}

// MergeFindings makes one finding of those with one cause, and puts the worst first.
func MergeFindings(all []Finding) []Finding {
	var out []Finding
	for _, f := range all {
		same := func(o Finding) bool {
			return o.Rule == f.Rule && o.Severity == f.Severity && o.What == f.What && o.Effect == f.Effect && (o.Where.File == f.Where.File || f.Where.File == "")
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

// habits are rules that a file breaks throughout, or not at all.
var habits = []string{"long-timeout", "unset-variable", "relative-path"}

// FindingsPerFile lets what is one habit of a file be one finding.
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
