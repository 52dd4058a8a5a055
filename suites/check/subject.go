package check

import (
	"regexp"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/discover"
	"hookwatch/suites/pattern"
)

// A subject is the hook that is examined, with what its files show.
type subject struct {
	tree   Tree
	hook   discover.Hook
	text   string           // of the command and its scripts
	others []clients.Client // that run the hook, too
	uv     string           // the script that stands in for uv, "" if none does
}

func subjectOf(t Tree, h discover.Hook) subject {
	s := subject{tree: t, hook: h, others: t.others(h)}
	if h.WhyNotRun() != "" {
		return s
	}
	s.text = words(h)
	for _, script := range h.Scripts {
		s.text += "\n" + t.read(script)
	}
	if s.uv = s.standFor(); s.uv != "" {
		s.tree.Installed = func(program string) bool { return program == "uv" || !t.lacks(program) }
	}
	return s
}

// about returns the event of the hook.
func (s subject) about() client.Event {
	event, _ := client.EventByName(s.hook.Event)
	return event
}

// probe returns a probe of a firing.
func (s subject) probe(f firing) Probe {
	c := f.asCase(s.hook)
	c.Timeout = s.patience()
	var sent []firing
	for _, e := range f.earlier {
		sent = append(sent, e.firing)
	}
	return Probe{Case: c, sent: append(sent, f)}
}

// probes returns a probe of each firing, in an environment of its own.
func (s subject) probes(all []firing) (probes []Probe) {
	for _, f := range all {
		probes = append(probes, s.probe(f))
	}
	return probes
}

// prepare returns a probe with the variables and programs that all firings of the hook have.
func (s subject) prepare(p Probe) Probe {
	Hasten(p.Case)
	if s.uv != "" {
		p.around(func(e *suites.CaseEnv) { e.Programs = append(e.Programs, suites.Program{Name: "uv", Script: s.uv}) })
	}
	return p
}

// namesDecision reports whether a hook's text contains exit code 2, or a key or value with which the
// client's JSON decides. A hook without any of them has no way to stop something.
func namesDecision(text string) bool { return decision().MatchString(text) }

var decision = pattern.Lazy(`exit[ (]+2|exitCode\s*=\s*2|["'](?:deny|block|ask)\b|\\"(?:deny|block|ask)\b|permissionDecision`)

// calls reports whether a text calls a program, or looks it up.
func calls(text, program string) bool {
	return regexp.MustCompile(`(^|[\s|;&("'` + "`" + `])` + regexp.QuoteMeta(program) + `[\s;)"']`).MatchString(text)
}

// frail are programs that some machines lack.
var frail = []string{"jq", "jaq", "python3", "node", "uv", "perl", "ruby", "bc", "rg", "bun"}

// withoutComments replaces comment lines with spaces, so that offsets stay valid.
func withoutComments(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if s := strings.TrimSpace(l); strings.HasPrefix(s, "#") || strings.HasPrefix(s, "//") {
			lines[i] = strings.Repeat(" ", len(l))
		}
	}
	return strings.Join(lines, "\n")
}

// hasWord reports whether a text contains a word that no letter extends. A backslash and a letter
// may precede it, because patterns have such escapes.
func hasWord(text, word string) bool {
	return strings.Contains(text, word) && regexp.MustCompile(`(?:^|[^A-Za-z]|\\[A-Za-z])`+regexp.QuoteMeta(word)+`(?:[^A-Za-z]|$)`).MatchString(text)
}
