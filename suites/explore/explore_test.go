package explore

import (
	"encoding/json"
	"errors"
	"fmt"
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

// payload returns a payload of these texts.
func payload(t *testing.T, fields map[Field]string) string {
	t.Helper()
	input := map[string]string{}
	all := map[string]any{"hook_event_name": "PreToolUse", "tool_input": input}
	for f, text := range fields {
		if name, ok := strings.CutPrefix(string(f), "tool_input."); ok {
			input[name] = text
		} else {
			all[string(f)] = text
		}
	}
	sent, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(sent)
}

// An ending is how a hook ended.
type ending struct {
	Exit           int
	Stdout, Stderr string
}

// run runs a hook in a directory, with more variables.
func (h hook) run(t *testing.T, dir, stdin string, set map[string]string) (e ending) {
	t.Helper()
	if _, err := exec.LookPath(h.program); err != nil {
		t.Skipf("%s is absent", h.program)
	}
	script := filepath.Join(dir, h.name)
	lay(t, script, h.text)
	cmd := exec.CommandContext(t.Context(), h.program, script)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, os.Environ(), strings.NewReader(stdin)
	for name, value := range set {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var out, diagnostics strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &diagnostics
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return ending{cmd.ProcessState.ExitCode(), out.String(), diagnostics.String()}
}

// observe runs a hook in a directory, and returns what it was seen to do, too.
func (h hook) observe(t *testing.T, dir, stdin string) (*Record, ending) {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "trace")
	how := Start(trace, os.Environ())
	for name, content := range how.Files {
		lay(t, filepath.Join(trace, name), content)
	}
	e := h.run(t, dir, stdin, how.Set)
	logs := map[string][]byte{}
	for _, name := range how.Logs {
		files := []string{filepath.Join(trace, name)}
		if of, ok := strings.CutSuffix(name, "/"); ok {
			files, _ = filepath.Glob(filepath.Join(trace, of, "*"))
		}
		for _, file := range files {
			relative, err := filepath.Rel(trace, file)
			if err != nil {
				t.Fatal(err)
			}
			if logs[filepath.ToSlash(relative)], err = os.ReadFile(file); err != nil {
				t.Fatal(err)
			}
		}
	}
	r := Read(logs, dir)
	r.Keep(filepath.IsLocal)
	r.Resolve(h.name, []byte(h.text))
	return r, e
}

// fire fires a hook with a payload of these texts, and returns what it was seen to do, and its exit code.
func (h hook) fire(t *testing.T, fields map[Field]string) (*Record, int) {
	t.Helper()
	r, e := h.observe(t, t.TempDir(), payload(t, fields))
	return r, e.Exit
}

// TestNoFurther checks that the same call in another copy of a project is not seen to come further, in each
// language.
func TestNoFurther(t *testing.T) {
	t.Parallel()
	for _, h := range []hook{
		{"bash", "guard.sh", "#!/bin/bash\nf=$(jq -r .tool_input.command)\n[[ $f == *wumpus* ]] && exit 2\nexit 0\n"},
		{"python3", "guard.py", "import json, sys\nf = json.load(sys.stdin)['tool_input']['command']\nif 'wumpus' in f:\n    sys.exit(2)\n"},
		{"node", "guard.js", "const f = JSON.parse(require('fs').readFileSync(0)).tool_input.command;\nif (f.includes('wumpus')) process.exit(2);\n"},
	} {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			var s Search
			fields := map[Field]string{inCommand: "echo hello"}
			for i := range 2 {
				r, _ := h.fire(t, fields)
				compared, further := s.Take(Input{}, fields, r)
				if first := i == 0; !compared || further != first {
					t.Errorf("firing %d: compared %v, further %v", i+1, compared, further)
				}
			}
		})
	}
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
	{"bash", "inline.sh", `in=$(cat)
case $(echo "$in" | python3 -c 'import json, sys; print("no" if "snorf" in json.load(sys.stdin)["tool_input"]["command"] else "")') in no) exit 2 ;; esac
export in
answer=$(python3 <<'PY'
import json, os, re
if re.search(r"^gyre\s+--gimble", json.loads(os.environ["in"])["tool_input"]["command"]):
    print("DENY")
PY
)
if [ "$answer" = DENY ]; then
  exit 2
fi
`},
	{"bash", "written.sh", `export in=$(cat)
program=$(mktemp)
cat > "$program" <<'PY'
import json, os, sys
command = json.loads(os.environ["in"])["tool_input"]["command"]
if "brillig" in command:
    sys.exit(2)
PY
python3 "$program"
status=$?
rm -f "$program"
if [ $status = 2 ]; then
  exit 2
fi
`},
	{"bash", "words.sh", `cmd=$(cat); cmd=${cmd#*'"command":"'}; export cmd=${cmd%%'"'*}
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
	all := CourseOf(h.name, []byte(h.text)).Decisions()
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

// TestReadAssigns checks that the values are known that read assigns in bash.
func TestReadAssigns(t *testing.T) {
	t.Parallel()
	h := hook{"bash", "guard.sh", `#!/bin/bash
exec 2>&-
{ IFS= read -r tool && IFS= read -r command; } < <(jq -r '.tool_name, .tool_input.command')
case $command in
*wumpus*) exit 2 ;;
esac
`}
	r, _ := h.fire(t, map[Field]string{toolName: "Bash", inCommand: `echo "it's"  here`})
	if want := (Comparison{"guard.sh", 5, Glob, `echo "it's"  here`, "*wumpus*"}); !slices.Contains(r.Comparisons, want) {
		t.Errorf("%+v has not %+v", r.Comparisons, want)
	}
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

// TestObservedBehaves checks that observation changes neither the exit code nor the output of hooks.
func TestObservedBehaves(t *testing.T) {
	t.Parallel()
	hooks := slices.Concat(guards, []hook{
		{"bash", "streams.sh", "exec 3>&1 11>state.out; echo one >&11; echo two >&3; (echo three >&2; exit 2) 2>&1; cat state.out\n"},
		{"bash", "strict.sh", "set -euo pipefail\ntrap 'echo end' EXIT\nf() { false || return 3; }\nf || echo $?\ngrep -q x <<<y\n"},
		{"bash", "read.sh", `set -eu
