package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/explore"
)

// A globGuard is a script of bash that stops commands which match globs, with a function that logs as bash does.
type globGuard []string

// source returns the script.
func (g globGuard) source() string {
	src := "#!/bin/bash\nc=$(jq -r .tool_input.command)\n"
	for _, glob := range g {
		src += "[[ $c == " + glob + " ]] && exit 2\n"
	}
	return src
}

// fire returns what the observed script does with a request.
func (g globGuard) fire(q suites.Request) (suites.Outcome, error) {
	var sent struct {
		Input struct{ Command string } `json:"tool_input"`
	}
	step := q.Case.Steps[0]
	if json.Unmarshal(step.PayloadRaw, &sent) != nil || step.Stdin != nil {
		return suites.Outcome{Results: []suites.Result{passes}, Trace: map[string][]byte{"bash/log": nil}}, nil
	}
	commands, result := []string{"2 jq -r .tool_input.command", "2 c=" + quotedWord(sent.Input.Command)}, passes
	for i, glob := range g {
		commands = append(commands, fmt.Sprintf("%d [[ %s == %s ]]", i+3, quotedWord(sent.Input.Command), glob))
		if strings.HasPrefix(sent.Input.Command, strings.TrimSuffix(glob, "*")) {
			commands = append(commands, fmt.Sprintf("%d exit 2", i+3))
			result = denies
			break
		}
	}
	return suites.Outcome{Results: []suites.Result{result}, Trace: map[string][]byte{"bash/log": []byte(strings.ReplaceAll(logOf(commands...), "/p/", ""))}}, nil
}

