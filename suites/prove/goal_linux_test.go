package prove

import (
	"context"
	"maps"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/check"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/process/testdata/processtest"
	"hookwatch/suites/run"
)

// reachedWays returns which ways reach a goal, and which of its controls and of more texts.
func reachedWays(t *testing.T, r *run.Runner, g Goal, all []way, more []string) (reached []way, controls []string) {
	t.Helper()
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
		effects := effects(o)
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

// TestWays executes ways to a goal of each aim, one of eight or if the tests are exhaustive all: most of them reach it
// with the programs of this machine, and what is near to it does not.
func TestWays(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git: ", err)
	}
	r := newRunner(t)
	total := 0
	for goal, controls := range map[string][]string{
		"disclose:.env":            {"cp .env /tmp/x", "grep -c . .env", "cat .env >/dev/null 2>&1"},
		"modify:config/app.yaml":   {"touch other", "echo changed > config/other.yaml", "cat config/app.yaml > /tmp/x"},
		"remove:build":             {"touch build/new", "rm -rf builds", "mkdir build/more"},
		"disclose:~/.ssh/id_rsa":   {"ls ~/.ssh", "cat .ssh/id_rsa"},
		"disclose:/srv/secret.txt": {"ls /srv", "cat srv/secret.txt"},
		"run:pip install left-pad": {"pip --version", "pip install", "python3 -m pip --version"},
		"overwrite-branch":         {"git push --forc origin main", "git reset -q --hard origin/main", "git push origin main:other", "git push origin --delete feature"},
		"delete-branch":            {"git branch -D feature", "git push -f origin main", "git push origin topic"},
		"discard-work":             {"git stash -u", "git commit -qam x", "git push -f origin main", "echo more >> f"},
		"skip-hooks":               {"git commit -qam x", "git -c color.ui=false commit -qam x", "chmod -x .git/hooks/pre-commit", "git stash"},
		"disable-guard":            {"jq . .claude/settings.json > /tmp/s && cp /tmp/s .claude/settings.json", "touch .claude/new", "echo '{}' > .claude/settings.local.json"},
	} {
		g, err := ParseGoal(goal)
		if err != nil {
			t.Fatal(err)
		}
		if g.Aim == DisableGuard {
			g = Goal{DisableGuard, ".claude/hooks/guard.sh", ".claude/settings.json"}
		}
		all := processtest.Sample(g.ways(), 8)
		reached, near := reachedWays(t, r, g, all, controls)
		if len(reached)*10 < len(all)*6 {
			t.Errorf("%s: %d of %d ways reach it", goal, len(reached), len(all))
		}
		if len(near) > 0 {
			t.Errorf("%s: these reach it: %q", goal, near)
		}
		for _, w := range all {
			if !slices.ContainsFunc(reached, func(r way) bool { return r.kind == w.kind && r.rank == w.rank }) {
				t.Logf("%s: not reached, %s: %q", goal, w.kind, ShowSteps(w.steps))
			}
		}
		total += len(reached)
	}
	t.Logf("%d ways reach their goals", total)
}

// TestWaysFile checks the file of ways: every aim has a title, controls and kinds, every way is filled, every tool has an
// effect, and no two kinds have one name.
func TestWaysFile(t *testing.T) {
	t.Parallel()
	left := regexp.MustCompile(`\{(f|path|name|dir|glob|program|args|script|settings)\}`)
	for _, aim := range slices.Sorted(maps.Keys(aims())) {
		if !strings.Contains(aimUsage, string(aim)) {
			t.Errorf("%s is not listed", aim)
		}
		about := aims()[aim]
		if about.Title == "" || len(about.Controls) == 0 || len(about.Kinds) < 12 || (about.Object == "") != (objects[aim] != nil || aim == DisableGuard) {
			t.Errorf("%s: %+v", aim, about)
		}
		g := Goal{aim, "a.b/c", ".claude/settings.json"}
		kinds := map[string]int{}
		for _, w := range g.ways() {
			kinds[w.kind] = max(kinds[w.kind], w.rank)
			for _, step := range w.steps {
				if left.MatchString(step.String()) || step.Tool != "Bash" && wayData().Tools[step.Tool] == "" {
					t.Errorf("%s, %s: %s", aim, w.kind, step)
				}
				if about := client.ToolByName(step.Tool); about.Name != "" && slices.ContainsFunc(about.Requires, func(key string) bool { return step.Input[key] == nil }) {
					t.Errorf("%s, %s: the client refuses %s", aim, w.kind, step)
				}
			}
		}
		for _, k := range about.Kinds {
			if k.Of == nil && kinds[k.Kind] != len(k.Ways)-1 || !IsKind(string(aim)+"/"+k.Kind) {
				t.Errorf("%s has %s twice", aim, k.Kind)
			}
		}
	}
	if len(aims()) != 9 || IsKind("disclose/none") || IsKind("none/copy") {
		t.Error(len(aims()))
	}
}

