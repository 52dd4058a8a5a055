package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites/client"
)

// newCorpus returns an empty corpus of a project in its own directory.
func newCorpus(t *testing.T) (c *Corpus, dir, root string) {
	t.Helper()
	base := t.TempDir()
	dir, root = filepath.Join(base, "state", "corpus"), filepath.Join(base, "project")
	if err := os.MkdirAll(filepath.Join(root, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	c, err := Make(base, dir, root, "/home/janedoe")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c, dir, root
}

// payload returns a payload of a Bash call in a session.
func payload(t *testing.T, session, command, cwd string) []byte {
	t.Helper()
	b, err := client.Payload(client.PayloadInput{Event: "PreToolUse", Tool: "Bash", Command: command, SessionID: session, Cwd: cwd})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestCorpusEqualCalls checks that calls of two sessions that differ only in what varies are one
// payload, and that its case sends what the hooks got.
func TestCorpusEqualCalls(t *testing.T) {
	t.Parallel()
	c, _, root := newCorpus(t)
	for i, want := range []bool{true, false} {
		if added, err := c.Add(payload(t, fmt.Sprint("session", i), "cat "+root+"/{tmp} ~/x /home/janedoe/y", root+"/sub"), time.Now()); err != nil || added != want {
			t.Fatal(added, err)
		}
	}
	all, err := c.Payloads()
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	if strings.Contains(string(all[0].Input), "janedoe") || strings.Contains(string(all[0].Input), "session") {
		t.Errorf("%s", all[0].Input)
	}
	got := c.Restore(c.Case(all[0]))
	if got.CaseEnv == nil || got.CaseEnv.Cwd != "sub" || !got.Chain || got.Steps[0].Tool != "Bash" {
		t.Errorf("%+v", got)
	}
	const want = `"command":"cat {project}/\u007btmp} ~/x /home/janedoe/y"`
	if sent := string(got.Steps[0].Payload); !strings.Contains(sent, want) || strings.Contains(sent, "tool_name") {
		t.Errorf("%s lacks %s", sent, want)
	}
	if want := "cwd effort hook_event_name permission_mode tool_input tool_name : command description"; all[0].Shape() != want {
		t.Error(all[0].Shape())
	}
}

// TestCorpusRefuses checks text that is no payload of a known event.
func TestCorpusRefuses(t *testing.T) {
	t.Parallel()
	c, dir, _ := newCorpus(t)
	for _, text := range []string{"", "{", "[]", "null", `{"hook_event_name":"../x"}`, `{"hook_event_name":7}`, `{"hook_event_name":"PreToolUse"} {}`, strings.Repeat(" ", LargestPayload+1)} {
		if added, err := c.Add([]byte(text), time.Now()); added || err == nil {
			t.Errorf("%.40q was added", text)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Error(entries, err)
	}
}

// TestCorpusTogether adds the same and different payloads from many processes' corpora at once.
func TestCorpusTogether(t *testing.T) {
	t.Parallel()
	_, dir, root := newCorpus(t)
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			c, err := Open(dir, root, "/home/janedoe")
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			for j := range 50 {
				if _, err := c.Add(payload(t, "s", fmt.Sprintf("echo %d", j*(i%2)), root), time.Now()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	c, err := Open(dir, root, "/home/janedoe")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if all, err := c.Payloads(); err != nil || len(all) != 50 {
		t.Error(len(all), err)
	}
}

// TestCorpusBounds checks that the newest payloads of an event are kept, that files which a killed
// process left are no payloads, and that nothing is read through a link.
func TestCorpusBounds(t *testing.T) {
	t.Parallel()
	c, dir, root := newCorpus(t)
	c.most = 20
	const added = 150
	for i := range added {
		if _, err := c.Add(payload(t, "s", fmt.Sprint("echo ", i), root), time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	events := filepath.Join(dir, "PreToolUse")
	if entries, err := os.ReadDir(events); err != nil || len(entries) >= added {
		t.Errorf("%d files are kept between readings: %v", len(entries), err)
	}
	all, err := c.Payloads()
	if err != nil || len(all) != c.most || !strings.Contains(string(all[0].Input), fmt.Sprint("echo ", added-1)) {
		t.Fatalf("%d payloads, the newest %s: %v", len(all), all[0].Input, err)
	}
	if err := os.WriteFile(filepath.Join(events, all[0].ID+suffix), []byte(`{"hook_ev`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(events, "0000000000000000"+suffix)); err != nil {
		t.Fatal(err)
	}
	left, err := c.Payloads()
	if diff := cmp.Diff(all[1:], left); err != nil || diff != "" {
		t.Error(err, diff)
	}
}
