package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"hookwatch/suites/client/clients"
	"hookwatch/suites/live"
)

// An agentClient is a real client whose model edits hooks.
type agentClient struct {
	variable   string   // of the directory of its program
	of         string   // its name in package clients
	registered string   // the clients that init --agent names
	reads      bool     // it edits only a file that the model has read
	arguments  []string // instead of those of package clients
	variables  map[string]string
}

// agentSession is the session of Claude Code.
const agentSession = "11111111-2222-4333-8444-555555555555"

var agentClients = map[string]agentClient{
	"claude": {
		variable: realClient, of: clients.Claude, registered: "claude", reads: true,
		arguments: []string{"-p", "break them", "--session-id", agentSession, "--dangerously-skip-permissions", "--max-turns", "60", "--output-format", "stream-json", "--verbose"},
		variables: map[string]string{"ANTHROPIC_BASE_URL": "{url}", "ANTHROPIC_API_KEY": "dummy", "CLAUDE_CODE_MAX_RETRIES": "0", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "IS_SANDBOX": "1"},
	},
	"codex":   {variable: "HOOKWATCH_TEST_CODEX", of: "codex", registered: "codex"},
	"copilot": {variable: "HOOKWATCH_TEST_COPILOT", of: "copilot", registered: "copilot"},
	"gemini":  {variable: "HOOKWATCH_TEST_GEMINI", of: "gemini", registered: "gemini"},
	// It runs the hook of Claude Code's file, too.
	"copilot by claude": {variable: "HOOKWATCH_TEST_COPILOT", of: "copilot", registered: "claude"},
	"copilot twice":     {variable: "HOOKWATCH_TEST_COPILOT", of: "copilot", registered: "claude,copilot"},
}

// TestRealClientAgent lets each real client make ten edits that break a hook, and as many that break
// nothing. The model's next request holds the failure of each of the former, once, and nothing of
// hookwatch after the others.
func TestRealClientAgent(t *testing.T) {
	t.Parallel()
	for name, c := range agentClients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := os.Getenv(c.variable)
			if dir == "" {
				t.Skip(c.variable + " is not set: see .ci/live")
			}
			c.run(t, dir)
		})
	}
}

// brokenHooks is the number of hooks that the model breaks.
const brokenHooks = 10

func (c agentClient) run(t *testing.T, dir string) {
	of, _ := clients.ByName(c.of)
	top := t.TempDir()
	root, home, bin := filepath.Join(top, "project"), filepath.Join(top, "home"), filepath.Join(top, "bin")
	write := func(name, content string, mode os.FileMode) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	write(filepath.Join(bin, "hookwatch"), "#!/bin/sh\n"+asProgram+"=1 exec '"+self+"' \"$@\"\n", 0o755)
	suite, entries := "suite: guards\nevent: PreToolUse\ntool: Bash\ncases:\n", []string{}
	for i := range brokenHooks {
		hook := fmt.Sprintf(".claude/hooks/guard%d.sh", i)
		write(filepath.Join(root, hook), fmt.Sprintf("#!/bin/bash\n# guard\nif grep -q 'forbidden%d'; then\n  echo 'no' >&2\n  exit 2\nfi\nexit 0\n", i), 0o755)
		suite += fmt.Sprintf("  - {id: G%d, name: denied, hook: %s, command: forbidden%d, expect: {effect: denied}}\n", i, hook, i)
		entries = append(entries, fmt.Sprintf(`{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/%s"}`, hook))
	}
	write(filepath.Join(root, ".claude/tests/hooks/suites/guards.yaml"), suite, 0o644)
	write(filepath.Join(root, ".claude/settings.json"), `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [`+strings.Join(entries, ",\n")+`]}]}}`, 0o644)
	env := []string{"PATH=" + bin + ":" + dir + ":/usr/local/bin:/usr/bin:/bin", "HOME=" + home, "TERM=dumb", "TMPDIR=" + top, "XDG_STATE_HOME=" + filepath.Join(top, "state")}
	start := func(env []string, name string, args ...string) []byte {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir, cmd.Env = root, env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		return out
	}
	start(env, filepath.Join(bin, "hookwatch"), "init", "--agent", "--yes", "--client", c.registered)
	start(env, filepath.Join(bin, "hookwatch"), "--once")

	model := &live.Model{Session: agentSession}
	if c.of != clients.Claude {
		if model.Wire, err = live.WireNamed(of.Live.Wire); err != nil {
			t.Fatal(err)
		}
	}
	script, breaks := c.script(of, root)
	model.Script(script, nil, nil)
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || !strings.HasPrefix(r.URL.Path, model.Path()) {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		asked, err := model.Read(r.Header.Get, body)
		if err != nil {
			t.Error(err)
			return
		}
		model.Record(asked)
		answer := model.Reply(asked)
		w.Header().Set("Content-Type", answer.Type)
		w.WriteHeader(answer.Status)
		_, _ = w.Write(answer.Body)
	}))
	defer server.Close()
	expand := strings.NewReplacer("{url}", server.URL, "{dir}", root, "{home}", home, "{prompt}", "break them", "{record}", "true", "{start}", "true")
	for name, text := range of.Live.Home {
		write(filepath.Join(home, name), expand.Replace(text), 0o644)
	}
	env = append(env, "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1", "HTTP_PROXY=http://127.0.0.1:9", "HTTPS_PROXY=http://127.0.0.1:9")
	variables := maps.Clone(of.Live.Variables)
	if c.variables != nil {
		variables = c.variables
	}
	for name, value := range variables {
		env = append(env, name+"="+expand.Replace(value))
	}
	program, arguments := of.Live.Program, slices.Clone(of.Live.Arguments)
	if c.of == clients.Claude {
		program, arguments = "claude", slices.Clone(c.arguments)
	}
	for i, text := range arguments {
		arguments[i] = expand.Replace(text)
	}
	out := start(env, filepath.Join(dir, program), arguments...)
	mu.Lock()
	defer mu.Unlock()
	c.judge(t, model, breaks, out)
}

