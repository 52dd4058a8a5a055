package record

import "testing"

func TestCurrent(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"pm-agent-2026-02-20T15-49-32.123.jsonl": "pm-agent.jsonl", "pm-agent.jsonl": "", "pm-agent-2026-02-20T15-49-32.123": "",
		"-2026-02-20T15-49-32.123.jsonl": "", "tools-2026-02-20T15-49-32.123.log": "tools.log", "tools.log": "",
	} {
		if got, _ := Current(name); got != want {
			t.Errorf("Current(%q) = %q, want %q", name, got, want)
		}
	}
}
