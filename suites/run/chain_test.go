package run

import (
	"slices"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/discover"
)

// TestDenials checks which of several denials the model is sent: that of the last hook to finish, and in
// Codex that of the first registered, with the context of both.
func TestDenials(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{"": {"b", "second"}, "codex": {"first", "b"}, "gemini": {"first", "b", "second", "b"}} {
		var fired []Fired
		for i, text := range []string{"first", "second"} {
			reading := client.Reading{Effect: suites.Denied, ModelSees: []string{text}}
			if text == "second" {
				reading.Context, reading.ModelSees = []string{"b"}, []string{"b", text}
			}
			fired = append(fired, Fired{
				Hook: discover.Hook{Client: name}, reading: reading, Result: suites.Result{Duration: time.Duration(i) * time.Second},
			})
		}
		if got, _ := combine(fired); got.Effect != suites.Denied || !slices.Equal(got.ModelSees, want) {
			t.Errorf("%q: %s, the model sees %q, want %q", name, got.Effect, got.ModelSees, want)
		}
	}
}

// TestContexts checks whose context is sent: of a prompt only the last one's in Copilot CLI, and beside
// a result that a hook replaced by its reason, also if it gives none, no other's.
func TestContexts(t *testing.T) {
	t.Parallel()
	adds := func(text string) string { return `{"additionalContext": "` + text + `"}` }
	for _, tt := range []struct {
		event  string
		stdout []string
		want   []string
	}{
		{"userPromptSubmitted", []string{adds("0"), adds("1"), ""}, []string{"1"}},
		{"postToolUse", []string{adds("0"), adds("1"), ""}, []string{"0", "1"}},
		{"postToolUse", []string{adds("0"), `{"decision": "block", "reason": ""}`}, nil},
		{"postToolUse", []string{adds("0"), `{"decision": "block"}`}, []string{"0"}},
		{"postToolUse", []string{adds("0"), `{"decision": "block", "reason": 5}`}, []string{"0"}},
		{"PostToolUse", []string{adds("0"), `{"decision": "block", "reason": "", "additionalContext": "1"}`}, []string{"1"}},
		{"PostToolUse", []string{adds("0"), adds("1"), `{"decision": "block", "reason": "2"}`}, []string{"2"}},
	} {
		of, _ := clients.ByName("copilot")
		var fired []Fired
		for _, stdout := range tt.stdout {
			reading := of.Interpret(tt.event, client.Output{Stdout: []byte(stdout)}).Reading()
			fired = append(fired, Fired{Hook: discover.Hook{Client: of.Name, ClientEvent: tt.event}, reading: reading})
		}
		if got, _ := combine(fired); !slices.Equal(got.ModelSees, tt.want) {
			t.Errorf("%s %q: the model sees %q, want %q", tt.event, tt.stdout, got.ModelSees, tt.want)
		}
	}
}

// TestGivesSockets checks which clients give hooks sockets; that these have an effect is shown by check.
func TestGivesSockets(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"": true, "claude": true, "gemini": true, "codex": false, "copilot": false} {
		if got := givesSockets(name); got != want {
			t.Errorf("%q: %t", name, got)
		}
	}
}

// TestCallDuration checks that a call takes as long as its slowest hook, or all of them if they run in order.
func TestCallDuration(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]time.Duration{"": 3 * time.Second, "codex": 3 * time.Second, "copilot": 4 * time.Second} {
		of, _ := clients.ByName(name)
		if inOrder := len(of.Launch.Until) > 0; inOrder != (want == 4*time.Second) {
			t.Errorf("%q: in order %t", name, inOrder)
		}
		hook := discover.Hook{Client: name, Event: "PreToolUse"}
		got, _ := combine([]Fired{{Hook: hook, Result: suites.Result{Duration: 3 * time.Second}}, {Hook: hook, Result: suites.Result{Duration: time.Second}}})
		if got.Duration != want {
			t.Errorf("%q: %s, want %s", name, got.Duration, want)
		}
	}
}
