package depend

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
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
		{"such code in the script", "python3 - <<'E'\nimport two\nE", everything},
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
				g.Observe(c.Key(), tt.paths, false)
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

// TestReadsOfMany checks that a filter whose paths double is read in bounded time, and counts as
// reading everything.
func TestReadsOfMany(t *testing.T) {
	t.Parallel()
	got, err := FilterKeys(strings.Repeat("(.a,.b)|", 60) + ".c")
	if err != nil || len(got) != 1 || len(got[0]) != 0 {
		t.Errorf("%v, %v, want the whole input", got, err)
	}
}

func FuzzScript(f *testing.F) {
	for _, s := range []string{"#!/usr/bin/env bash\nsource \"$(dirname \"$0\")/lib.sh\"\njq . \"$CLAUDE_PROJECT_DIR/config.json\" # note.md\n", "\x01 '\x01'", "for f in *.sh; do . $f; done", "a=(1 ${b[@]}) eval \"$a\"", "x <<E\n$y.sh\nE\n", "timeout ${x} ..", "command", "((a)) <(b) ${c/d/e} @(f|g)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range []string{"a.sh", "a.py"} {
			s := readScript(p, []byte(text))
			for _, n := range s.Names {
				if n == "" || strings.ContainsAny(n, " \n\"'$") {
					t.Errorf("name %q of %q", n, text)
				}
			}
		}
	})
}

// TestCalled checks that only programs that a script starts or looks up count, and not every
// word with such a name.
func TestCalled(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"a.sh", "#!/bin/bash\ncase $1 in git|make) jq . ;; esac\ncommand -v ruff\n", []string{"bash", "jq", "ruff"}},
		{"a.py", "#!/usr/bin/env python3\ntimeout = 5\nblack = data.get('timeout')\nprint('git is', {'make': 1})\n", []string{"python3"}},
		{"a.py", "subprocess.run(['git', 'status'])\nshutil.which(\"jq\")\nos.system('shfmt -d .')\n", []string{"git", "jq", "shfmt"}},
		{"a.py", "cmd = ['ruff', 'check']\nwords = ['one', 'two']\n", []string{"ruff"}},
		{"a.mjs", "execSync(`git diff`); spawn('/usr/bin/node', []); const go = run", []string{"git", "node"}},
		{"a.js", "/x/.exec('git'); run('--json'); expect(call('make'))", nil},
		{"a.txt", "subprocess.run(['git'])", nil},
	} {
		if got := readScript(tt.name, []byte(tt.text)).Called(); !slices.Equal(got, tt.want) {
			t.Errorf("%s %q: %q, want %q", tt.name, tt.text, got, tt.want)
		}
	}
}

// TestNamesAfterExpansion checks that the rest of a path after a variable is the name of a file
// of the project, however the variable is written.
func TestNamesAfterExpansion(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`"$CLAUDE_PROJECT_DIR"/scripts/run.sh`,
		`"$CLAUDE_PROJECT_DIR/scripts/run.sh"`,
		`"${CLAUDE_PROJECT_DIR}"/scripts/run.sh`,
		`$CLAUDE_PROJECT_DIR/scripts/run.sh`,
		`"$(dirname "$0")"/scripts/run.sh`,
	} {
		if got := namesIn(text); !slices.Contains(got, "scripts/run.sh") {
			t.Errorf("%s names %q", text, got)
		}
	}
	if got := namesIn(`source "$CLAUDE_PROJECT_DIR/common"`); !slices.Contains(got, "./common") {
		t.Errorf("a bare name after an expansion is no path: %q", got)
	}
	if got := namesIn(`exec /usr/bin/env`); !slices.Contains(got, "/usr/bin/env") {
		t.Errorf("an absolute path lost its slash: %q", got)
	}
}

