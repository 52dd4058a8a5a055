package discover

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites/disk"
	"hookwatch/suites/process/testdata/processtest"
)

// scriptsOf resolves a command in a project that has a.sh, b.py, my hooks/c.sh,
// sub/d.sh and the data file list.txt.
func scriptsOf(root, command string) []string {
	hook := Hook{Type: "command", Command: command, Root: root}
	all, _ := newResolver(hook, filepath.Join(root, ".claude")).scripts()
	return all
}

func resolvable(t testing.TB) string {
	return project(t, map[string]string{"a.sh": "", "b.py": "", "my hooks/c.sh": "", "sub/d.sh": "", "list.txt": "", "jq": ""})
}

func TestScriptsOfCommand(t *testing.T) {
	t.Parallel()
	root := resolvable(t)
	for _, test := range []struct {
		command string
		want    []string
	}{
		{"./a.sh", []string{"a.sh"}},
		{"$CLAUDE_PROJECT_DIR/a.sh", []string{"a.sh"}},
		{`"$CLAUDE_PROJECT_DIR"/a.sh --flag`, []string{"a.sh"}},
		{`"${CLAUDE_PROJECT_DIR}/my hooks/c.sh"`, []string{"my hooks/c.sh"}},
		{`$CLAUDE_PROJECT_DIR/my\ hooks/c.sh`, []string{"my hooks/c.sh"}},
		{`"${CLAUDE_PROJECT_DIR:-.}"/a.sh`, []string{"a.sh"}},
		{root + "/a.sh", []string{"a.sh"}},
		{"bash a.sh", []string{"a.sh"}},
		{"bash -eu a.sh list.txt", []string{"a.sh", "list.txt"}},
		{"/usr/bin/env python3 b.py", []string{"b.py"}},
		{"python3 missing.py", []string{"missing.py"}},
		{"./missing.sh", []string{"missing.sh"}},
		{"bash -c './a.sh && sub/d.sh'", []string{"a.sh", "sub/d.sh"}},
		{"sh -ec 'sh a.sh'", []string{"a.sh"}},
		{"python3 -c 'print(1)'", nil},
		{"python3 -m tool b.py", []string{"tool", "b.py"}[1:]},
		{"timeout 5 bash a.sh", []string{"a.sh"}},
		{"env A=b bash a.sh", []string{"a.sh"}},
		{"A=b exec ./a.sh", []string{"a.sh"}},
		{`python -X utf8 "$CLAUDE_PROJECT_DIR/b.py"`, []string{"b.py"}},
		{"python3 -W ignore b.py list.txt", []string{"b.py", "list.txt"}},
		{"bash -euo pipefail a.sh", []string{"a.sh"}},
		{"bash -o pipefail -c './a.sh'", []string{"a.sh"}},
		{"bash +e a.sh", []string{"a.sh"}},
		{"node -C cond -r ./list.txt b.py", []string{"b.py", "list.txt"}},
		{"nice python3 -X dev b.py", []string{"b.py"}},
		{"xargs -0n 1 timeout -k 1 5 bash -O extglob a.sh", []string{"a.sh"}},
		{"poetry run python -X dev b.py", []string{"b.py"}},
		{"uv run b.py", []string{"b.py"}},
		{"npx tsx b.py", []string{"b.py"}},
		{`cd "$CLAUDE_PROJECT_DIR/sub" && ./d.sh`, []string{"sub/d.sh"}},
		{`D=$CLAUDE_PROJECT_DIR/sub; "$D/d.sh"`, []string{"sub/d.sh"}},
		{`"$(git rev-parse --show-toplevel 2>/dev/null)/a.sh"`, []string{"a.sh"}},
		{`[ -f a.sh ] && . ./a.sh || true`, []string{"a.sh"}},
		{"cat | ./a.sh | tee log", []string{"a.sh"}},
		{"if true; then ./a.sh; else sub/d.sh; fi", []string{"a.sh", "sub/d.sh"}},
		{`echo "$(./a.sh)"`, []string{"a.sh"}},
		{"'$CLAUDE_PROJECT_DIR/a.sh'", []string{"$CLAUDE_PROJECT_DIR/a.sh"}},
		{"$UNKNOWN/a.sh", nil},
		{"$UNKNOWN a.sh", []string{"a.sh"}},
		{`A='./a.sh; sh -c "$A"'; sh -c "$A"`, []string{"a.sh"}},
		{"A=aaaaaaaa" + strings.Repeat("; A=$A$A", 60), nil},
		{"jq .decision", nil},
		{"/usr/bin/true ../a.sh", nil},
		{"echo 'unclosed", nil},
		{"", nil},
	} {
		if got := scriptsOf(root, test.command); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.command, got, test.want)
		}
	}
}

