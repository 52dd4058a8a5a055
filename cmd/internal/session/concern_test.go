//go:build unix

package session

import (
	"testing"

	"hookwatch/suites"
)

const groups = `suite: s
hook: h.sh
event: Stop
cases:
  - {id: SH, name: sh, gates: [jaq, shellcheck], expect: {exit: 0}}
  - {id: YA, name: ya, gates: [jaq, yamllint], expect: {exit: 1}}
  - {id: PY, name: py, gates: [jaq, ruff], expect: {exit: 0}}
  - {id: PM, name: pm, gates: [jaq, ruff, uv, bandit], expect: {exit: 0}}
  - {id: CO, name: co, gates: [jaq], control: YA, expect: {exit: 0}}
  - {id: NO, name: no, expect: {exit: 0}}
`

// TestConcerns checks that a linter explains results of cases in its own language, and
// that a tool which gates no case explains any.
func TestConcerns(t *testing.T) {
	t.Parallel()
	s := newProjectFiles(t, map[string]string{"suites/s.yaml": groups, "h.sh": "#!/bin/bash\n"})
	concerns := s.Load(Filter{}).Concerning(unobserved)
	for tool, want := range map[string]string{
		"yamllint": "YA CO NO XX ", "shellcheck": "SH NO XX ", "bandit": "PY PM NO XX ", "uv": "PY PM NO XX ", "ruff": "PY PM NO XX ",
		"jaq": "SH YA PY PM CO NO XX ", "sed": "SH YA PY PM CO NO XX ",
	} {
		got := ""
		for _, id := range []string{"SH", "YA", "PY", "PM", "CO", "NO", "XX"} {
			if concerns(suites.Key{Suite: "s", ID: id}, tool) {
				got += id + " "
			}
		}
		if got != want {
			t.Errorf("%s concerns %q, want %q", tool, got, want)
		}
	}
}

func unobserved(suites.Key) []suites.Tool { return nil }

// TestConcernsObserved checks that programs which a case was seen to use explain its results, and
// that others do not, whatever the text of its hook names.
func TestConcernsObserved(t *testing.T) {
	t.Parallel()
	used := []suites.Tool{{Name: "sed", Path: "/usr/bin/sed"}, {Name: "jaq"}}
	p := newProjectFiles(t, map[string]string{"suites/s.yaml": groups, "h.sh": "#!/bin/bash\n"}).Load(Filter{})
	concerns := p.Concerning(func(k suites.Key) []suites.Tool {
		if k.ID == "NO" || k.ID == "YA" {
			return used
		}
		return nil
	})
	for tool, want := range map[string]string{
		"sed": "SH YA CO NO XX ", "awk": "SH CO XX ", "jaq": "SH YA CO NO XX ", "yamllint": "YA CO XX ", "shellcheck": "SH XX ",
	} {
		got := ""
		for _, id := range []string{"SH", "YA", "CO", "NO", "XX"} {
			if concerns(suites.Key{Suite: "s", ID: id}, tool) {
				got += id + " "
			}
		}
		if got != want {
			t.Errorf("%s concerns %q, want %q", tool, got, want)
		}
	}
}

const shared = `suite: s
hook: h.sh
event: Stop
cases:
  - {id: D1, name: d1, check: {tool: biome, need: optional, places: [node_modules/.bin/biome, biome, npx biome]}}
  - {id: D2, name: d2, check: {tool: markdownlint-cli2, need: optional, places: [markdownlint-cli2, npx markdownlint-cli2]}}
  - {id: D3, name: d3, check: {tool: bandit, need: optional, places: [uv run bandit]}}
  - {id: TS, name: ts, gates: [biome], expect: {exit: 1}}
  - {id: MD, name: md, gates: [markdownlint-cli2], expect: {exit: 0}}
  - {id: BA, name: ba, gates: [bandit], expect: {exit: 0}}
  - {id: UV, name: uv, gates: [uv, ruff], expect: {exit: 0}}
  - {id: CO, name: co, gates: [jaq, ruff], control: TS, expect: {exit: 0}}
`

// TestRunnersJoinNothing checks that a common runner does not group its tools, and that
// the runner concerns the cases of all of them.
func TestRunnersJoinNothing(t *testing.T) {
	t.Parallel()
	concerns := newProjectFiles(t, map[string]string{"suites/s.yaml": shared, "h.sh": "#!/bin/bash\n"}).Load(Filter{}).Concerning(unobserved)
	for tool, want := range map[string]string{
		"biome": "TS CO ", "node_modules/.bin/biome": "TS CO ", "markdownlint-cli2": "MD ", "npx": "TS MD CO ",
		"bandit": "BA ", "ruff": "UV CO ", "uv": "BA UV CO ",
	} {
		got := ""
		for _, id := range []string{"TS", "MD", "BA", "UV", "CO"} {
			if concerns(suites.Key{Suite: "s", ID: id}, tool) {
				got += id + " "
			}
		}
		if got != want {
			t.Errorf("%s concerns %q, want %q", tool, got, want)
		}
	}
}