// TestComments checks that names in comments make no dependency.
func TestComments(t *testing.T) {
	t.Parallel()
	const comment = "# see docs/note.md\n"
	for _, tt := range []struct {
		name, script string
		depends      bool
	}{
		{"comment", comment + "true\n", false},
		{"comment behind code", "true # docs/note.md\n", false},
		{"message", "echo \"read docs/note.md\" >&2\n", true},
		{"code", "cat docs/note.md\n", true},
		{"code in a message", "echo \"$(cat docs/note.md)\" >&2\n", true},
		{"text on stdout", "echo 'docs/note.md'\n", true},
		{"here-document", "cat <<E\n# docs/note.md\nE\n", true},
		{"no comment", "echo '# docs/note.md'\n", true},
		{"both", comment + "cat docs/note.md\n", true},
		{"said to be sourced", "# shellcheck source=docs/note.md\n. \"$1\"\n", true},
		{"it cannot be parsed", comment + "if\n", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			write(t, root, map[string]string{".claude/hooks/h.sh": "#!/bin/bash\n" + tt.script, "docs/note.md": "x\n"})
			c := hookCase("A1", "h.sh")
			got := strings.Contains(existing(New(projectAt(root)), &c), "docs/note.md")
			if got != tt.depends {
				t.Errorf("depends on docs/note.md: %v, want %v", got, tt.depends)
			}
		})
	}
}