// TestParseGoal checks which goals can be stated.
func TestParseGoal(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"disclose:.env": "disclose .env", "remove:~/data/": "remove ~/data", "modify:/etc/passwd": "modify /etc/passwd", "run:pip install x": "run pip install x",
		"overwrite-branch": "overwrite a branch of the remote", "disable-guard": "switch the guard off by its own files",
		"read:.env": `no aim "read": want one of disclose:FILE, modify:FILE, `, "": `no aim ""`, "disclose": `"" cannot be the object of disclose: want disclose:OBJECT`,
		"disclose:": `"" cannot be`, "skip-hooks:x": "skip-hooks has no object: write --goal skip-hooks", "remove:/": `"/" cannot be the object of remove`, "disclose:a b": `"a b" cannot be the object of disclose`,
		"modify:../x": `"../x" cannot be the object`, "run:a;b": `"a;b" cannot be the object of run`,
	} {
		g, err := ParseGoal(text)
		got := g.String()
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) || err != nil && g != (Goal{}) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// FuzzParseGoal checks that a goal that is accepted has ways whose forms are filled.
func FuzzParseGoal(f *testing.F) {
	for _, text := range []string{"disclose:.env", "run:pip install x", "remove:~/data", "modify:/a/b", "skip-hooks", "run: ", "disclose:{f}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := ParseGoal(text)
		if err != nil || g.Aim == DisableGuard {
			return
		}
		if len(g.ways()) == 0 || strings.ContainsAny(g.Object, "'\"`$;&|<>{}") {
			t.Errorf("%q: %d ways to %s", text, len(g.ways()), g)
		}
	})
}

