package cli

import (
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/client"
)

// TestSessions checks that each cell is played once, and that no cell follows one that ends the
// session.
func TestSessions(t *testing.T) {
	t.Parallel()
	all := client.Cells()
	played := make(map[string]int)
	for _, s := range distribute(all) {
		if len(s.cells) == 0 || len(s.cells) > most+1 {
			t.Errorf("%s: %d cells", s.event, len(s.cells))
		}
		for i, c := range s.cells {
			played[c.ID()]++
			if c.Event != s.event || ends(c) && i < len(s.cells)-1 {
				t.Errorf("%s is at %d of a session of %d cells of %s", c.ID(), i, len(s.cells), s.event)
			}
		}
		c := s.asCase(1)
		if len(c.Steps) != len(s.cells) || c.Project.Files[".claude/settings.json"] == "" {
			t.Errorf("%s: %d steps", s.event, len(c.Steps))
		}
		for _, needed := range fires(s.event, s.entry).Fixtures {
			has := func(f suites.Fixture) bool { return f.Path == needed.Path }
			if s.entry.Type != "http" && !slices.ContainsFunc(c.Steps[0].Fixtures, has) {
				t.Errorf("%s: without %s the event does not fire", s.event, needed.Path)
			}
		}
	}
	for _, c := range all {
		if played[c.ID()] != 1 {
			t.Errorf("%s is played %d times", c.ID(), played[c.ID()])
		}
	}
}

// TestPlan checks that each question is played with one client, by a step that judges it.
func TestPlan(t *testing.T) {
	t.Parallel()
	asked := make(map[string]int)
	for n, p := range playsOf(questions()) {
		c := p.asCase(n)
		for _, id := range p.ids() {
			asked[id]++
		}
		judged := make(map[string]bool)
		for i := range c.Steps {
			for _, row := range p.judge(i, suites.Result{}, strings.Clone) {
				judged[row.ID] = true
			}
		}
		if len(judged) != len(p.ids()) {
			t.Errorf("%s: %d of %d are judged", c.Name, len(judged), len(p.ids()))
		}
	}
	for _, q := range questions() {
		if asked[q.ID()] != 1 {
			t.Errorf("%s is asked %d times", q.ID(), asked[q.ID()])
		}
	}
}

// TestRegistered checks that the hooks that ran are compared with the predicted ones, and that a
// value that the client did not reach gives no verdict.
func TestRegistered(t *testing.T) {
	t.Parallel()
	rows := matching{{Event: "PreToolUse", Matcher: "Bash", Value: "Bash"}, {Event: "PreToolUse", Matcher: "bash", Value: "Bash"}}
	file := settingsFile(client.Files()[2])
	for ran, want := range map[string][]contractVerdict{
		"":                   {notReachable, notReachable},
		"any-PreToolUse 0":   {confirmed, confirmed},
		"any-PreToolUse 1":   {changed, changed},
		"any-PreToolUse 0 1": {confirmed, changed},
	} {
		for i, row := range rows.judge(0, suites.Result{Files: map[string][]byte{"{override}/ran": []byte(ran)}}, nil) {
			if row.Verdict != want[i] {
				t.Errorf("%q: %+v, want %s", ran, row, want[i])
			}
		}
	}
	for ran, want := range map[string]contractVerdict{"last kept": confirmed, "": changed, "last kept wrong": changed} {
		if row := file.judge(0, suites.Result{Client: "2.1.330", Files: map[string][]byte{"{override}/ran": []byte(ran)}}, nil)[0]; row.Verdict != want {
			t.Errorf("%q: %+v, want %s", ran, row, want)
		}
	}
}
