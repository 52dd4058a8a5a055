package verdict

import (
	"slices"

	"hookwatch/suites"
)

// A Selected is a case that must run, with the reasons.
type Selected struct {
	Case    *suites.Case
	Because []string
	Changed []suites.Input // whose content differs from the content of the recorded verdict
}

// Selection returns the parts of s that views show.
func (s Selected) Selection() suites.Selection {
	return suites.Selection{Key: s.Case.Key(), Because: s.Because}
}

// A Past describes the recorded verdict of a case.
type Past struct {
	Known   bool
	Digests suites.Digests
}

// Reasons that Stale adds itself.
const (
	NeverRun     = "never run"
	CaseEdited   = "its definition changed"
	ToolsChanged = "a tool it reaches changed"
)

// Stale selects the cases whose recorded verdict is not for the current content. If a case
// reaches different tools than before, changed reports whether one of them is another program
// now. If the inputs of a case differ, unaffected reports whether its verdict is still valid,
// and if not, which inputs changed and why that matters.
func Stale(cases []*suites.Case, past func(*suites.Case) Past, now func(*suites.Case) suites.Digests, changed ToolChanged, unaffected Unaffected) []Selected {
	var out []Selected
	for _, c := range cases {
		if s, stale := staleness(c, past(c), now(c), changed, unaffected); stale {
			out = append(out, s)
		}
	}
	return out
}

// ToolChanged compares two digests of sets of tools.
type ToolChanged func(before, now string) bool

// Unaffected judges a case by the digests of its recorded verdict.
type Unaffected func(c *suites.Case, past suites.Digests) (unaffected bool, because []string, changed []suites.Input)

func staleness(c *suites.Case, p Past, now suites.Digests, changed ToolChanged, unaffected Unaffected) (Selected, bool) {
	if !p.Known {
		return Selected{Case: c, Because: []string{NeverRun}}, true
	}
	s := Selected{Case: c}
	if p.Digests.Case != now.Case {
		s.Because = append(s.Because, CaseEdited)
	}
	if p.Digests.Tools != now.Tools && changed(p.Digests.Tools, now.Tools) {
		s.Because = append(s.Because, ToolsChanged)
	}
	if p.Digests.Inputs != now.Inputs {
		stands, because, inputs := unaffected(c, p.Digests)
		if !stands {
			s.Because, s.Changed = append(s.Because, because...), inputs
		}
	}
	return s, len(s.Because) > 0
}

// All selects every case for one reason.
func All(cases []*suites.Case, because string) []Selected {
	out := make([]Selected, len(cases))
	for i, c := range cases {
		out[i] = Selected{Case: c, Because: []string{because}}
	}
	return out
}

// WithControls adds the controls of selected cases, and the controls of these, because a pass
// proves something only together with a control of the same content. The result has the order of
// all.
func WithControls(selected []Selected, all []*suites.Case) []Selected {
	if len(selected) == 0 {
		return nil
	}
	chosen := make(map[suites.Key]Selected, len(selected))
	for _, s := range selected {
		chosen[s.Case.Key()] = s
	}
	missing := controls(selected, chosen)
	if len(missing) == 0 && inOrder(selected, all) {
		return selected // the usual case: thousands of others need not be examined
	}
	for len(missing) > 0 {
		var added []Selected
		for _, c := range all {
			if of, ok := missing[c.Key()]; ok {
				added = append(added, Selected{Case: c, Because: []string{"control of " + of}})
				chosen[c.Key()] = added[len(added)-1]
			}
		}
		missing = controls(added, chosen)
	}
	ordered := make([]Selected, 0, len(chosen))
	for _, c := range all {
		if s, ok := chosen[c.Key()]; ok {
			ordered = append(ordered, s)
		}
	}
	return ordered
}

// inOrder reports whether the selected cases are a subsequence of all.
func inOrder(selected []Selected, all []*suites.Case) bool {
	for _, c := range all {
		if len(selected) > 0 && selected[0].Case == c {
			selected = selected[1:]
		}
	}
	return len(selected) == 0
}

// controls returns the controls of the selected cases that are not chosen yet, each with the ID
// of the first case that needs it.
func controls(selected []Selected, chosen map[suites.Key]Selected) map[suites.Key]string {
	missing := make(map[suites.Key]string)
	for _, s := range selected {
		key, ok := ControlOf(s.Case)
		if _, have := chosen[key]; !ok || have {
			continue
		}
		if _, known := missing[key]; !known {
			missing[key] = s.Case.ID
		}
	}
	return missing
}

// WithDependents adds the cases whose control is selected, because their result depends on its
// verdict.
func WithDependents(selected []Selected, all []*suites.Case) []Selected {
	have := make(map[suites.Key]bool, len(selected))
	for _, s := range selected {
		have[s.Case.Key()] = true
	}
	for grown := true; grown; {
		grown = false
		for _, c := range all {
			control, ok := ControlOf(c)
			if ok && have[control] && !have[c.Key()] {
				have[c.Key()], grown = true, true
				selected = append(selected, Selected{Case: c, Because: []string{"its control " + control.ID + " is run"}})
			}
		}
	}
	return selected
}

// ControlOf returns the key of the case's control, if it names one.
func ControlOf(c *suites.Case) (suites.Key, bool) {
	if c.Control == "" {
		return suites.Key{}, false
	}
	return c.ControlKey(), true
}

// MaxTries limits how often a case restarts because its inputs changed while it ran. Only a hook
// that changes its own inputs reaches this limit.
const MaxTries = 5

// A Next is the next step for a case that has run.
type Next int

// The next steps.
const (
	Conclude Next = iota + 1 // its verdict counts
	Again                    // its verdict is for content that no longer exists: queue it again
	Drop                     // the case no longer exists
)

// Superseded reports whether a running case must be cancelled, because its current definition,
// now, is different or nil (removed), or because one of its files changed.
func Superseded(c, now *suites.Case, inputs []suites.Input, changed []string) bool {
	return now == nil || now.Digest != c.Digest ||
		slices.ContainsFunc(inputs, func(in suites.Input) bool { return slices.Contains(changed, in.Path) })
}

// Ended returns the next step for a case that has run. superseded reports whether Superseded was
// true for it, disturbed whether its files changed since it started, tries how often it
// restarted because of that, and there whether the project still contains it.
func Ended(superseded, disturbed bool, tries int, there bool) Next {
	switch {
	case !superseded && (!disturbed || tries >= MaxTries):
		return Conclude
	case there:
		return Again
	default:
		return Drop
	}
}
