package session

import (
	"cmp"
	"maps"
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/depend/trace"
)

// An Unentered function is named by a marker of a case but, according to its trace, never entered
// by it.
type Unentered struct {
	suites.Key
	Path     string `json:"source"`
	Function string `json:"function"`
}

// Unentered returns the functions that cases never enter although their markers name them. It
// covers only cases with a current trace.
func (s *Knowledge) Unentered() []Unentered {
	var out []Unentered
	by := trace.NewScripts(s.Contents.Script)
	for _, c := range s.project.Cases {
		last := s.Verdicts.Present(c.Key())
		if last == nil || !s.Current(c, last) {
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
			if fn.Name == m.Resolution.Section && (met == nil || !met.Functions.Has(fn.Key)) {
				out = append(out, Unentered{c.Key(), m.File, fn.Name})
			}
		}
	}
	return out
}

// Executed lists the parts of one script that a case executed, according to its trace.
type Executed struct {
	Path      string   `json:"path"`
	Functions []string `json:"functions"`       // in the order of the text
	Whole     string   `json:"whole,omitempty"` // why the whole script counts as executed, or ""
}

// Executed returns the parts of scripts that a case executed in its last trace, and any limit of
// that trace. known is false if there is no trace for its verdict.
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
				if met.Functions.Has(fn.Key) {
					t.Functions = append(t.Functions, fn.Name)
				}
			}
		}
		executed = append(executed, t)
	}
	return executed, cmp.Or(e.Wide, e.Trace.Blind()), true
}
