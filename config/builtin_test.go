package config

import (
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
)

// TestBuiltinSuites checks which built-in suites a list of suites selects.
func TestBuiltinSuites(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"builtin a.yaml":           "dep ml pm",
		"a.yaml":                   "",
		"builtin:stop":             "stop",
		"builtin builtin:pm-more":  "dep ml pm pm-more",
		"builtin:all builtin:stop": strings.Join(suites.BuiltinNames(), " "),
		"builtin:guardrails-guard": "guardrails-guard",
		"builtin:guardrails":       strings.Join(slices.Sorted(slices.Values(suites.BuiltinFamily("guardrails"))), " "),
	} {
		c := Config{Suites: strings.Fields(in)}
		if got := strings.Join(c.BuiltinSuites(), " "); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
		for _, own := range c.OwnSuites() {
			if own != "a.yaml" {
				t.Errorf("%s: %s is own", in, own)
			}
		}
	}
}

// TestBuiltinUnknown checks that an unknown suite is reported at its position, with the
// known names.
func TestBuiltinUnknown(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"builtin:pm-mor": `f.yaml:1:19: suites[1]: no built-in suite builtin:pm-mor (did you mean builtin:pm-more? there are delegate, dep, guardrails, ml, ml-more, pm, pm-more, protect, quality, spec-020, stop, all)`,
		"builtin:":       `no built-in suite builtin: (there are delegate, dep, guardrails, ml`,
		"builtin:Q":      `no built-in suite builtin:Q (there are delegate, dep, guardrails, ml`,
	} {
		s := parseFile("f.yaml", []byte(`suites: [builtin, "`+in+"\"]\n"))
		if len(s.Problems) != 1 || !strings.Contains(s.Problems[0].Error(), want) {
			t.Errorf("%s: %v, want %s", in, s.Problems, want)
		}
		if schemaAccepts(t, []byte(`suites: [builtin, "`+in+"\"]\n")) {
			t.Errorf("%s: the schema accepts it", in)
		}
	}
	if s := parseFile("f.yaml", []byte("suites: [builtin, builtin:all, builtin:protect, builtin:guardrails, builtin:guardrails-lint, a.yaml]\n")); len(s.Problems) > 0 {
		t.Error(s.Problems)
	}
}
