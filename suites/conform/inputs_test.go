package conform

import (
	"slices"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/discover"
)

// guardOf is an inquiry into a guard with this text.
func guardOf(event, matcher, text string) *Inquiry {
	return &Inquiry{hook: discover.Hook{Event: event, Matcher: matcher}, text: text}
}

// TestHarmful: what a guard's text is about comes among the first inputs.
func TestHarmful(t *testing.T) {
	for name, tt := range map[string]struct {
		matcher, text string
		want          string
		among         int // of the first so many
	}{
		"a usual one whose words it has":  {"Bash", `if re.search(r"\brm\s+-rf", c): sys.exit(2)`, "rm -rf /", 8},
		"a command of its own":            {"Bash", `case $c in *"kubectl drain"*) exit 2 ;; esac`, "kubectl drain", 8},
		"a word of its own":               {"Bash", `BAD='frobnicate'; grep -q "$BAD" && exit 2`, "frobnicate", 20},
		"a file of its own beside Bash":   {"Bash|Write", `const no = ['prod.lock']; if (x) process.exit(2)`, "prod.lock", 12},
		"a file where it has many texts":  {"Bash|Read", manyPatterns, ".env", 12},
		"a usual one it does not mention": {"Bash", `python3 other.py || exit 2`, "rm -rf /", searched},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range guardOf("PreToolUse", tt.matcher, tt.text).harmful() {
				got = append(got, f.command+f.file)
			}
			if i := slices.Index(got, tt.want); i < 0 || i >= tt.among {
				t.Errorf("%q is number %d of %q", tt.want, i, got)
			}
		})
	}
}

const manyPatterns = `
const ok = [/\.env\.example$/i, /\.env\.sample$/i];
const bad = [
  { regex: /(?:^|\/)\.env(?:\.[^/]*)?$/, reason: 'secret' }, { regex: /(?:^|\/)\.ssh\/id_[^/]+$/, reason: 'key' },
  { regex: /\b(cat|less|head)\s+[^|;]*\.env\b/i, reason: 'text' }, { regex: /\bcp\b[^;|&]*\.env\b/i, reason: 'copy' },
];
console.log(JSON.stringify({permissionDecision: 'deny'}));
`

// TestHarmfulBounds: a slow guard is tried with less, and what denies nothing with
// nothing.
func TestHarmfulBounds(t *testing.T) {
	slow := guardOf("PreToolUse", "Bash|Write", manyPatterns)
	slow.took = suites.Result{Duration: 4 * time.Second}
	if n := len(slow.harmful()); n != 8 {
		t.Errorf("%d inputs for a slow hook, want 8", n)
	}
	if n := len(guardOf("PreToolUse", "Bash|Write", manyPatterns).harmful()); n > searched {
		t.Errorf("%d inputs, want %d at most", n, searched)
	}
	for _, text := range []string{"echo hello", "command -v wakatime || exit 1", "sys.exit(main())"} {
		if n := len(guardOf("PreToolUse", "Bash", text).harmful()); n > 0 {
			t.Errorf("%q: %d inputs, want none", text, n)
		}
	}
	if n := len(guardOf("PostToolUse", "Bash", "exit 2").harmful()); n > 0 {
		t.Errorf("PostToolUse: %d inputs, want none", n)
	}
	if n := len(guardOf("PreToolUse", "Bash", "echo blocked; exit 1").harmful()); n == 0 {
		t.Error("a guard that exits with 1 is not tried")
	}
}
