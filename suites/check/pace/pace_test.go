package pace

import (
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
)

// TestSum checks which lines of the record count, and that the sum is rounded.
func TestSum(t *testing.T) {
	t.Parallel()
	for recorded, want := range map[string]time.Duration{
		"": 0, "1.5 skipped\n": 1500 * time.Millisecond, "0.5 skipped\n2 real\n": 2500 * time.Millisecond, " 3\n": 3 * time.Second,
		"0.04\n": 0, "0.06\n": 100 * time.Millisecond, "-1\n": 0, "infinity\n": 0, "1e6\n": 0, "NaN\n": 0, "x 1\n1\n": time.Second,
	} {
		if got := Sum([]byte(recorded)); got != want {
			t.Errorf("%q: %s, want %s", recorded, got, want)
		}
	}
}

// TestSet checks what a case gets: a program, the modules of both interpreters with the number of sleeps, and the record.
func TestSet(t *testing.T) {
	t.Parallel()
	c := &suites.Case{Steps: []suites.Step{{Fixtures: []suites.Fixture{{Path: "{tmp}/other"}}}}}
	Set(c, 17, []string{"NODE_OPTIONS=--own"})
	step, programs := c.Steps[0], c.WantedEnv().Programs
	if len(programs) != 1 || programs[0].Name != "sleep" || len(step.Fixtures) != 3 || len(step.Expect.Files) != 1 || step.Expect.Files[0].Path != Slept {
		t.Fatalf("programs %+v, files %+v, expected %+v", programs, step.Fixtures, step.Expect.Files)
	}
	for name, text := range map[string]string{"sleep": programs[0].Script, step.Fixtures[1].Path: step.Fixtures[1].Content, step.Fixtures[2].Path: step.Fixtures[2].Content} {
		if !strings.Contains(text, "17") || strings.Contains(text, "SKIPPED") {
			t.Errorf("%s does not have the number of sleeps", name)
		}
	}
	if options := c.Env["NODE_OPTIONS"]; !strings.Contains(options, "--own") || !strings.Contains(options, "pace.cjs") {
		t.Errorf("NODE_OPTIONS is %q", options)
	}
}
