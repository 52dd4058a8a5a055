package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"hookwatch/suites/live"
)

// TestRealClientAgent lets the real client make ten edits that break a hook, and as many that break
// nothing. The model's next request holds the failure of each of the former, and nothing of
// hookwatch after the others.
func TestRealClientAgent(t *testing.T) {
	t.Parallel()
	dir := os.Getenv(realClient)
	if dir == "" {
		t.Skip(realClient + " is not set: see .ci/live")
	}
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
	write(filepath.Join(home, ".keep"), "", 0o644)
	const hooks = 10
	suite, entries := "suite: guards\nevent: PreToolUse\ntool: Bash\ncases:\n", []string{}
	for i := range hooks {
		hook := fmt.Sprintf(".claude/hooks/guard%d.sh", i)
		write(filepath.Join(root, hook), fmt.Sprintf("#!/bin/bash\n# guard\nif grep -q 'forbidden%d'; then\n  echo 'no' >&2\n  exit 2\nfi\nexit 0\n", i), 0o755)
		suite += fmt.Sprintf("  - {id: G%d, name: denied, hook: %s, command: forbidden%d, expect: {effect: denied}}\n", i, hook, i)
		entries = append(entries, fmt.Sprintf(`{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/%s"}`, hook))
	}
	write(filepath.Join(root, ".claude/tests/hooks/suites/guards.yaml"), suite, 0o644)
	write(filepath.Join(root, ".claude/settings.json"), `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [`+strings.Join(entries, ",\n")+`]}]}}`, 0o644)
	env := []string{"PATH=" + bin + ":" + dir + ":/usr/local/bin:/usr/bin:/bin", "HOME=" + home, "TERM=dumb", "TMPDIR=" + top, "XDG_STATE_HOME=" + filepath.Join(top, "state")}
	start := func(more []string, name string, args ...string) []byte {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir, cmd.Env = root, append(append([]string{}, env...), more...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		return out
	}
	start(nil, filepath.Join(bin, "hookwatch"), "init", "--agent", "--yes")
	start(nil, filepath.Join(bin, "hookwatch"), "--once")

	call := func(tool string, input map[string]any) live.Reply {
		text, _ := json.Marshal(input)
		return live.Reply{Calls: []live.Call{{Tool: tool, Input: text}}}
	}
	var script []live.Reply
	for i := range hooks {
		file := filepath.Join(root, fmt.Sprintf(".claude/hooks/guard%d.sh", i))
		script = append(script,
			call("Read", map[string]any{"file_path": file}),
			call("Edit", map[string]any{"file_path": file, "old_string": "# guard", "new_string": "# a guard"}),
			call("Edit", map[string]any{"file_path": file, "old_string": "exit 2", "new_string": "exit 1"}),
		)
	}
	const session = "11111111-2222-4333-8444-555555555555"
	model := &live.Model{Session: session}
	model.Script(script, nil, nil)
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || !strings.HasPrefix(r.URL.Path, "/v1/messages") {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		asked, err := live.ReadRequest(r.Header.Get, body, session)
		if err != nil {
			t.Error(err)
			return
		}
		answer := model.Answer(asked)
		w.Header().Set("Content-Type", answer.Type)
		w.WriteHeader(answer.Status)
		_, _ = w.Write(answer.Body)
	}))
	defer server.Close()
	out := start([]string{
		"ANTHROPIC_BASE_URL=" + server.URL, "ANTHROPIC_API_KEY=dummy", "CLAUDE_CODE_MAX_RETRIES=0", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "IS_SANDBOX=1", "NO_PROXY=127.0.0.1",
	}, filepath.Join(dir, "claude"), "-p", "break them", "--session-id", session, "--dangerously-skip-permissions", "--max-turns", "60", "--output-format", "stream-json", "--verbose")
	mu.Lock()
	defer mu.Unlock()
	var heard []string
	for _, h := range model.Heard() {
		if h.Origin == live.Main {
			heard = append(heard, strings.Join(h.Texts, "\n"))
		}
	}
	if len(heard) < len(script)+1 {
		t.Fatalf("%d requests, want %d:\n%s", len(heard), len(script)+1, out)
	}
	heard = heard[len(heard)-len(script):] // what follows each call
	for i, text := range heard {
		id, broke := fmt.Sprintf("FAIL G%d ", i/3), i%3 == 2
		if sent := strings.Contains(text, id) && strings.Contains(text, "hookwatch run G"); sent != broke || !broke && strings.Contains(text, "hookwatch:") {
			t.Errorf("call %d: %s is in the request: %v, want %v:\n%s", i, id, sent, broke, text)
		}
	}
}
