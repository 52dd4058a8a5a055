package run

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
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
		if got := combine(fired); got.Effect != suites.Denied || !slices.Equal(got.ModelSees, want) {
			t.Errorf("%q: %s, the model sees %q, want %q", name, got.Effect, got.ModelSees, want)
		}
	}
}

// TestContexts checks whose context is sent: of a prompt only the last one's in Copilot CLI, and beside
// a result that a hook replaced by its reason none.
func TestContexts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		client, event string
		effects       []suites.Effect
		blocks        bool // the last without a reason
		want          []string
	}{
		{"", "", []suites.Effect{suites.ContextAdded, suites.ContextAdded, suites.Proceeds}, false, []string{"0", "1"}},
		{"copilot", "userPromptSubmitted", []suites.Effect{suites.ContextAdded, suites.ContextAdded, suites.Proceeds}, false, []string{"1"}},
		{"copilot", "postToolUse", []suites.Effect{suites.ContextAdded, suites.ContextAdded, suites.Proceeds}, false, []string{"0", "1"}},
		{"copilot", "postToolUse", []suites.Effect{suites.ContextAdded, suites.Ignored}, true, nil},
		{"copilot", "PostToolUse", []suites.Effect{suites.ContextAdded, suites.ContextAdded, suites.ShownToModel}, false, []string{"2"}},
		{"", "", []suites.Effect{suites.ContextAdded, suites.ShownToModel}, false, []string{"0", "1"}},
	} {
		var fired []Fired
		for i, effect := range tt.effects {
			reading := client.Reading{Effect: effect}
			if effect != suites.Proceeds && effect != suites.Ignored {
				reading.ModelSees = []string{strconv.Itoa(i)}
			}
			if effect == suites.ContextAdded {
				reading.Context = reading.ModelSees
			}
			fired = append(fired, Fired{Hook: discover.Hook{Client: tt.client, ClientEvent: tt.event}, reading: reading})
		}
		if tt.blocks {
			fired[len(fired)-1].Result.Stdout = []byte(`{"decision": "block", "reason": ""}`)
		}
		if got := combine(fired); !slices.Equal(got.ModelSees, tt.want) {
			t.Errorf("%s %s %v: the model sees %q, want %q", tt.client, tt.event, tt.effects, got.ModelSees, tt.want)
		}
	}
}