// quotedWord returns a word as bash logs it.
func quotedWord(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// version returns the version of a hook whose script is such a guard.
func (g globGuard) version(t *testing.T) Version {
	t.Helper()
	tree := treeOf(t, map[string]string{"guard.sh": g.source()}, `"$CLAUDE_PROJECT_DIR"/guard.sh`)
	return Version{Tree: tree, Hook: &tree.Registered.Hooks[0], Fire: g.fire}
}

// inputsOf returns the inputs of calls, those that decide with a star.
func inputsOf(all []Try) string {
	var inputs []string
	for _, one := range all {
		inputs = append(inputs, one.Input+map[bool]string{true: "*"}[one.Decides])
	}
	return strings.Join(inputs, ", ")
}

// TestExplore checks that an exploration of a guard comes to each of its decisions, and what it returns.
func TestExplore(t *testing.T) {
	t.Parallel()
	v := globGuard{"sudo*", "make deploy*"}.version(t)
	fired := 0
	tries, err := Explore(v.Tree, *v.Hook, func(q suites.Request) (suites.Outcome, error) {
		if fired++; q.Trace == nil || q.Name != v.Hook.ID {
			t.Errorf("%+v is not observed", q)
		}
		return v.Fire(q)
	})
	if got := inputsOf(tries); err != nil || !strings.HasPrefix(got, "sudo") || !strings.Contains(got, "*, make deploy") {
		t.Errorf("%s, %v", got, err)
	}
	for _, one := range tries {
		if one.Case.Timeout != 0 || one.Sent.Command != one.Input {
			t.Errorf("%+v", one)
		}
	}
	if fired > mostExplored {
		t.Errorf("%d firings", fired)
	}
}

// TestExploreEnds checks which hooks are not explored, and that an error of a firing ends an exploration.
func TestExploreEnds(t *testing.T) {
	t.Parallel()
	failed := errors.New("no sandbox")
	for name, tt := range map[string]struct {
		change func(*Version)
		fired  int
		err    error
	}{
		"a guard": {func(*Version) {}, -1, nil},
		"one that fails": {func(v *Version) {
			v.Fire = func(suites.Request) (suites.Outcome, error) { return suites.Outcome{}, failed }
		}, 1, failed},
		"one that is not run": {func(v *Version) {
			v.Fire = func(suites.Request) (suites.Outcome, error) { return suites.Outcome{NotRun: &suites.NotRun{}}, nil }
		}, 1, nil},
		"one of another client":   {func(v *Version) { v.Hook.Client = "codex" }, 0, nil},
		"one that only it runs":   {func(v *Version) { v.Hook.Type = "prompt" }, 0, nil},
		"one to download":         {func(v *Version) { v.Hook.Command = "npx absent" }, 0, nil},
		"one without a script":    {func(v *Version) { v.Hook.Scripts = nil }, 0, nil},
		"one that is never fired": {func(v *Version) { v.Hook.Event, v.Hook.Matcher = "SessionStart", "begin" }, 0, nil},
		"one that hides its log":  {func(v *Version) { writing("guard.sh", "#!/bin/bash\nset +x\n")(&v.Tree) }, 0, nil},
	} {
		v := globGuard{"sudo*"}.version(t)
		tt.change(&v)
		fired := 0
		tries, err := Explore(v.Tree, *v.Hook, func(q suites.Request) (suites.Outcome, error) { fired++; return v.Fire(q) })
		if tt.fired >= 0 && fired > 2*tt.fired || tt.fired != 0 && fired == 0 || !errors.Is(err, tt.err) || len(tries) > 0 != (tt.fired < 0) {
			t.Errorf("%s: %d firings, %s, %v", name, fired, inputsOf(tries), err)
		}
	}
}

// TestExploredHooks checks that a hook is not explored which cannot do its work here, or whose refusal has no effect.
func TestExploredHooks(t *testing.T) {
	t.Parallel()
	v := globGuard{"sudo*"}.version(t)
	for name, tt := range map[string]struct {
		by   map[string][]fired
		want bool
	}{
		"a guard":               {onEcho(passes), true},
		"one in the background": {onEcho(inBack), false},
		"one that lacks jq":     {jqLookup, false},
	} {
		r := &results{subject: subjectOf(v.Tree, *v.Hook), by: tt.by}
		r.tree.Installed = func(string) bool { return tt.by["absent"] == nil }
		if probes := planExplored(r); len(probes) > 0 != tt.want || r.exploration != nil != tt.want {
			t.Errorf("%s: %d probes", name, len(probes))
		}
	}
}

// TestExploreBoth checks that the calls come first that only one of two versions of a guard stops, in either order, and
// that one version may have no such hook.
func TestExploreBoth(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		guards [2]globGuard
		first  string
	}{
		"a rule more": {[2]globGuard{{"sudo*"}, {"sudo*", "make deploy*"}}, "make deploy"},
		"a rule less": {[2]globGuard{{"sudo*", "make deploy*"}, {"sudo*"}}, "make deploy"},
		"another one": {[2]globGuard{{"sudo a*"}, {"sudo b*"}}, "sudo"},
		"a new hook":  {[2]globGuard{nil, {"sudo*"}}, ""},
	} {
		var versions [2]Version
		for i, g := range tt.guards {
			if g != nil {
				versions[i] = g.version(t)
			}
		}
		all, err := ExploreBoth(versions)
		if got := inputsOf(all); err != nil || !strings.HasPrefix(got, tt.first) || !strings.Contains(got, "sudo") {
			t.Errorf("%s: %s, %v, want %s first", name, got, err, tt.first)
		}
	}
}

// TestComplete checks which decisions an exploration still looks for: those of the hook's scripts, and of modules as far
// as something calls them.
func TestComplete(t *testing.T) {
	t.Parallel()
	h := discover.Hook{ID: "h", Event: "PreToolUse", Matcher: "Bash", Scripts: []string{"guard.sh"}}
	for name, tt := range map[string]struct {
		scripts []string
		reached bool
		want    bool
	}{
		"one of the hook, reached":       {[]string{"guard.sh"}, true, true},
		"one of the hook":                {[]string{"guard.sh"}, false, false},
		"one of a module, not called":    {nil, false, true},
		"one of a module, and of a hook": {[]string{"guard.sh"}, false, false},
	} {
		h.Scripts = tt.scripts
		x := newExplorationOf(h, nil, "guard.sh")
		x.courses = map[string]*explore.Course{"guard.sh": courseOf("#!/bin/bash\nf() {\n  exit 2\n}\n", "Bash", "9 true")}
		x.decide()
		x.reached[0] = tt.reached
		if got := x.left() == 0; got != tt.want || len(x.decisions) != 1 {
			t.Errorf("%s: %v, want %v: %v", name, got, tt.want, x.decisions)
		}
	}
}
