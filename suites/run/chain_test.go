package run

import (
	"slices"
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

// TestLastContext checks that of several hooks with context of a prompt only the last one's is sent in
// Copilot CLI.
func TestLastContext(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{"": {"first", "second"}, "copilot": {"second"}} {
		var fired []Fired
		for _, text := range []string{"first", "second", ""} {
			f := Fired{Hook: discover.Hook{Client: name, ClientEvent: "userPromptSubmitted"}, reading: client.Reading{Effect: suites.Proceeds}}
			if text != "" {
				f.reading = client.Reading{Effect: suites.ContextAdded, Context: []string{text}, ModelSees: []string{text}}
			}
			fired = append(fired, f)
		}
		if got := combine(fired); !slices.Equal(got.ModelSees, want) {
			t.Errorf("%q: the model sees %q, want %q", name, got.ModelSees, want)
		}
	}
}
