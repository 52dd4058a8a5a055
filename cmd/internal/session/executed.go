package session

import (
	"cmp"
	"maps"
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/depend/trace"
)

// An Unentered function is one that a marker of a case names and that the case,
// by its trace, never enters.
type Unentered struct {
	suites.Key
	Path     string `json:"source"`
	Function string `json:"function"`
}

// Unentered lists, by what traces there are, functions that cases never enter
// although their markers name them.
func (s *Knowledge) Unentered() []Unentered {
	var out []Unentered
	by := trace.NewScripts(s.Contents.Script)
	for _, c := range s.project.Cases {
		last := s.Verdicts.Present(c.Key())
		if last == nil || last.Digests != s.Digests(c) {
			continue
		}
		if e := s.Selector.Evidence(c.Key(), last.Digests); e != nil && e.Trace != nil && e.Trace.Blind() == "" {
			out = append(out, s.unentered(c, e.Trace, by)...)
		}
	}
	return out
}

func (s *Knowledge) unentered(c *suites.Case, t *trace.Trace, by *trace.Scripts) []Unentered {
	var out []Unentered
	for _, m := range s.project.Graph.Markers(c) {
		if !m.Found || !slices.Contains(s.project.Graph.Scripts(c), m.File) {
			continue
		}
		met := t.Files[m.File]
		script, err := by.Script(m.File)
		if err != nil || met != nil && (met.Whole != "" || met.Digest != script.Digest) {
			continue
		}
		for _, fn := range script.Functions {
			if fn.Name == m.Resolution.Section && (met == nil || !met.Functions.Has(trace.WordKey(fn.Name))) {
				out = append(out, Unentered{c.Key(), m.File, fn.Name})
			}
		}
	}
	return out
}

// An Executed is what a case executed of one script, as its trace tells.
type Executed struct {
	Path      string   `json:"path"`
	Functions []string `json:"functions"`       // in the order of the text
	Whole     string   `json:"whole,omitempty"` // why all of the script counts; "" when not
}

// Executed tells what a case was last seen to execute, and what limits that;
// known is false when it was not seen on what its verdict is about.
func (s *Knowledge) Executed(c *suites.Case) (executed []Executed, limit string, known bool) {
	last := s.Verdicts.Present(c.Key())
	if last == nil {
		return nil, "", false
	}
	e := s.Selector.Evidence(c.Key(), last.Digests)
	if e == nil || e.Trace == nil {
		return nil, "", false
	}
	by := trace.NewScripts(s.Contents.Script)
	for _, path := range slices.Sorted(maps.Keys(e.Trace.Files)) {
		met := e.Trace.Files[path]
		t := Executed{Path: path, Functions: []string{}, Whole: met.Whole}
		if script, err := by.Script(path); err == nil {
			for _, fn := range script.Functions {
				if met.Functions.Has(trace.WordKey(fn.Name)) {
					t.Functions = append(t.Functions, fn.Name)
				}
			}
		}
		executed = append(executed, t)
	}
	return executed, cmp.Or(e.Wide, e.Trace.Blind()), true
}
