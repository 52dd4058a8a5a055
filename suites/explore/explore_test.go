package explore

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A hook is a script with its interpreter.
type hook struct{ program, name, text string }

// fire fires a hook with a payload of these texts, and returns what it was seen to do, and its exit code.
func (h hook) fire(t *testing.T, fields map[Field]string) (*Record, int) {
	t.Helper()
	if _, err := exec.LookPath(h.program); err != nil {
		t.Skipf("%s is absent", h.program)
	}
	dir := t.TempDir()
	script := filepath.Join(dir, h.name)
	lay(t, script, h.text)
	traced := Start(filepath.Join(dir, "trace"), os.Environ())
	for name, content := range traced.Files {
		lay(t, filepath.Join(dir, "trace", name), content)
	}
	cmd := exec.CommandContext(t.Context(), h.program, script)
	cmd.Env = os.Environ()
	for name, value := range traced.Set {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	input := map[string]string{}
	payload := map[string]any{"tool_input": input}
	for f, text := range fields {
		if name, ok := strings.CutPrefix(string(f), "tool_input."); ok {
			input[name] = text
		} else {
			payload[string(f)] = text
		}
	}
	sent, err := json.Marshal(payload)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = strings.NewReader(string(sent))
	var exit *exec.ExitError
	if out, err := cmd.CombinedOutput(); err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v\n%s", err, out)
	}
	logs := map[string][]byte{}
	for _, name := range traced.Logs {
		names, _ := filepath.Glob(filepath.Join(dir, "trace", strings.TrimSuffix(name, "/"), "*"))
		if !strings.HasSuffix(name, "/") {
			names = []string{filepath.Join(dir, "trace", name)}
		}
		for _, file := range names {
			relative, err := filepath.Rel(filepath.Join(dir, "trace"), file)
			if err != nil {
				t.Fatal(err)
			}
			if logs[filepath.ToSlash(relative)], err = os.ReadFile(file); err != nil {
				t.Fatal(err)
			}
		}
	}
	r := Read(logs)
	r.Keep(func(file string) bool { return strings.HasPrefix(file, dir) })
	r.Resolve(h.name, []byte(h.text))
	return r, cmd.ProcessState.ExitCode()
}

