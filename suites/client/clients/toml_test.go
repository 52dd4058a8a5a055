package clients

import (
	"fmt"
	"strings"
	"testing"
)

// TestTOMLPlaces checks that every hook of a TOML file is at its own place, whatever the form of its
// tables, and that values have their types.
func TestTOMLPlaces(t *testing.T) {
	t.Parallel()
	c, _ := ByName("codex")
	const text = `hooks.Stop = [{hooks = [{command = "a", type = "command"},
  {command = "a", timeout = 1_0, type = "command"}]}]
[[hooks.PreToolUse]]
matcher = "^Bash$"
  [[hooks.PreToolUse.hooks]]
command = "a"
type = "command"
[[hooks.PreToolUse.hooks]]
type = "command"
command = """
b\u0041"""
timeout = 2
async = true
[[ hooks . "PreToolUse" ]]
hooks = [
  # none
  {command = 'é', type = "command"}, {command = 'c', type = "command"},
]
[deeper]
a.b.c.d.e.f.g.h.i.j.k = [[[[[[[[[[[[1]]]]]]]]]]]]
`
	hooks, problems := c.Hooks("config.toml", []byte(text))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var got []string
	for _, h := range hooks {
		got = append(got, fmt.Sprintf("%s %s %q %s %s", h.Entry.At, h.Event, h.Entry.Command, h.Entry.Matcher, h.Entry.Timeout))
	}
	want := []string{
		`config.toml:1:25 Stop "a"  0s`, `config.toml:2:3 Stop "a"  10s`,
		`config.toml:5:1 PreToolUse "a" Bash 0s`, `config.toml:8:1 PreToolUse "bA" Bash 2s`,
		`config.toml:17:3 PreToolUse "é"  0s`, `config.toml:17:38 PreToolUse "c"  0s`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestHooksAreLinear checks that a file with twice the hooks costs twice the allocations: 3,000 hooks
// once took two minutes, because the whole text was split for the place of each.
func TestHooksAreLinear(t *testing.T) {
	c, _ := ByName("codex")
	const toml = "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"echo %060d\"\n" // longer than what stays on the stack
	cost := func(n int) float64 {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, toml, i)
		}
		return testing.AllocsPerRun(1, func() {
			if hooks, problems := c.Hooks("a.toml", []byte(text.String())); len(hooks) != n || len(problems) > 0 {
				t.Fatalf("%d hooks, %v", len(hooks), problems)
			}
		})
	}
	if one, two := cost(200), cost(400); two > 3*one {
		t.Errorf("200 hooks take %.0f allocations, 400 take %.0f", one, two)
	}
}

// BenchmarkTOML reads 3,000 hooks.
func BenchmarkTOML(b *testing.B) {
	c, _ := ByName("codex")
	text := []byte(strings.Repeat("[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = \"echo "+strings.Repeat("y", 200)+"\"\n", 3000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		c.Hooks("a.toml", text)
	}
}