f() { local a; IFS=: read -r a b <<<"x y:z"; echo "$a|$b|${c-none}"; }
f; echo "${a-none} $b"
while read -r -n 2 -d '' two || [ -n "$two" ]; do echo "$two"; done <<<"a'b"
printf '1\n2\n' | { read -r; echo "$REPLY"; read -r -p "prompt " -t 5 REPLY; echo "$REPLY"; }
read -r -a all <<<"p q"; echo "${all[1]}"
read -r x </dev/null || echo "$? [$x]"
if read -r y; then echo "${#y}"; fi
read -u 9 -r none 9<<<in; echo "$none $(read -r z <<<"of a substitution"; echo "$z")"
trap 'echo "failed $?"' ERR
read -r last </dev/null
echo unreached
`},
		{"bash", "few.sh", "ulimit -n 5\nbash -c 'echo inner >&2'\nexit 2\n"},
		{"bash", "python.sh", `in=$(cat)
python3 -c 'import sys, json; print(json.loads(sys.stdin.read())["tool_input"]["command"], sys.argv, __name__)' a b <<<"$in"; echo $?
echo "$in" | python3 -c '
import json, sys
def get(d): return d.get("nothing") or sys.exit("no field")
get(json.load(sys.stdin))
'; echo $?
python3 <<'PY'
import atexit, threading, time
atexit.register(print, "at exit")
threading.Thread(target=lambda: print("in a thread")).start()
raise SystemExit(3)
PY
echo $?
python3 - x <<'PY'
import sys
print(sys.argv, [i for i in range(3) if "a" in "abc"])
PY
echo $?
python3 -c 'import os; print("lost", end=""); os._exit(4)'; echo $?
python3 -c 'x = = 1' 2>/dev/null; echo $?
python3 -c 'def f(): raise ValueError("no")
f()' 2>&1; echo $?
python3 -c '{}["x"]' 2>&1 | tail -1; echo $?
python3 -c 'import os; os.execvp("echo", ["echo", "other"])'; echo $?
exit 2
`},
		{"python3", "names.py", "import sys\nclass Pattern:\n    def match(self, text):\n        return 'x'\nsys.exit(2 if Pattern().match('x') == 'x' else 0)\n"},
		{"python3", "main.py", "import sys, os\nprint(__name__, __spec__, __package__, sys.argv == [__file__], os.path.basename(sys.path[0]) == os.path.basename(os.getcwd()))\n"},
		{"python3", "spawn.py", "import multiprocessing as m, sys\ndef f(x):\n    return x * x\nif __name__ == '__main__':\n    with m.get_context('spawn').Pool(1) as p:\n        print(p.map(f, [2]))\n    sys.exit(2)\n"},
		{"python3", "scopes.py", "import re\nclass A:\n    x = ['a']\n    y = [i for i in x if i in ('a', 'b')]\n    def get(self, key): return super().__class__.__name__ == 'super'\nprint(A.y, A().get('x'), (n := 'abc').startswith('a'), b'b' in b'abc', re.sub('a', 'b', 'aaa', 1), {'k': 1}.get('z', 2), [*map(str.lower, 'A')])\n"},
		{"python3", "pathlib_alike.py", "class P:\n    def __getattr__(self, name):\n        print('asked', name)\n        return 1\nprint(P() == P(), 'x' in ['x', P()])\n"},
		{"node", "clone.cjs", "const d = JSON.parse(require('fs').readFileSync(0, 'utf8'));\nconst c = structuredClone({of: [d.tool_input], all: d});\nconst { port1, port2 } = new MessageChannel();\n" +
			"port2.on('message', (m) => { console.log(m.tool_input.command === c.of[0].command, c.all.tool_name); port2.close(); });\nport1.postMessage(d);\n"},
		{"node", "alike.cjs", "console.log([].indexOf.call({0: 'a', length: 1}, 'a'), 'abc'.match('b').index, /a/g.test('a'), 'a-b'.split('-'), new Set(['x']).has('x'), [].includes.length, ''.includes.name);\nconst r = /a/g; r.exec('aa'); console.log(r.lastIndex);\nclass S extends Set { *[Symbol.iterator]() { console.log('iterated'); } }\nnew S(['q']).has('q');\nprocess.exit(2);\n"},
	})
	for _, h := range hooks {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{"echo hello", "zorble  --wipe", "exactly this", "snark 123", "flumox --drop", "snib x --fast", "wabe"} {
				stdin := payload(t, map[Field]string{inCommand: text, inFile: "x"})
				plain := h.run(t, dir, stdin, nil)
				_, observed := h.observe(t, dir, stdin)
				if diff := cmp.Diff(plain, observed); diff != "" {
					t.Errorf("on %q (-plain +observed):\n%s", text, diff)
				}
				if !slices.ContainsFunc(guards, func(g hook) bool { return g.name == h.name }) {
					break // its input is all the same
				}
			}
		})
	}
}

// TestReachedAlone checks that a decision on the line of its condition is reached only if it ran, and one
// in a here-document if it was printed.
func TestReachedAlone(t *testing.T) {
	t.Parallel()
	h := hook{"bash", "lines.sh", `cmd=$(cat); cmd=${cmd#*'"command":"'}; cmd=${cmd%%'"'*}
if [[ $cmd == *zorble* ]]; then echo no >&2; exit 2; fi
case "$cmd" in plugh*) exit 2 ;; esac
[[ $cmd == *print* ]] && cat <<'EOF'
{"decision": "block", "reason": "x && y"}
EOF
`}
	for command, want := range map[string][]int{"echo": nil, "a zorble": {2}, "plugh": {3}, "print": {4}} {
		r, _ := h.fire(t, map[Field]string{inCommand: command})
		var got []int
		for _, d := range CourseOf(h.name, []byte(h.text)).Decisions() {
			if r.Reached(d) {
				got = append(got, d.Line)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", command, diff)
		}
	}
}

// TestDecisions checks which statements decide.
func TestDecisions(t *testing.T) {
	t.Parallel()
	want := map[string][]int{
		"grep.sh":    {4, 6},
		"inline.sh":  {2, 11},
		"written.sh": {13},
		"words.sh":   {3, 4, 7, 9, 10},
		"rules.py":   {19, 21, 24, 27, 28},
		"rules.cjs":  {6, 8, 10, 12, 15, 18},
		"module.mjs": {4, 7},
	}
	for _, h := range guards {
		var got []int
		for _, d := range CourseOf(h.name, []byte(h.text)).Decisions() {
			got = append(got, d.Line)
		}
		if diff := cmp.Diff(want[h.name], slices.Compact(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", h.name, diff)
		}
	}
}

// TestReads checks which fields of the payload a hook is seen to read, and which errors it catches or hides.
func TestReads(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		hook
		reads  []string
		errors []string
	}{
		{hook{"bash", "read.sh", `input=$(cat)
