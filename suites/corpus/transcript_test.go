package corpus

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites/record"
)

// session is a transcript of client 2.1.330, shortened: a prompt, a call, its result, a call of a
// subagent, a call that was denied, and lines of other kinds. ROOT is the project.
const session = `{"type":"queue-operation","operation":"enqueue","content":"say hello"}
{"isSidechain":false,"type":"user","message":{"role":"user","content":"say <hello> & go"},"timestamp":"2026-11-26T10:11:29.017Z","permissionMode":"acceptEdits","cwd":"ROOT","sessionId":"s"}
{"isSidechain":false,"message":{"role":"assistant","content":[{"type":"text","text":"I will"},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls  \"a\"","timeout":1e3}}]},"type":"assistant","timestamp":"2026-11-26T10:11:30Z","effort":"high","cwd":"ROOT/sub"}
{"isSidechain":false,"type":"user","message":{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":"a","is_error":false}]},"timestamp":"2026-11-26T10:11:31Z","toolUseResult":{"stdout":"a","stderr":""},"cwd":"ROOT/sub"}
{"isSidechain":true,"message":{"role":"assistant","content":[{"type":"tool_use","id":"t2","name":"mcp__x__y","input":{}}]},"type":"assistant","timestamp":"2026-11-26T10:11:32Z","cwd":"ROOT"}
{"type":"user","message":{"role":"user","content":[{"tool_use_id":"t2","type":"tool_result","content":"denied","is_error":true}]},"toolUseResult":"Error: denied","timestamp":"2026-11-26T10:11:33Z","cwd":"ROOT"}
{"type":"user","message":{"role":"user","content":"<command-name>/clear</command-name>"},"timestamp":"2026-11-26T10:11:34Z","cwd":"ROOT"}
{"type":"user","isMeta":true,"message":{"role":"user","content":"Caveat"},"timestamp":"2026-11-26T10:11:34Z","cwd":"ROOT"}
{"type":"user","message":{"role":"user","content":"of another project"},"timestamp":"2026-11-26T10:11:34Z","cwd":"ROOT-2"}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t9"},{"type":"tool_use","id":"t3","name":"Bash","input":{"command":"of no assistant"}}]},"timestamp":"2026-11-26T10:11:34Z","cwd":"ROOT"}
{"message":{"role":"assistant","content":[{"type":"tool_use","id":"t4","input":{"command":"of no tool"}}]},"type":"assistant","timestamp":"2026-11-26T10:11:34Z","cwd":"ROOT"}
{"type":"user","message":{"role":"user","content":[{"type":"text","text":"in "},{"type":"text","text":"blocks"}]},"timestamp":"2026-11-26T10:11:35Z","cwd":"ROOT"}
{"type":"user","mess`

// TestTranscript checks the payloads of a transcript: those that the client sent.
func TestTranscript(t *testing.T) {
	t.Parallel()
	c, _, root := newCorpus(t)
	home := t.TempDir()
	file := filepath.Join(home, ".claude", "projects", strings.NewReplacer("/", "-", ".", "-", "_", "-").Replace(realPath(root)), "s.jsonl")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(session, "ROOT", root)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", filepath.Join(filepath.Dir(file), "zero.jsonl")); err != nil {
		t.Fatal(err)
	}
	_, files, err := Transcripts(root, home, "")
	if err != nil || !slices.Equal(files, []string{file}) {
		t.Fatal(files, err)
	}
	if n, err := c.AddTranscripts(files); n != 5 || err != nil {
		t.Fatal(n, err)
	}
	if n, err := c.AddTranscripts(files); n != 0 || err != nil {
		t.Error("the same again:", n, err)
	}
	all, err := c.Payloads()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range all {
		got = append(got, p.Last.UTC().Format("05 ")+string(p.Input))
	}
	want := []string{
		`35 {"permission_mode":"acceptEdits","hook_event_name":"UserPromptSubmit","prompt":"in blocks"}`,
		`32 {"permission_mode":"acceptEdits","agent_id":"a0000000000000001","hook_event_name":"PreToolUse","tool_name":"mcp__x__y","tool_input":{}}`,
		`31 {"cwd":"{project}/sub","permission_mode":"acceptEdits","effort":{"level":"high"},"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls  \"a\"","timeout":1e3},"tool_response":{"stdout":"a","stderr":""}}`,
		`30 {"cwd":"{project}/sub","permission_mode":"acceptEdits","effort":{"level":"high"},"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls  \"a\"","timeout":1e3}}`,
		`29 {"permission_mode":"acceptEdits","hook_event_name":"UserPromptSubmit","prompt":"say <hello> & go"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzTranscript checks that all that is read of any transcript is payloads, and runs of hooks with an
// event.
func FuzzTranscript(f *testing.F) {
	f.Add([]byte(strings.ReplaceAll(session, "ROOT", "/p")))
	f.Add([]byte(`{"message":{"content":[{"type":"tool_use","name":7,"input":[]},null]},"type":"assistant","cwd":"/p"}`))
	f.Add([]byte(observed(f)))
	f.Fuzz(func(t *testing.T, text []byte) {
		r := NewRedactor(testKey, "/p", "/home/me")
		read := newTranscript([]string{"/p"}, func(s Shown) {
			if s.Payload == nil || s.Event == "Stop" || s.Event == "PostToolUseFailure" {
				return
			}
			event, kept, err := r.input(s.Payload)
			if err != nil || event != s.Event {
				t.Fatalf("%q of %q: %v", s.Payload, text, err)
			}
			_ = Payload{Event: event, Input: kept}.overrides()
		})
		lines := 0
		err := record.Lines(bytes.NewReader(text), func(n int, line []byte) bool {
			lines = n
			read.line("", line)
			return true
		})
		if err != nil || read.Lines != lines || read.BadLines > lines {
			t.Errorf("%d of %d lines, %d bad: %v", read.Lines, lines, read.BadLines, err)
		}
	})
}

// TestDistrusting checks that only a file which can be read and trusts no directory around the project is
// named.
func TestDistrusting(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	root := filepath.Join(home, "work", "p")
	if err := os.MkdirAll(root, 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(home, "link")
	if err := os.Symlink(root, link); err != nil {
		t.Skip(err)
	}
	file := filepath.Join(home, ".claude.json")
	for text, want := range map[string]string{
		`{}`: file,
		`{"projects": {"ROOT": {"hasTrustDialogAccepted": false}}}`:            file,
		`{"projects": {"ROOT": {"hasTrustDialogAccepted": true}}}`:             "",
		`{"projects": {"HOME/work": {"hasTrustDialogAccepted": true}}}`:        "",
		`{"projects": {"ROOT/below": {"hasTrustDialogAccepted": true}}}`:       file,
		`{"projects": {"ROOT": {"hasTrustDialogAccepted": "s3cret", "x": 1}}}`: "",
		`{"projects": [`: "",
	} {
		text = strings.NewReplacer("ROOT", filepath.ToSlash(root), "HOME", filepath.ToSlash(home)).Replace(text)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, at := range []string{root, link} {
			if got := FindDistrust(at, home, ""); got != want {
				t.Errorf("%s: %s: %q, want %q", at, text, got, want)
			}
		}
		if got := FindDistrust(home, home, ""); got != "" {
			t.Errorf("HOME itself: %q", got)
		}
	}
	if got := FindDistrust(root, home, filepath.Join(home, "none")); got != "" {
		t.Errorf("no file: %q", got)
	}
}
