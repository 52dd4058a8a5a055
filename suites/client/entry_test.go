package client

import (
	"testing"
	"time"
)

func TestDefaultTimeout(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		event, hookType string
		want            time.Duration
	}{
		{"PreToolUse", "command", 10 * time.Minute}, {"UserPromptSubmit", "command", 30 * time.Second},
		{"MessageDisplay", "command", 10 * time.Second}, {"SessionEnd", "command", 1500 * time.Millisecond},
		{"PreToolUse", "prompt", 30 * time.Second}, {"Stop", "agent", time.Minute},
	} {
		if got := DefaultTimeout(test.event, test.hookType); got != test.want {
			t.Errorf("%s %s: %s, want %s", test.event, test.hookType, got, test.want)
		}
	}
}
