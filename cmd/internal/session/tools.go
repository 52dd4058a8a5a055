package session

import (
	"slices"
	"strings"

	"hookwatch/suites"
)

// tools are the programs that the project's hooks reach, as they were found in
// one look at the machine: at the start of a run, or for one selection.
type tools struct {
	found  map[string]suites.Tool // by name
	byHook map[string]string      // digest of the set, by hook and gates
	byName map[string]string      // digest of the set, by its names
	last   struct{ key, digest string }
}

func newTools() tools {
	return tools{found: make(map[string]suites.Tool), byHook: make(map[string]string), byName: make(map[string]string)}
}

// toolsDigest stands for the tools that the case's hooks reach, and its gates.
func (s *Session) toolsDigest(c *suites.Case) string {
	key, plain := s.p.ToolKey(c)
	if plain && key == s.seen.last.key && s.seen.last.digest != "" {
		return s.seen.last.digest // mostly the cases of a hook stand together
	}
	d, known := s.seen.byHook[key]
	if !plain || !known {
		d = s.digestOfTools(s.toolsOf(c))
	}
	if plain {
		s.seen.byHook[key] = d
		s.seen.last.key, s.seen.last.digest = key, d
	}
	return d
}

func (s *Session) digestOfTools(names []string) string {
	memo := strings.Join(names, " ")
	if d, ok := s.seen.byName[memo]; ok {
		return d
	}
	set := make([]suites.Tool, len(names))
	for i, n := range names {
		set[i] = s.findTool(n)
	}
	d := suites.ToolsDigest(set)
	s.seen.byName[memo] = d
	s.facts.add(d, set)
	s.environment.CaseTools[d] = names
	return d
}

func (s *Session) findTool(name string) suites.Tool {
	t, ok := s.seen.found[name]
	if !ok {
		t = s.tools.Find([]string{name})[0]
		s.seen.found[name] = t
	}
	return t
}

// toolsOf lists the tools by name, sorted.
func (s *Session) toolsOf(c *suites.Case) []string {
	names := slices.Clone(s.p.ToolsOf(c))
	for _, g := range c.Gates {
		names = append(names, (&suites.Check{Tool: g.Tool, Places: g.Places}).Programs()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
