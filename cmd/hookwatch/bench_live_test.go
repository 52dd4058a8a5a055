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
	"time"

	"hookwatch/suites/live"
)

// BenchmarkLive runs cases of layer 2 once through hookwatch and once as the same calls
// of the real client by a plain script, for ten by xargs on two workers: the same prompt,
// tool call, hook, environment and scripted model, a fresh HOME each. The ratio is what
// hookwatch costs, isolation included; the budget is 1.1.
func BenchmarkLive(b *testing.B) {
	dir := os.Getenv(realClient)
	if dir == "" {
		b.Skip("the real client, claude, is absent: " + realClient + " is not set (see .ci/live)")
	}
	for _, cases := range []int{1, 10} {
		b.Run(fmt.Sprint(cases), func(b *testing.B) { benchmarkLive(b, dir, cases) })
	}
}

func benchmarkLive(b *testing.B, clients string, cases int) {
	root := filepath.Join(b.TempDir(), "project")
	var suite strings.Builder
	suite.WriteString("suite: l\nhook: guard.sh\nevent: PreToolUse\ntool: Bash\nlayer: 2\ncases:\n")
	args := []string{"run", "--jobs", "2"}
	for i := range cases {
		fmt.Fprintf(&suite, "  - {id: L%d, name: n, command: pip install x, expect: {effect: denied}}\n", i)
		args = append(args, fmt.Sprintf("L%d", i))
	}
	writeFiles(b, root, map[string]string{
		".hookwatch.yaml":       "hooks: [.]\nsuites: [s.yaml]\nverify: off\nnotify: {desktop: false}\nlive: {client: " + filepath.Join(clients, "claude") + "}\n",
		"s.yaml":                suite.String(),
		"guard.sh":              "#!/bin/sh\necho no >&2\nexit 2\n",
		".claude/settings.json": `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "sh guard.sh"}]}]}}`,
	})
	model := httptest.NewServer(&scripted{sessions: map[string]*live.Model{}})
	defer model.Close()
	var mine, theirs time.Duration
	for b.Loop() {
		cmd := program(b, root, args...)
		cmd.Env = append(cmd.Env, "HOOKWATCH_CLIENT="+filepath.Join(clients, "claude"))
		begin := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), fmt.Sprintf("PASS %d ", cases)) {
			b.Fatalf("%v\n%s", err, out)
		}
		mine += time.Since(begin)
		theirs += plainly(b, root, filepath.Join(clients, "claude"), model.URL, cases)
	}
	b.ReportMetric(float64(mine)/float64(theirs), "ours/theirs")
	b.ReportMetric(float64(theirs.Milliseconds())/float64(b.N), "theirs-ms")
}

// plainly is how long the same calls of the client take by a script.
func plainly(b *testing.B, root, client, address string, cases int) time.Duration {
	b.Helper()
	dir := b.TempDir()
	var list strings.Builder
	for i := range cases {
		home := filepath.Join(dir, fmt.Sprint(i))
		script := fmt.Sprintf(`mkdir -p %[1]s/tmp; printf '%%s' %[2]s | env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=%[1]s TMPDIR=%[1]s/tmp ANTHROPIC_API_KEY=dummy \
ANTHROPIC_BASE_URL=%[3]s CLAUDE_CODE_MAX_RETRIES=0 DISABLE_AUTOUPDATER=1 DISABLE_TELEMETRY=1 DISABLE_ERROR_REPORTING=1 DISABLE_BUG_COMMAND=1 \
NO_PROXY=127.0.0.1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 IS_SANDBOX=1 %[4]s -p --input-format stream-json --output-format stream-json --verbose \
--include-hook-events --permission-prompt-tool stdio --debug-file %[1]s/log >%[1]s/out 2>%[1]s/err; grep -q 'hook error' %[1]s/out
`, home, word(string(live.Prompt("go on"))), address, client)
		writeFiles(b, dir, map[string]string{fmt.Sprintf("%d.sh", i): script})
		fmt.Fprintln(&list, filepath.Join(dir, fmt.Sprintf("%d.sh", i)))
	}
	cmd := exec.Command("xargs", "-P", "2", "-n", "1", "sh")
	cmd.Dir, cmd.Stdin = root, strings.NewReader(list.String())
	begin := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		said, _ := os.ReadFile(filepath.Join(dir, "0", "err"))
		b.Fatalf("%v\n%s\n%s", err, out, said)
	}
	return time.Since(begin)
}

// scripted is a model that calls Bash once in each session.
type scripted struct {
	mu       sync.Mutex
	sessions map[string]*live.Model
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/messages" {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	id := r.Header.Get("X-Claude-Code-Session-Id")
	s.mu.Lock()
	defer s.mu.Unlock()
	asked, err := live.ReadRequest(r.Header.Get, body, id)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	m := s.sessions[id]
	if m == nil {
		m = &live.Model{Session: id}
		m.Script([]live.Reply{{Calls: []live.Call{{Tool: "Bash", Input: json.RawMessage(`{"command":"pip install x"}`), Tested: true}}}}, nil, nil)
		s.sessions[id] = m
	}
	m.Record(asked)
	a := m.Reply(asked)
	w.Header().Set("Content-Type", a.Type)
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body)
}
