package sessions_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites/corpus"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/sessions"
)

// hooks are registered in the project of the tests; names of scripts are those of hooks.
const hooks = `{"hooks": {
"PreToolUse": [
 {"matcher": "Bash", "hooks": [{"type": "command", "command": "sh guard.sh"}]},
 {"matcher": "Bash|Write", "hooks": [{"type": "command", "command": "sh audit.sh --all", "statusMessage": "auditing"}]},
 {"matcher": "Bash", "hooks": [{"type": "command", "command": "sh git.sh", "if": "Bash(git *)"}]},
 {"matcher": "Wirte", "hooks": [{"type": "command", "command": "sh typo.sh"}]},
 {"matcher": "Bash", "hooks": [{"type": "command", "command": "sh rare.sh", "if": "Bash(curl *)"}]},
 {"matcher": "Bash", "hooks": [{"type": "command", "command": "sh log.sh", "async": true}]}],
"PostToolUse": [{"matcher": "Write", "hooks": [{"type": "command", "command": "sh format.sh"}]}],
"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "sh context.sh"}]}],
"Stop": [{"hooks": [{"type": "command", "command": "sh done.sh"}]}],
"SessionEnd": [{"hooks": [{"type": "command", "command": "sh end.sh"}]}],
"PreCompact": [{"hooks": [{"type": "command", "command": "sh compact.sh"}]}]
}}`

const (
	guardReason = "do not push to the main branch"
	gitReason   = "commit what is staged first"
)

