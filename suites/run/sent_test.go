package run

import (
	"path/filepath"
	"strings"
	"testing"

	"hookwatch/suites"
)

// TestSent checks that Payload returns the input that the hook gets, except for the case's directory
// and number.
func TestSent(t *testing.T) {
	t.Parallel()
	raw := "raw {tmp}"
	for _, tt := range []struct {
		step suites.Step
		want string
	}{
		{suites.Step{Event: "PreToolUse", Tool: "Bash", Command: "ls {project}"}, `"command":"ls ROOT"`},
		{suites.Step{Event: "PostToolUse", Tool: "Write", FilePath: "a.py"}, `"file_path":"DIR/tmp/a.py"`},
		{suites.Step{Event: "Stop"}, `"cwd":"ROOT"`},
		{suites.Step{Event: "Stop", PayloadRaw: []byte(`{"x":"{override}"}`)}, `{"x":"DIR/project"}`},
		{suites.Step{Event: "Stop", Payload: []byte(`{"stop_hook_active":true,"x":"{tmp}"}`)}, `"stop_hook_active":true,"last_assistant_message"`},
		{suites.Step{Event: "Stop", Payload: []byte(`{"stop_hook_active":true,"x":"{tmp}"}`)}, `,"x":"DIR/tmp"}`},
		{suites.Step{Event: "Stop", Stdin: &raw}, "raw DIR/tmp"},
	} {
		root, dir := t.TempDir(), filepath.Join(t.TempDir(), "none")
		c := &suites.Case{Suite: "s", ID: "A", Steps: []suites.Step{tt.step}}
		if strings.Contains(tt.want, "/project") {
			c.Project = &suites.ProjectOverride{}
		}
		got, err := Options{Root: root}.Payload(c, 0, dir)
		want := strings.NewReplacer("ROOT", root, "DIR", dir).Replace(tt.want)
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%+v: %s, %v, want %s", tt.step, got, err, want)
		}
	}
	if _, err := (Options{}).Payload(&suites.Case{Steps: []suites.Step{{Event: "Nothing"}}}, 0, ""); err == nil {
		t.Error("an event that the client does not have")
	}
}
