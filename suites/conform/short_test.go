package conform

import "testing"

// TestShort checks that a short text shows what two commands may differ in.
func TestShort(t *testing.T) {
	for text, want := range map[string]string{
		" rm  -rf / ":      "rm -rf /",
		"rm\t-rf /":        `rm\t-rf /`,
		"cargo \\\n run\n": `cargo \\n run`,
		"a\r\nb":           `a\nb`,
	} {
		if got := Short(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
