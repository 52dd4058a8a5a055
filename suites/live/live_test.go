package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/process"
)

const session = "5e551011-0000-4000-8000-000000000001"

func request(t *testing.T, headers map[string]string, body string) Request {
	t.Helper()
	h := make(http.Header)
	for k, v := range headers {
		h.Set(k, v)
	}
	r, err := ReadRequest(h.Get, []byte(body), session)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRequests checks that requests are distinguished by their senders, and that the new texts of
// each are found at any position.
func TestRequests(t *testing.T) {
	t.Parallel()
	const first = `{"model":"m","stream":true,"messages":[{"role":"user","content":"go"}]}`
	const judged = `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"<transcript>\n"},{"type":"text","text":"Bash rm -rf a\n"}]}]}`
	const second = `{"model":"m","messages":[{"role":"user","content":"go"},{"role":"assistant","content":"mine"},` +
		`{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"result"}]},{"type":"text","text":"go"}]},{"role":"system","content":"reminder"}]}`
	for want, headers := range map[Origin]map[string]string{
		Main:     {"x-claude-code-session-id": session},
		Subagent: {"x-claude-code-session-id": session, "x-claude-code-agent-id": "a1"},
		Nested:   {"x-claude-code-session-id": "another"},
		Check:    {"x-claude-code-session-id": session},
	} {
		body := first
		if want == Check {
			body = judged
		}
		if got := request(t, headers, body).Origin; got != want {
			t.Errorf("%v: %s", headers, got)
		}
	}
	m := Model{Session: session}
	m.Script([]Reply{{Calls: []Call{{Tool: "Bash", Input: json.RawMessage(`{}`), Tested: true}}}}, nil, nil)
	m.Answer(request(t, nil, first))
	m.Answer(request(t, nil, second))
	want := []Heard{{Origin: Main, Model: "m", Texts: []string{"go"}}, {Origin: Main, Model: "m", Texts: []string{"result", "go", "reminder"}, After: true}}
	if diff := cmp.Diff(want, m.Requests()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if a := m.Answer(request(t, nil, judged)); !strings.Contains(string(a.Body), `\u003cblock\u003eyes`) {
		t.Errorf("a call is judged by %s", a.Body)
	}
}

// TestAnswers checks that the client can read the answers: as a stream or whole, with unique IDs,
// with the requested errors, and with an end.
func TestAnswers(t *testing.T) {
	t.Parallel()
	m := Model{Session: session}
	calls := []Call{{Tool: "Read", Input: json.RawMessage(`{"file_path":"/a"}`)}, {Tool: "Bash", Input: json.RawMessage(`{"command":"ls"}`), Tested: true}}
	m.Script([]Reply{{Text: "two", Calls: calls}, {Status: 529, Text: "overloaded"}}, nil, nil)
	ask := Request{Origin: Main, Model: "m", Stream: true}
	a := m.Answer(ask)
	var names []string
	var inputs string
	for text := range strings.SplitSeq(strings.TrimSpace(string(a.Body)), "\n\n") {
		name, data, ok := strings.Cut(text, "\ndata: ")
		var event struct {
			Type  string                    `json:"type"`
			Block struct{ ID, Name string } `json:"content_block"`
			Delta struct {
				Partial string `json:"partial_json"`
			} `json:"delta"`
		}
		if err := json.Unmarshal([]byte(data), &event); err != nil || !ok || name != "event: "+event.Type {
			t.Fatalf("no event: %q, %v", text, err)
		}
		if event.Block.Name != "" {
			names = append(names, event.Block.Name+" "+event.Block.ID)
		}
		inputs += event.Delta.Partial
	}
	if len(names) != 2 || !strings.HasSuffix(names[1], " "+m.TestedID()) || m.TestedID() == "" || inputs != `{"file_path":"/a"}{"command":"ls"}` {
		t.Errorf("calls %q, input %q, tested %q", names, inputs, m.TestedID())
	}
	if a = m.Answer(ask); a.Status != 529 || !strings.Contains(string(a.Body), "overloaded") {
		t.Errorf("want the error that was asked for: %d %s", a.Status, a.Body)
	}
	seen := make(map[string]bool)
	ask.Stream = false
	for range MostRequests - 2 {
		var got answered
		if a = m.Answer(ask); json.Unmarshal(a.Body, &got) != nil || seen[got.ID] || *got.StopReason != "end_turn" {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		seen[got.ID] = true
	}
	if m.IsExceeded() {
		t.Error("not one more than it may")
	}
	if a = m.Answer(ask); a.Status != refused || !m.IsExceeded() {
		t.Errorf("a client that loops is answered %d", a.Status)
	}
}

const started, finished = `{"type":"system","subtype":"hook_started","hook_id":%q,"hook_name":%q,"hook_event":%q}`,
	`{"type":"system","subtype":"hook_response","hook_id":%q,"hook_name":%q,"hook_event":%q,"stdout":%q,"stderr":%q,"exit_code":%d,"outcome":"success"}`

func lines(t *testing.T, texts ...string) (out []Line) {
	t.Helper()
	for _, text := range texts {
		l, err := ReadLine([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		out = append(out, l)
	}
	return out
}

func hook(name, stdout, stderr string, exit int) []string {
	event, _, _ := strings.Cut(name, ":")
	id := fmt.Sprint(name, stdout, stderr)
	return []string{fmt.Sprintf(started, id, name, event), fmt.Sprintf(finished, id, name, event, stdout, stderr, exit)}
}

// TestEffect checks that each effect is recognized by the client's output and the model's texts.
func TestEffect(t *testing.T) {
	t.Parallel()
	const asks = `{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"%s"},"decision_reason_type":"%s","tool_use_id":"t1"}}`
	const result = `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":%q,"is_error":%v}]}}`
	const over = `{"type":"result","subtype":"success","terminal_reason":"completed","result":"done"}`
	call := []Reply{{Calls: []Call{{Tool: "Bash", Input: json.RawMessage(`{"command":"ls"}`), Tested: true}}}}
	switched := func(texts ...string) []Heard {
		return []Heard{{Origin: Main, Model: "one"}, {Origin: Main, Model: "two", Texts: texts}}
	}
	after := func(texts ...string) []Heard {
		return []Heard{{Origin: Main}, {Origin: Main, Texts: texts, After: true}}
	}
	allows, noInput := hook("PreToolUse:Bash", `{"decision":"approve"}`, "", 0), hook("PreToolUse:Bash", `{"hookSpecificOutput":{"updatedInput":"ls"}}`, "", 0)
	for name, tt := range map[string]struct {
		event string
		lines []string
		heard []Heard
		want  suites.Effect
	}{
		"denied by exit 2":                     {"PreToolUse", append(hook("PreToolUse:Bash", "", "NO\n", 2), fmt.Sprintf(result, "PreToolUse:Bash hook error: [x]: NO", true), over), after("NO"), suites.Denied},
		"denied by a reason":                   {"PreToolUse", append(hook("PreToolUse:Bash", `{"decision":"block","reason":"RSN"}`, "", 0), fmt.Sprintf(result, "RSN", true), over), after("RSN"), suites.Denied},
		"a call that fails by itself":          {"PreToolUse", append(hook("PreToolUse:Bash", "", "", 0), fmt.Sprintf(result, "Exit code 1", true), over), after("Exit code 1"), suites.Proceeds},
		"an allowed call that fails by itself": {"PreToolUse", append(hook("PreToolUse:Bash", `{"decision":"approve","reason":"Exit"}`, "", 0), strings.Replace(fmt.Sprintf(result, "Exit code 1", true), `}]}}`, `}]},"tool_result_meta":[{"id":"t1","permission_decision":{"decision":"accept","source":"hook"}}]}`, 1), over), after("ok"), suites.Allowed},
		"asked":                                {"PreToolUse", append(hook("PreToolUse:Bash", `{"hookSpecificOutput":{"permissionDecision":"ask"}}`, "", 0), fmt.Sprintf(asks, "ls", "hook"), fmt.Sprintf(result, Refusal, true), over), after(Refusal), suites.Asked},
		"let pass":                             {"PreToolUse", append(hook("PreToolUse:Bash", "", "", 0), fmt.Sprintf(asks, "ls", "other"), fmt.Sprintf(result, Refusal, true), over), after(Refusal), suites.Proceeds},
		"ignored":                              {"PreToolUse", append(hook("PreToolUse:Bash", "hello", "", 0), fmt.Sprintf(asks, "ls", ""), fmt.Sprintf(result, Refusal, true), over), after(Refusal), suites.Ignored},
		"rewritten":                            {"PreToolUse", append(hook("PreToolUse:Bash", "{}", "", 0), fmt.Sprintf(asks, "ls -l", ""), fmt.Sprintf(result, Refusal, true), over), after(Refusal), suites.Rewritten},
		"allowed":                              {"PreToolUse", append(hook("PreToolUse:Bash", `{"decision":"approve"}`, "", 0), fmt.Sprintf(result, "ok", false), over), after("ok"), suites.Allowed},
		"an input that is no object":           {"PreToolUse", append(slices.Concat(allows[:1], noInput[:1], allows[1:], noInput[1:]), fmt.Sprintf(result, "ok", false), over), after("ok"), suites.Allowed},
		"the session ends":                     {"PreToolUse", append(hook("PreToolUse:Bash", `{"continue":false}`, "", 0), fmt.Sprintf(result, "ok", false), over), after()[:1], suites.SessionEnds},
		"shown":                                {"PostToolUse", append(hook("PostToolUse:Bash", "", "[hook] 3 left\n", 2), fmt.Sprintf(result, "ok", false), over), after("ok", "blocking error: [hook] 3 left"), suites.ShownToModel},
		"dropped before a compaction":          {"PreCompact", append(hook("PreCompact", `{"hookSpecificOutput":{"additionalContext":"CTX"}}`, "", 0), over), after("Compacted PreCompact [x] failed: Hook JSON output validation failed: {\"additionalContext\":\"CTX\"}"), suites.ShownToModel},
		"a report of a compaction":             {"PostCompact", append(hook("PostCompact", "done", "", 0), over), after("PostCompact [x] completed successfully: done"), suites.ShownToModel},
		"JSON in the prompt of a compaction":   {"PreCompact", append(hook("PreCompact", `{"systemMessage":"MSG"}`, "", 0), over), after(`completed successfully: {"systemMessage":"MSG"}`), suites.ContextAdded},
		"a report of a switch":                 {"PreModelSwitch", append(hook("PreModelSwitch", `{"decision":"maybe"}`, "", 0), over), switched("failed: The hook's output was: {\n  \"decision\": \"maybe\"\n}"), suites.ShownToModel},
		"nothing of a switch":                  {"PreModelSwitch", append(hook("PreModelSwitch", "text", "", 0), over), switched("Set model"), suites.Ignored},
		"context":                              {"PostToolUse", append(hook("PostToolUse:Bash", `{"hookSpecificOutput":{"additionalContext":"CTX"}}`, "", 0), fmt.Sprintf(result, "ok", false), over), after("ok", "CTX"), suites.ContextAdded},
		"the content of a file in its place":   {"PostToolUse", append(hook("PostToolUse:Bash", `{"hookSpecificOutput":{"updatedToolOutput":{"type":"text","file":{"content":"NEW\nmore"}}}}`, "", 0), fmt.Sprintf(result, "ok", false), over), after("1\tNEW\n2\tmore"), suites.Rewritten},
		"not shown":                            {"PostToolUse", append(hook("PostToolUse:Bash", "", "[hook] 3 left\n", 1), fmt.Sprintf(result, "ok", false), over), after("ok"), suites.Proceeds},
		"prompt blocked":                       {"UserPromptSubmit", append(hook("UserPromptSubmit", "", "NO", 2), over), nil, suites.PromptBlocked},
		"prompt with context":                  {"UserPromptSubmit", append(hook("UserPromptSubmit", "CTX", "", 0), over), after("go", "hook success: CTX")[1:], suites.ContextAdded},
		"stopped":                              {"Stop", append(hook("Stop", "", "", 0), over), after()[:1], suites.Proceeds},
		"another turn":                         {"Stop", append(append(hook("Stop", "", "MORE", 2), hook("Stop", "", "", 0)...), over), after("Stop hook feedback: MORE"), suites.AnotherTurn},
	} {
		turn := Turn{Event: tt.event, Prompts: []string{goOn}}
		s := Seen{Turn: turn, Lines: lines(t, tt.lines...), Heard: tt.heard}
		if strings.Contains(tt.event, "Tool") {
			s.Turn.Value, s.Turn.Main, s.Tested = "Bash", call, "t1"
		}
		if got, because := s.Effect(); got != tt.want {
			t.Errorf("%s: %s (%s), want %s", name, got, because, tt.want)
		}
	}
}

// TestOtherLines checks that lines which hookwatch does not use may have any form.
func TestOtherLines(t *testing.T) {
	t.Parallel()
	for _, l := range lines(t,
		`{"type":"system","subtype":"permission_denied","tool_name":"Bash","message":"Permission to use Bash has been denied."}`,
		`{"type":"user","message":"text"}`,
	) {
		if l.Kind != Other {
			t.Errorf("%+v", l)
		}
	}
	if l := lines(t, `{"type":"control_request","request_id":"r","request":{"subtype":"elicitation","message":"name?"}}`)[0]; l.Kind != Elicits ||
		!strings.Contains(string(Cancel(l)), `"action":"cancel"`) {
		t.Errorf("%+v", l)
	}
}

// TestMatch checks that hooks are identified by the log if there is one, otherwise by their order,
// and that the second stop of a turn is a firing of its own.
func TestMatch(t *testing.T) {
	t.Parallel()
	one, two := hook("PreToolUse:Bash", "1", "", 0), hook("PreToolUse:Bash", "2", "", 2)
	s := Seen{Turn: Turn{Event: "PreToolUse", Value: "Bash"}, Lines: lines(t, one[0], two[0], two[1], one[1])}
	commands := func(s Seen, registered ...string) (out []string) {
		var forms []Registered
		for _, r := range registered {
			forms = append(forms, Registered{r})
		}
		for _, f := range Match(&s, forms) {
			out = append(out, f.Command+"="+f.Stdout)
		}
		return out
	}
	if diff := cmp.Diff([]string{"a=1", "b=2"}, commands(s, "a", "b")); diff != "" {
		t.Error("by order", diff)
	}
	if diff := cmp.Diff([]string{"=1", "=2"}, commands(s, "a")); diff != "" {
		t.Error("unknown", diff)
	}
	s.Log = ReadDebugLog([]byte("2026-11-23T08:24:54.394Z [DEBUG] Hooks: PreToolUse:Bash [b] finished with status 2 (12ms)\n" +
		"2026-11-23T08:24:54.394Z [ERROR] other\n2026-11-23T08:24:54.395Z [DEBUG] Hooks: PreToolUse:Bash [a\n2] finished with status 0 (9ms)\n"))
	if diff := cmp.Diff([]string{"a\n2=1", "b=2"}, commands(s, "x")); diff != "" {
		t.Error("by the log", diff)
	}
	first, second := hook("Stop", "", "MORE", 2), hook("Stop", "", "", 0)
	stops := Seen{Turn: Turn{Event: "Stop"}, Nth: 1, Lines: lines(t, first[0], first[1], second[0], second[1])}
	if fired := stops.FiredLines(); len(fired) != 1 || *fired[0].Exit != 0 {
		t.Errorf("the second stop: %+v", fired)
	}
	end := Seen{Turn: Turn{Event: "SessionEnd"}, Log: []Logged{{Event: "SessionEnd", Command: "e", Exit: new(1)}}}
	if f := Match(&end, []Registered{{"E", "e"}}); len(f) != 1 || f[0].Registered != 0 || *f[0].Exit != 1 {
		t.Errorf("in the log only: %+v", f)
	}
}

// TestLogged checks that a hook for which the client prints nothing is found in the debug log, in
// its registered form, in addition to those that witnesses saw.
func TestLogged(t *testing.T) {
	t.Parallel()
	const at = "2026-11-25T01:56:43.903Z [DEBUG] "
	log := ReadDebugLog([]byte(at + `ConfigChange:user_settings [cat; "${CLAUDE_PLUGIN_ROOT}/h.sh"] completed with status 0` + "\n" +
		at + "FileChanged:a name [f] completed with status 2\n" + at + "SessionEnd:other [slow] cancelled\n" +
		at + "Hooks: Stop [s] (plugin p@inline) timed out after 500ms (501ms)\n" + at + "Reconnection attempt [1] completed with status 7\n"))
	var got []string
	for _, l := range log {
		exit := "none"
		if l.Exit != nil {
			exit = fmt.Sprint(*l.Exit)
		}
		got = append(got, l.Event+"/"+l.Value+"/"+l.Command+"/"+exit)
	}
	want := []string{`ConfigChange/user_settings/cat; "${CLAUDE_PLUGIN_ROOT}/h.sh"/0`, "FileChanged/a name/f/2", "SessionEnd/other/slow/none", "Stop//s/none"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	s := Seen{Turn: Turn{Event: "SessionEnd"}, Log: []Logged{{Event: "SessionEnd", Command: "own", Exit: new(0)}, {Event: "SessionEnd", Command: "${CLAUDE_PLUGIN_ROOT}/h.sh"}}}
	s.Saw = []Fired{{HookLine: HookLine{ID: "w", Event: "SessionEnd", Stdout: "seen"}, Command: "own"}}
	fired := Match(&s, []Registered{{"/p/h.sh", "${CLAUDE_PLUGIN_ROOT}/h.sh"}, {"own", "own"}})
	if len(fired) != 2 || fired[0].Registered != 1 || fired[0].Stdout != "seen" || fired[1].Registered != 0 || fired[1].Outcome != "cancelled" {
		t.Errorf("%+v", fired)
	}
}

// TestBeforeTheEvent checks that texts sent to the model before an event do not count as texts of
// the event's hooks, even if other hooks printed the same.
func TestBeforeTheEvent(t *testing.T) {
	t.Parallel()
	start := Heard{Origin: Main, Texts: []string{"SessionStart:startup hook success: hello"}}
	later := Heard{Origin: Main, Texts: []string{"hello"}}
	for name, tt := range map[string]struct {
		turn   Turn
		before []int
		heard  []Heard
		tested string
		want   suites.Effect
	}{
		"the end":                {Turn{Event: "SessionEnd"}, []int{0}, []Heard{start}, "", suites.Ignored},
		"before a compaction":    {Turn{Event: "PreCompact", From: 1}, []int{0, 1}, []Heard{start}, "", suites.Denied},
		"in a compaction":        {Turn{Event: "PostCompact", From: 1}, []int{0, 1}, []Heard{start, later}, "", suites.ShownToModel},
		"before the call":        {Turn{Event: "Notification"}, []int{0}, []Heard{start}, "t1", suites.Ignored},
		"before a directory":     {Turn{Event: "CwdChanged"}, []int{0}, []Heard{start}, "t1", suites.Ignored},
		"the start of a session": {Turn{Event: "SessionStart"}, []int{0}, []Heard{start}, "", suites.ContextAdded},
		"a start before another": {Turn{Event: "SessionStart", From: 1}, []int{0, 1}, []Heard{start}, "", suites.Ignored},
	} {
		tt.turn.Prompts = []string{goOn, goOn}
		s := Seen{Turn: tt.turn, Before: tt.before, Heard: tt.heard, Tested: tt.tested, Saw: []Fired{{HookLine: HookLine{ID: "w", Event: tt.turn.Event, Stdout: "hello", Exit: new(0)}}}}
		if got, because := s.Effect(); got != tt.want {
			t.Errorf("%s: %s (%s), want %s", name, got, because, tt.want)
		}
	}
}

// TestTurns checks that a step that a hook could be sent directly becomes a turn, or gives a reason
// why not.
func TestTurns(t *testing.T) {
	t.Parallel()
	file := func(path string) (string, bool) { return "one\ntwo\n", path == "/there" }
	tool := func(name, input string) string { return fmt.Sprintf(`{"tool_name":%q,"tool_input":%s}`, name, input) }
	for name, tt := range map[string]struct {
		event, sent, whole string
		raw, later         bool
		calls              string // tool=input, in order
		placed             string
		notLive            string
	}{
		"bash": {event: "PreToolUse", sent: tool("Bash", `{"command":"ls"}`), calls: `Bash={"command":"ls"}`},
		"edit of a file that is as the case has it afterwards": {event: "PostToolUse", sent: tool("Edit", `{"file_path":"/there"}`),
			calls:  `Read={"file_path":"/there"} Edit={"file_path":"/there","new_string":"","old_string":"` + marker + `\n"}`,
			placed: marker + "\none\ntwo\n"},
		"edit of a file that is as the case has it before": {event: "PreToolUse", sent: tool("Edit", `{"file_path":"/there"}`),
			calls: `Read={"file_path":"/there"} Edit={"file_path":"/there","new_string":"` + marker + `one","old_string":"one","replace_all":true}`},
		"edit of the case": {event: "PreToolUse", sent: tool("Edit", `{"file_path":"/there","old_string":"two","new_string":"2"}`), whole: `{"tool_input":{"old_string":"two"}}`,
			calls: `Read={"file_path":"/there"} Edit={"file_path":"/there","new_string":"2","old_string":"two"}`},
		"edit of nothing": {event: "PostToolUse", sent: tool("Edit", `{"file_path":"/not"}`), notLive: "/not is not there"},
		"write": {event: "PostToolUse", sent: tool("Write", `{"file_path":"/there","content":"x"}`),
			calls:  `Read={"file_path":"/there"} Write={"content":"one\ntwo\n","file_path":"/there"}`,
			placed: marker + "\none\ntwo\n"},
		"overwrite":            {event: "PostToolUse", sent: tool("Write", `{"file_path":"/new","content":"x"}`), calls: `Write={"content":"x","file_path":"/new"}`},
		"raw":                  {event: "PreToolUse", raw: true, notLive: "given as it is"},
		"no tool":              {event: "PreToolUse", sent: `{}`, notLive: "names no tool"},
		"mcp":                  {event: "PreToolUse", sent: tool("mcp__a__b", `{}`), notLive: "MCP server"},
		"what it cannot say":   {event: "PostToolUse", sent: tool("Bash", `{"command":"ls"}`), whole: `{"tool_response":{}}`, notLive: "tool_response, which the client itself decides"},
		"an event of no tool":  {event: "TeammateIdle", sent: `{}`, notLive: "no way is known"},
		"resumed":              {event: "SessionStart", sent: `{"source":"resume"}`, notLive: "by resume"},
		"a later start":        {event: "SessionStart", sent: `{"source":"startup"}`, later: true, notLive: "once"},
		"a stop under way":     {event: "Stop", sent: `{"stop_hook_active":true}`, notLive: "second stop"},
		"the one after":        {event: "Stop", sent: `{"stop_hook_active":true}`, later: true},
		"unasked":              {event: "PermissionDenied", sent: tool("Bash", `{"command":"chmod 600 a"}`), calls: `Bash={"command":"chmod 600 a"}`},
		"unasked elsewhere":    {event: "PermissionDenied", sent: `{"cwd":"/p","tool_name":"Write","tool_input":{"file_path":"/q/a","content":"x"}}`, calls: `Write={"content":"x","file_path":"/q/a"}`},
		"unasked here":         {event: "PermissionDenied", sent: `{"cwd":"/p","tool_name":"Write","tool_input":{"file_path":"/p/a","content":"x"}}`, notLive: "lets Write of /p/a run"},
		"unasked to read":      {event: "PermissionDenied", sent: tool("Read", `{"file_path":"/q/a"}`), notLive: "lets Read"},
		"a directory":          {event: "DirectoryAdded", sent: `{"directory":"/p/it's"}`, whole: `{"directory":"/p/it's"}`, calls: `Bash={"command":"mkdir -p '/p/it'\\''s'"}`},
		"a directory by hand":  {event: "DirectoryAdded", sent: `{"source":"slash_command"}`, notLive: "register_repo_root only"},
		"another notice":       {event: "Notification", sent: `{"notification_type":"idle_prompt"}`, whole: `{"notification_type":"idle_prompt"}`, notLive: "not of idle_prompt"},
		"a notice":             {event: "Notification", sent: `{"notification_type":"elicitation_response"}`, whole: `{"notification_type":"elicitation_response"}`, calls: `mcp__demo__ask={}`},
		"no instructions":      {event: "InstructionsLoaded", sent: `{"file_path":"/not"}`, notLive: "/not is not"},
		"instructions":         {event: "InstructionsLoaded", sent: `{"file_path":"/there"}`},
		"compaction by itself": {event: "PreCompact", sent: `{"trigger":"auto"}`, notLive: "trigger manual"},
	} {
		turn, err := NewTurn(Step{Event: tt.event, Sent: []byte(tt.sent), Whole: json.RawMessage(tt.whole), Raw: tt.raw, First: !tt.later, File: file})
		var why *NotLiveError
		if tt.notLive != "" {
			if !errors.As(err, &why) || !strings.Contains(why.Why, tt.notLive) {
				t.Errorf("%s: %v, want %q", name, err, tt.notLive)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var calls []string
		for _, r := range turn.Main {
			for _, c := range r.Calls {
				calls = append(calls, c.Tool+"="+string(c.Input))
			}
		}
		if got := strings.Join(calls, " "); got != tt.calls {
			t.Errorf("%s: calls %s, want %s", name, got, tt.calls)
		}
		if placed := ""; len(turn.Place) > 0 != (tt.placed != "") || len(turn.Place) > 0 && turn.Place[0].Content != tt.placed {
			t.Errorf("%s: placed %v %s", name, turn.Place, placed)
		}
	}
}

// TestEveryEvent checks that each event of the client has a way, or a reason why it has none.
func TestEveryEvent(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, e := range client.Events() {
		names[e.Name] = true
		switch way, listed := ways[e.Name]; {
		case !listed:
			t.Errorf("ways has no row for %s: say in it how a session comes to the event, or Why none does", e.Name)
		case (way.fire == nil) == (way.Why == ""):
			t.Errorf("the way to %s needs either fire or Why", e.Name)
		case way.Why == "" && e.Exit2 == suites.Denied && way.effect == nil:
			t.Errorf("the way to %s has no effect, by which a denial is known", e.Name)
		}
	}
	for name := range ways {
		if !names[name] {
			t.Errorf("ways has a row for %s, which is no event", name)
		}
	}
}

// TestSettings checks that scripts outside the client's project are found.
func TestSettings(t *testing.T) {
	t.Parallel()
	stop := client.Entry{Event: "Stop", Command: `"$CLAUDE_PROJECT_DIR"/a.sh`, Timeout: 1500e6}
	stop.Command = RootCommand(stop, "/it's")
	got := string(Settings([]client.Entry{stop, {Event: "PreToolUse", Matcher: "Bash", Type: "http", URL: "http://127.0.0.1"}}, nil))
	want := `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"http","url":"http://127.0.0.1"}]}],` +
		`"Stop":[{"hooks":[{"command":"cd '/it'\\''s' \u0026\u0026 \"/it's\"/a.sh","timeout":1.5,"type":"command"}]}]}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestWitness checks that a witness records a hook as it would have been observed.
func TestWitness(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	entries, all := AddWitnesses([]client.Entry{{Event: "Stop", Command: "reported"}, {Event: "SessionEnd", Command: "cat; echo no >&2; exit 3"}}, dir)
	if len(all) != 1 || entries[0].Command != "reported" {
		t.Fatalf("%+v %+v", entries, all)
	}
	w := all[0]
	if got := w.Unmask("ran [" + entries[1].Command + "]"); got != "ran [cat; echo no >&2; exit 3]" {
		t.Errorf("it is named %q", got)
	}
	read := func(name string) (string, bool) {
		b, err := os.ReadFile(filepath.Join(w.Dir, name))
		return string(b), err == nil
	}
	if _, ok := w.Saw(read); ok {
		t.Error("it has not run")
	}
	if err := os.MkdirAll(w.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.Dir, "command"), []byte(w.Command), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := process.Run(t.Context(), process.Command{Argv: []string{"/bin/sh", "-c", entries[1].Command}, Dir: dir, Env: []string{"PATH=/usr/bin:/bin"}, Stdin: []byte("in")})
	if err != nil || r.Exit != 3 || string(r.Stdout.Bytes) != "in" || string(r.Stderr.Bytes) != "no\n" {
		t.Fatalf("%+v %v", r, err)
	}
	if f, ok := w.Saw(read); !ok || *f.Exit != 3 || f.Stdout != "in" || f.Stderr != "no\n" || f.Command != w.Command {
		t.Errorf("%+v %v", f, ok)
	}
}

func FuzzReadLine(f *testing.F) {
	f.Add([]byte(`{"type":"system","subtype":"init","claude_code_version":"2.1.330"}`))
	f.Add([]byte(fmt.Sprintf(finished, "i", "Stop", "Stop", "o", "e", 2)))
	f.Add([]byte(`{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","input":{}}}`))
	f.Add([]byte(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"x"}]}]},"tool_result_meta":[{"id":"t"}]}`))
	f.Add([]byte(`{"type":"result","result":[1]}`))
	f.Add([]byte("no line"))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := ReadLine(b)
		if (err == nil) != (json.Valid(b) && err == nil) || err != nil && l.Kind != Other {
			t.Errorf("%+v, %v", l, err)
		}
		s := Seen{Turn: Turn{Event: l.Hook.Event}, Lines: []Line{l, l}, Tested: l.ToolUse}
		s.Effect()
		Match(&s, []Registered{{"a"}, {"b"}})
		if !json.Valid(Permit(l)) || !json.Valid(Refuse(l)) {
			t.Error("an answer is no JSON")
		}
	})
}

func FuzzReadRequest(f *testing.F) {
	f.Add([]byte(`{"model":"m","stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"a"}]}]}`))
	f.Add([]byte(`{"messages":[{"content":[{"content":[{"content":[{"content":[{"content":"deep"}]}]}]}]}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := ReadRequest(func(string) string { return "" }, b, session)
		if err != nil {
			return
		}
		m := Model{Session: session}
		for range 2 {
			if a := m.Answer(r); a.Status != fine || !r.Stream && !json.Valid(a.Body) {
				t.Errorf("%d %s", a.Status, a.Body)
			}
		}
		if len(m.Requests()[1].Texts) > 0 {
			t.Errorf("nothing is new: %q", m.Requests()[1].Texts)
		}
	})
}

func FuzzReadDebugLog(f *testing.F) {
	f.Add([]byte("2026-11-23T08:24:54.394Z [DEBUG] Hooks: Stop [cat\n[x]] finished with status 1 (12ms)\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, l := range ReadDebugLog(b) {
			if !strings.Contains(string(b), " "+l.Event) || !strings.Contains(string(b), l.Command) {
				t.Errorf("%+v is not in the log", l)
			}
		}
	})
}

// TestCarrying checks that only the hook's part of the model's texts is returned, once.
func TestCarrying(t *testing.T) {
	t.Parallel()
	exit := 0
	for name, tt := range map[string]struct {
		hook  HookLine
		texts []string
		want  string
	}{
		"its words alone": {HookLine{Event: "PreCompact", Stdout: "keep\nnames\n"}, []string{"Summarize.\nkeep\nnames\n\nREMINDER: no tools"}, "keep\nnames"},
		"and their line":  {HookLine{Event: "Stop", Stderr: "not yet"}, []string{"Stop hook feedback:\n[x]: not yet\nmore"}, "[x]: not yet"},
		"once":            {HookLine{Event: "PreCompact", Stdout: "keep"}, []string{"a keep b", "a keep b"}, "a keep b"},
		"none":            {HookLine{Event: "Stop", Stdout: "text"}, []string{"context"}, ""},
		"a report":        {HookLine{Event: "PreModelSwitch", Stdout: `{"systemMessage":"said"}`}, []string{"Set model\nsaid\n"}, "said"},
		"no report":       {HookLine{Event: "Stop", Stdout: `{"systemMessage":"said"}`}, []string{"Set model\nsaid\n"}, ""},
	} {
		tt.hook.Exit = &exit
		if got := strings.Join(Carrying(tt.texts, tt.hook), "|"); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestCut checks that a record is limited, and that texts with a hook's words are kept first.
func TestCut(t *testing.T) {
	t.Parallel()
	var texts []string
	for i := range 2 * mostTexts {
		texts = append(texts, fmt.Sprint("text ", i), "the same")
	}
	texts = append(texts, strings.Repeat("long ", longestText)+"\nthe hook said SO")
	got := Cut(texts, []HookLine{{Event: "Stop", Stdout: "SO"}})
	if len(got) != mostTexts || got[0] != "[...] the hook said SO" || got[1] != "text 0" || got[2] != "the same" || got[3] != "text 1" {
		t.Errorf("%q", got)
	}
}

// Answer records a request and returns the answer.
func (m *Model) Answer(r Request) Answer {
	m.Record(r)
	return m.Reply(r)
}