jq -r '.tool_input.cmd // .tool_name' <<<"$input"
echo "$input" | jq -e .toolName >/dev/null
echo '{"other": 1}' | jq .other
jq .of_file none.json 2>/dev/null
cat none.jsonl | tail -n 1 | jq .of_line
jq -n .nothing
c=$(jq -r '.tool_input["command"' <<<"$input" 2>/dev/null)
exit 0
`}, []string{"2 tool_input.cmd", "2 tool_name", "3 toolName"}, []string{"8 jq ends with 3"}},
		{hook{"python3", "read.py", `import json, sys
sent = json.load(sys.stdin)
print(sent.get("toolName"), sent["tool_input"].get("cmd", ""), {"other": 1}.get("other"))
try:
    sent["tool_input"]["path"]
except KeyError:
    pass
try:
    re.search("x", "y")
except Exception:
    pass
try:
    open("none")
except OSError:
    pass
`}, []string{"3 toolName", "3 tool_input", "3 tool_input.cmd", "5 tool_input", "5 tool_input.path"}, []string{"5 KeyError: 'path'", "9 NameError: name 're' is not defined"}},
		{hook{"node", "read.cjs", `const sent = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const { toolName, tool_input: { cmd } } = sent;
JSON.parse('{"other": 1}').other;
try {
  undefined_name;
} catch {}
process.exit(0);
`}, []string{"2 toolName", "2 tool_input", "2 tool_input.cmd"}, []string{"5 ReferenceError: undefined_name is not defined"}},
	} {
		r, _ := tt.fire(t, map[Field]string{inCommand: "ls"})
		var reads, failures []string
		for _, f := range r.Reads {
			reads = append(reads, fmt.Sprint(f.Line, " ", f.Field))
		}
		for _, f := range r.Errors {
			failures = append(failures, fmt.Sprint(f.Line, " ", f.What))
		}
		if diff := cmp.Diff(tt.reads, reads); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if diff := cmp.Diff(tt.errors, failures); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestInline checks that what Python code in a script of bash reads, compares and catches has its place in the script.
func TestInline(t *testing.T) {
	t.Parallel()
	h := hook{"bash", "guard.sh", `#!/bin/bash
