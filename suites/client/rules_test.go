package client

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
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

// TestRulesTested checks that a test names each rule of check: as a failure that is put into a project, or as a
// finding.
func TestRulesTested(t *testing.T) {
	t.Parallel()
	var tests strings.Builder
	files, err := filepath.Glob("../check/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, "../check/rounds/rounds_test.go", "../../cmd/internal/cli/check_injected_test.go") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tests.Write(text)
	}
	for _, r := range checked {
		if named := regexp.MustCompile(`["(a-z ]\b` + string(r.kind) + `(?:"|: )`); !named.MatchString(tests.String()) {
			t.Errorf("no test finds %s", r.kind)
		}
	}
}
