package conform

import (
	"strings"
	"testing"

	"hookwatch/suites"
)

// TestRefused checks that a problem of many documents is reported once.
func TestRefused(t *testing.T) {
	problem := func(file, what string) suites.Problem {
		return suites.Problem{At: suites.Position{File: file, Line: 1, Column: 1}, What: what}
	}
	got := RefusedFiles("entry-ignored", []suites.Problem{
		problem("agents/a.md", "no event is called pre: its hooks never run"),
		problem("agents/a.md", "no event is called post: its hooks never run"),
		problem("agents/b.md", "no event is called pre: its hooks never run"),
		problem("agents/b.md", "an entry of Stop has no hooks list"),
		problem("settings.json", "no event is called pre: its hooks never run"),
	})
	want := []struct {
		severity suites.Severity
		what     string
	}{
		{suites.Error, "no event is called pre: its hooks never run"},
		{suites.Warning, "no event is called pre, post: their hooks never run (and in 1 more documents)"},
		{suites.Info, "an entry of Stop has no hooks list"},
	}
	if len(got) != len(want) {
		t.Fatalf("%d findings: %+v", len(got), got)
	}
	for i, w := range want {
		if got[i].Severity != w.severity || got[i].What != w.what {
			t.Errorf("%s %q, want %s %q", got[i].Severity, got[i].What, w.severity, w.what)
		}
	}
}

// TestRefusedPlugin checks that the client reports dropped files of plugins, but not dropped
// settings.
func TestRefusedPlugin(t *testing.T) {
	for file, told := range map[string]bool{"p/hooks/hooks.json": true, ".claude-plugin/plugin.json": true, ".claude/settings.json": false} {
		got := RefusedFiles("settings-dropped", []suites.Problem{{At: suites.Position{File: file}}})
		if len(got) != 1 || strings.Contains(got[0].Effect, "reports only among") != told {
			t.Errorf("%s: %+v", file, got)
		}
	}
}

// TestPerFile checks that timeouts in milliseconds are one finding of a file.
func TestPerFile(t *testing.T) {
	at := func(file string, line int) suites.Position { return suites.Position{File: file, Line: line} }
	all := []Finding{
		FindingOf("long-timeout", "a", at("x", 1), "timeout 5000 is 1h23m20s"), FindingOf("long-timeout", "b", at("x", 9), "timeout 3000 is 50m0s"),
		FindingOf("long-timeout", "c", at("y", 1), "timeout 3000 is 50m0s"),
	}
	FindingsPerFile(all)
	if got := MergeFindings(all); len(got) != 2 || len(got[0].Hooks) != 2 {
		t.Errorf("%+v", got)
	}
}
