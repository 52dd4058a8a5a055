package check

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/check/pace"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/discover"
	"hookwatch/suites/explore"
)

// A judged is a row of TestParts: results of a part, and the findings.
type judged struct {
	part string
	hook discover.Hook // an event and a matcher of commands without it
	text string
	by   map[string][]fired
	want []string // severity and rule of each
	of   *exploration
}

// with returns the result of a firing.
func (f firing) with(r suites.Result) fired { return fired{firing: f, Result: r} }

var (
	echo, rm = firing{event: "PreToolUse", tool: "Bash", command: "echo hello"}, firing{event: "PreToolUse", tool: "Bash", command: "rm -rf /"}
	joined   = firing{event: "PreToolUse", tool: "Bash", command: "true && rm -rf /"}
	passes   = suites.Result{Effect: suites.Proceeds}
	denies   = suites.Result{Effect: suites.Denied, Exit: 2, Stderr: []byte("no")}
	stopsRm  = map[string][]fired{"typical": {echo.with(passes)}, "search": {rm.with(denies)}}
)

// Guards that end with 49 and print nothing: one whose script is not seen to run, and one that waits for a file.
var (
	fails     = as("PreToolUse", suites.Result{Exit: 49})
	exits     = explore.Decision{File: "guard.sh", Line: 2, Statement: "exit 2"}
	unstarted = &exploration{decisions: []explore.Decision{exits}}
	waiting   = &exploration{decisions: []explore.Decision{exits}, ran: map[string]bool{"guard.sh": true}, sources: map[string][]byte{"guard.sh": []byte("[ -e ready ] || exit 49\nexit 2\n")}}
)

// noted returns a firing with a note.
func noted(f firing, note string) firing {
	f.note = note
	return f
}

// stops returns the results of a guard that stops rm, and those of a part.
func stopping(part string, f ...fired) map[string][]fired {
	return map[string][]fired{"typical": stopsRm["typical"], "search": stopsRm["search"], part: f}
}

