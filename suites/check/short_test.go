package check

import "testing"

// TestShort checks that a text becomes one line, and that a command shows what it may differ in from
// another one.
func TestShort(t *testing.T) {
	for text, want := range map[string][2]string{
		" rm  -rf / ":      {"rm -rf /", "rm  -rf /"},
		"rm\t-rf /":        {"rm -rf /", `rm\t-rf /`},
		"cargo \\\n run\n": {`cargo \ run`, `cargo \\n run`},
	} {
		if got := [2]string{Short(text), ShortCommand(text)}; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
