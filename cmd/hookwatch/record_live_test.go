package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites/live"
)

// modelServer answers a client's requests with the calls, one a request, and then with "done". said
// returns what the client sent to the model.
func modelServer(t *testing.T, calls ...live.Call) (url string, said func() []string) {
	t.Helper()
	var mu sync.Mutex
	model := live.Model{}
	var script []live.Reply
	for _, c := range calls {
		script = append(script, live.Reply{Calls: []live.Call{c}})
	}
	model.Script(script, nil, nil)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked, err := live.ReadRequest(r.Header.Get, body, r.Header.Get("X-Claude-Code-Session-Id"))
		if err != nil || !strings.HasPrefix(r.URL.Path, "/v1/messages") {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		mu.Lock()
		model.Record(asked)
		a := model.Reply(asked)
		mu.Unlock()
		w.Header().Set("Content-Type", a.Type)
		w.WriteHeader(a.Status)
		_, _ = w.Write(a.Body)
	}))
	t.Cleanup(s.Close)
	return s.URL, func() (all []string) {
		mu.Lock()
		defer mu.Unlock()
		for _, h := range model.Requests() {
			all = append(all, h.Texts...)
		}
		return all
	}
}

// call returns a call of the model.
func call(tool, input string) live.Call { return live.Call{Tool: tool, Input: json.RawMessage(input)} }

// TestRealClientRecords starts the real client as record prints it. The user's hooks run and decide
// as without the recorder, every event is recorded, and the transcript of the session has the same
// calls.
func TestRealClientRecords(t *testing.T) {
	t.Parallel()
	bin := os.Getenv(realClient)
	if bin == "" {
		t.Skip(realClient + " is not set: see .ci/live")
	}
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{
		"p/.claude/settings.json":    `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "grep -q forbidden && { echo never >&2; exit 2; }; echo fired >>seen; exit 0"}]}]}}`,
		"home/.claude/settings.json": `{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "echo prompted >>seen"}]}]}}`,
	})
	project := filepath.Join(dir, "p")
	settings, err := os.ReadFile(filepath.Join(dir, "home/.claude/settings.json"))
	if err != nil {
		t.Fatal(err)
	}
	env := []string{
		"PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin", "HOME=" + dir + "/home", "XDG_STATE_HOME=" + dir + "/state", "TERM=dumb", "IS_SANDBOX=1",
		"ANTHROPIC_API_KEY=dummy", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", asProgram + "=1",
	}
	hookwatch := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
		cmd.Dir, cmd.Env = project, env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	var recorded struct {
		Command  string
		Payloads []struct {
			Event, Tool string
			Payloads    int
		}
	}
	decode := func(text string) {
		if err := json.Unmarshal([]byte(text), &recorded); err != nil {
			t.Fatal(err, text)
		}
	}
	decode(hookwatch("record", "--format", "json"))
	session := func(command string) []string {
		url, said := modelServer(t, call("Bash", `{"command": "echo one ghp_16C7e42F292c6912E7710c838347Ae178B4a"}`), call("Bash", `{"command": "echo forbidden"}`),
			call("Write", `{"file_path": "`+project+`/a.txt", "content": "x"}`), call("Bash", `{"command": "false"}`))
		cmd := exec.CommandContext(t.Context(), "sh", "-c", command+" -p 'say hello' --dangerously-skip-permissions")
		cmd.Dir, cmd.Env = project, append(slices.Clone(env), "ANTHROPIC_BASE_URL="+url)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "done") {
			t.Fatalf("the client: %v\n%s", err, out)
		}
		return said()
	}
	plain := session("claude")
	for _, left := range []string{"seen", "a.txt"} {
		if err := os.Remove(filepath.Join(project, left)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, "home/.claude/projects")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(plain, session(recorded.Command)); diff != "" {
		t.Errorf("the recorder changed what the model is sent:\n%s", diff)
	}
	seen, _ := os.ReadFile(filepath.Join(project, "seen"))
	if want := "prompted\nfired\nfired\n"; string(seen) != want {
		t.Errorf("the user's hooks left %q, want %q", seen, want)
	}
	if now, _ := os.ReadFile(filepath.Join(dir, "home/.claude/settings.json")); string(now) != string(settings) {
		t.Errorf("the user's settings became %s", now)
	}
	decode(hookwatch("record", "--format", "json"))
	var got []string
	for _, p := range recorded.Payloads {
		got = append(got, strings.TrimSpace(p.Event+" "+p.Tool))
	}
	for _, want := range []string{"SessionStart", "UserPromptSubmit", "PreToolUse Bash", "PreToolUse Write", "PostToolUse Bash", "PostToolUse Write", "PostToolUseFailure Bash", "Stop", "SessionEnd"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s was not recorded, but %q", want, got)
		}
	}
	if out := hookwatch("record", "--transcripts", "--yes"); !strings.Contains(out, "1 transcript read, 0 payloads added") {
		t.Errorf("the transcript has other payloads than the client sent:\n%s", out)
	}
}