func TestMain(m *testing.M) { processtest.RunWithHome(m) }

// TestScriptsOfConfiguration tests a user's ~/.claude that is kept as a project of its own.
func TestScriptsOfConfiguration(t *testing.T) {
	t.Parallel()
	root := project(t, map[string]string{"hooks/x.sh": "", ".claude/hooks/x.sh": ""})
	hook := Hook{Type: "command", Command: "$HOME/.claude/hooks/x.sh", Root: root}
	if got, _ := newResolver(hook, root).scripts(); !slices.Equal(got, []string{"hooks/x.sh"}) {
		t.Errorf("scripts %q", got)
	}
	if got, _ := newResolver(hook, filepath.Join(root, ".claude")).scripts(); got != nil {
		t.Errorf("the user's own hook was taken for the project's: %q", got)
	}
}

func TestScripts(t *testing.T) {
	t.Parallel()
	root := project(t, map[string]string{
		"hooks/b.sh": "", "hooks/a.py": "", "hooks/config.json": "{}", "hooks/README.md": "", "hooks/lib/c.js": "", "hooks/shebang": "#!/bin/sh\n",
		"hooks/runs": "", "hooks/notes": "", "hooks/data.json": "#!/bin/sh", "hooks/node_modules/m.js": "", "hooks/x": "#",
	})
	for _, name := range []string{"runs", "config.json"} {
		if err := os.Chmod(filepath.Join(root, "hooks", name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("b.sh", filepath.Join(root, "hooks", "link.sh")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("gone.sh", filepath.Join(root, "hooks", "dangling.sh")); err != nil {
		t.Fatal(err)
	}
	got, _, err := Scripts(disk.Reader{}, root, []string{"hooks", "missing", "hooks/lib"})
	want := []string{"hooks/a.py", "hooks/b.sh", "hooks/lib/c.js", "hooks/link.sh", "hooks/runs", "hooks/shebang"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

func FuzzScriptsOfCommand(f *testing.F) {
	for _, seed := range []string{"./a.sh", "bash -c 'sh a.sh'", "$(<x)", "${A:-${B:?}}", "cd ..; ./a.sh", "~/x", "env - a", "D+=1 x", "timeout timeout 5"} {
		f.Add(seed)
	}
	root := resolvable(f)
	f.Fuzz(func(t *testing.T, command string) {
		for _, script := range scriptsOf(root, command) {
			if !filepath.IsLocal(filepath.FromSlash(script)) || script == "." {
				t.Errorf("%q names %q, which is not in the project", command, script)
			}
		}
	})
}

// TestDirect checks which scripts need an execute bit, because no interpreter reads them.
func TestDirect(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	tests := []struct {
		command string
		want    []string
	}{
		{`"$CLAUDE_PROJECT_DIR"/hooks/a.sh`, []string{"hooks/a.sh"}},
		{`./hooks/a.sh --flag`, []string{"hooks/a.sh"}},
		{`timeout 5 ./hooks/a.sh`, []string{"hooks/a.sh"}},
		{`bash hooks/a.sh`, nil},
		{`python3 "$CLAUDE_PROJECT_DIR/hooks/a.py"`, nil},
	}
	for _, tt := range tests {
		hook := Hook{Type: "command", Command: tt.command, Root: root}
		if _, got := newResolver(hook, filepath.Join(root, ".claude")).scripts(); !slices.Equal(got, tt.want) {
			t.Errorf("%s: direct %q, want %q", tt.command, got, tt.want)
		}
	}
}
