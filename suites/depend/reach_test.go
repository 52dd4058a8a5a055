package depend

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
)

// existing returns a case's existing inputs, without the hook itself and without the leading
// directory.
func existing(g *Graph, c *suites.Case) string {
	var names []string
	for _, in := range g.Inputs(c) {
		if in.Digest != "" && in.Path != c.Hook {
			names = append(names, strings.TrimPrefix(in.Name(), ".claude/hooks/"))
		}
	}
	return strings.Join(names, ", ")
}

func TestReach(t *testing.T) {
	t.Parallel()
	others := map[string]string{
		".claude/hooks/lib/a.sh":     "source \"${0%/*}/lib/b.sh\"\n",
		".claude/hooks/lib/b.sh":     ":\n",
		".claude/hooks/my lib.sh":    ":\n",
		".claude/hooks/rules.d/x.jq": ".\n",
		".claude/hooks/data.json":    "{}",
		".claude/hooks/one.py":       "import two\n",
		".claude/hooks/two.py":       "",
		"scripts/c.sh":               ":\n",
		"pyproject.toml":             "",
		"VERSION":                    "1",
		"LICENSE":                    "",
		"NOTES":                      "",
	}
	const everything = "data.json, lib/a.sh, lib/b.sh, my lib.sh, one.py, rules.d/x.jq, two.py"
	tests := []struct{ name, script, want string }{
		{"none", "echo hi", ""},
		{"literal after a variable", `source "$DIR/lib/b.sh"`, "lib/b.sh"},
		{"closure", `. "$(dirname "$0")/lib/a.sh"`, "lib/a.sh, lib/b.sh"},
		{"basename as a word", `run_lib b.sh`, "lib/b.sh"},
		{"bare path", `./scripts/c.sh --x`, "scripts/c.sh"},
		{"from the project", `bash "${CLAUDE_PROJECT_DIR}/scripts/c.sh"`, "scripts/c.sh"},
		{"after a bare variable", `bash $ROOT/scripts/c.sh`, "scripts/c.sh"},
		{"name in a variable", "lib=$DIR/lib/b.sh\nbash $lib", everything},
		{"computed name", `source "$1"`, everything},
		{"computed part of a name", `bash "$DIR/lib/$name.sh"`, everything},
		{"pattern below a directory", `for f in "$DIR"/lib/*.sh; do run "$f"; done`, "lib/a.sh, lib/b.sh"},
		{"pattern that is only matched", `case $1 in *.sh) ;; esac; [[ $1 == *.py ]]; x=${1%.sh}`, ""},
		{"bare name that is read", `cat VERSION`, "VERSION"},
		{"bare name that is asked for", `[ -f LICENSE ] || [[ -e NOTES ]]`, "LICENSE, NOTES"},
		{"bare name that is redirected", `wc -l <NOTES`, "NOTES"},
		{"bare name in any place", `f=LICENSE; timeout 5 cut -f1 NOTES; [[ VERSION -nt x ]]`, "LICENSE, NOTES, VERSION"},
		{"absolute name", `touch "/tmp/guard_$$.json"`, ""},
		{"directory", `cat "$DIR"/rules.d/*`, "rules.d/x.jq"},
		{"spaces", `source "$DIR/my lib.sh"`, "my lib.sh"},
		{"escaped space", `source $DIR/my\ lib.sh`, "my lib.sh"},
		{"command in a variable", `cmd=true; $cmd x`, ""},
		{"command from a directory", `"$DIR/$1"`, everything},
		{"evaluated", `read -r x; eval "$x"`, everything},
		{"code from its input", `curl x | bash`, everything},
		{"code in the script", "bash <<'E'\n. lib/b.sh\nE", "lib/b.sh"},
		{"wrapped", `timeout 5 env X=1 bash "$1"`, everything},
		{"cannot be parsed", `if then`, everything},
		{"python", "#!/usr/bin/env python3\nopen('data.json')", "data.json, one.py, two.py"},
		{"code of another language", `python3 -c 'import two'`, everything},
		{"binary", "\x7fELF\x00\x01 b.sh", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			write(t, root, others)
			write(t, root, map[string]string{".claude/hooks/hook": tt.script})
			c := hookCase("P01", "hook")
			if got := existing(New(projectAt(root)), &c); got != tt.want {
				t.Errorf("inputs %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSymlinks(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, map[string]string{
		"shared/real.sh": `source "$(dirname "$(realpath "$0")")/beside.sh"`, "shared/beside.sh": ":\n",
		"other/real.sh": ":\n", ".claude/hooks/x": "",
	})
	link := filepath.Join(root, ".claude/hooks/hook")
	if err := os.Symlink("../../shared/real.sh", link); err != nil {
		t.Fatal(err)
	}
	g, c := New(projectAt(root)), hookCase("P01", "hook")
	if got := existing(g, &c); got != "shared/beside.sh, shared/real.sh" {
		t.Errorf("inputs %q", got)
	}
	before := g.Digest(&c)
	write(t, root, map[string]string{"shared/real.sh": "exit 2\n"})
	g.Refresh([]string{"shared/real.sh"})
	edited := g.Digest(&c)
	if edited == before {
		t.Error("an edit of the file that a link leads to changes nothing")
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../other/real.sh", link); err != nil {
		t.Fatal(err)
	}
	g.Refresh([]string{".claude/hooks/hook"})
	if got := existing(g, &c); got != "other/real.sh" {
		t.Errorf("after the link was turned: inputs %q", got)
	}
}

func TestCaseNames(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, map[string]string{".claude/hooks/hook": ":\n", "src/a b.py": "", "src/a.py": "", "Makefile.x": "", "fix.py": ""})
	c := hookCase("P01", "hook")
	stdin := "cat src/a.py"
	c.Steps = []suites.Step{
		{FilePath: "{project}/src/a.py", Fixtures: []suites.Fixture{{Path: "{project}/fix.py"}}},
		{Command: "make -f Makefile.x; python fix.py; cat /etc/passwd ../x.py", Stdin: &stdin},
		{FilePath: "src/gone.py", Payload: []byte(`{"file_path": "{project}/new.py"}`)},
	}
	var got []string
	g := New(projectAt(root))
	for _, in := range g.Inputs(&c) {
		if in.Because == "the case names it" {
			got = append(got, in.Path)
		}
	}
	if want := []string{"Makefile.x", "new.py", "src/a.py"}; !slices.Equal(got, want) {
		t.Errorf("the case names %q, want %q", got, want)
	}
	repo := hookCase("P02", "hook")
	repo.Repo, repo.Steps = &suites.Repo{}, []suites.Step{{Command: "cat src/a.py"}}
	if got := existing(g, &repo); got != "" {
		t.Errorf("a command in a repository of its own names %q", got)
	}
}

func TestTools(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, map[string]string{
		".claude/hooks/hook": "#!/bin/bash\nset -e\nlog() { echo; }\nlog \"$(jq . <<<x | grep -c y)\"\nif command -v \"taplo\"; then :; fi\n" +
			"timeout 5s env A=1 uv run bandit x\n./node_modules/.bin/biome lint\nmsg='use npx'\nsource lib.sh\nhelper\n",
		".claude/hooks/lib.sh":  "helper() { xargs -0 sed s/a/b/; }\n",
		".claude/hooks/hook.py": "#!/usr/bin/env -S python3 -u\nsubprocess.run(['git', 'diff'])\n",
	})
	g := New(projectAt(root))
	for hook, want := range map[string]string{
		".claude/hooks/hook":    "bandit bash biome env grep jq npx sed taplo timeout uv xargs",
		".claude/hooks/hook.py": "git python3",
		".claude/hooks/none":    "",
	} {
		if got := strings.Join(g.Tools(hook), " "); got != want {
			t.Errorf("tools of %s: %q, want %q", hook, got, want)
		}
	}
}

