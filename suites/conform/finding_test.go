package conform

import (
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
)

// TestForEvent checks that effect and remedy of a finding are those of the hook's event.
func TestForEvent(t *testing.T) {
	t.Parallel()
	at := suites.Position{File: "settings.json", Line: 1}
	for _, tt := range []struct{ rule, event, effect, not, remedy string }{
		{"unquoted-path", "PreToolUse", "the call proceeds", "", ""},
		{"unquoted-path", "SessionStart", "the session starts as if", "call", ""},
		{"script-missing", "PreToolUse", "every call is denied", "", ""},
		{"script-missing", "PostToolUse", "the model is shown the error", "denied", ""},
		{"script-missing", "Stop", "the turn ends", "exits with 2", ""},
		{"syntax-error", "Stop", "every stop is held up", "call", ""},
		{"syntax-error", "SessionEnd", "the session ends", "exit code 2", ""},
		{string(client.TimedOut), "PreToolUse", "the call proceeds", "", "onFailure"},
		{string(client.TimedOut), "Stop", "the turn ends", "tool", ""},
		{string(client.TimedOut), "SessionStart", "the session starts", "tool", ""},
	} {
		f := FindingOf(tt.rule, "h", at, "x").forEvent(tt.event)
		if !strings.Contains(f.Effect, tt.effect) || tt.not != "" && strings.Contains(f.Effect, tt.not) {
			t.Errorf("%s at %s: effect %q", tt.rule, tt.event, f.Effect)
		}
		if strings.Contains(f.Remedy, "onFailure") != (tt.remedy != "") {
			t.Errorf("%s at %s: remedy %q", tt.rule, tt.event, f.Remedy)
		}
	}
	for _, r := range client.Rules() {
		for _, part := range []string{"{proceeds}", "{exit 2}", "{or no}", "{onFailure}"} {
			if strings.Contains(r.Client+r.Remedy, part) {
				t.Errorf("%s: %s is not replaced", r.ID, part)
			}
		}
	}
}

// TestMergeEvents checks that one cause at two events is one finding, with an effect valid for
// both.
func TestMergeEvents(t *testing.T) {
	t.Parallel()
	at := suites.Position{File: "settings.json", Line: 1}
	got := MergeFindings([]Finding{FindingOf("unquoted-path", "a", at, "x").forEvent("PreToolUse"), FindingOf("unquoted-path", "b", at, "x").forEvent("Stop")})
	if len(got) != 1 || len(got[0].Hooks) != 2 || !strings.Contains(got[0].Effect, "the client goes on") {
		t.Errorf("%+v", got)
	}
}

// TestLost checks that the effect of a missing script is that of its interpreter's exit code.
func TestLost(t *testing.T) {
	t.Parallel()
	for event, want := range map[string]string{"PreToolUse": "every call is denied", "PostToolUse": "the model is shown the error every time", "UserPromptSubmit": "every prompt is blocked"} {
		if f := lost(discover.Hook{Event: event, Command: "python3 gone.py"}, "gone.py"); !strings.Contains(f.Effect, want) {
			t.Errorf("%s: %s", event, f.Effect)
		}
	}
	if f := lost(discover.Hook{Event: "Stop", Command: "python3 gone.py"}, "gone.py"); strings.Contains(f.Effect, "denied") || strings.Contains(f.Effect, "held up") {
		t.Errorf("Stop: %s", f.Effect)
	}
}