// rewriting returns the result of a hook that replaces a command.
func rewriting(command string) suites.Result {
	return suites.Result{Effect: suites.Rewritten, Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"` + command + `"}}}`)}
}

// onEcho returns the result of a harmless call.
func onEcho(r suites.Result) map[string][]fired {
	return map[string][]fired{"typical": {echo.with(r)}}
}

// as returns the result of the hook of an event with the client's reading of it.
func as(event string, r suites.Result) suites.Result {
	read := client.Interpret(client.Default, event, client.Output{Exit: r.Exit, Stdout: r.Stdout, Stderr: r.Stderr})
	r.Effect, r.EffectReason, r.EffectRule, r.ModelSees = read.Effect, read.Because(), string(read.Cause.Kind), read.ModelSees
	return r
}

var judgements = []judged{
	{part: "paced", by: map[string][]fired{"paced": {echo.with(suites.Result{TimedOut: true})}}, want: []string{"error timed-out"}},
	{part: "typical", hook: discover.Hook{Event: "TaskCompleted", Timeout: time.Hour}, by: map[string][]fired{"typical": {firing{event: "TaskCompleted"}.with(suites.Result{TimedOut: true})}}, want: []string{"warning timed-out"}},
	{part: "typical", hook: discover.Hook{Event: "TaskCompleted", Timeout: time.Second}, by: map[string][]fired{"typical": {firing{event: "TaskCompleted"}.with(suites.Result{TimedOut: true})}}, want: []string{"error timed-out"}},
	{part: "typical", hook: discover.Hook{Event: "PreToolUse", Timeout: time.Hour}, by: map[string][]fired{"typical": {echo.with(suites.Result{TimedOut: true})}}, want: []string{"error timed-out"}},
	{part: "paced", by: map[string][]fired{"paced": {echo.with(suites.Result{Files: map[string][]byte{pace.Slept: []byte("1.5 skipped\n")}})}}, want: []string{"warning slow"}},
	{part: "paced", by: map[string][]fired{"paced": {echo.with(passes)}}},
	{part: "typical", by: map[string][]fired{"typical": {echo.with(suites.Result{NotStarted: "no such file"})}}, want: []string{"info absent-program"}},
	{part: "typical", by: map[string][]fired{"typical": {echo.with(suites.Result{TimedOut: true})}}, want: []string{"error timed-out"}},
	{part: "typical", by: map[string][]fired{"typical": {echo.with(suites.Result{Exit: 1, Stderr: []byte("x.sh: line 3: X: unbound variable")})}}, want: []string{"error crash"}},
	{part: "typical", by: map[string][]fired{"typical": {echo.with(as("PreToolUse", suites.Result{Exit: 2, Stdout: []byte("no")}))}}, want: []string{"warning reason-on-stdout"}},
	{part: "typical", by: map[string][]fired{"typical": {echo.with(passes)}}},
	{part: "typical", hook: discover.Hook{Event: "WorktreeCreate"}, by: map[string][]fired{"typical": {firing{event: "WorktreeCreate"}.with(as("WorktreeCreate", suites.Result{Exit: 128, Stderr: []byte("fatal: no")}))}}, want: []string{"warning blocks-everything"}},
	{part: "typical", hook: discover.Hook{Event: "WorktreeCreate"}, by: map[string][]fired{"typical": {firing{event: "WorktreeCreate"}.with(as("WorktreeCreate", suites.Result{Stdout: []byte("/tmp/x\n")}))}}},
	{part: "typical", by: onEcho(suites.Result{Exit: 2, Stderr: []byte("x.sh: line 3: syntax error: unexpected end of file")}), want: []string{"error syntax-error"}},
	{part: "typical", by: onEcho(suites.Result{Effect: suites.ContextAdded, Stdout: bytes.Repeat([]byte("a"), 10_001), ModelSees: []string{"a"}}), want: []string{"warning long-output"}},
	{part: "typical", by: onEcho(suites.Result{Effect: suites.ContextAdded, Stdout: bytes.Repeat([]byte("a"), 10_000), ModelSees: []string{"a"}})},
	{part: "typical", by: onEcho(suites.Result{Effect: suites.Proceeds, LeftBehind: []string{"sleep"}}), want: []string{"info left-behind"}},
	{part: "typical", by: onEcho(suites.Result{Effect: suites.Proceeds, LeftBehind: []string{"sleep"}, HoldsOutput: true}), want: []string{"warning left-behind"}},
	{part: "typical", by: onEcho(suites.Result{Effect: suites.Rewritten, Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"description":"a"}}}`)}), want: []string{"warning drops-input"}},
	{part: "typical", by: onEcho(rewriting("true"))},
	{part: "typical", by: onEcho(suites.Result{Effect: suites.Proceeds, Stdout: []byte(`{"session_id":"a","transcript_path":"b","cwd":"c","hook_event_name":"PreToolUse"}`)}), want: []string{"info echoes-input"}},
	{part: "typical", by: onEcho(suites.Result{Exit: 2, Stderr: []byte("python3: can't open file '/gone/x.py': [Errno 2] No such file or directory")}), want: []string{"error script-missing"}},
	{part: "typical", by: onEcho(suites.Result{Exit: 1, Stderr: []byte("ModuleNotFoundError: No module named 'yaml'")}), want: []string{"error absent-package"}},
	{part: "varied", by: map[string][]fired{"typical": {echo.with(passes)}, "varied": {noted(echo, "a text").with(suites.Result{Exit: 1, Stderr: []byte("x.sh: line 3: X: unbound variable")})}}, want: []string{"warning crash"}},
	{part: "varied", by: map[string][]fired{"typical": {echo.with(passes)}, "varied": {noted(echo, "a text").with(passes)}}},
	{part: "search", by: map[string][]fired{"typical": {echo.with(passes)}, "search": {rm.with(suites.Result{Exit: 1, Stderr: []byte("x.sh: line 3: X: unbound variable")})}}, want: []string{"warning crash"}},
	{part: "search", hook: discover.Hook{ID: "h", Event: "PostToolUse", Matcher: "Bash"}, by: map[string][]fired{"typical": {echo.with(passes)}, "search": {rm.with(suites.Result{Effect: suites.ShownToModel, Exit: 2, Stderr: []byte("blocked")})}}, want: []string{"warning late-refusal"}},
	{part: "equipped", text: "jq ", by: map[string][]fired{"typical": {echo.with(suites.Result{Exit: 1})}, "equipped": {noted(echo, "jq").with(passes), noted(echo, "jq").with(passes)}}, want: []string{"info absent-program"}},
	{part: "ruled", by: map[string][]fired{"ruled": {noted(echo, "permissions.deny has Bash(git push *)").with(rewriting("rtk git push example"))}}, want: []string{"error rewrite-hides-rule"}},
	{part: "ruled", by: map[string][]fired{"ruled": {noted(echo, "permissions.deny has Bash(git push *)").with(rewriting("nice -n 5 git push example"))}}},
	{part: "ruled", by: map[string][]fired{"ruled": {noted(echo, "permissions.deny has Bash(git push *)").with(rewriting("cd x && git push example"))}}},
	{part: "again", hook: discover.Hook{Event: "Stop"}, by: map[string][]fired{
		"typical": {firing{event: "Stop"}.with(as("Stop", suites.Result{Exit: 2, Stderr: []byte("go on")}))}, "again": {firing{event: "Stop"}.with(as("Stop", suites.Result{Exit: 2, Stderr: []byte("go on")}))},
	}, want: []string{"warning stop-loop"}},
	{part: "varied", by: map[string][]fired{"varied": {noted(echo, "a text").with(suites.Result{Files: map[string][]byte{executedAt[0]: nil}})}}, want: []string{"error executes-input"}},
	{part: "varied", by: map[string][]fired{"varied": {noted(echo, "a text").with(suites.Result{TimedOut: true})}}, want: []string{"warning timed-out"}},
	{part: "named", by: map[string][]fired{"named": {noted(rm, "0").with(passes)}}, want: []string{"error let-through"}},
	{part: "named", by: map[string][]fired{"named": {noted(rm, "0").with(denies)}}},
	{part: "harmless", by: map[string][]fired{"harmless": {echo.with(denies), {firing: echo, Result: denies, after: 1}}}, want: []string{"warning blocks-everything"}},
	{part: "harmless", by: map[string][]fired{"harmless": {echo.with(denies), {firing: echo, Result: passes, after: 1}}}, want: []string{"info blocks-everything"}},
	{part: "search", by: map[string][]fired{"typical": {echo.with(passes)}, "search": {rm.with(as("PreToolUse", suites.Result{Exit: 1, Stderr: []byte("not allowed")}))}}, want: []string{"error exit-code-not-2"}},
	{part: "search", by: map[string][]fired{"typical": {echo.with(passes)}, "search": {rm.with(as("PreToolUse", suites.Result{Exit: 2, Stdout: []byte("no")}))}}, want: []string{"warning reason-on-stdout"}},
	{part: "search", by: map[string][]fired{"typical": {echo.with(passes)}, "search": {rm.with(suites.Result{Effect: suites.Rewritten, Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"description":"a"}}}`)})}}, want: []string{"warning drops-input"}},
	{part: "search", by: map[string][]fired{"typical": {echo.with(passes)}, "search": {rm.with(as("PreToolUse", suites.Result{Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}`)}))}}, want: []string{"warning no-reason"}},
	{part: "search", by: map[string][]fired{"typical": {echo.with(passes)}, "search": {rm.with(as("PreToolUse", suites.Result{Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`)}))}}},
	{part: "search", by: stopsRm},
	{part: "poorer", text: "jq -r .tool_input.command", by: stopping("poorer", func() fired { f := rm; f.without = []string{"jq"}; return f.with(passes) }()), want: []string{"warning fails-open"}},
	{part: "cut", by: stopping("cut", rm.with(passes)), want: []string{"info fails-open"}},
	{part: "other tools", hook: discover.Hook{ID: "h", Event: "PreToolUse", Matcher: "Edit|Write"}, by: map[string][]fired{
		"typical": {firing{event: "PreToolUse", tool: "Write"}.with(passes)}, "search": {firing{event: "PreToolUse", tool: "Write", file: "a", text: "key", description: "key"}.with(denies)},
		"other tools": {firing{event: "PreToolUse", tool: "Edit", file: "a", text: "key", description: "key"}.with(passes)},
	}, want: []string{"warning unread-tool"}},
	{part: "other tools", hook: discover.Hook{ID: "h", Event: "PreToolUse", Matcher: "Edit|Write"}, by: map[string][]fired{
		"typical": {firing{event: "PreToolUse", tool: "Write"}.with(passes)}, "search": {firing{event: "PreToolUse", tool: "Write", file: "a", text: "key", description: "key"}.with(denies)},
		"other tools": {noted(firing{event: "PreToolUse", tool: "Write", file: "a.ipynb", text: "key", description: "key"}, "NotebookEdit").with(denies)},
	}, want: []string{"warning uncovered-tool"}},
	{part: "other tools", hook: discover.Hook{ID: "h", Event: "PreToolUse", Matcher: "Edit|Write"}, by: map[string][]fired{
		"typical": {firing{event: "PreToolUse", tool: "Write"}.with(passes)}, "search": {firing{event: "PreToolUse", tool: "Write", file: "a", text: "key", description: "key"}.with(denies)},
		"other tools": {noted(firing{event: "PreToolUse", tool: "Write", file: "a.ipynb", text: "key", description: "key"}, "NotebookEdit").with(passes)},
	}},
	{part: "joined", by: stopping("joined", noted(joined, "rm -rf /").with(denies), noted(echo, "git push").with(passes)), want: []string{"warning bypass"}},
	{part: "joined", by: stopping("joined", noted(joined, "rm -rf /").with(passes), noted(echo, "git push").with(passes))}, // the search for ways around it finds that
	{part: "joined", by: stopping("joined", noted(joined, "rm -rf /").with(denies), noted(echo, "git push").with(denies))},
	{part: "mention", by: stopping("mention", echo.with(denies), noted(rm, "remark").with(denies)), want: []string{"info false-alarm"}},
	{part: "mention", by: stopping("mention", echo.with(denies), noted(rm, "plain").with(denies))}, // it stops any commit
	{part: "disguised", by: stopping("disguised", noted(rm, "let through").with(passes)), want: []string{"warning fails-open"}},
	{part: "decisions", text: "exit 2", by: map[string][]fired{"typical": {echo.with(passes)}}, want: []string{"info no-deny"}},
	{part: "decisions", text: "exit 2", by: stopsRm},
	{part: "decisions", of: unstarted, by: map[string][]fired{"typical": {echo.with(fails)}, "search": {rm.with(fails)}}, want: []string{"error exit-code-not-2"}},
	{part: "decisions", of: unstarted, by: map[string][]fired{"typical": {echo.with(fails)}, "search": {rm.with(denies)}}},
	{part: "decisions", of: unstarted, by: map[string][]fired{"typical": {echo.with(as("PreToolUse", suites.Result{Exit: 49, Stderr: []byte("no")}))}}},
	{part: "decisions", of: waiting, by: map[string][]fired{"typical": {echo.with(fails)}, "search": {rm.with(fails)}}},
	{part: "decisions", hook: discover.Hook{ID: "h", Event: "PostToolUse", Matcher: "Bash"}, of: unstarted, by: map[string][]fired{"typical": {echo.with(fails)}}},
}

// explored are findings of parts that other tests show, because they need a tree, or the record of an exploration.
var explored = []string{
	"typical fails-open", "named absent-program", "decisions absent-program", "changed unset-variable", "changed unknown-field",
	"decisions unknown-field", "decisions misread-pattern", "decisions misnamed-tool", "decisions constant-condition", "decisions inverted-condition", "decisions misnamed-file",
	"decisions unreached", "decisions swallowed-error", "decisions ineffective",
}

// TestParts checks the findings of each part of an inspection, by results. Each part that judges has a row.
func TestParts(t *testing.T) {
	t.Parallel()
	for i, tt := range judgements {
		s := subject{hook: tt.hook, text: tt.text, tree: Tree{Denies: []suites.Deny{{Command: "rm -rf /"}}, Installed: func(program string) bool { return tt.part == "poorer" }}}
		if s.hook.Event == "" {
			s.hook = discover.Hook{ID: "h", Event: "PreToolUse", Matcher: "Bash", Timeout: patience}
		}
		if c, ok := clients.ByName("codex"); ok {
			s.others = []clients.Client{c}
		}
		at := slices.IndexFunc(parts, func(p part) bool { return p.name == tt.part })
		j := &judgement{of: s}
		r := &results{subject: s, by: tt.by, exploration: tt.of}
		for i, f := range tt.by[tt.part] {
			f.c = f.asCase(s.hook)
			if tt.by[tt.part][i] = f; parts[at].judge != nil {
				parts[at].judge(r, j, f)
			}
		}
		if parts[at].conclude != nil {
			parts[at].conclude(r, j)
		}
		var got []string
		for _, f := range j.findings {
			got = append(got, fmt.Sprint(f.Severity, " ", f.Rule))
			if !client.Kind(f.Rule).Loses() && !slices.Contains(findsOf[parts[at].name], f.Rule) {
				t.Errorf("%d: %s finds %s, which it does not name", i, tt.part, f.Rule)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%d, %s: %q, want %q: %q", i, tt.part, got, tt.want, whats(j.findings))
		}
	}
	for _, p := range parts {
		for _, id := range findsOf[p.name] {
			finds := func(tt judged) bool {
				return tt.part == p.name && slices.ContainsFunc(tt.want, func(w string) bool { return strings.HasSuffix(w, " "+id) })
			}
			if !slices.ContainsFunc(judgements, finds) && !slices.Contains(explored, p.name+" "+id) {
				t.Errorf("no row shows that %s finds %s", p.name, id)
			}
		}
		if judges := p.judge != nil || p.conclude != nil; judges && p.name != "changed" && !slices.ContainsFunc(judgements, func(tt judged) bool { return tt.part == p.name && len(tt.want) > 0 }) {
			t.Errorf("no row shows what %s finds", p.name)
		}
	}
}

// TestStreams checks which messages show that a hook opened a stream by its path.
func TestStreams(t *testing.T) {
	t.Parallel()
	for stderr, want := range map[string]string{
		"cat: /dev/stdin: No such device or address\n":                         "it opens /dev/stdin",
		"Error: ENXIO: no such device or address, open '/dev/stdin'\n":         "it opens /dev/stdin",
		"OSError: [Errno 6] No such device or address: '/dev/stdin'":           "it opens /dev/stdin",
		"g.sh: line 3: /dev/stderr: No such device or address\n":               "it opens /dev/stderr",
		"cat: /dev/stdin2: No such device or address":                          "",
		"cat: /dev/stdin: Permission denied\nother: No such device or address": "",
	} {
		j := &judgement{of: subject{hook: discover.Hook{ID: "h", Event: "PreToolUse"}}}
		j.judgeStreams(suites.Result{Stderr: []byte(stderr)})
		if len(j.findings) > 0 && j.findings[0].Severity != suites.Warning {
			t.Errorf("%q, and the input was read: %+v", stderr, j.findings)
		}
		j.findings = nil
		j.judgeStreams(suites.Result{Stderr: []byte(stderr), StdinUnread: true})
		if got := whats(j.findings); want == "" && len(got) > 0 || want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], want)) {
			t.Errorf("%q: %q, want %q", stderr, got, want)
		}
	}
}

// TestChanged checks that a hook which does more with another field is told from one that does not.
func TestChanged(t *testing.T) {
	t.Parallel()
	h := discover.Hook{ID: "h", Event: "PreToolUse", Matcher: "Bash"}
	explored := func(a *alternative, effects ...suites.Effect) *exploration {
		x := newExplorationOf(h, a, "a.sh")
		for _, e := range effects {
			x.effects[e] = true
		}
		x.sent = []firing{echo}
		return x
	}
	base := explored(nil, suites.Proceeds)
	base.reads = append(base.reads, readOf("a.sh", 2, "tool_input.cmd"))
	field, variable := &alternative{name: "tool_input.cmd", meant: "tool_input.command"}, &alternative{variable: "CLAUDE_TOOL_INPUT"}
	for _, tt := range []struct {
		changed *exploration
		want    string
	}{
		{explored(field, suites.Proceeds), ""},
		{explored(field, suites.Proceeds, suites.Denied), "unknown-field a.sh reads tool_input.cmd; the client sends tool_input.command; if the field is sent, it has the effect denied"},
		{explored(variable, suites.Denied), "unset-variable it reads $CLAUDE_TOOL_INPUT, which is never set; if it is set, it has the effect denied"},
	} {
		j := &judgement{of: subject{hook: h}}
		judgeChanged(&results{subject: j.of, exploration: base, changed: []*exploration{tt.changed}}, j)
		var got []string
		for _, f := range j.findings {
			got = append(got, f.Rule+" "+f.What)
		}
		if strings.Join(got, ";") != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// TestRemedyForRewrite checks the advice about a client that does not take a replaced input.
func TestRemedyForRewrite(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ client, event, want string }{
		{"codex", "PreToolUse", `print "permissionDecision": "allow"`},
		{"gemini", "BeforeTool", "give Gemini CLI a hook of its own"},
	} {
		c, _ := clients.ByName(tt.client)
		if got := remedyForRewrite(c, tt.event, rewriting("true")); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %s, want %s", tt.client, got, tt.want)
		}
	}
}

// findsOf are the rules of the findings of each part of an inspection, besides the client's about lost output.
var findsOf = map[string][]string{
	"paced":       strings.Fields("timed-out slow"),
	"typical":     strings.Fields("absent-program timed-out syntax-error crash blocks-everything reason-on-stdout long-output left-behind drops-input echoes-input script-missing absent-package fails-open"),
	"equipped":    strings.Fields("absent-program"),
	"ruled":       strings.Fields("rewrite-hides-rule"),
	"again":       strings.Fields("stop-loop"),
	"varied":      strings.Fields("executes-input crash timed-out"),
	"named":       strings.Fields("let-through absent-program"),
	"harmless":    strings.Fields("blocks-everything"),
	"search":      strings.Fields("late-refusal crash drops-input reason-on-stdout no-reason"),
	"changed":     strings.Fields("unset-variable unknown-field"),
	"poorer":      strings.Fields("fails-open"),
	"cut":         strings.Fields("fails-open"),
	"other tools": strings.Fields("uncovered-tool unread-tool"),
	"mention":     strings.Fields("false-alarm"),
	"joined":      strings.Fields("bypass"),
	"disguised":   strings.Fields("fails-open"),
	"decisions":   strings.Fields("no-deny absent-program unknown-field misread-pattern misnamed-tool constant-condition inverted-condition misnamed-file unreached swallowed-error ineffective"),
}
