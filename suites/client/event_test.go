package client

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"hookwatch/suites"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, event := range events {
		if found, ok := EventByName(event.Name); !ok || found.Name != event.Name || seen[event.Name] {
			t.Errorf("EventByName(%q) = %+v, %t", event.Name, found, ok)
		}
		seen[event.Name] = true
		for _, missing := range incomplete(event) {
			t.Errorf("the row of %s %s", event.Name, missing)
		}
	}
	if _, ok := EventByName("pretooluse"); ok {
		t.Error("names are case-sensitive")
	}
	if got := incomplete(Event{MatchedOn: "source"}); len(got) != 4 {
		t.Errorf("an empty row: %q", got)
	}
}

// incomplete returns the missing parts of an event's row.
func incomplete(e Event) (missing []string) {
	need := func(ok bool, format string, args ...any) {
		if !ok {
			missing = append(missing, fmt.Sprintf(format, args...))
		}
	}
	need(e.Name != "", "has no Name")
	need(slices.Contains(suites.Effects, e.Exit2), "has no Exit2")
	need(e.MatchedOn == "" || e.Tool || e.BaseName || e.Usual != "", "has no Usual value of %s", e.MatchedOn)
	need(len(e.Values) == 0 || slices.Contains(e.Values, e.Usual), "has a Usual value that is none of its Values")
	prevents := slices.Contains([]suites.Effect{suites.Denied, suites.PromptBlocked, suites.AnotherTurn}, e.Exit2)
	need(!prevents || e.Proceeds != "", "has no Proceeds, which %s keeps from happening", e.Exit2)
	if e.fields == nil {
		return append(missing, "has no fields of its payload")
	}
	payload, err := Payload(PayloadInput{Event: e.Name})
	need(err == nil, "makes no payload: %v", err)
	need(e.MatchedOn == "" || e.MatcherValue(payload) != "", "is matched on %s, which is not in its payload", e.MatchedOn)
	need(e.Stop == bytes.Contains(payload, []byte(`"stop_hook_active"`)), "has another Stop than its payload")
	need(e.Tool == (field(payload, "tool_name") != ""), "has another Tool than its payload")
	return missing
}

// TestEventEffectsAreKnown checks that the orders contain every effect.
func TestEventEffectsAreKnown(t *testing.T) {
	t.Parallel()
	if len(strength) != len(suites.Effects) {
		t.Fatalf("%d effects are ordered, want %d", len(strength), len(suites.Effects))
	}
	seen := map[suites.Effect]bool{}
	for _, effect := range strength {
		seen[effect] = true
	}
	for _, effect := range suites.Effects {
		if !seen[effect] {
			t.Errorf("%q has no strength", effect)
		}
	}
}

func TestMatcherValue(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ event, payload, want string }{
		{"PreToolUse", `{"tool_name":"Bash"}`, "Bash"},
		{"SessionStart", `{"source":"clear"}`, "clear"},
		{"FileChanged", `{"file_path":"/a/b/.env"}`, ".env"},
		{"Stop", `{"tool_name":"Bash"}`, ""},
		{"PreToolUse", `{"tool_name":1}`, ""},
		{"PreToolUse", `{}`, ""},
		{"PreToolUse", `no`, ""},
	} {
		event, _ := EventByName(test.event)
		if got := event.MatcherValue([]byte(test.payload)); got != test.want {
			t.Errorf("%s of %s: %q, want %q", test.event, test.payload, got, test.want)
		}
	}
}

func TestProfile(t *testing.T) {
	t.Parallel()
	for version, want := range map[Version]Version{
		"": Default, "2.1.197": V197, "2.1.328": V197, "2.1.329": V329, "2.2.0": V332, "3.0.0": V332, "2.1.330": V330, "2.1.331": V330, "2.1.332": V332,
		"1.0.400": V197, "latest": Default, "2.1": Default,
	} {
		if got := version.Profile(); got != want {
			t.Errorf("%q: %s, want %s", version, got, want)
		}
	}
}

// TestMatchedOn checks the field that each event's matchers are compared with.
func TestMatchedOn(t *testing.T) {
	t.Parallel()
	for event, want := range map[string]string{
		"SessionStart": "source", "Setup": "trigger", "InstructionsLoaded": "load_reason", "UserPromptSubmit": "",
		"UserPromptExpansion": "command_name", "PreToolUse": "tool_name", "PermissionRequest": "tool_name",
		"PermissionDenied": "tool_name", "PostToolUse": "tool_name", "PostToolUseFailure": "tool_name", "PostToolBatch": "",
		"SubagentStart": "agent_type", "SubagentStop": "agent_type", "TaskCreated": "", "TaskCompleted": "", "Stop": "",
		"StopFailure": "error", "PreCompact": "trigger", "PostCompact": "trigger", "Notification": "notification_type",
		"Elicitation": "mcp_server_name", "ElicitationResult": "mcp_server_name", "ConfigChange": "source", "CwdChanged": "",
		"FileChanged": "file_path", "WorktreeCreate": "", "WorktreeRemove": "", "MessageDisplay": "", "SessionEnd": "reason",
		"PreModelSwitch": "to_model", "PostModelSwitch": "to_model", "DirectoryAdded": "source", "TeammateIdle": "",
	} {
		if about, known := EventByName(event); !known || about.MatchedOn != want {
			t.Errorf("%s is matched on %q, want %q", event, about.MatchedOn, want)
		}
	}
}

// TestExit2Observed checks that exit code 2 counts as observed only where a cell has it.
func TestExit2Observed(t *testing.T) {
	t.Parallel()
	for event, want := range map[string][]string{
		"PreToolUse": {"2.1.197", "2.1.329", "2.1.330", "2.1.332"}, "PostToolBatch": {"2.1.329", "2.1.330", "2.1.332"},
		"PreSkillShellCommand": {"2.1.332"}, "TeammateIdle": nil,
	} {
		if got := Interpret(Default, event, Output{Exit: 2, Stderr: []byte("no")}).Cause.Rule().Observed; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", event, got, want)
		}
	}
}
