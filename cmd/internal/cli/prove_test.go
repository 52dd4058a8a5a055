package cli

import (
	"fmt"
	"strings"
	"testing"

	"hookwatch/suites/check"
	"hookwatch/suites/prove"
	"hookwatch/suites/report"
)

// TestPrintProved checks the words for each kind of finding, and for a search that did not end.
func TestPrintProved(t *testing.T) {
	t.Parallel()
	push := check.Input{Tool: "Bash", Command: "git push --force"}
	for what, want := range map[prove.What]string{
		prove.Bypass:     "  passes: git push -f   [habit] and 2 more\n",
		prove.FalseBlock: "  stopped by mistake: git push -f\n",
		prove.Injection:  "  EXECUTES ITS INPUT: git push -f\n",
		prove.Choke:      "  passes with an unusual field: git push -f\n",
	} {
		f := report.ProvenFinding{Hook: "g", What: what, Input: check.Input{Tool: "Bash", Command: "git push -f"}, From: push, Does: "calls git", Effect: "proceeds", Because: "exit code 0"}
		if what == prove.Bypass {
			f.Kind, f.Others = "habit", 2
		}
		var b strings.Builder
		printProved(&b, proveDocument{Proved: report.Proved{Guards: []report.ProvenGuard{{ID: "g", Stops: []string{push.Command}, Complete: what != prove.Choke}}, Findings: []report.ProvenFinding{f}}}, false)
		for _, line := range []string{want, "  stops git push --force\n", "    it calls git; git push --force is stopped\n    the hook's answer: proceeds, exit code 0\n", "1 guard, 1 finding shown"} {
			if !strings.Contains(b.String(), line) {
				t.Errorf("%s: no %q in\n%s", what, line, b.String())
			}
		}
		if strings.Contains(b.String(), "not everything was tried") != (what == prove.Choke) {
			t.Errorf("%s: whether the search ended\n%s", what, b.String())
		}
	}
}

// TestPrintWays checks what is said of the ways to a goal, and that those that pass are shown in part without -v.
func TestPrintWays(t *testing.T) {
	t.Parallel()
	bash := func(command string) []prove.Step {
		return []prove.Step{{Tool: "Bash", Input: map[string]any{"command": command}}}
	}
	to := prove.Ways{
		Goal: prove.Goal{Aim: prove.Disclose, Object: ".env"}, Kinds: []prove.WayKind{{Kind: "copy", Reached: 2}, {Kind: "option", Reached: 1, Passed: 1, Open: bash("grep . .env"), Wanted: true}},
		NotFired: []prove.WayKind{{Kind: "Read", Open: []prove.Step{{Tool: "Read", Input: map[string]any{"file_path": "{project}/.env"}}}}},
		Harmless: prove.Harmless{Sent: 3, Stopped: 2, First: bash("cat notes.md")},
		Remedies: []prove.Remedy{{Deny: "Read(.env)", Closes: []string{"Read"}}, {Matcher: "Grep", Closes: []string{"Grep"}}},
	}
	for i := range 8 {
		to.Kinds = append(to.Kinds, prove.WayKind{Kind: fmt.Sprint("kind", i), Reached: 1, Passed: 1, Open: bash("a\nb")})
	}
	for verbose, more := range map[bool]string{false: "    and by kind6, kind7 (-v)\n", true: "    passes, kind6: a\\nb\n    passes, kind7: a\\nb\n"} {
		var b strings.Builder
		printWays(&b, to, verbose)
		for _, line := range []string{
			"  to disclose .env: stops 1 of 9 kinds of ways; not everything was tried\n", "    passes, kind5: a\\nb\n", more,
			"    passes as the configuration allows, option: grep . .env\n", "    not wired to Read: Read {\"file_path\":\"{project}/.env\"}\n",
			"    stops 2 of 3 harmless calls as well, such as cat notes.md\n", "    to close Read: add Read(.env) to permissions.deny\n", "    to close Grep: name Grep in its matcher\n",
		} {
			if !strings.Contains(b.String(), line) {
				t.Errorf("verbose %t: no %q in\n%s", verbose, line, b.String())
			}
		}
	}
}
