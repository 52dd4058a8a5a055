package conform

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
	"hookwatch/suites/discover"
)

// guardOf returns an inquiry into a guard with this text.
func guardOf(event, matcher, text string) *Inquiry {
	return &Inquiry{hook: discover.Hook{Event: event, Matcher: matcher}, text: text}
}

// TestHarmful checks that the subject of a guard's text is among the first inputs.
func TestHarmful(t *testing.T) {
	for name, tt := range map[string]struct {
		matcher, text string
		want          string
		among         int // want is among this number of first inputs
	}{
		"a usual one whose words it has":                  {"Bash", `if re.search(r"\brm\s+-rf", c): sys.exit(2)`, "rm -rf /", 8},
		"a command of its own":                            {"Bash", `case $c in *"kubectl drain"*) exit 2 ;; esac`, "kubectl drain", 8},
		"a word of its own":                               {"Bash", `BAD='frobnicate'; grep -q "$BAD" && exit 2`, "frobnicate", 20},
		"a file of its own beside Bash":                   {"Bash|Write", `const no = ['prod.lock']; if (x) process.exit(2)`, "prod.lock", 12},
		"a file where it has many texts":                  {"Bash|Read", manyPatterns, ".env", 12},
		"a word of its own beside a program that it runs": {"Bash", `BAD='frobnicate'; git status; grep -q "$BAD" && exit 1`, "frobnicate", 8},
		"a usual one of a program that it speaks of":      {"Bash", `grep -q '^npm ' && exit 2`, "npm install left-pad", 16},
		"a usual one it does not mention":                 {"Bash", `python3 other.py || exit 2`, "rm -rf /", searched},
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

// TestHarmfulBounds checks that the number of inputs does not depend on a hook's duration, and that
// a hook whose text names no decision gets few.
func TestHarmfulBounds(t *testing.T) {
	slow, quick := guardOf("PreToolUse", "Bash|Write", manyPatterns), guardOf("PreToolUse", "Bash|Write", manyPatterns)
	slow.took = suites.Result{Duration: 40 * time.Second}
	if diff := cmp.Diff(inputsOf(quick), inputsOf(slow)); diff != "" {
		t.Errorf("a slow hook is tried with other inputs (-quick +slow):\n%s", diff)
	}
	if n := len(guardOf("PreToolUse", "Bash|Write", manyPatterns).harmful()); n > searched {
		t.Errorf("%d inputs, want %d at most", n, searched)
	}
	const unnamed = 11 // eight usual ones, and what its text has
	for _, text := range []string{"cat >>log", "command -v wakatime || exit 0", "sys.exit(0)"} {
		if n := len(guardOf("PreToolUse", "Bash", text).harmful()); n == 0 || n > unnamed {
			t.Errorf("%q: %d inputs, want 1 to %d", text, n, unnamed)
		}
	}
	if n := len(guardOf("PostToolUse", "Bash", "exit 2").harmful()); n > 0 {
		t.Errorf("PostToolUse: %d inputs, want none", n)
	}
	for _, text := range []string{"echo no; exit 1", "process.exit(1)", "raise SystemExit(1)", "sys.exit(main())", "return 1", "set -e; grep -qv force", "process.stdout.write(x)", "sys.exit(bad)"} {
		if n := len(guardOf("PreToolUse", "Bash", text).harmful()); n == 0 {
			t.Errorf("%q: a hook that may fail is not tried", text)
		}
	}
}

func inputsOf(q *Inquiry) (all []string) {
	for _, f := range q.harmful() {
		all = append(all, f.tool+" "+f.input())
	}
	return all
}
