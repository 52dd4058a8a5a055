package client

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestMatchers compares the predictions for matchers with the measurements.
func TestMatchers(t *testing.T) {
	t.Parallel()
	for _, m := range Matchers() {
		if got := m.Predict(); got != m.Runs {
			t.Errorf("%s: predicted %t, measured %t", m.ID(), got, m.Runs)
		}
	}
}

// TestFiles compares the predictions for settings files with the measurements.
func TestFiles(t *testing.T) {
	t.Parallel()
	for _, f := range Files() {
		for _, v := range Versions() {
			want := f.Newer
			if v.Profile() == V197 {
				want = f.Old
			}
			if got := f.Predict(v); !slices.Equal(got, want) {
				t.Errorf("%s on %s: predicted %q, measured %q", f.ID(), v, got, want)
			}
		}
		if text := strings.TrimPrefix(f.Content, "\ufeff"); json.Valid([]byte(text)) != !slices.Contains([]string{"trailing comma", "comment"}, f.Title) {
			t.Errorf("%s: is it JSON? %s", f.ID(), text)
		}
	}
}

// TestInForceIDs checks that each row has an ID of its own.
func TestInForceIDs(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, m := range Matchers() {
		if seen[m.ID()] {
			t.Errorf("%s comes twice", m.ID())
		}
		seen[m.ID()] = true
	}
	for _, f := range Files() {
		if seen[f.ID()] || strings.ContainsAny(f.ID(), " \"") {
			t.Errorf("%s comes twice, or is no ID", f.ID())
		}
		seen[f.ID()] = true
	}
}
