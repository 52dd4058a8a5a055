package conform

import (
	"slices"
	"strings"
	"testing"

	"hookwatch/suites/discover"
)

// TestUnknownFields checks that a field read under a wrong name is reported for the hooks whose
// events send the intended field.
func TestUnknownFields(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		code  string
		of    []string // the events of the script's hooks, which are their IDs
		hooks []string
		what  string
	}{
		"one of two events":          {"jq -r .tool_output", []string{"PreToolUse", "PostToolUse"}, []string{"PostToolUse"}, "the client sends tool_response"},
		"both events":                {"jq -r .toolName", []string{"PreToolUse", "PostToolUse"}, []string{"PreToolUse", "PostToolUse"}, "the client sends tool_name"},
		"a call that failed":         {"jq -r .tool_output", []string{"PostToolUseFailure"}, []string{"PostToolUseFailure"}, "the client sends error"},
		"an event that has it never": {"jq -r .tool_output", []string{"PreToolUse"}, []string{"PreToolUse"}, "PreToolUse does not send"},
		"a prompt":                   {"jq -r .user_prompt", []string{"Stop", "UserPromptSubmit"}, []string{"UserPromptSubmit"}, "the client sends prompt"},
		"an agent":                   {"jq -r .agent_name", []string{"SubagentStop"}, []string{"SubagentStop"}, "the client sends agent_type"},
	} {
		var hooks []discover.Hook
		for _, event := range tt.of {
			hooks = append(hooks, discover.Hook{ID: event, Event: event})
		}
		got := unknownFields(hooks, "x.sh", tt.code)
		if len(got) != 1 || !slices.Equal(got[0].Hooks, tt.hooks) || !strings.Contains(got[0].What, tt.what) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestNotPortable(t *testing.T) {
	for code, want := range map[string]string{
		"sed -i '' -E 's/a/b/' x":                                  "sed -i '', which is the form of macOS",
		`sed -i "" -e s/a/b/ x`:                                    "sed -i '', which is the form of macOS",
		"sed -i 's/a/b/' x":                                        "sed -i without a suffix",
		"sed -i -e s/a/b/ x":                                       "sed -i without a suffix",
		"sed -E -i s/a/b/ x":                                       "sed -i without a suffix",
		"sed -i.bak s/a/b/ x && rm x.bak":                          "",
		"sed -i '' s/a/b/ x 2>/dev/null || sed -i s/a/b/ x":        "",
		"case $OSTYPE in darwin*) sed -i '' s/a/b/ x ;; esac":      "",
		"date -j -f %s 1 2>/dev/null || date -d @1":                "",
		"date -d yesterday || exit 0":                              "date -d",
		"grep -oP 'a' x":                                           "grep -oP",
		"timeout 5 x":                                              "timeout 5",
		"tac x":                                                    "tac",
		"a=1\ndate -j -f %s 1 || date -d @1\ndate --date=@1 +%s\n": "date --date",
	} {
		got := ""
		for _, f := range notPortable("h", "x.sh", code) {
			got = strings.TrimPrefix(f.What, "x.sh uses ")
			if linux := strings.Contains(f.Effect, "Linux"); linux != strings.Contains(want, "macOS") {
				t.Errorf("%s: %s", code, f.Effect)
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}
