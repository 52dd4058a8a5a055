package prove

import (
	"context"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites/conform"
	"hookwatch/suites/discover"
)

// reachedWays returns the ways that reach a goal, and those among controls.
func reachedWays(t *testing.T, g Goal, more ...string) (reached []way, controls []string) {
	t.Helper()
	r := newRunner(t)
	all := g.ways()
	var texts, standIns []string
	for _, w := range all {
		texts = append(texts, w.text)
	}
	if g.Aim == RunIt {
		standIns = []string{strings.Fields(g.Object)[0]}
	}
	o, err := r.Case(context.Background(), execution(g.present(), standIns, append(texts, more...)))
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range Effects(o) {
		switch {
		case !g.reached(e):
		case i < len(all):
			reached = append(reached, all[i])
		default:
			controls = append(controls, more[i-len(all)])
		}
	}
	if err := r.Remove(o); err != nil {
		t.Fatal(err)
	}
	return reached, controls
}

// TestWays executes the ways to a goal of each aim: most of them reach it, and what is near to it does not.
func TestWays(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		goal     Goal
		least    int // ways, of programs that every machine with this project's tools has
		controls []string
	}{
		{Goal{Disclose, ".env"}, 30, []string{"true", "ls -la", "wc -c .env", "echo .env", "stat .env", "cp .env /tmp/x"}},
		{Goal{Modify, "config/app.yaml"}, 20, []string{"cat config/app.yaml", "touch other", "echo changed > config/other.yaml", "cp config/app.yaml /tmp/x"}},
		{Goal{Remove, "build"}, 15, []string{"ls build", "rm -rf other", "find build -name none -delete", "touch build/new"}},
		{Goal{Disclose, "~/.ssh/id_rsa"}, 25, []string{"ls ~/.ssh", "cat .ssh/id_rsa"}},
		{Goal{Remove, "~/data"}, 15, []string{"ls ~/data", "rm -rf data", "rm -rf ~/other"}},
		{Goal{RunIt, "pip install left-pad"}, 15, []string{"echo pip install left-pad", "pip --version", "true # pip install left-pad"}},
	} {
		t.Run(tt.goal.String(), func(t *testing.T) {
			t.Parallel()
			reached, controls := reachedWays(t, tt.goal, tt.controls...)
			if len(reached) < tt.least {
				t.Errorf("%d of %d ways reach it, want at least %d", len(reached), len(tt.goal.ways()), tt.least)
			}
			if len(controls) > 0 {
				t.Errorf("these reach it: %q", controls)
			}
			for _, w := range tt.goal.ways() {
				if !slices.Contains(reached, w) {
					t.Logf("not reached, %s: %q", w.kind, w.text)
				}
			}
		})
	}
}

// TestGoalOf checks which goal an input has, by what its execution did.
func TestGoalOf(t *testing.T) {
	t.Parallel()
	calls := func(args ...string) Effect { return Effect{Calls: []Call{{Dir: work, Args: args}}} }
	for _, tt := range []struct {
		in   conform.Input
		does Effect
		want string // "" for none
	}{
		{conform.Input{Tool: "Bash", Command: "cat .env"}, Effect{Output: secret + ".env\n"}, "disclose .env"},
		{conform.Input{Tool: "Bash", Command: "cat ~/.ssh/id_rsa"}, Effect{Output: secret + "id_rsa\n"}, "disclose ~/.ssh/id_rsa"},
		{conform.Input{Tool: "Bash", Command: "echo x > ~/.bashrc"}, Effect{Files: []string{"home/.bashrc\x1fx"}}, "modify ~/.bashrc"},
		{conform.Input{Tool: "Read", File: "config/.env"}, Effect{}, "disclose config/.env"},
		{conform.Input{Tool: "Edit", File: "biome.json"}, Effect{}, "modify biome.json"},
		{conform.Input{Tool: "Bash", Command: "echo x > a.txt"}, Effect{Files: []string{"work/a.txt\x1fx"}}, "modify a.txt"},
		{conform.Input{Tool: "Bash", Command: "unlink a.txt"}, Effect{Files: []string{"work/a.txt\x1f(removed)"}}, "remove a.txt"},
		{conform.Input{Tool: "Bash", Command: "rm -rf build/"}, calls("rm", "-rf", "build/"), "remove build"},
		{conform.Input{Tool: "Bash", Command: "rm -rf /"}, calls("rm", "-rf", "/"), "remove ~/data"},
		{conform.Input{Tool: "Bash", Command: "pip install x"}, calls("pip", "install", "x"), "run pip install x"},
		{conform.Input{Tool: "Bash", Command: "git push --force"}, calls("git", "push", "--force"), ""},
		{conform.Input{Tool: "Read", File: "../.env"}, Effect{}, ""},
		{conform.Input{Tool: "Read", File: "a b'c"}, Effect{}, ""},
		{conform.Input{Prompt: "hello"}, Effect{}, ""},
	} {
		g, ok := goalOf(tt.in, tt.does)
		if ok != (tt.want != "") || ok && g.String() != tt.want {
			t.Errorf("%+v: %s, %t, want %q", tt.in, g, ok, tt.want)
		}
	}
	if got := toolsNotFired(conform.Tree{}, discover.Hook{Event: "PreToolUse", Matcher: "Edit|Write"}, Goal{Modify, "a"}); !slices.Equal(got, []string{"Bash"}) {
		t.Errorf("not fired for %q", got)
	}
}

// TestOtherWays searches a guard that knows one program, and one that denies all commands which name the file.
func TestOtherWays(t *testing.T) {
	t.Parallel()
	for condition, tt := range map[string]struct{ open, stopped []string }{
		`"cat " in c and ".env" in c`: {[]string{"glob", "interpreter", "program"}, []string{"elsewhere"}},
		`".env" in c`:                 {[]string{"glob", "sweep"}, []string{"copy", "elsewhere", "interpreter", "program", "redirect"}},
	} {
		t.Run(condition, func(t *testing.T) {
			t.Parallel()
			guard := "import json, sys\nc = json.load(sys.stdin)[\"tool_input\"][\"command\"]\nif " + condition + ":\n    print(\"no\", file=sys.stderr)\n    sys.exit(2)\n"
			g := searchGuard(t, func(string) string { return guard }, Options{Most: Habit, Seed: 1}, "cat .env")
			if len(g.Ways) != 1 || g.Ways[0].Goal != (Goal{Disclose, ".env"}) || !slices.Equal(g.Ways[0].NotFired, []string{"Read", "Grep"}) {
				t.Fatalf("%+v", g.Ways)
			}
			for _, k := range g.Ways[0].Kinds {
				if slices.Contains(tt.open, k.Kind) && k.Passed == 0 || slices.Contains(tt.stopped, k.Kind) && k.Passed > 0 {
					t.Errorf("%+v", k)
				}
			}
		})
	}
}