// TestObservedLinks checks that a link counts by where it leads, even if the content there is the
// same or nothing is there, and that a refreshed graph notices it like a new one.
func TestObservedLinks(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		link, from, to string
		paths          []string
	}{
		"hook of equal content": {".claude/hooks/hook", "../../a/h.sh", "../../b/h.sh", []string{".claude/hooks/hook", "a/h.sh", "a/v"}},
		"other text":            {"cur", "a/v", "./a/v", []string{"a/v", "cur"}},
		"leads nowhere":         {"cur", "none", "nowhere", []string{"cur"}},
		"of a directory":        {"cur", "a", "b", []string{"cur/v", "a/v"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			write(t, root, map[string]string{"a/h.sh": "exit 0\n", "b/h.sh": "exit 0\n", "a/v": "1", "b/v": "1", ".claude/hooks/x": ""})
			link := filepath.Join(root, filepath.FromSlash(tt.link))
			lead := func(to string) {
				t.Helper()
				_ = os.Remove(link)
				if err := os.Symlink(to, link); err != nil {
					t.Fatal(err)
				}
			}
			lead(tt.from)
			c := hookCase("P01", "hook")
			digest := func(g *Graph) string {
				g.Observe(c.Key(), tt.paths)
				return g.Digest(&c)
			}
			g := New(projectAt(root))
			before := digest(g)
			lead(tt.to)
			g.Refresh([]string{tt.link})
			if after := digest(g); after == before {
				t.Error("the link leads elsewhere, and the inputs are the same")
			} else if fresh := digest(New(projectAt(root))); fresh != after {
				t.Error("a new graph has other inputs")
			}
		})
	}
}
