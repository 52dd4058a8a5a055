package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"hookwatch/suites/process/testdata/processtest"
)

// sessionSecrets have a secret of each kind, with text in which sessions have it: %s is what must not be
// kept. They are in parts, because scanners of repositories look for them, too.
var sessionSecrets = []struct{ text, secret string }{
	{"AWS_ACCESS_KEY_ID=AKIA%s aws s3 ls", "Q3EGRIZX7ZQPLM2N"},
	{"aws configure set aws_secret_access_key %s", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzQQ1aKEYs"},
	{"gh login ghp_%s", "16C7e42F292c6912E7710c838347Ae178B4a"},
	{"glab login glpat-%s", "x9Yz8Wv7Ut6Sr5Qp4On3"},
	{"echo xoxb-%s", "263594206564-2343594206574-FGqddMF8t08v8N7Oq4i57vs1"},
	{"stripe listen sk_live_%s", "4eC39HqLyjWDarjtT1zdp7dc"},
	{"curl 'http://127.0.0.1/?key=AIza%s'", "SyDaGmWKa4JsXZHjGw7ISLn3namBGewQe"},
	{"echo sk-ant-api03-%s", "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF-gH3jKAA"},
	{"npx npm-login npm_%s", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"},
	{"jwt decode eyJ%s", "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"},
	{"-----BEGIN RSA PRIVATE KEY-----\n%s\n-----END RSA PRIVATE KEY-----", "MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfnygWyf8dQw9Zp0Qq1"},
	{"psql postgres://app:%s@db.internal:5432/app", "s3cr3tPazz!"},
	{"{\"db_password\": \"%s\"}", "correct horse battery"},
	{"git config user.email %s", "jane.doe@corp.internal"},
	{"cat /home/%s/.ssh/config", "janeadoe"},
}

// seeded returns payloads of a session in a project, with every secret in each of six places.
func seeded(project string) (all []map[string]any) {
	for i := range 6 * len(sessionSecrets) {
		s := sessionSecrets[i%len(sessionSecrets)]
		text := fmt.Sprintf(s.text, s.secret) + fmt.Sprintf(" # %d", i)
		p := map[string]any{"session_id": fmt.Sprint(i), "cwd": project, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": map[string]any{"command": text}}
		switch i / len(sessionSecrets) % 6 {
		case 1:
			p["tool_name"], p["tool_input"] = "Write", map[string]any{"file_path": project + "/a.txt", "content": strings.Repeat("line\n", 50) + text + "\nlast\n"}
		case 2:
			p["hook_event_name"], p["tool_response"] = "PostToolUse", map[string]any{"stdout": text, "stderr": ""}
		case 3:
			p = map[string]any{"cwd": project, "hook_event_name": "UserPromptSubmit", "prompt": "please use " + text}
		case 4:
			inner, _ := json.Marshal(map[string]string{"deep": text}) // a string
			p["tool_name"], p["tool_input"] = "mcp__db__query", map[string]any{"q": []any{string(inner), map[string]string{text: "key"}}}
		case 5:
			p = map[string]any{"cwd": project, "hook_event_name": "Stop", "stop_hook_active": false, "last_assistant_message": "I ran " + text}
		}
		all = append(all, p)
	}
	return all
}

// transcribe writes a transcript of payloads as the client does.
func transcribe(t *testing.T, file string, payloads []map[string]any) {
	t.Helper()
	var b strings.Builder
	line := func(kind string, content, result any, cwd any) {
		text, err := json.Marshal(map[string]any{"type": kind, "message": map[string]any{"content": content}, "toolUseResult": result, "cwd": cwd, "timestamp": time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(text, '\n'))
	}
	for i, p := range payloads {
		id := fmt.Sprint("toolu_", i)
		if p["tool_name"] == nil {
			line("user", p["prompt"], nil, p["cwd"])
			continue
		}
		line("assistant", []any{map[string]any{"type": "tool_use", "id": id, "name": p["tool_name"], "input": p["tool_input"]}}, nil, p["cwd"])
		line("user", []any{map[string]any{"type": "tool_result", "tool_use_id": id}}, p["tool_response"], p["cwd"])
	}
	writeFiles(t, filepath.Dir(file), map[string]string{filepath.Base(file): b.String()})
}

// A recordPlace is a project with hooks that print all that they get, and a home directory.
type recordPlace struct {
	dir, project string
	env          []string
	printed      strings.Builder // by all commands
}

func newRecordPlace(t *testing.T) *recordPlace {
	t.Helper()
	dir := t.TempDir()
	p := &recordPlace{dir: dir, project: filepath.Join(dir, "p")}
	writeFiles(t, dir, map[string]string{
		"p/.hookwatch.yaml": "verify: off\n",
		"p/.claude/settings.json": `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "sh $CLAUDE_PROJECT_DIR/tell.sh"}]}],
			"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "sh $CLAUDE_PROJECT_DIR/tell.sh"}]}], "Stop": [{"hooks": [{"type": "command", "command": "sh $CLAUDE_PROJECT_DIR/tell.sh"}]}]}}`,
		"p/tell.sh":   "cat >&2; cat env.txt >&2; exit 2\n",
		"home/.empty": "",
	})
	var own strings.Builder
	for _, s := range sessionSecrets { // what hooks print of the project is not kept either
		fmt.Fprintf(&own, s.text+"\n", s.secret)
	}
	writeFiles(t, p.project, map[string]string{"env.txt": own.String()})
	p.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir + "/home", "XDG_STATE_HOME=" + dir + "/state", "TMPDIR=" + dir, asProgram + "=1", "CI=true",
		"GOCOVERDIR=" + os.Getenv("GOCOVERDIR"),
	}
	return p
}

// run runs hookwatch in the project.
func (p *recordPlace) run(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Dir, cmd.Env, cmd.Stdin = p.project, p.env, strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	p.printed.Write(out)
	return string(out)
}

// corpus starts recording, and returns the arguments of the recorder.
func (p *recordPlace) recorder(t *testing.T) []string {
	t.Helper()
	p.run(t, "", "record")
	found, err := filepath.Glob(filepath.Join(p.dir, "state/hookwatch/*/corpus"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	return []string{"recorder", found[0], p.project}
}

// leaks returns the files of a tree, and the output of commands, that have a secret.
func (p *recordPlace) leaks(t *testing.T, trees ...string) (all []string) {
	t.Helper()
	texts := map[string]string{"output": p.printed.String()}
	for _, tree := range trees {
		err := filepath.WalkDir(tree, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			texts[path] = string(text) + path
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range texts {
		for _, s := range sessionSecrets {
			quoted, _ := json.Marshal(s.secret) // a string
			if strings.Contains(text, s.secret) || strings.Contains(text, strings.Trim(string(quoted), `"`)) {
				all = append(all, name+" has "+s.secret)
			}
		}
	}
	return all
}

var caseID = regexp.MustCompile(`"id": "([0-9a-f]{16})"`)

// TestRecordSecrets seeds secrets of every kind in payloads and in transcripts. None is in anything
// that record and replay write or print: the state folder, cases, output.
func TestRecordSecrets(t *testing.T) {
	t.Parallel()
	p := newRecordPlace(t)
	recorder := p.recorder(t)
	all := seeded(p.project)
	for _, payload := range all {
		text, err := json.Marshal(payload)
		if err != nil {
			t.Fatal(err)
		}
		if out := p.run(t, string(text), recorder...); out != "" {
			t.Fatalf("the recorder printed %q", out)
		}
	}
	transcripts := filepath.Join(p.dir, "home/.claude/projects", regexp.MustCompile(`[^a-zA-Z0-9]`).ReplaceAllString(p.project, "-"))
	transcribe(t, filepath.Join(transcripts, "s.jsonl"), all)
	if out := p.run(t, "", "record", "--transcripts", "--yes"); !regexp.MustCompile(`1 transcript read, [1-9]\d+ payloads added`).MatchString(out) {
		t.Error(out)
	}
	if out := p.run(t, "", "replay", "-v", "--format", "json"); strings.Count(out, "denied") == 0 {
		t.Error(out)
	}
	writeFiles(t, p.project, map[string]string{"tell.sh": "cat; cat env.txt; exit 0\n"})
	if out := p.run(t, "", "replay"); !strings.Contains(out, "LET THROUGH") {
		t.Error(out)
	}
	writeFiles(t, p.project, map[string]string{"tell.sh": "cat >&2; cat env.txt; exit 2\n"})
	ids := caseID.FindAllStringSubmatch(p.run(t, "", "replay", "-v", "--format", "json"), -1)
	if len(ids) < len(sessionSecrets)*3 {
		t.Fatalf("%d payloads are blocked again", len(ids))
	}
	for _, id := range processtest.Sample(ids[:len(sessionSecrets)], 12) {
		p.run(t, "", "record", "--case", id[1], "--write", "suites/recorded.yaml")
		p.run(t, "", "record", "--case", id[1])
	}
	if err := os.Remove(filepath.Join(p.project, "env.txt")); err != nil {
		t.Fatal(err)
	}
	for _, leak := range p.leaks(t, filepath.Join(p.dir, "state"), p.project) {
		t.Error(leak)
	}
	for _, path := range []string{filepath.Join(p.dir, "state"), filepath.Join(p.project, "suites")} {
		if files, _ := filepath.Glob(filepath.Join(path, "*")); len(files) == 0 {
			t.Errorf("%s is empty", path)
		}
	}
}

// TestRecorderIsQuiet checks that the recorder changes nothing for the client, whatever it gets:
// it ends with 0 and prints nothing.
func TestRecorderIsQuiet(t *testing.T) {
	t.Parallel()
	p := newRecordPlace(t)
	recorder := p.recorder(t)
	for _, payload := range []string{"", "{", "\xff", `{"hook_event_name": "PreToolUse"`, `{"hook_event_name": "NoSuchEvent"}`, strings.Repeat("[", 1<<20), `{"hook_event_name":"Stop","x":"` + strings.Repeat("a", 3<<20) + `"}`} {
		if out := p.run(t, payload, recorder...); out != "" {
			t.Errorf("%.40q: %q", payload, out)
		}
	}
	for _, args := range [][]string{{"recorder", p.dir + "/none", p.project}, {"recorder", p.project, p.project}, {"recorder", "", ""}} {
		if out := p.run(t, `{"hook_event_name": "Stop"}`, args...); out != "" {
			t.Errorf("%q: %q", args, out)
		}
	}
	if err := os.RemoveAll(filepath.Join(p.dir, "state")); err != nil {
		t.Fatal(err)
	}
	p.run(t, `{"hook_event_name": "Stop"}`, recorder...)
	if _, err := os.Stat(recorder[1]); err == nil {
		t.Error("the recorder made a corpus that the user deleted")
	}
}

// BenchmarkRecorder measures the recorder with the payload of a call, from its start to its end, and
// the start of the program alone.
func BenchmarkRecorder(b *testing.B) {
	p := &recordPlace{dir: b.TempDir()}
	program := filepath.Join(b.TempDir(), "hookwatch")
	if out, err := exec.Command("go", "build", "-o", program, "hookwatch/cmd/hookwatch").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	env := []string{"HOME=" + p.dir, "XDG_STATE_HOME=" + p.dir}
	start := exec.Command(program, "-C", p.dir, "record")
	if start.Env = env; start.Run() != nil {
		b.Fatal("record failed")
	}
	corpora, _ := filepath.Glob(filepath.Join(p.dir, "hookwatch/*/corpus"))
	for _, of := range []struct {
		name string
		args []string
	}{{"start", []string{"help"}}, {"recorder", []string{"recorder", corpora[0], p.dir}}} {
		b.Run(of.name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				cmd := exec.Command(program, of.args...)
				cmd.Env, cmd.Stdin = env, strings.NewReader(fmt.Sprintf(`{"hook_event_name":"PreToolUse","cwd":%q,"tool_name":"Bash","tool_input":{"command":"git push %d"}}`, p.dir, len(took)))
				began := time.Now()
				if err := cmd.Run(); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[0].Microseconds())/1000, "least-ms")
		})
	}
}