// TestChecked checks that a check depends on the files that it examines, and on no others.
func TestChecked(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(name, content string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("hooks/config.json", `{"sub": {"file": "own.json"}}`)
	g := New(Project{Root: root, HookDirs: []string{"hooks"}, Settings: []string{"settings.json"}})
	paths := func(id string, c suites.Check) (paths []string) {
		for _, in := range g.Inputs(&suites.Case{Suite: "dep", ID: id, Check: &c, Digest: id}) {
			paths = append(paths, in.Path)
			if in.By != suites.Needed {
				t.Errorf("%s depends on %s only as %q", id, in.Path, in.By)
			}
		}
		return paths
	}
	by := &suites.KeyPath{File: "hooks/config.json", Key: "sub.file"}
	for _, tt := range []struct {
		id    string
		check suites.Check
		want  []string
	}{
		{"A", suites.Check{Tool: "jaq", Places: []string{"jaq"}}, nil},
		{"B", suites.Check{File: "a.json"}, []string{"a.json"}},
		{"C", suites.Check{File: "a.json", NamedBy: by}, []string{"a.json", "hooks/config.json", "own.json"}},
		{"D", suites.Check{Registered: &suites.Registration{Event: "Stop", Hook: "hooks/h.sh"}}, []string{"settings.json"}},
	} {
		if got := paths(tt.id, tt.check); !slices.Equal(got, tt.want) {
			t.Errorf("%+v depends on %v, want %v", tt.check, got, tt.want)
		}
	}
	write("hooks/config.json", `{"sub": {"file": "other.json"}}`)
	g.Refresh([]string{"hooks/config.json"})
	if got := paths("C", suites.Check{File: "a.json", NamedBy: by}); !slices.Equal(got, []string{"a.json", "hooks/config.json", "other.json"}) {
		t.Errorf("with another file named: %v", got)
	}
}

// registering loads the registrations of a project as a session does.
func registering(t *testing.T, root string) discover.Registered {
	t.Helper()
	files := []string{".claude/settings.json", ".claude/settings.local.json"}
	plugin := discover.Source{File: filepath.Join(root, "hooks/hooks.json"), Scope: discover.InPlugin, Plugin: "p", PluginRoot: root}
	found, err := discover.Hooks(disk.Reader{Root: root}, root, files, []discover.Source{plugin})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestRegistrations checks that an edit of a hook's registration affects only the cases of that
// hook that fire it by its registration, and that an edit of anything else in the file affects
// none.
func TestRegistrations(t *testing.T) {
	t.Parallel()
	const (
		settings = ".claude/settings.json"
		guard    = `{"matcher": "Bash", "hooks": [{"type": "command", "command": ".claude/hooks/guard.sh", "timeout": 5}]}`
		stop     = `"Stop": [{"hooks": [{"type": "command", "command": ".claude/hooks/stop.sh"}]}]`
	)
	files := map[string]string{
		".claude/hooks/guard.sh": "#!/bin/bash\n", ".claude/hooks/stop.sh": "#!/bin/bash\n", ".claude/hooks/lone.sh": "#!/bin/bash\n",
		settings: `{"hooks": {"PreToolUse": [` + guard + `], ` + stop + `}}`, "hooks/hooks.json": `{"hooks": {}}`,
	}
	step := []suites.Step{{Event: "PreToolUse", Tool: "Bash"}}
	own := &suites.ProjectOverride{} // they do not depend on the settings as a file
	all := []suites.Case{
		{ID: "script", Hook: ".claude/hooks/guard.sh", Steps: step, Project: own},
		{ID: "named", Hook: ".claude/hooks/guard.sh", Registered: "guard.sh", Steps: step, Project: own},
		{ID: "chain", Chain: true, Steps: step, Project: own},
		{ID: "other", Hook: ".claude/hooks/stop.sh", Steps: []suites.Step{{Event: "Stop"}}, Project: own},
		{ID: "unregistered", Hook: ".claude/hooks/lone.sh", Steps: step, Project: own},
	}
	const itsOwn = "chain named"
	with := func(pre string) string { return `{"hooks": {"PreToolUse": [` + pre + `], ` + stop + `}}` }
	for name, tt := range map[string]struct{ file, content, want string }{
		"matcher":        {settings, with(`{"matcher": "Edit", "hooks": [{"type": "command", "command": ".claude/hooks/guard.sh", "timeout": 5}]}`), itsOwn},
		"timeout":        {settings, with(`{"matcher": "Bash", "hooks": [{"type": "command", "command": ".claude/hooks/guard.sh", "timeout": 0.001}]}`), itsOwn},
		"condition":      {settings, with(`{"matcher": "Bash", "hooks": [{"type": "command", "command": ".claude/hooks/guard.sh", "timeout": 5, "if": "Bash(ls)"}]}`), itsOwn},
		"command":        {settings, with(`{"matcher": "Bash", "hooks": [{"type": "command", "command": ".claude/hooks/guard.sh || true", "timeout": 5}]}`), itsOwn},
		"removed":        {settings, with(""), itsOwn},
		"dropped file":   {settings, with(guard + `, {"matcher": "Edit", "hooks": [{"type": "comand", "command": "x"}]}`), "chain named"},
		"syntax":         {settings, with(guard + `,`), "chain named"},
		"one more":       {settings, with(guard + `, {"matcher": "Edit", "hooks": [{"type": "command", "command": "true"}]}`), "chain"},
		"switched off":   {settings, `{"disableAllHooks": true, "hooks": {}}`, "chain named"},
		"off, elsewhere": {".claude/settings.local.json", `{"disableAllHooks": true}`, "chain named"},
		"twice":          {".claude/settings.local.json", `{"hooks": {"PreToolUse": [` + guard + `]}}`, itsOwn},
		"by a plugin":    {"hooks/hooks.json", `{"hooks": {"PreToolUse": [` + guard + `]}}`, itsOwn},
		"variables":      {settings, `{"env": {"STRICT": "1"}, "hooks": {"PreToolUse": [` + guard + `], ` + stop + `}}`, itsOwn},
		"local ones":     {".claude/settings.local.json", `{"env": {"STRICT": "1"}}`, itsOwn},
		"permissions":    {settings, `{"permissions": {"allow": ["Bash(ls)"]}, "hooks": {"PreToolUse": [` + guard + `], ` + stop + `}}`, ""},
		"white space":    {settings, with(" \n " + guard), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			write(t, root, files)
			graph := func() *Graph {
				return New(Project{
					Root: root, HookDirs: []string{".claude/hooks"}, Settings: []string{settings, ".claude/settings.local.json"},
					Registered: registering(t, root), Scripts: func(*suites.Case) []string { return []string{".claude/hooks/guard.sh"} },
				})
			}
			before := digests(graph(), all)
			write(t, root, map[string]string{tt.file: tt.content})
			if got := affected(before, digests(graph(), all)); got != tt.want {
				t.Errorf("affected %q, want %q", got, tt.want)
			}
		})
	}
}

// TestRegisteredMissing checks that a case of a registered hook whose scripts do not exist, so that
// its command was perhaps read wrongly, depends on any file.
func TestRegisteredMissing(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	const command = `{"matcher": "Bash", "hooks": [{"type": "command", "command": "unknown --option .claude/hooks/x.sh"}, {"type": "command", "command": "./gone.sh"}]}`
	write(t, root, map[string]string{".claude/hooks/x.sh": "", ".claude/settings.json": `{"hooks": {"PreToolUse": [` + command + `]}}`})
	step := []suites.Step{{Event: "PreToolUse", Tool: "Bash"}}
	g := New(Project{Root: root, HookDirs: []string{".claude/hooks"}, Registered: registering(t, root), Other: func(string, bool) bool { return true }})
	for name, tt := range map[string]struct {
		c    suites.Case
		want bool
	}{
		"known":    {suites.Case{ID: "1", Hook: ".claude/hooks/x.sh", Registered: "x.sh", Steps: step}, false},
		"missing":  {suites.Case{ID: "2", Hook: "gone.sh", Registered: "gone.sh", Steps: step}, true},
		"declared": {suites.Case{ID: "3", Hook: "gone.sh", Steps: step}, false},
	} {
		if got := slices.ContainsFunc(g.Inputs(&tt.c), func(in suites.Input) bool { return in.Path == Elsewhere }); got != tt.want {
			t.Errorf("%s: any file is an input: %v", name, got)
		}
	}
}

// TestUnnamed checks for which scripts the files that they read are not all in their text, so that
// every file of the project is an input until the case is observed.
func TestUnnamed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"cat >/dev/null; exit 2":                              false,
		"input=$(cat); [[ $input == *force* ]] && exit 2":     false,
		`[ -z "$1" ] && exit 2`:                               false,
		"jq -r .tool_input.command <rules.json":               false,
		"case $1 in *.env|*.pem) exit 2 ;; esac":              false,
		`grep -q "^a.*b" rules.txt`:                           false,
		`check() { exit 2; }; check`:                          false,
		`echo "x.$1"`:                                         false,
		"timeout 5 jq . a.json":                               false,
		"printf '%s' \"${1##*/}\" | tr -d a-z":                false,
		"make -s check":                                       true,
		"xargs cat <list":                                     true,
		"env -C sub cat words":                                true,
		"DIR=sub; cd \"$DIR\"; cat words":                     true,
		"LINT=make; $LINT":                                    true,
		"cp -a data /tmp/d":                                   true,
		"grep -qd recurse a data":                             true,
		"diff data other":                                     true,
		"sha256sum -c list":                                   true,
		"grep -c a rules.txt":                                 false,
		"d=conf; cat \"$d/rules\"":                            true,
		"d=/etc; cat \"$d/rules\"":                            false,
		`cat "$CLAUDE_PROJECT_DIR/rules"`:                     false,
		"cd conf && cat rules":                                true,
		`cd "$(dirname "$0")/.." && cat rules`:                false,
		`cd "$CLAUDE_PROJECT_DIR" || exit 1; cat rules`:       false,
		"python3 - <<'P'\nprint(open('ru' + 'les'))\nP":       true,
		"bash <<'P'\ncat rules\nP":                            false,
		"npm run -s guard":                                    true,
		"tools/check || exit 2":                               true,
		"shellcheck a.sh":                                     true,
		"timeout 5 ruff check x.py":                           true,
		"grep -rq secret src":                                 true,
		"diff --recursive a b":                                true,
		"find . -name '*.bad'":                                true,
		"for f in *.bad; do exit 2; done":                     true,
		"cat rules.?":                                         true,
		"f=rules; e=txt; grep -q deny $f.$e":                  true,
		`source "$ROOT/adapters/$name.sh"`:                    true,
		"git status --porcelain":                              true,
		"git rev-parse --abbrev-ref HEAD":                     false,
		`[ "$(git diff --cached --name-only)" = "" ]`:         false,
		"xargs grep -R secret <list.txt":                      true,
		"command -v jq >/dev/null || exit 2; rm -rf \"$TMP\"": false,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			write(t, root, map[string]string{".claude/hooks/h.sh": "#!/bin/bash\n" + text + "\n", "a": "a"})
			g := New(Project{Root: root, HookDirs: []string{".claude/hooks"}, Other: func(string, bool) bool { return true }})
			c := suites.Case{ID: "1", Hook: ".claude/hooks/h.sh", Steps: []suites.Step{{Event: "Stop"}}}
			if got := slices.ContainsFunc(g.Inputs(&c), func(in suites.Input) bool { return in.Path == Elsewhere }); got != want {
				t.Errorf("every file is an input: %t", got)
			}
		})
	}
}
