package session

import (
	"cmp"
	"maps"
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/depend/trace"
)

// Coverage lists the cases that execute each part of the project's shell scripts.
type Coverage struct {
	Files    []trace.Coverage
	Untraced []suites.Key // cases that ran but cannot be traced
	Stale    int          // cases without a current verdict
	Opaque   []string     // scripts in languages that cannot be traced

	traced, skipped map[string]int // number of cases that may run each script
}

// IsComplete reports whether the traces of a script are complete: at least one case that may run it
// was traced, and none was skipped.
func (c *Coverage) IsComplete(path string) bool { return c.traced[path] > 0 && c.skipped[path] == 0 }

// Coverage returns the coverage according to the existing traces.
func (s *Knowledge) Coverage() Coverage {
	c := Coverage{traced: map[string]int{}, skipped: map[string]int{}}
	traced := s.currentTraces(&c)
	by := trace.NewScripts(s.Contents.Script)
	for _, path := range s.coveredScripts() {
		script, err := by.Script(path)
		if err != nil || opaque(path, traced) {
			c.Opaque = append(c.Opaque, path)
			continue
		}
		c.Files = append(c.Files, trace.Cover(path, script, traced))
	}
	return c
}

// currentTraces returns the current traces, and counts cases without one in c.
func (s *Knowledge) currentTraces(c *Coverage) []trace.Traced {
	var out []trace.Traced
	for _, cs := range s.project.Cases {
		last := s.Verdicts.Present(cs.Key())
		switch {
		case last == nil:
			c.Stale++
			continue
		case !last.Traceable(cs):
			if last.Status == suites.Skip && cs.Layer != suites.Live {
				s.count(c.skipped, cs)
			}
			continue
		}
		e := s.Selector.Evidence(cs.Key(), last.Digests)
		if now := s.Digests(cs); last.Digests != now && (e == nil || e.Now != now.Inputs) {
			c.Stale++
		} else if e == nil || e.Trace == nil {
			c.Untraced = append(c.Untraced, cs.Key())
		} else {
			s.count(c.traced, cs)
			out = append(out, trace.Traced{Key: cs.Key(), Trace: e.Trace})
		}
	}
	return out
}

// count adds one to each script that a case may run.
func (s *Knowledge) count(by map[string]int, c *suites.Case) {
	for _, path := range s.project.Graph.Scripts(c) {
		by[path]++
	}
}

// coveredScripts returns the scripts that cases may run, sorted.
func (s *Knowledge) coveredScripts() []string {
	all := make(map[string]bool)
	for _, c := range s.project.Cases {
		for _, path := range s.project.Graph.Scripts(c) {
			all[path] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// opaque reports whether a script ran in a way that traces cannot resolve into parts.
func opaque(path string, traced []trace.Traced) bool {
	for _, t := range traced {
		if m := t.Trace.Files[path]; m != nil && m.Whole != "" {
			return true
		}
	}
	return false
}

// An Unentered function is named by a marker of a case but, according to its trace, never entered
// by it.
type Unentered struct {
	suites.Key
	Path     string `json:"source"`
	Function string `json:"function"`
}

// UnenteredFunctions returns the functions that cases never enter although their markers name them. It
// covers only cases with a current trace.
func (s *Knowledge) UnenteredFunctions() []Unentered {
	var out []Unentered
	by := trace.NewScripts(s.Contents.Script)
	for _, c := range s.project.Cases {
		last := s.Verdicts.Present(c.Key())
		if last == nil || !s.Current(c, last) {
			continue
		}
		if e := s.Selector.Evidence(c.Key(), last.Digests); e != nil && e.Trace != nil && e.Trace.Blind() == "" {
			out = append(out, s.unenteredBy(c, e.Trace, by)...)
		}
	}
	return out
}

func (s *Knowledge) unenteredBy(c *suites.Case, t *trace.Trace, by *trace.Scripts) []Unentered {
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

// ExecutedParts returns the parts of scripts that a case executed in its last trace, and any limit of
// that trace. known is false if there is no trace for its verdict.
func (s *Knowledge) ExecutedParts(c *suites.Case) (executed []Executed, limit string, known bool) {
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
