package explore

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCut checks where the firings of scripts in each language left the way to a decision.
func TestCut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		hook
		want map[int]Cut // by the line of the decision
	}{
		{hook{"bash", "cut.sh", `cmd=$(cat); cmd=${cmd#*'"command":"'}; cmd=${cmd%%'"'*}
[ -n "$cmd" ] && exit 0
case $cmd in a) exit 2 ;; esac
`}, map[int]Cut{3: {2, `[ -n "$cmd" ] && exit 0`, true, false}}},
		{hook{"bash", "if.sh", `block() { exit 2; }
if [[ $1 == x ]]; then
  if [[ $2 == y ]]; then
    block
  fi
fi
`}, map[int]Cut{4: {2, "if [[ $1 == x ]]; then", false, false}}},
		{hook{"bash", "plain.sh", "exit 0\nexit 2\n"}, map[int]Cut{2: {1, "exit 0", true, true}}},
		{hook{"python3", "cut.py", `import json, sys
def main():
    name = json.load(sys.stdin)["tool_name"]
    if name in ("Bash", "Edit"):
        sys.exit(0)
    if name == "Write":
        sys.exit(2)
def never():
    sys.exit(2)
main()
`}, map[int]Cut{7: {4, `if name in ("Bash", "Edit"):`, true, false}}},
		{hook{"node", "cut.cjs", `const { tool_name } = JSON.parse(require('fs').readFileSync(0, 'utf8'));
function main() {
  if (typeof tool_name === 'string' || !tool_name.trim()) { return; }
  const other = tool_name || 'x';
  if (other === 'Write') {
    process.exit(2);
  }
}
main();
`}, map[int]Cut{6: {3, "if (typeof tool_name === 'string' || !tool_name.trim()) { return; }", true, false}}},
	} {
		r, _ := tt.fire(t, map[Field]string{inCommand: "ls", "tool_name": "Bash"})
		c := CourseOf(tt.name, []byte(tt.text))
		c.Take("Bash", r)
		got := map[int]Cut{}
		for _, d := range c.Decisions() {
			if cut, near := c.Cut(d.Line); near {
				got[d.Line] = cut
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestAwaited checks the lines that tell whether a decision is reached: its condition, and a function that this calls.
func TestAwaited(t *testing.T) {
	t.Parallel()
	src := `import json, sys
def secret(path):
    return path.endswith(".env")
def other(path):
    return path.endswith(".key")
path = json.load(sys.stdin)["tool_input"]["file_path"]
if secret(path):
    sys.exit(2)
`
	h := hook{"python3", "awaited.py", src}
	r, _ := h.fire(t, map[Field]string{inFile: "a.go", "tool_name": "Write"})
	c := CourseOf(h.name, []byte(src))
	c.Take("Write", r)
	want := []Lines{{h.name, 7, 10}, {h.name, 2, 3}}
	if diff := cmp.Diff(want, c.Awaited(8, c)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// What stands in one statement has no condition on the next lines.
	alone := "grep -q x || exit 2\n[ \"$MODE\" = strict ] && exit 1\n"
	h = hook{"bash", "source.sh", alone}
	r, _ = h.fire(t, map[Field]string{inCommand: "x", "tool_name": "Bash"})
	one := CourseOf(h.name, []byte(alone))
	one.Take("Bash", r)
	if diff := cmp.Diff([]Lines{{h.name, 1, 1}}, one.Awaited(1, one)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	plain := CourseOf("plain.sh", []byte("exit 0\nexit 2\n"))
	if got := plain.Awaited(2, plain); len(got) > 0 && got[0].From == 1 && got[0].To == 0 {
		t.Errorf("%+v", got)
	}
}

// TestAwaitedInLibrary checks that functions of another script are awaited, and those that they call.
func TestAwaitedInLibrary(t *testing.T) {
	t.Parallel()
	src := ". ./lib.sh\nhas push && exit 2\n"
	h := hook{"bash", "guard.sh", src}
	r, _ := h.fire(t, map[Field]string{inCommand: "x", toolName: "Bash"})
	c := CourseOf(h.name, []byte(src))
	c.Take("Bash", r)
	library := CourseOf("lib.sh", []byte("other() {\n  grep other\n}\nhas() {\n  words | grep \"$1\"\n}\nwords() {\n  tr a b\n}\n"))
	want := []Lines{{"guard.sh", 2, 2}, {"lib.sh", 4, 6}, {"lib.sh", 7, 9}}
	if diff := cmp.Diff(want, c.Awaited(2, c, library)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAsksFor checks which conditions only ask for texts.
func TestAsksFor(t *testing.T) {
	t.Parallel()
	for condition, want := range map[string][]string{
		`if [ "$TOOL" = "Edit" ] && [ "$TOOL" = "Write" ]; then`:                   {"Edit", "Write"},
		`if (data.tool_name !== 'Bash' || data.tool_name !== 'Edit') return null;`: {"Bash", "Edit"},
		`if data.get("tool_name") != "Bash":`:                                      {"Bash"},
		`} else if (name === 'Edit') {`:                                            {"Edit"},
		`if name == "Edit" and replace_all:`:                                       nil,
		`if [ "$TOOL" = "Bash" ] && [ -n "$c" ]; then`:                             nil,
		`if (tools.has(name)) {`:                                                   nil,
		`for name in names; do`:                                                    nil,
	} {
		if diff := cmp.Diff(want, asksFor(condition)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", condition, diff)
		}
	}
}
