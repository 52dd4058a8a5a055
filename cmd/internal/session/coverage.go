package session

import (
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

// Whole reports whether the traces of a script are complete: at least one case that may run it
// was traced, and none was skipped.
func (c *Coverage) Whole(path string) bool { return c.traced[path] > 0 && c.skipped[path] == 0 }

// Coverage returns the coverage according to the existing traces.
func (s *Knowledge) Coverage() Coverage {
	c := Coverage{traced: map[string]int{}, skipped: map[string]int{}}
	traced := s.traced(&c)
	by := trace.NewScripts(s.Contents.Script)
	for _, path := range s.covered() {
		script, err := by.Script(path)
		if err != nil || opaque(path, traced) {
			c.Opaque = append(c.Opaque, path)
			continue
		}
		c.Files = append(c.Files, trace.Cover(path, script, traced))
	}
	return c
}

// traced returns the current traces, and counts cases without one in c.
func (s *Knowledge) traced(c *Coverage) []trace.Traced {
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

// covered returns the scripts that cases may run, sorted.
func (s *Knowledge) covered() []string {
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
