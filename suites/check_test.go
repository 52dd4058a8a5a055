package suites

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCheckWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		check             Check
		summary, decision string
		programs          string
	}{
		{Check{Tool: "jaq", Places: []string{"jaq"}}, "command -v jaq", "present", "jaq"},
		{Check{Tool: "timeout", Places: []string{"timeout", "gtimeout"}}, "command -v timeout || command -v gtimeout", "present", "timeout gtimeout"},
		{Check{Tool: "claude", Places: []string{"claude", "~/.local/bin/claude"}}, "command -v claude || test -x ~/.local/bin/claude", "present", "claude ~/.local/bin/claude"},
		{Check{Tool: "bandit", Places: []string{"uv run bandit"}}, "uv run bandit --version", "present", "bandit uv"},
		{Check{Tool: "biome", Places: []string{"pnpm exec biome", "npx biome"}}, "pnpm exec biome --version || npx biome --version", "present", "biome pnpm npx"},
		{Check{Tool: "hadolint", Places: []string{"hadolint"}, Minimum: "2.12.0"}, "hadolint --version", ">= 2.12.0", "hadolint"},
		{Check{File: "a.json"}, "a.json", "exists", ""},
		{Check{File: "a.json", Key: "b.c"}, "a.json b.c", "present", ""},
		{Check{File: "a.json", Key: "b", Equals: json.RawMessage("true")}, "a.json b", "valid", ""},
		{Check{Registered: &Registration{"PreToolUse", "Edit|Write", "h.sh"}}, "PreToolUse Edit|Write: h.sh", "registered", ""},
		{Check{Registered: &Registration{"Stop", "", "h.sh"}}, "Stop: h.sh", "registered", ""},
	} {
		summary, decision, programs := tt.check.Summary(), tt.check.Decision(), strings.Join(tt.check.Programs(), " ")
		if summary != tt.summary || decision != tt.decision || programs != tt.programs {
			t.Errorf("%+v: %q, %q, %q", tt.check, summary, decision, programs)
		}
	}
}
