package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hookwatch/cmd/internal/cli/terminal"
	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
)

// asked summarizes commands.
func asked(commands []session.Command) string {
	cases := []suites.Case{
		{Suite: "pm", ID: "P01", Name: "pip_blocked", Hook: ".claude/hooks/pm.sh", At: suites.Position{File: "pm.yaml"}},
		{Suite: "own", ID: "A1", Name: "all", Hook: ".claude/hooks/own.sh", At: suites.Position{File: "own.yaml"}},
	}
	lets := func(m session.Matching) (out []string) {
		for i := range cases {
			if m(&cases[i]) {
				out = append(out, cases[i].ID)
			}
		}
		return out
	}
	var words []string
	for _, c := range commands {
		switch c := c.(type) {
		case session.Action:
			words = append(words, map[session.Action]string{session.RunAll: "all", session.RunFailed: "failed", session.RunAgain: "again", session.Cancel: "cancel", session.Quit: "quit"}[c])
		case session.Show:
			all := []*suites.Case{&cases[0], &cases[1]}
			switch e := c.Event(all, all[1:]).(type) {
			case session.ShowFailure:
				words = append(words, fmt.Sprint("failure ", e.By, e.Failed))
			case session.Typing:
				words = append(words, fmt.Sprintf("%s %q %d", e.By, e.Pattern, e.Cases))
			default:
				words = append(words, strings.TrimSuffix(fmt.Sprintf("%T%v", e, e), "{}"))
			}
		case session.Matching:
			words = append(words, fmt.Sprint("run ", lets(c)))
		}
	}
	return strings.Join(words, ", ")
}

// TestPress checks the commands for each key, after the keys before it.
func TestPress(t *testing.T) {
	t.Parallel()
	const backspace, enter, esc, up, down, ctrlU = terminal.Backspace, terminal.Enter, terminal.Escape, terminal.Up, terminal.Down, terminal.CtrlU
	for _, tt := range []struct {
		keys []terminal.Key
		last string
	}{
		{[]terminal.Key{'a'}, "all"},
		{[]terminal.Key{'f'}, "failed"},
		{[]terminal.Key{enter}, "again"},
		{[]terminal.Key{'r'}, "again"},
		{[]terminal.Key{'q'}, "quit"},
		{[]terminal.Key{terminal.CtrlC}, "quit"},
		{[]terminal.Key{terminal.CtrlD}, "quit"},
		{[]terminal.Key{'n'}, "failure 1 [own/A1]"},
		{[]terminal.Key{down}, "failure 1 [own/A1]"},
		{[]terminal.Key{'N'}, "failure -1 [own/A1]"},
		{[]terminal.Key{up}, "failure -1 [own/A1]"},
		{[]terminal.Key{'o'}, "session.OnlyFailures"},
		{[]terminal.Key{'v'}, "session.Whole"},
		{[]terminal.Key{'c'}, "session.Clear"},
		{[]terminal.Key{'?'}, "session.Help"},
		{[]terminal.Key{'h'}, "session.Help"},
		{[]terminal.Key{esc}, "cancel"},
		{[]terminal.Key{'x'}, ""},
		{[]terminal.Key{'t'}, `name "" 2`},
		{[]terminal.Key{'t', 'P', 'i'}, `name "Pi" 1`},
		{[]terminal.Key{'t', 'q', backspace}, `name "" 2`},
		{[]terminal.Key{'t', backspace}, ""},
		{[]terminal.Key{'t', 'a', 'b', ctrlU}, `name "" 2`},
		{[]terminal.Key{'t', 'a', up}, ""},
		{[]terminal.Key{'t', 'a', terminal.CtrlC}, "quit"},
		{[]terminal.Key{'t', 'a', '1', enter}, "session.Filtered{{name a1}}, run [A1]"},
		{[]terminal.Key{'p', 'p', 'm', enter}, "session.Filtered{{file pm}}, run [P01]"},
		{[]terminal.Key{'t', 'a', esc}, "session.Untyped"},
		{[]terminal.Key{'t', 'a', esc, 'q'}, "quit"},
		{[]terminal.Key{'t', enter}, "session.Filtered{{ }}"},
		{[]terminal.Key{'t', 'a', enter, esc}, "cancel, session.Filtered{{ }}"},
		{[]terminal.Key{'t', 'a', enter, 'a'}, "session.Filtered{{ }}, all"},
		{[]terminal.Key{'t', 'a', enter, 'a', 'a'}, "all"},
	} {
		var k keyboard
		var got string
		for _, key := range tt.keys {
			got = asked(k.Press(key))
		}
		if got != tt.last {
			t.Errorf("%q asks for %q, want %q", tt.keys, got, tt.last)
		}
	}
}

// TestEditor checks that the words of the environment come first, and that the line is passed in
// the editor's own syntax.
func TestEditor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		visual, editor string
		line           int
		want           []string
	}{
		{"", "", 7, []string{`vi "$@"`, "sh", "+7", "/p/a b.sh"}},
		{"", "nano -l", 7, []string{`nano -l "$@"`, "sh", "+7", "/p/a b.sh"}},
		{"/usr/bin/code -w", "nano", 7, []string{`/usr/bin/code -w "$@"`, "sh", "--goto", "/p/a b.sh:7"}},
		{"", "hx", 7, []string{`hx "$@"`, "sh", "/p/a b.sh:7"}},
		{"", "goland", 7, []string{`goland "$@"`, "sh", "--line", "7", "/p/a b.sh"}},
		{"", "vim", 0, []string{`vim "$@"`, "sh", "/p/a b.sh"}},
	} {
		env := map[string]string{"VISUAL": tt.visual, "EDITOR": tt.editor}
		got := editor(func(name string) string { return env[name] }, session.Place{File: "/p/a b.sh", Line: tt.line})
		if !slices.Equal(got[2:], tt.want) {
			t.Errorf("%+v: %q, want %q", tt, got[2:], tt.want)
		}
	}
}