// project returns a project with the hooks, and what they print.
func project(t *testing.T, settings string) (root string, r discover.Registered, script func(string) string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range map[string]string{
		".claude/settings.json": settings, "guard.sh": "echo '" + guardReason + "' >&2 # a text of two hooks", "git.sh": "reason='" + gitReason + "' # a text of two hooks",
		"audit.sh": "", "typo.sh": "", "rare.sh": "", "log.sh": "", "format.sh": "", "context.sh": "", "done.sh": "", "end.sh": "", "compact.sh": "",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := discover.Hooks(disk.Reader{}, root, []string{".claude/settings.json"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return root, r, func(name string) string {
		text, _ := os.ReadFile(filepath.Join(root, name))
		return string(text)
	}
}

// figures are those of a hook, by the name of its script.
type figures struct {
	State    string
	Counts   map[string]int
	Inferred int
	Took     [2]int64 // p50 and p95
}

// A generator writes transcripts as client 2.1.332 does, and counts what it writes.
type generator struct {
	*rand.Rand
	root, session string
	n             int // IDs
	at            time.Time
	lines         []string
	want          map[string]figures
	took          map[string][]int64
}

func (g *generator) id() string {
	g.n++
	return fmt.Sprintf("id%d", g.n)
}

// row writes a record.
func (g *generator) row(fields map[string]any) {
	g.at = g.at.Add(time.Second)
	row := map[string]any{"uuid": g.id(), "sessionId": g.session, "cwd": g.root, "timestamp": g.at.Format(time.RFC3339Nano)}
	for name, value := range fields {
		row[name] = value
	}
	text, err := json.Marshal(row)
	if err != nil {
		panic(err)
	}
	g.lines = append(g.lines, string(text))
}

// count counts for a hook.
func (g *generator) count(hook string, names ...string) {
	if g.want[hook].Counts == nil {
		g.want[hook] = figures{Counts: map[string]int{}}
	}
	for _, name := range names {
		g.want[hook].Counts[name]++
	}
}

// record writes a record of a run with a duration.
func (g *generator) record(hook, kind, name, event, call, stdout string) {
	g.timed(hook, map[string]any{"type": kind, "hookEvent": event, "hookName": event, "toolUseID": call, "command": name, "stdout": stdout})
}

func (g *generator) timed(hook string, a map[string]any) {
	ms := int64(1 + g.IntN(900))
	a["durationMs"] = ms
	g.took[hook] = append(g.took[hook], ms)
	g.row(map[string]any{"type": "attachment", "attachment": a})
}

// call writes a call of a tool, what its hooks do, and its result.
func (g *generator) call() {
	id, command := g.id(), []string{"ls", "git push", "git status"}[g.IntN(3)]
	tool, input := "Bash", map[string]any{"command": command}
	switch g.IntN(6) {
	case 0:
		tool, input = "Write", map[string]any{"file_path": g.root + "/a", "content": "x"}
	case 1:
		tool, input = "Read", map[string]any{"file_path": g.root + "/a"}
	}
	g.row(map[string]any{"type": "assistant", "message": map[string]any{"content": []any{map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input}}}})
	if g.IntN(20) == 0 { // the client refuses it before hooks see it
		g.result(id, "<tool_use_error>no</tool_use_error>", true, nil)
		return
	}
	denied := ""
	if tool == "Bash" {
		g.count("guard.sh", "calls")
		g.count("log.sh", "calls")
		switch g.IntN(8) {
		case 0:
			g.record("guard.sh", "hook_non_blocking_error", "sh guard.sh", "PreToolUse", id, "")
			g.count("guard.sh", "fired", "failed")
		case 1:
			g.record("guard.sh", "hook_cancelled", "sh guard.sh", "PreToolUse", id, "")
			g.count("guard.sh", "fired", "timed_out")
		case 2:
			g.record("guard.sh", "hook_success", "sh guard.sh", "PreToolUse", id, `{"hookSpecificOutput":{"permissionDecision":"ask","updatedInput":{"command":"ls"}}}`)
			g.count("guard.sh", "fired", "asked", "rewrote")
		case 3:
			denied = "PreToolUse:Bash hook error: [sh guard.sh]: " + guardReason
			g.count("guard.sh", "fired", "blocked")
		case 4:
			denied = "PreToolUse:Bash hook error: " + guardReason // by JSON, which names no hook
			g.count("guard.sh", "fired", "blocked", "inferred")
		}
	}
	if tool != "Read" {
		g.count("audit.sh", "calls")
		if g.IntN(3) == 0 {
			g.record("audit.sh", "hook_success", "auditing", "PreToolUse", id, "noted")
			g.count("audit.sh", "fired")
		}
	}
	if tool == "Bash" && strings.HasPrefix(command, "git ") {
		g.count("git.sh", "calls")
		if denied == "" && g.IntN(4) == 0 {
			denied = "PreToolUse:Bash hook error: " + gitReason
			g.count("git.sh", "fired", "blocked", "inferred")
		}
	}
	if denied != "" {
		g.result(id, denied, true, map[string]any{"decision": "reject", "source": "hook", "reasonCode": "hook:PreToolUse"})
		return
	}
	g.result(id, "done", false, map[string]any{"decision": "accept", "source": "config"})
	if tool == "Write" {
		g.count("format.sh", "calls")
		if g.IntN(2) == 0 {
			g.row(map[string]any{"type": "attachment", "attachment": map[string]any{
				"type": "hook_blocking_error", "hookEvent": "PostToolUse", "hookName": "PostToolUse:Write", "toolUseID": id,
				"blockingError": map[string]any{"blockingError": "[sh format.sh]: no", "command": "sh format.sh"},
			}})
			g.count("format.sh", "fired", "blocked")
		}
	}
}

func (g *generator) result(id, text string, failed bool, decision map[string]any) {
	row := map[string]any{"type": "user", "toolUseResult": text, "message": map[string]any{"content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed}}}}
	if decision != nil {
		row["permissionDecision"] = decision
	}
	g.row(row)
}

// turn writes a prompt, calls and the end of the turn.
func (g *generator) turn() {
	g.row(map[string]any{"type": "user", "message": map[string]any{"content": "go on"}})
	g.count("context.sh", "calls")
	if g.IntN(2) == 0 {
		g.row(map[string]any{"type": "attachment", "attachment": map[string]any{"type": "hook_additional_context", "hookEvent": "UserPromptSubmit", "hookName": "UserPromptSubmit", "toolUseID": g.id(), "content": []string{"text"}}})
		g.count("context.sh", "fired", "inferred")
	}
	for range 1 + g.IntN(8) {
		g.call()
	}
	g.row(map[string]any{"type": []string{"of-a-later-client", "cost-state"}[g.IntN(2)], "content": []any{1}})
	id, errors := g.id(), []string{}
	info := map[string]any{"command": "sh done.sh"}
	g.count("done.sh", "calls", "fired")
	switch g.IntN(3) {
	case 0:
		errors = append(errors, "[sh done.sh]: run the tests first")
		g.count("done.sh", "blocked")
	case 1:
		g.record("done.sh", "hook_non_blocking_error", "sh done.sh", "Stop", id, "")
		g.count("done.sh", "failed")
	default:
		ms := int64(g.IntN(900) + 1)
		info["durationMs"] = ms
		g.took["done.sh"] = append(g.took["done.sh"], ms)
	}
	g.row(map[string]any{"type": "system", "subtype": "stop_hook_summary", "toolUseID": id, "hookInfos": []any{info}, "hookErrors": errors, "failedHookErrorIndexes": []int{}})
}

// TestTallySynthetic compares the figures of 200 transcripts with what was written.
func TestTallySynthetic(t *testing.T) {
	t.Parallel()
	root, registered, script := project(t, hooks)
	g := &generator{Rand: rand.New(rand.NewPCG(50, 4)), root: root, at: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), want: map[string]figures{}, took: map[string][]int64{}}
	dir := t.TempDir()
	var files []string
	for i := range 200 {
		g.session, g.lines = fmt.Sprint("session", i), nil
		for range 1 + g.IntN(3) {
			g.turn()
		}
		file := filepath.Join(dir, g.session+".jsonl")
		if err := os.WriteFile(file, []byte(strings.Join(g.lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	tally := sessions.NewTally(registered, script, func(text string) string { return text })
	read, err := corpus.ReadSessions(files, []string{root}, tally.Take)
	if err != nil || read.BadLines != 0 || len(read.IDs) != 200 {
		t.Fatal(err, read.Bad, len(read.IDs))
	}
	tally.End(true, "")
	got := map[string]figures{}
	states := map[string]string{"guard.sh": "fired", "audit.sh": "fired", "git.sh": "fired", "format.sh": "fired", "context.sh": "fired", "done.sh": "fired", "log.sh": "silent", "typo.sh": "never", "rare.sh": "never", "end.sh": "unknown", "compact.sh": "unknown"}
	exact := map[string][]string{}
	for _, f := range tally.Hooks {
		h, _ := registered.ByID(f.ID)
		name := h.Scripts[0]
		counts := map[string]int{}
		for of, n := range f.Counts {
			if n > 0 {
				counts[of] = n
			}
		}
		got[name] = figures{f.State, counts, f.Inferred, [2]int64{f.P50MS, f.P95MS}}
		exact[name] = f.Exact
	}
	want := map[string]figures{}
	for name, state := range states {
		f := g.want[name]
		f.State = state
		if f.Counts == nil {
			f.Counts = map[string]int{}
		}
		f.Inferred = f.Counts["inferred"]
		delete(f.Counts, "inferred")
		if took := slices.Sorted(slices.Values(g.took[name])); len(took) > 0 {
			f.Took = [2]int64{took[len(took)/2], took[len(took)*95/100]}
		}
		want[name] = f
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if n := want["guard.sh"].Counts["calls"]; n < 500 {
		t.Errorf("only %d calls", n)
	}
	for name, is := range map[string]string{"done.sh": "[calls fired blocked asked allowed rewrote failed timed_out]", "audit.sh": "[calls]", "log.sh": "[calls]", "context.sh": "[blocked asked allowed rewrote failed timed_out]", "end.sh": "[]"} {
		if fmt.Sprint(exact[name]) != is {
			t.Errorf("exact of %s: %v, want %s", name, exact[name], is)
		}
	}
	if fmt.Sprint(tally.Unregistered, tally.Unattributed) != "map[] map[]" {
		t.Error(tally.Unregistered, tally.Unattributed)
	}
}

// TestTallyAttribution checks which hook a record belongs to, by all that a record may show of it.
func TestTallyAttribution(t *testing.T) {
	t.Parallel()
	const named, inferred = "named", "inferred"
	call := corpus.Shown{Event: "PreToolUse", ID: "c", Value: "Bash", Payload: []byte(`{"tool_name":"Bash","tool_input":{"command":"git push"}}`)}
	for name, tt := range map[string]struct {
		run   corpus.Shown
		of    string // script; "" for none
		how   string
		other string // what is counted instead
	}{
		"command":             {corpus.Shown{Event: "PreToolUse", ID: "c", Command: "sh guard.sh"}, "guard.sh", named, ""},
		"status message":      {corpus.Shown{Event: "PreToolUse", ID: "c", Command: "auditing"}, "audit.sh", named, ""},
		"command with one":    {corpus.Shown{Event: "PreToolUse", ID: "c", Text: "[sh audit.sh --all]: no", Outcomes: []string{corpus.Blocked}}, "audit.sh", named, ""},
		"text":                {corpus.Shown{Event: "PreToolUse", ID: "c", Text: gitReason, Outcomes: []string{corpus.Blocked}}, "git.sh", inferred, ""},
		"text of nobody":      {corpus.Shown{Event: "PreToolUse", ID: "c", Text: "??????????", Outcomes: []string{corpus.Blocked}}, "", "", "map[] map[PreToolUse:1]"},
		"short text":          {corpus.Shown{Event: "PreToolUse", ID: "c", Text: "do not!", Outcomes: []string{corpus.Blocked}}, "", "", "map[] map[PreToolUse:1]"},
		"text of two":         {corpus.Shown{Event: "PreToolUse", ID: "c", Text: "a text of two hooks", Outcomes: []string{corpus.Blocked}}, "", "", "map[] map[PreToolUse:1]"},
		"in the background":   {corpus.Shown{Event: "PreToolUse", Value: "Bash", Async: true}, "log.sh", inferred, ""},
		"alone":               {corpus.Shown{Event: "PostToolUse", Value: "Write"}, "format.sh", inferred, ""},
		"by no matcher":       {corpus.Shown{Event: "PostToolUse", Value: "Read"}, "", "", "map[] map[PostToolUse:1]"},
		"another command":     {corpus.Shown{Event: "PreToolUse", ID: "c", Command: "sh other.sh"}, "", "", "map[PreToolUse sh other.sh:1] map[]"},
		"a refusal of others": {corpus.Shown{Event: "PostToolUse", Value: "Write", Text: "[sh other.sh]: no", Outcomes: []string{corpus.Blocked}}, "", "", "map[PostToolUse sh other.sh:1] map[]"},
		"registered before":   {corpus.Shown{Event: "PreToolUse", ID: "c", Command: "sh typo.sh"}, "typo.sh", named, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, registered, script := project(t, hooks)
			tally := sessions.NewTally(registered, script, func(text string) string { return text })
			tally.Take(call)
			for range 2 { // two records of one run
				tally.Take(tt.run)
			}
			tally.End(true, "")
			var fired []string
			for _, f := range tally.Hooks {
				if h, _ := registered.ByID(f.ID); f.Counts["fired"] > 0 {
					fired = append(fired, h.Scripts[0], map[bool]string{true: inferred, false: named}[f.Inferred > 0])
				}
			}
			want := []string{tt.of, tt.how}
			if tt.of == "" {
				want = nil
			}
			if !slices.Equal(fired, want) {
				t.Errorf("%v, want %v", fired, want)
			}
			if got := fmt.Sprint(tally.Unregistered, tally.Unattributed); tt.other != "" && got != strings.ReplaceAll(tt.other, ":1", ":2") {
				t.Error(got)
			}
		})
	}
}

// TestTallyHidden checks that of two hooks that may deny a call, the one that is not reported has no
// exact number of denials.
func TestTallyHidden(t *testing.T) {
	t.Parallel()
	_, registered, script := project(t, hooks)
	tally := sessions.NewTally(registered, script, func(text string) string { return text })
	tally.Take(corpus.Shown{Event: "PreToolUse", ID: "c", Value: "Write", Payload: []byte(`{"tool_name":"Write","tool_input":{}}`)})
	tally.Take(corpus.Shown{Event: "PreToolUse", ID: "d", Value: "Bash", Payload: []byte(`{"tool_name":"Bash","tool_input":{"command":"ls"}}`)})
	tally.Take(corpus.Shown{Event: "PreToolUse", ID: "d", Text: "[sh guard.sh]: no", Outcomes: []string{corpus.Blocked}})
	tally.End(true, "")
	for at, want := range []bool{true, false} { // guard.sh, and audit.sh beside it
		if got := slices.Contains(tally.Hooks[at].Exact, corpus.Blocked); got != want {
			t.Errorf("%s: %v", tally.Hooks[at].ID, got)
		}
	}
}

// TestTallyDistrusted checks that a project which is not trusted is the reason why its hooks did not run, if
// calls start them and none of them ran.
func TestTallyDistrusted(t *testing.T) {
	t.Parallel()
	_, registered, script := project(t, hooks)
	const reason = "not trusted in ~/.claude.json; else "
	for name, tt := range map[string]struct {
		file string
		ran  bool
		want string // of audit.sh, typo.sh and end.sh
	}{
		"trusted":          {"", false, "silent never unknown"},
		"not trusted":      {"~/.claude.json", false, "silent: distrusted never unknown: distrusted"},
		"a hook of it ran": {"~/.claude.json", true, "silent never unknown"},
	} {
		tally := sessions.NewTally(registered, script, func(text string) string { return text })
		tally.Take(corpus.Shown{Event: "PreToolUse", ID: "a", Value: "Bash", Payload: []byte(`{"tool_input": {"command": "ls"}}`)})
		if tt.ran {
			tally.Take(corpus.Shown{Event: "PreToolUse", ID: "a", Value: "Bash", Command: "sh guard.sh"})
		}
		tally.End(true, tt.file)
		var got []string
		for _, script := range []string{"audit.sh", "typo.sh", "end.sh"} {
			f := tally.Hooks[slices.IndexFunc(tally.Hooks, func(f *sessions.Figures) bool { return strings.Contains(f.ID, script) })]
			if strings.HasPrefix(f.Why, reason) {
				f.State += ": distrusted"
			}
			got = append(got, f.State)
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
