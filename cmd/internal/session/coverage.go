package session

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/depend/cover"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/tracing"
)

// Coverage is which cases run what of the project's shell scripts.
type Coverage struct {
	Files    []cover.File
	Untraced []suites.Key // cases that ran but of which no trace is to be had
	Stale    int          // cases without a verdict on what is there now
	Opaque   []string     // scripts that cannot be traced: they are no bash
}

// Coverage makes the traces that are missing, unless nothing is recorded here,
// and tells what they cover.
func (s *Session) Coverage(ctx context.Context) Coverage {
	if s.o.Store != nil {
		s.Trace(ctx, s.p.Cases)
	}
	var c Coverage
	traced := s.traced(&c)
	by := tracing.NewScripts(s.contents.Script)
	for _, path := range s.covered() {
		script, err := by.Script(path)
		if err != nil || opaque(path, traced) {
			c.Opaque = append(c.Opaque, path)
			continue
		}
		c.Files = append(c.Files, cover.Of(path, script, traced))
	}
	return c
}

// traced lists the cases whose trace is of what is there now.
func (s *Session) traced(c *Coverage) []cover.Traced {
	var out []cover.Traced
	for _, cs := range s.p.Cases {
		last := s.present[cs.Key()]
		switch {
		case last == nil:
			c.Stale++
			continue
		case last.status == suites.Skip || last.status == suites.Aborted || cs.Layer == suites.Live || cs.Check != nil:
			continue
		}
		e := s.selector.Evidence(cs.Key(), last.digests)
		if now := s.digestsNow(cs); last.digests != now && (e == nil || e.Now != now.Inputs) {
			c.Stale++
		} else if e == nil || e.Trace == nil {
			c.Untraced = append(c.Untraced, cs.Key())
		} else {
			out = append(out, cover.Traced{Key: cs.Key(), Trace: e.Trace})
		}
	}
	return out
}

// covered lists the scripts that cases may run.
func (s *Session) covered() []string {
	all := make(map[string]bool)
	for _, c := range s.p.Cases {
		for _, path := range s.p.Graph.Scripts(c) {
			all[path] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// opaque reports whether a script ran in a way of which traces tell nothing.
func opaque(path string, traced []cover.Traced) bool {
	for _, t := range traced {
		if m := t.Trace.Files[path]; m != nil && m.Whole != "" {
			return true
		}
	}
	return false
}

// An Unentered function is one that a marker of a case names and that the case,
// by its trace, never enters.
type Unentered struct {
	Key      suites.Key
	Path     string
	Function string
}

// Unentered lists, by what traces there are, functions that cases never enter
// although their markers name them.
func (s *Session) Unentered() []Unentered {
	var out []Unentered
	by := tracing.NewScripts(s.contents.Script)
	for _, c := range s.p.Cases {
		last := s.present[c.Key()]
		if last == nil || last.digests != s.digestsNow(c) {
			continue
		}
		if e := s.selector.Evidence(c.Key(), last.digests); e != nil && e.Trace != nil && e.Trace.Blind() == "" {
			out = append(out, s.unentered(c, e.Trace, by)...)
		}
	}
	return out
}

func (s *Session) unentered(c *suites.Case, t *trace.Trace, by *tracing.Scripts) []Unentered {
	var out []Unentered
	for _, m := range s.p.Graph.Markers(c) {
		if !m.Found || !slices.Contains(s.p.Graph.Scripts(c), m.File) {
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
func (s *Session) Executed(c *suites.Case) (executed []Executed, limit string, known bool) {
	last := s.present[c.Key()]
	if last == nil {
		return nil, "", false
	}
	e := s.selector.Evidence(c.Key(), last.digests)
	if e == nil || e.Trace == nil {
		return nil, "", false
	}
	by := tracing.NewScripts(s.contents.Script)
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
