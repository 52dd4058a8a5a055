package conform

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
)

func TestLiterals(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`if 'git push' in command:`, "git push"},
		{`grep -qE "rm\s+-rf"`, "rm -rf"},
		{`{ regex: /\bgit\s+push\b.*--force/i, reason: 'x' }`, "git push --force"},
		{`{ regex: /\b(cat|less)\s+[^|;]*\.env\b/i, x }`, "less  .env"},
		{"case $c in\n  *sudo*) exit 2 ;;\nesac", "sudo"},
		{"case $c in\n  npm*|yarn*) exit 2 ;;\nesac", "yarn"},
		{`grep -q "youtube\.com\|youtu\.be"`, "youtu.be"},
		{`grep -qE "curl.*\|\s*sh"`, "curl | sh"},
		{`grep -q "DROP[[:space:]]TABLE"`, "DROP TABLE"},
	} {
		if got := literals(tt.text, few); !slices.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.text, got, tt.want)
		}
	}
	for _, message := range []string{`echo "you must not do that here"`, "# never 'git push' here", `jq -r '.tool_input.command'`} {
		if got := literals(message, few); len(got) > 0 {
			t.Errorf("%s: %q, want nothing", message, got)
		}
	}
}

func TestSample(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		choice  int
		want    string
	}{
		{"rm", 0, "rm"}, {`(a1|b2|c3)`, 1, "b2"}, {`(a1|b2)`, 2, "a1"}, {`rm\s+-[rf]+`, 0, "rm -f"}, {`a{3}`, 0, "aaa"},
		{`x(?!y)z`, 0, "xyz"}, {`git.*push`, 0, "git push"}, {`(unclosed`, 0, "(unclosed"}, {`^\.env$`, 0, ".env"},
	} {
		if got := sample(tt.pattern, tt.choice); got != tt.want {
			t.Errorf("%s, choice %d: %q, want %q", tt.pattern, tt.choice, got, tt.want)
		}
	}
}

func FuzzLiterals(f *testing.F) {
	f.Add(`const bad = [{ regex: /(?:^|\/)\.ssh\/id_[^/]+$/, reason: 'key' }, { regex: /\b(cat|less)\s+[^|;]*\.env\b/i }];`)
	f.Add("case $c in\n  *sudo*|'a b') exit 2 ;;\nesac")
	f.Add(`/(?:(?:a{40}){40}){40}/ ;`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, l := range literals(text, few) {
			if len(l) < 2 || len(l) > 80 {
				t.Errorf("%q has %d bytes", l, len(l))
			}
		}
	})
}

// TestCallsOfWhatDiffers checks that a word which only one of two long lists has is sent, and every
// alternative of a pattern.
func TestCallsOfWhatDiffers(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	text := "case $(jq -r .tool_input.command) in\n"
	for i := range 90 {
		text += fmt.Sprintf("  *tool%d*) exit 2 ;;\n", i)
	}
	pattern := "esac\ngrep -qE '(one|two|three|four|five|six) now'\n"
	if err := os.WriteFile(filepath.Join(root, "guard.sh"), []byte(text+"  *special*) exit 2 ;;\n"+pattern), 0o755); err != nil {
		t.Fatal(err)
	}
	tree := Tree{Root: root, Reader: disk.Reader{Root: root}}
	h := discover.Hook{ID: "guard", Event: "PreToolUse", Matcher: "Bash", Type: "command", Command: "./guard.sh", Scripts: []string{"guard.sh"}}
	sent := map[string]bool{}
	for _, try := range Calls(tree, h, text) {
		sent[try.Input] = true
	}
	for _, want := range []string{"special", "six now", "one now"} {
		if !sent[want] {
			t.Errorf("%q is not among the %d calls", want, len(sent))
		}
	}
}
