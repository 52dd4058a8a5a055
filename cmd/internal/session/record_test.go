//go:build unix

package session

import (
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/record"
	"hookwatch/suites/verdict"
)

// knowing returns a session that only knows a project.
func knowing(p *Project) *Session {
	return &Session{project: p, knowledge: newKnowledge(p, nil, record.Place{}), news: verdict.NewNews(nil), audit: newAudit()}
}

// knows makes a set of tools known to a session.
func (e *Session) knows(set string, tools []suites.Tool) {
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	e.knowledge.load(&record.Snapshot{Environment: suites.Environment{Tools: tools, CaseTools: map[string][]string{set: names}}})
}

// TestTransition checks the difference from the case's latest verdict in the same definition, and
// which changes of tools explain it.
func TestTransition(t *testing.T) {
	t.Parallel()
	set := func(versions ...string) (string, []suites.Tool) {
		var tools []suites.Tool
		for _, v := range versions {
			name, digest, _ := strings.Cut(v, "@")
			tools = append(tools, suites.Tool{Name: name, Digest: digest})
		}
		return suites.ToolsDigest(tools), tools
	}
	e := knowing(newScene(t, map[string]string{"suites/s.yaml": pair}).Load(Filter{}))
	know := func(versions ...string) string {
		digest, tools := set(versions...)
		e.knows(digest, tools)
		return digest
	}
	base, newer, absent, more := know("bash@1", "jq@1"), know("bash@1", "jq@2"), know("bash@1", "jq@"), know("awk@1", "bash@1", "jq@1")
	unknown, _ := set("bash@9")
	for _, tt := range []struct {
		name, before, now string
		want              bool
	}{
		{"another version", base, newer, true}, {"gone", base, absent, true}, {"back", absent, base, true},
		{"one more in the hook", base, more, false}, {"one less in the hook", more, base, false}, {"the same", base, base, false},
		{"not known before", unknown, base, false}, {"not known now", base, unknown, false},
	} {
		if got := len(e.knowledge.Explaining(suites.Key{}, tt.before, tt.now)) > 0; got != tt.want {
			t.Errorf("%s explains it: %v, want %v", tt.name, got, tt.want)
		}
	}

	record := func(pass bool, note, tools string) suites.Record {
		return suites.Record{Suite: "s", ID: "A", Pass: pass, Note: note, Digests: suites.Digests{Case: "c", Inputs: "i", Tools: tools}}
	}
	generated := func(pass bool) suites.Record { return suites.Record{Suite: suites.Registered, ID: "A", Pass: pass} }
	pass, fail := record(true, "", base), record(false, "exit 0, want 2", base)
	failNewer, passNewer := record(false, "exit 0, want 2", newer), record(true, "", newer)
	failMore := record(false, "exit 0, want 2", more)
	for _, tt := range []struct {
		name   string
		before *suites.Record
		seen   bool
		now    suites.Record
		want   Transition
	}{
		{"never seen", nil, false, fail, First},
		{"seen in another definition", nil, true, fail, Edited},
		{"a fault that was not there", nil, false, generated(false), Regression},
		{"a generated case that passes", nil, false, generated(true), First},
		{"passes still", &pass, true, pass, Same},
		{"fails still", &fail, true, fail, Same},
		{"fails now", &pass, true, fail, Regression},
		{"passes now", &fail, true, pass, Resolved},
		{"fails with another tool", &pass, true, failNewer, Explained},
		{"passes with another tool", &fail, true, passNewer, Explained},
		{"fails with one more tool in the hook", &pass, true, failMore, Regression},
	} {
		var before *keptVerdict
		if tt.before != nil {
			kept := keptVerdictOf(tt.before)
			before = &kept
		}
		if got := e.transition(before, tt.seen, tt.now); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestRegressionOnRecord checks that the next session compares with the records of the previous
// one, for each definition of a case.
func TestRegressionOnRecord(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]string{"suites/s.yaml": pair})
	step := func(hook, suite string) Transition {
		s.Write("hooks/guard.sh", hook)
		s.Write("suites/s.yaml", suite)
		view := &spy{}
		s.all(s.open(s.Load(Filter{}), view, nil))
		return view.find("B1").Transition
	}
	open := "#!/bin/bash\nexit 0\n"
	edited := strings.Replace(pair, "bad thing", "very bad thing", 1)
	for i, tt := range []struct {
		hook, suite string
		want        Transition
	}{
		{guard, pair, First}, {open, pair, Regression}, {open, pair, Same}, {guard, pair, Resolved},
		{open, edited, Edited}, {guard, edited, Resolved},
	} {
		if got := step(tt.hook, tt.suite); got != tt.want {
			t.Errorf("step %d: %q, want %q", i+1, got, tt.want)
		}
	}
}