// script returns the calls of the model, and the hook that each of them breaks, -1 for none.
func (c agentClient) script(of clients.Client, root string) (script []live.Reply, breaks []int) {
	call := func(broken int, tool string, input map[string]any) {
		text, _ := json.Marshal(input)
		if c.of != clients.Claude {
			tool, text, _ = of.Live.Call(tool, text)
		}
		script = append(script, live.Reply{Calls: []live.Call{{Tool: tool, Input: text}}})
		breaks = append(breaks, broken)
	}
	for i := range brokenHooks {
		file := filepath.Join(root, fmt.Sprintf(".claude/hooks/guard%d.sh", i))
		if c.reads {
			call(-1, "Read", map[string]any{"file_path": file})
		}
		call(-1, "Edit", map[string]any{"file_path": file, "old_string": "# guard", "new_string": "# a guard"})
		call(i, "Edit", map[string]any{"file_path": file, "old_string": "  exit 2", "new_string": "  exit 1"})
	}
	return script, breaks
}

// judge compares what the model was sent after each call.
func (c agentClient) judge(t *testing.T, model *live.Model, breaks []int, out []byte) {
	t.Helper()
	var heard []string
	for _, h := range model.Requests() {
		if h.Origin == live.Main {
			heard = append(heard, strings.Join(h.Texts, "\n"))
		}
	}
	if len(heard) < len(breaks)+1 {
		t.Fatalf("%d requests, want %d:\n%s", len(heard), len(breaks)+1, out)
	}
	heard = heard[len(heard)-len(breaks):]
	shown, silent := 0, 0
	for i, text := range heard {
		broken := breaks[i]
		id := fmt.Sprintf("FAIL G%d ", broken)
		right := strings.Count(text, id) == 1 && strings.Contains(text, fmt.Sprintf("hookwatch run G%d", broken))
		if broken < 0 {
			right = !strings.Contains(text, "hookwatch")
		}
		switch {
		case !right:
			t.Errorf("call %d, which breaks hook %d: the model was sent\n%s", i, broken, text)
		case broken < 0:
			silent++
		default:
			shown++
		}
	}
	t.Logf("%d of %d breaks were shown to the model, and nothing after %d other calls; after the last:\n%s", shown, brokenHooks, silent, heard[len(heard)-1])
}
