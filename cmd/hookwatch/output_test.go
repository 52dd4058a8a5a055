package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOutputInProject checks that a session whose output goes to a file of the project does not take its own
// lines for saves, and reports a real save.
func TestOutputInProject(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("tail"); err != nil {
		t.Skip("tail is absent")
	}
	root, state := t.TempDir(), t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), asProgram+"=1", "XDG_STATE_HOME="+state, "CI=true")
	starter := exec.CommandContext(t.Context(), self, "init", "--starter")
	starter.Dir, starter.Env = root, env
	if out, err := starter.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file, err := os.Create(filepath.Join(root, "out.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	session := exec.CommandContext(t.Context(), self, "--format", "jsonl")
	session.Dir, session.Env, session.Stdout = root, env, file
	tail := exec.CommandContext(t.Context(), "tail", "-n", "+1", "-f", file.Name())
	lines, err := tail.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*exec.Cmd{session, tail} {
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Process.Kill(); _ = c.Wait() }()
	}
	var events, saved []string
	for in := bufio.NewReader(lines); len(saved) == 0 || events[len(events)-1] != "rested"; {
		line, err := in.ReadBytes('\n')
		if err != nil {
			t.Fatalf("%v after %q", err, events)
		}
		var event struct {
			Event   string
			Changes []struct{ Path string }
		}
		if err := json.Unmarshal(line, &event); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		events = append(events, event.Event)
		for _, c := range event.Changes {
			saved = append(saved, c.Path)
		}
		if slices.Contains(saved, "out.jsonl") {
			t.Fatalf("its own output is a save, after %q", events)
		}
		if event.Event == "rested" && len(saved) == 0 {
			hook := filepath.Join(root, ".claude/hooks/guard.sh")
			text, _ := os.ReadFile(hook)
			if err := os.WriteFile(hook, []byte(strings.ReplaceAll(string(text), "exit 2", "exit 1")), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	if want := []string{".claude/hooks/guard.sh"}; !slices.Equal(saved, want) {
		t.Errorf("saved %q, want %q", saved, want)
	}
	// The order of the events of a save is the one that the topic agents states.
	order := slices.DeleteFunc(events[slices.Index(events, "changed"):], func(e string) bool { return e == "warning" })
	if got := strings.Join(slices.Compact(order), " "); got != "changed run_started case run_done transitions rested" && got != "changed run_started case run_done rested" {
		t.Errorf("the events of the save: %s", got)
	}
}
