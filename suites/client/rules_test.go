package client

import (
	"testing"

	"hookwatch/suites"
)

// TestRules checks that every kind of cause is explained exactly once.
func TestRules(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, rule := range Rules() {
		if seen[rule.ID] {
			t.Errorf("%s is there twice", rule.ID)
		}
		seen[rule.ID] = true
		if rule.What == "" || rule.Client == "" || rule.Severity == "" {
			t.Errorf("%s is not explained: %+v", rule.ID, rule)
		}
		if rule.Severity == suites.Error && rule.Remedy == "" {
			t.Errorf("%s is an error without a remedy", rule.ID)
		}
	}
}