in=$(cat)
echo "$in" | python3 -c "
import json, sys
sys.exit('wumpus' in json.load(sys.stdin)['tool_input'].get('path', 'x'))
"
python3 <<'PY'
try:
    nothing
except NameError:
    pass
PY
`}
	r, _ := h.fire(t, map[Field]string{inCommand: "echo hello"})
	read := FieldRead{"guard.sh", 5, "tool_input.path"}
	failed := func(e Failure) bool { return e.File == "guard.sh" && e.Line == 9 }
	compared := func(c Comparison) bool { return c.File == "guard.sh" && c.Line == 5 && c.Pattern == "wumpus" }
	if !slices.Contains(r.Reads, read) || !slices.ContainsFunc(r.Errors, failed) || !slices.ContainsFunc(r.Comparisons, compared) {
		t.Errorf("%+v", r)
	}
}

// TestLast checks where a firing of each language came last.
func TestLast(t *testing.T) {
	t.Parallel()
	for name, logs := range map[string]map[string][]byte{
		"bash":   {"bash/log": []byte("\x1e\x1f/p/h.sh\x1f3\x1f0\x1fn=1\n\x1e\x1f/p/h.sh\x1f7\x1f0\x1fcat n\n\x1e\x1f/etc/x\x1f9\x1f0\x1fy\n")},
		"python": {"python/log": []byte("L\x1f/p/h.sh\x1f3\x1f0\x00L\x1f/p/h.sh\x1f7\x1f0\x00")},
		"node":   {"node/log": []byte("{\"file\":\"/p/h.sh\",\"line\":9,\"op\":\"==\"}\n\x1eP\x1f/p/h.sh\x1f7\x1f\n")},
	} {
		if got := Last(logs, []string{"h.sh"}); got != "h.sh:7" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := Last(nil, []string{"h.sh"}); got != "" {
		t.Errorf("without a log: %q", got)
	}
}