func lay(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

const (
	inCommand = Field("tool_input.command")
	inFile    = Field("tool_input.file_path")
)

// guards are hooks whose decisions wait for inputs that nobody would guess.
var guards = []hook{
	{"bash", "grep.sh", `deny() { echo "no: $1" >&2; exit 2; }
cmd=$(cat)
if echo "$cmd" | grep -qE '(^|[^a-z])zorbl(e|y)? +--wipe'; then
  deny zorble
fi
echo "$cmd" | grep -q 'frob\|frub [0-9]\{3\}' && deny frob
exit 0
`},
	{"bash", "words.sh", `cmd=$(cat); cmd=${cmd#*'"command":"'}; cmd=${cmd%%'"'*}
case "$cmd" in
  *qwert\ --deep*) echo no >&2; exit 2 ;;
  plugh|plover) echo '{"decision": "block"}' ;;
esac
if [[ $cmd =~ ^xyzzy[[:space:]]+-f ]] && [[ $cmd == *--now* ]]; then
  exit 2
fi
[ "$cmd" = "exactly this" ] && exit 2
[[ ${cmd##*.} == lockz ]] && exit 2
exit 0
`},
	{"python3", "rules.py", `"""A guard."""
from __future__ import annotations
import fnmatch, json, re, sys
from pathlib import Path

RULES = [(re.compile(r"\bflumox\b.*--drop"), "flumox")]


def deny(why: str) -> None:
    print(json.dumps({"hookSpecificOutput": {"permissionDecision": "deny", "reason": why}}))
    sys.exit(0)


def main() -> int:
    sent = json.load(sys.stdin)["tool_input"]
    text = sent.get("command", "")
    for rule, why in RULES:
        if rule.search(text):
            deny(why)
    if re.match(r"snark\s+\d{3}$", text):
        return 2
    if text.startswith("wumpus") and "--arrow" in text:
        print("no", file=sys.stderr)
        return 2
    name = Path(sent.get("file_path", "none"))
    if name.suffix == ".grue" or fnmatch.fnmatch(name.name, "twisty*.maze"):
        sys.exit(2)
    if name.parts[0] in {"vaultz", "dungeon"}: return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
`},
	{"node", "rules.cjs", `const sent = JSON.parse(require('fs').readFileSync(0, 'utf8')).tool_input;
const text = sent.command || '';
const rules = [/\bbloop\s+--hard/, 'greeb --all'];
function block(why) { console.error(why); process.exit(2); }
if (rules[0].test(text)) {
  block('bloop');
}
if (text.includes(rules[1])) block('greeb');
if (text.startsWith('snib ') && text.includes('--fast')) {
  block('snib');
}
if (text.split(' ')[0] === 'tromp') block('tromp');
switch (sent.file_path) {
  case 'mome/rath':
    process.exit(2);
}
if (new Set(['mimsy', 'borogove']).has(text)) {
  console.log(JSON.stringify({ decision: 'block' }));
}
`},
	{"node", "module.mjs", `import { readFileSync } from 'node:fs';
const text = JSON.parse(readFileSync(0, 'utf8')).tool_input.command ?? '';
if (/^galumph(ing)? [a-c]{2}$/.test(text)) {
  process.exit(2);
}
if (['tove', 'wabe'].includes(text)) {
  process.exitCode = 2;
}
`},
}

// explored fires a hook until its decisions are reached or so many inputs were sent, and returns the
// inputs and the decisions that are left.
func explored(t *testing.T, h hook, most int) (sent []string, left []string) {
	t.Helper()
	var s Search
	all := Decisions(h.name, []byte(h.text))
	reached := map[int]bool{}
	fields := []map[Field]string{}
	next := []Input{{}}
	for len(next) > 0 && len(fields) < most && len(reached) < len(all) {
		for _, in := range next {
			f := map[Field]string{inCommand: "echo hello", inFile: "src/example.py"}
			if in.Text != "" {
				f = maps.Clone(fields[in.From])
				f[in.Field] = in.Text
				sent = append(sent, in.Text)
			}
			r, _ := h.fire(t, f)
			s.Take(in, f, r)
			fields = append(fields, f)
			for i, d := range all {
				reached[i] = reached[i] || r.Reached(d)
				if !reached[i] {
					delete(reached, i)
				}
			}
		}
		next = s.Next(4, false)
	}
	for i, d := range all {
		if !reached[i] {
			left = append(left, d.String())
		}
	}
	return sent, left
}

// TestExplore checks that an exploration comes to every decision of hooks, by conditions that follow each
// other, in few firings.
func TestExplore(t *testing.T) {
	t.Parallel()
	for _, h := range guards {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			sent, left := explored(t, h, 48)
			if len(left) > 0 {
				t.Errorf("%v were not reached by %d inputs: %q", left, len(sent), sent)
			}
			t.Logf("%d inputs", len(sent))
		})
	}
}

// TestObservedHooksBehave checks that observation changes no exit code.
func TestObservedHooksBehave(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		hook    int
		command string
		want    int
	}{
		{0, "zorble  --wipe", 2}, {0, "zorble wipe", 0}, {1, "exactly this", 2}, {1, "exactly", 0},
		{2, "snark 123", 2}, {2, "snark 12", 0}, {2, "flumox --drop", 0}, {3, "snib x --fast", 2}, {3, "snib", 0}, {4, "wabe", 2}, {4, "galumphing", 0},
	} {
		if _, got := guards[tt.hook].fire(t, map[Field]string{inCommand: tt.command, inFile: "x"}); got != tt.want {
			t.Errorf("%s on %q: exit %d, want %d", guards[tt.hook].name, tt.command, got, tt.want)
		}
	}
}

// TestDecisions checks which statements decide.
func TestDecisions(t *testing.T) {
	t.Parallel()
	want := map[string][]int{
		"grep.sh":    {4, 6},
		"words.sh":   {3, 4, 7, 9, 10},
		"rules.py":   {19, 21, 24, 27, 28},
		"rules.cjs":  {6, 8, 10, 12, 15, 18},
		"module.mjs": {4, 7},
	}
	for _, h := range guards {
		var got []int
		for _, d := range Decisions(h.name, []byte(h.text)) {
			got = append(got, d.Line)
		}
		if diff := cmp.Diff(want[h.name], slices.Compact(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", h.name, diff)
		}
	}
}
