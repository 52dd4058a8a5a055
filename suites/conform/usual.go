package conform

import (
	"encoding/json"
	"fmt"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/shell"
)

// planTypical runs the hook as the client would, for inputs that its matcher accepts.
func planTypical(r *results) []Probe {
	return r.probes(typical(r.hook, r.tree))
}

func judgeTypical(r *results, j *judgement, f fired) {
	switch name, kind := client.MissingIn(f.Result); {
	case f.NotStarted != "":
		if j.ends = true; !j.faulty() {
			j.found("absent-program", "it could not be started: "+f.NotStarted)
		}
	case f.TimedOut:
		j.addTimeout(fmt.Sprintf("it had not ended after %s", r.patience()))
	case kind != client.MissingNothing && f.Exit != 0:
		j.judgeAbsent(r, f.Result, name, kind)
	case !r.needsAbsentProgram(f):
		j.judgeEnd(f)
	}
}

// planAgain runs a hook that delayed the end of the turn a second time.
func planAgain(r *results) []Probe {
	if r.first().Effect != suites.AnotherTurn || !r.about().Stop {
		return nil
	}
	return r.probes([]firing{{event: r.hook.Event, stopActive: true}})
}

func judgeAgain(r *results, j *judgement, f fired) {
	blocks := func(f fired) bool {
		kind := client.Kind(f.EffectRule)
		return f.Effect == suites.AnotherTurn && (kind == client.Exit2 || kind == client.JSONNo)
	}
	if blocks(f) && blocks(r.first()) {
		j.found("stop-loop", "it holds up the stop, and the next one with stop_hook_active too")
	}
}

// nested is the file in which calls of the client are recorded: "once" for a call by the hook, and
// "again" for a call by the hook that such a session fires in turn.
const nested = "{tmp}/nested"

// nestedClient returns a script that stands in for the client. A session that runs hooks would fire
// the same hook again, with the same environment. The script does so once, because a loop would not
// end.
func nestedClient(command string) string {
	return `case " $* " in *' --bare '*|*' --safe-mode '*|*' --setting-sources'*|*disableAllHooks*) exit 0;; esac
[ -n "$HOOKWATCH_NESTED" ] && { echo again >>'` + nested + `'; exit 0; }
echo once >>'` + nested + `'
HOOKWATCH_NESTED=1 sh -c ` + shell.Quote(command) + ` <'{tmp}/nested-input' >/dev/null 2>&1
exit 0
`
}

// callsClient reports whether a hook names the client as a program.
func callsClient(r *results) bool { return fires(r) && r.hook.Args == nil && calls(r.text, "claude") }

// planNesting runs a hook that calls the client with a stand-in for it, which shows whether the hook calls it again
// when that session fires it.
func planNesting(r *results) []Probe {
	p := r.probe(r.first().firing)
	p.around(func(s *suites.CaseEnv) {
		s.Programs = []suites.Program{{Name: "claude", Script: nestedClient(r.hook.Command)}}
	})
	step := &p.Case.Steps[0]
	step.Fixtures = append(step.Fixtures, suites.Fixture{Path: "{tmp}/nested-input", Content: string(step.PayloadRaw)})
	step.Expect.Files = []suites.FileExpectation{{Path: nested}}
	return []Probe{p}
}

func judgeNesting(r *results, j *judgement, f fired) {
	if strings.Contains(string(f.Files[nested]), "again") {
		j.found("starts-client", fmt.Sprintf("it runs claude, whose session fires it again for %s: that has no end", r.hook.Event), suites.Warning)
	}
}

// planRuled sends a hook that rewrites commands those that a permission rule denies or asks about. The
// client applies the rules to the rewritten command; observed on client 2.1.332.
func planRuled(r *results) (probes []Probe) {
	if r.about().Guards != client.Calls {
		return nil
	}
	for _, rule := range r.tree.Registered.Rules {
		f := conditional(discover.Hook{Event: r.hook.Event, Matcher: r.hook.Matcher, If: rule.Text}, firing{})
		if f.note = rule.String(); f.command != "" {
			probes = append(probes, r.probe(f))
		}
	}
	return probes
}

func judgeRuled(r *results, j *judgement, f fired) {
	after := replaced(f.Result)
	if f.Effect != suites.Rewritten || after == "" {
		return
	}
	payload, _ := json.Marshal(map[string]any{"tool_name": f.tool, "tool_input": map[string]string{"command": after}}) // text always encodes
	_, text, _ := strings.Cut(f.note, " has ")
	if rule := (discover.Registered{Rules: []client.PermissionRule{{List: "deny", Text: text}}}); !rule.Ruled("", payload).Applies() {
		j.seen("rewrite-hides-rule", fmt.Sprintf("%s, and the hook makes %s of it, which the rule does not match", f.note, Short(after)), f.input())
	}
}

// replaced returns the command in updatedInput.
func replaced(r suites.Result) (command string) {
	_ = json.Unmarshal(updated(r)["command"], &command) // without a command it stays empty
	return command
}
