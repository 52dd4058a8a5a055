package prove

import (
	"context"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/conform"
	"hookwatch/suites/discover"
)

// reachedWays returns the ways that reach a goal, and those among controls.
func reachedWays(t *testing.T, g Goal, more ...string) (reached []way, controls []string) {
	t.Helper()
	r := newRunner(t)
	all := g.ways()
	var texts []string
	for _, w := range all {
		texts = append(texts, strings.Join(w.texts, "\n"))
	}
	for _, text := range append(slices.Clone(g.about().Controls), more...) {
		texts = append(texts, strings.NewReplacer(g.executed()...).Replace(text))
	}
	for _, part := range chunks(len(texts), 60) {
		o, err := r.Case(context.Background(), g.execution(texts[part[0]:part[1]]))
		if err != nil {
			t.Fatal(err)
		}
		effects := Effects(o)
		if len(effects) == 0 {
			t.Fatalf("nothing was executed: %+v", o)
		}
		for i, e := range effects {
			switch i += part[0]; {
			case !g.reached(e):
			case i < len(all):
				reached = append(reached, all[i])
			default:
				controls = append(controls, texts[i])
			}
		}
		if err := r.Remove(o); err != nil {
			t.Fatal(err)
		}
	}
	return reached, controls
}

// TestWays executes the ways to a goal of each aim: most of them reach it, and what is near to it does not.
func TestWays(t *testing.T) {
	t.Parallel()
	total := 0
	for _, tt := range []struct {
		goal     string
		least    int // ways, of programs that every machine with this project's tools has
		controls []string
	}{
		{"disclose:.env", 80, []string{"cp .env /tmp/x", "grep -c . .env", "cat .env >/dev/null 2>&1"}},
		{"modify:config/app.yaml", 60, []string{"touch other", "echo changed > config/other.yaml", "cat config/app.yaml > /tmp/x"}},
		{"remove:build", 50, []string{"touch build/new", "rm -rf builds", "mkdir build/more"}},
		{"disclose:~/.ssh/id_rsa", 40, []string{"ls ~/.ssh", "cat .ssh/id_rsa"}},
		{"disclose:/srv/secret.txt", 40, []string{"ls /srv", "cat srv/secret.txt"}},
		{"remove:~/data", 50, []string{"rm -rf data", "rm -rf ~/other"}},
		{"run:pip install left-pad", 50, []string{"pip --version", "pip install", "python3 -m pip --version"}},
		{"overwrite-branch", 60, []string{"git push --forc origin main", "git reset -q --hard origin/main", "git push origin main:other", "git push origin --delete feature"}},
		{"delete-branch", 30, []string{"git branch -D feature", "git push -f origin main", "git push origin topic"}},
		{"discard-work", 50, []string{"git stash -u", "git commit -qam x", "git push -f origin main", "echo more >> f"}},
		{"skip-hooks", 30, []string{"git commit -qam x", "git -c color.ui=false commit -qam x", "chmod -x .git/hooks/pre-commit"}},
		{"disable-guard", 50, []string{"jq . .claude/settings.json > /tmp/s && cp /tmp/s .claude/settings.json", "touch .claude/new", "echo '{}' > .claude/settings.local.json", "git stash"}},
	} {
		t.Run(tt.goal, func(t *testing.T) {
			g, err := ParseGoal(tt.goal)
			if err != nil {
				t.Fatal(err)
			}
			if g.Aim == DisableGuard {
				g = Goal{DisableGuard, ".claude/hooks/guard.sh", ".claude/settings.json"}
			}
			reached, controls := reachedWays(t, g, tt.controls...)
			if len(reached) < tt.least {
				t.Errorf("%d of %d ways reach it, want at least %d", len(reached), len(g.ways()), tt.least)
			}
			if len(controls) > 0 {
				t.Errorf("these reach it: %q", controls)
			}
			total += len(reached)
			t.Logf("%d of %d", len(reached), len(g.ways()))
			for _, w := range g.ways() {
				if !slices.ContainsFunc(reached, func(r way) bool { return r.kind == w.kind && r.rank == w.rank }) {
					t.Logf("not reached, %s: %q", w.kind, ShowSteps(w.steps))
				}
			}
		})
	}
	t.Logf("%d ways reach their goals", total)
}

// TestGoalOf checks which goal an input has, by what its execution did.
func TestGoalOf(t *testing.T) {
	t.Parallel()
	s := newSearch(&Machine{Jobs: 1}, discover.Hook{Scripts: []string{".claude/hooks/guard.sh"}, Source: suites.Position{File: ".claude/settings.json"}}, Options{})
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
		{conform.Input{Tool: "Read", File: "/etc/passwd"}, Effect{}, "disclose /etc/passwd"},
		{conform.Input{Tool: "Bash", Command: "rm -rf /srv/data"}, calls("rm", "-rf", "/srv/data"), "remove /srv/data"},
		{conform.Input{Tool: "Write", File: ".claude/settings.json"}, Effect{}, "switch the guard off by its own files"},
		{conform.Input{Prompt: "hello"}, Effect{}, ""},
	} {
		g, ok := s.goalOf(tt.in, tt.does)
		if ok != (tt.want != "") || ok && g.String() != tt.want {
			t.Errorf("%+v: %s, %t, want %q", tt.in, g, ok, tt.want)
		}
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
			if len(g.Ways) != 1 || g.Ways[0].Goal.String() != "disclose .env" {
				t.Fatalf("%+v", g.Ways)
			}
			for _, tool := range []string{"Read", "Grep"} {
				if !slices.ContainsFunc(g.Ways[0].NotFired, func(u Unfired) bool { return u.Tool == tool }) {
					t.Errorf("%s is not named: %+v", tool, g.Ways[0].NotFired)
				}
			}
			for _, k := range g.Ways[0].Kinds {
				if slices.Contains(tt.open, k.Kind) && k.Passed == 0 || slices.Contains(tt.stopped, k.Kind) && k.Passed > 0 {
					t.Errorf("%+v", k)
				}
			}
		})
	}
}
