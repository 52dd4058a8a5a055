package shell

import "testing"

func TestPrograms(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"env": "wraps", "/usr/bin/timeout": "wraps 1", "uv": "launches", "npx": "launches", "/bin/bash": "shell", "zsh": "shell",
		"python3.12": "interprets", "/usr/bin/node": "interprets", "grep": "", "pythonic": "", "": "",
	} {
		got := ""
		if own, wraps := Wraps(name); wraps {
			if got = "wraps"; own == 1 {
				got += " 1"
			}
		}
		if behind, launches := Launches(name); launches {
			if got += "launches"; (behind == "run") != (name == "uv") {
				t.Errorf("%s launches behind %q", name, behind)
			}
		}
		if IsShell(name) {
			got += "shell"
		}
		if IsInterpreter(name) {
			got += "interprets"
		}
		if got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "''", "a b": "'a b'", "it's $x": `'it'\''s $x'`} {
		if got := Quote(text); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
}