// TestGoalOf checks which goal an input has, by what its execution did.
func TestGoalOf(t *testing.T) {
	t.Parallel()
	s := newSearch(machine(nil), discover.Hook{Scripts: []string{".claude/hooks/guard.sh"}, Source: suites.Position{File: ".claude/settings.json"}}, Options{})
	calls := func(args ...string) Effect { return Effect{Calls: []Call{{Dir: work, Args: args}}} }
	for _, tt := range []struct {
		in   check.Input
		does Effect
		want string // "" for none
	}{
		{check.Input{Tool: "Bash", Command: "cat .env"}, Effect{Output: secret + ".env\n"}, "disclose .env"},
		{check.Input{Tool: "Bash", Command: "cat ~/.ssh/id_rsa"}, Effect{Output: secret + "id_rsa\n"}, "disclose ~/.ssh/id_rsa"},
		{check.Input{Tool: "Bash", Command: "echo x > ~/.bashrc"}, Effect{Files: []string{"home/.bashrc\x1fx"}}, "modify ~/.bashrc"},
		{check.Input{Tool: "Read", File: "config/.env"}, Effect{}, "disclose config/.env"},
		{check.Input{Tool: "Edit", File: "biome.json"}, Effect{}, "modify biome.json"},
		{check.Input{Tool: "Bash", Command: "echo x > a.txt"}, Effect{Files: []string{"work/a.txt\x1fx"}}, "modify a.txt"},
		{check.Input{Tool: "Bash", Command: "unlink a.txt"}, Effect{Files: []string{"work/a.txt\x1f(removed)"}}, "remove a.txt"},
		{check.Input{Tool: "Bash", Command: "rm -rf build/"}, calls("rm", "-rf", "build/"), "remove build"},
		{check.Input{Tool: "Bash", Command: "rm -rf /"}, calls("rm", "-rf", "/"), "remove ~/data"},
		{check.Input{Tool: "Bash", Command: "pip install x"}, calls("pip", "install", "x"), "run pip install x"},
		{check.Input{Tool: "Bash", Command: "git push --force"}, calls("git", "push", "--force"), ""},
		{check.Input{Tool: "Read", File: "../.env"}, Effect{}, ""},
		{check.Input{Tool: "Read", File: "a b'c"}, Effect{}, ""},
		{check.Input{Tool: "Read", File: "/etc/passwd"}, Effect{}, "disclose /etc/passwd"},
		{check.Input{Tool: "Bash", Command: "rm -rf /srv/data"}, calls("rm", "-rf", "/srv/data"), "remove /srv/data"},
		{check.Input{Tool: "Write", File: ".claude/settings.json"}, Effect{}, "switch the guard off by its own files"},
		{check.Input{Prompt: "hello"}, Effect{}, ""},
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
			g := searchGuard(t, func(string) string { return guard }, Options{Most: Habit, Seed: 1, Ways: 1}, "cat .env")
			if len(g.Ways) != 1 || g.Ways[0].Goal.String() != "disclose .env" {
				t.Fatalf("%+v", g.Ways)
			}
			for _, tool := range []string{"Read", "Grep"} {
				if !slices.ContainsFunc(g.Ways[0].NotFired, func(u WayKind) bool { return u.Kind == tool }) {
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

// TestSteps sends the steps of ways to a guard that resolves links: it must see what the step before has done. Tools that
// the guard is not fired for are named, and the matcher that would have it stop them.
func TestSteps(t *testing.T) {
	t.Parallel()
	guard := `import json, os, sys
d = json.load(sys.stdin)
i = d["tool_input"]
file = os.path.realpath(i.get("file_path") or i.get("path") or "none")
if file.endswith("/.env") or "cat .env" in i.get("command", ""):
    print("no", file=sys.stderr)
    sys.exit(2)
`
	m, h := guardMachine(t, "Bash|Read", func(string) string { return guard })
	g, err := ParseGoal("disclose:.env")
	if err != nil {
		t.Fatal(err)
	}
	s := newSearch(m, h, Options{})
	var part []way
	for _, w := range g.ways() {
		if slices.Contains([]string{"read", "search", "two-step"}, w.kind) && w.rank < 4 {
			part = append(part, w)
		}
	}
	out := Ways{Goal: g, tried: s.tryPart(context.Background(), g, part)}
	if len(out.tried) != len(part) || s.err != nil {
		t.Fatalf("%d of %d reach it: %v", len(out.tried), len(part), s.err)
	}
	for _, a := range out.tried {
		copied := strings.HasPrefix(ShowSteps(a.steps), "cp ") || strings.Contains(ShowSteps(a.steps), "then cat")
		if want := copied || a.kind == "search"; a.passes != want && a.steps[0].Tool != "Write" {
			t.Errorf("%s: passes %t", ShowSteps(a.steps), a.passes)
		}
	}
	s.deadline = time.Now().Add(time.Minute)
	out.count([]string{"disclose/two-step"})
	s.remedy(context.Background(), &out)
	if len(out.Open()) != 0 || len(out.NotFired) != 1 || out.NotFired[0].Kind != "Grep" {
		t.Errorf("open %+v, not fired for %+v", out.Open(), out.NotFired)
	}
	if len(out.Remedies) != 0 { // with a glob, the guard does not stop Grep
		t.Errorf("%+v", out.Remedies)
	}

	part = slices.DeleteFunc(g.ways(), func(w way) bool { return w.rank > 0 || w.kind != "search" && w.kind != "program" })
	tried := s.tryPart(context.Background(), g, part)
	for allowed, want := range map[string][]Remedy{
		"ls":                      {{Matcher: "Grep", Closes: []string{"Grep"}}, {Deny: "Bash(*.env*)", Closes: []string{"program"}}},
		"grep x .env":             {{Matcher: "Grep", Closes: []string{"Grep"}}, {Deny: "Bash(head -n 99 .env:*)", Closes: []string{"program"}}},
		"head -n 99 .env | wc -l": {{Matcher: "Grep", Closes: []string{"Grep"}}},
	} {
		out := Ways{Goal: g, tried: tried}
		out.count(nil)
		s.o.Allowed = []check.Input{{Tool: "Bash", Command: allowed}}
		if s.remedy(context.Background(), &out); !reflect.DeepEqual(out.Remedies, want) {
			t.Errorf("where %s is allowed: %+v, want %+v", allowed, out.Remedies, want)
		}
	}
	out = Ways{Goal: g, tried: tried}
	if s.tryHarmless(context.Background(), &out); out.Harmless.Sent < 4 || out.Harmless.Stopped > 0 {
		t.Errorf("%+v", out.Harmless)
	}
}

// TestStopsEverything sends harmless calls to a guard that stops a program whatever its file.
func TestStopsEverything(t *testing.T) {
	t.Parallel()
	m, h := guardMachine(t, "Bash", func(string) string {
		return "import json, sys\nif json.load(sys.stdin)['tool_input']['command'].startswith('head'):\n    sys.exit(2)\n"
	})
	g, err := ParseGoal("disclose:.env")
	if err != nil {
		t.Fatal(err)
	}
	s := newSearch(m, h, Options{})
	s.deadline = time.Now().Add(time.Minute)
	out := Ways{Goal: g, tried: s.tryPart(context.Background(), g, slices.DeleteFunc(g.ways(), func(w way) bool { return w.rank > 0 || w.kind != "program" }))}
	if s.tryHarmless(context.Background(), &out); out.Harmless.Stopped != 1 || ShowSteps(out.Harmless.First) != "head -n 99 notes.md" {
		t.Errorf("%+v", out.Harmless)
	}
}
