package check

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
)

// treeOf returns a project with files and a settings file that registers commands for PreToolUse.
func treeOf(t *testing.T, files map[string]string, commands ...string) Tree {
	t.Helper()
	root := t.TempDir()
	const settings = ".claude/settings.json"
	var entries []string
	for _, c := range commands {
		entries = append(entries, fmt.Sprintf(`{"type":"command","command":%q}`, c))
	}
	all := map[string]string{settings: `{"env":{"CLAUDE_MY_DIR":"x"},"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[` + strings.Join(entries, ",") + `]}]}}`}
	for name, content := range files {
		all[name] = content
	}
	var documents []discover.Source
	for name, content := range all {
		file := filepath.Join(root, filepath.FromSlash(name))
		if filepath.Base(name) == "SKILL.md" {
			documents = append(documents, discover.Source{File: file, Scope: discover.InDocument})
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o755)
		if strings.Contains(name, "0644") {
			mode = 0o644
		}
		if err := os.WriteFile(file, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
	registered, err := discover.Hooks(disk.Reader{Root: root}, root, []string{settings}, documents)
	if err != nil {
		t.Fatal(err)
	}
	installed := func(program string) bool { return program != "absent" }
	return Tree{Root: root, Reader: disk.Reader{Root: root}, Registered: registered, Installed: installed}
}

// found returns the findings of a severity of at least warning, such as "error script-missing ...".
func found(t Tree) string {
	var all []string
	for _, f := range Registrations(t) {
		if f.Severity != suites.Info {
			all = append(all, fmt.Sprint(f.Severity, " ", f.Rule, " ", f.What))
		}
	}
	return strings.Join(all, "; ")
}

// TestWorkingCommands checks that options with values of interpreters and wrappers are no scripts.
func TestWorkingCommands(t *testing.T) {
	t.Parallel()
	files := map[string]string{"x.py": "", "x.sh": "#!/bin/bash\n", "x.js": ""}
	const in = ` "$CLAUDE_PROJECT_DIR"/`
	if got := found(treeOf(t, files, "python -X utf8"+in+"x.py", "python3 -W ignore"+in+"x.py", "bash -o pipefail"+in+"x.sh", "bash -O extglob"+in+"x.sh",
		"bash +e"+in+"x.sh", "node -C cond"+in+"x.js", "node --title t"+in+"x.js", "nice python3 -X dev"+in+"x.py", "timeout -k 1 5 bash -euo pipefail"+in+"x.sh",
		"env -u A python3 -X dev"+in+"x.py")); got != "" {
		t.Error(got)
	}
	if got := found(treeOf(t, nil, "bun prettier --write x", "bun run lint")); got != "" {
		t.Error(got)
	}
	if got := found(treeOf(t, nil, "bun run gone.ts")); !strings.HasPrefix(got, "error script-missing gone.ts does not exist") {
		t.Error(got)
	}
	if got := found(treeOf(t, files, "nice python3 -X dev"+in+"gone.py")); !strings.HasPrefix(got, "error script-missing gone.py does not exist") {
		t.Error(got)
	}
}

// TestIgnoredScripts checks a script that git ignores: in a clone it is missing, in the source tree
// it will be.
func TestIgnoredScripts(t *testing.T) {
	t.Parallel()
	const command, hook = `"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh`, ".claude/hooks/guard.sh"
	source := func(files map[string]string) map[string]string {
		all := map[string]string{hook: "#!/bin/sh\n", ".gitignore": ".claude/hooks/\n", ".git/index": "DIRC .claude/settings.json\x00"}
		for name, content := range files {
			all[name] = content
		}
		return all
	}
	const ignored = "warning script-missing " + hook + " is ignored by git"
	for name, tt := range map[string]struct {
		files map[string]string
		want  string
	}{
		"clone":                {map[string]string{".gitignore": ".claude/hooks/\n", ".git/index": "DIRC .claude/settings.json\x00"}, "error script-missing " + hook + " does not exist: git ignores it"},
		"source":               {source(nil), ignored},
		"by another file":      {source(map[string]string{".gitignore": "", ".claude/.gitignore": "/hooks\n"}), ignored},
		"excepted":             {source(map[string]string{".gitignore": "*.sh\n!guard.sh\n"}), ""},
		"tracked all the same": {source(map[string]string{".git/index": "DIRC .claude/settings.json\x00" + hook + "\x00"}), ""},
		"settings untracked":   {source(map[string]string{".git/index": "DIRC README\x00"}), ""},
		"settings ignored":     {source(map[string]string{".gitignore": ".claude/\n"}), ""},
	} {
		if got := found(treeOf(t, tt.files, command)); tt.want == "" && got != "" || !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestMisspeltRoots checks variables that nothing sets at the beginning of a hook's path.
func TestMisspeltRoots(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"CLAUDE_PROJECT_ROOT", "CLAUDE_PROJECT_PATH", "CLAUDE_PROJ_DIR", "CLAUDE_DIR", "CLAUDEPROJECT_DIR", "CLAUDE_WORKSPACE", "CLAUDE_PROJECTDIR", "claude_project_dir", "CLAUDE_HOOKS_DIR"} {
		for _, command := range []string{`"$` + name + `"/x.sh`, `"$` + name + `/x.sh"`, `bash ${` + name + `}/x.sh`} {
			if got := found(treeOf(t, map[string]string{"x.sh": "#!/bin/sh\n"}, command)); !strings.Contains(got, "error wrong-root $"+name+" is never set: the client sets CLAUDE_PROJECT_DIR") {
				t.Errorf("%s: %q", command, got)
			}
		}
	}
	const asks = `s="$CLAUDE_SKILL_DIR/x.sh"; [ -f "$s" ] || s=other.sh; sh "$s"`
	if got := found(treeOf(t, nil, asks)); !strings.HasPrefix(got, "warning wrong-root $CLAUDE_SKILL_DIR is never set: the client sets CLAUDE_PROJECT_DIR") {
		t.Errorf("%q", got)
	}
	for _, command := range []string{`"$CLAUDE_PROJECT_DIR"/x.sh`, `"${CLAUDE_ROOT:-.}"/x.sh`, `CLAUDE_ROOT=$CLAUDE_PROJECT_DIR; "$CLAUDE_ROOT"/x.sh`, `"$CLAUDE_MY_DIR"/x.sh`, `"$CLAUDE_CONFIG_DIR"/x.sh`} {
		if got := found(treeOf(t, map[string]string{"x.sh": "#!/bin/sh\n", "x/x.sh": "#!/bin/sh\n"}, command)); strings.Contains(got, "never set") {
			t.Errorf("%s: %q", command, got)
		}
	}
}

// TestSkillRoot checks that a hook of a skill may name the skill's directory, and a settings file may not.
func TestSkillRoot(t *testing.T) {
	t.Parallel()
	const command = `"${CLAUDE_PLUGIN_ROOT}"/x.sh`
	front := "---\nname: s\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: '" + command + "'\n---\n"
	if got := found(treeOf(t, map[string]string{".claude/skills/s/SKILL.md": front, ".claude/skills/s/x.sh": "#!/bin/sh\n"})); got != "" {
		t.Errorf("%q", got)
	}
	if got := found(treeOf(t, nil, command)); !strings.HasPrefix(got, "error wrong-root ${CLAUDE_PLUGIN_ROOT} in settings") {
		t.Errorf("%q", got)
	}
	if got := found(treeOf(t, nil, `"${CLAUDE_PLUGIN_DATA}"/x.sh`)); !strings.HasPrefix(got, "error wrong-root it names ${CLAUDE_PLUGIN_DATA}") {
		t.Errorf("%q", got)
	}
}

// TestAbsentInterpreters checks first lines that name what this machine lacks.
func TestAbsentInterpreters(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"#!/usr/bin/env absent":    "warning bad-interpreter x names absent, which this machine does not have",
		"#!/opt/nowhere/absent":    "error bad-interpreter x names /opt/nowhere/absent",
		"#!/usr/local/bin/python0": "warning bad-interpreter x names /usr/local/bin/python0",
		"#!/usr/bin/env sh":        "", "#!/bin/sh": "",
	} {
		if got := found(treeOf(t, map[string]string{"x": line + "\n"}, `"$CLAUDE_PROJECT_DIR"/x`)); want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	if got := found(treeOf(t, nil, `"$CLAUDE_PROJECT_DIR"/gone.sh || echo '{"decision":"approve"}'`)); !strings.Contains(got, "error script-missing gone.sh does not exist") {
		t.Errorf("%q", got)
	}
	if got := found(treeOf(t, nil, `[ ! -f gone.sh ] || ./gone.sh`)); strings.Contains(got, "script-missing") {
		t.Errorf("%q", got)
	}
}

// TestLocalModules checks a module of the tree's own that does not exist under the name that a
// script loads.
func TestLocalModules(t *testing.T) {
	t.Parallel()
	tree := treeOf(t, map[string]string{"hooks/x.py": "import _lib, hook_util, yaml\n", "hooks/hook_utils.py": "", "hooks/_common/__init__.py": ""}, `python3 "$CLAUDE_PROJECT_DIR"/hooks/x.py`)
	for module, want := range map[string]string{"_lib": "hooks/x.py loads _lib, which does not exist", "hook_util": "there is hook_utils", "yaml": "its package yaml is not installed"} {
		q := Inspect(tree, tree.Registered.Hooks[0])
		q.judgePackage(module, []string{filepath.Join(tree.Root, "hooks/x.py")})
		if len(q.findings) != 1 || q.findings[0].Severity != suites.Error || !strings.Contains(q.findings[0].What, want) {
			t.Errorf("%s: %+v", module, q.findings)
		}
	}
}

// TestUninstalled checks that a guard which lets everything through without a package that is only declared is open.
func TestUninstalled(t *testing.T) {
	t.Parallel()
	const command = `node "$CLAUDE_PROJECT_DIR"/hooks/x.js`
	for _, tt := range []struct {
		name, command, script string
		effect                suites.Effect
		open                  bool
	}{
		{"a guard", command, "process.exit(2)", suites.Proceeds, true},
		{"a guard that denies without it", command, "process.exit(2)", suites.Denied, false},
		{"a hook without a decision", command, "console.log(1)", suites.Proceeds, false},
		{"a program that installs it", `bunx x; ` + command, "process.exit(2)", suites.Proceeds, false},
	} {
		tree := treeOf(t, map[string]string{"package.json": `{"dependencies": {"zod": "3"}}`, "hooks/x.js": tt.script}, tt.command)
		q := Inspect(tree, tree.Registered.Hooks[0])
		q.judgeAbsent(&q.results, suites.Result{Exit: 1, Effect: tt.effect}, "zod", client.MissingModule)
		if q.absent == "" || q.has(func(f Finding) bool { return f.Rule == "fails-open" }) != tt.open {
			t.Errorf("%s: %q, %+v", tt.name, q.absent, q.findings)
		}
	}
}

// TestStandInForUV checks which scripts python3 runs on a machine without uv.
func TestStandInForUV(t *testing.T) {
	t.Parallel()
	const block = "# /// script\n# requires-python = \">=3.8\"\n# dependencies = [%s]\n# ///\nimport sys\n"
	none, some := fmt.Sprintf(block, ""), fmt.Sprintf(block, "\n#   \"rich\",\n# ")
	const shebang = "#!/usr/bin/env -S uv run --script\n"
	for name, tt := range map[string]struct {
		script, command, lacks string
		want                   bool
	}{
		"by its first line":     {shebang + none, `"$CLAUDE_PROJECT_DIR"/x.py`, "uv", true},
		"by the command":        {none, `uv run --script "$CLAUDE_PROJECT_DIR"/x.py`, "uv", true},
		"without dependencies":  {"# /// script\n# requires-python = '>=3.8'\n# ///\n", `uv run "$CLAUDE_PROJECT_DIR"/x.py`, "uv", true},
		"with a package":        {shebang + some, `"$CLAUDE_PROJECT_DIR"/x.py`, "uv", false},
		"without metadata":      {shebang, `"$CLAUDE_PROJECT_DIR"/x.py`, "uv", false},
		"where uv is installed": {shebang + none, `"$CLAUDE_PROJECT_DIR"/x.py`, "", false},
		"without python3":       {shebang + none, `"$CLAUDE_PROJECT_DIR"/x.py`, "uv python3", false},
		"by python3":            {none, `python3 "$CLAUDE_PROJECT_DIR"/x.py`, "uv", false},
	} {
		tree := treeOf(t, map[string]string{"x.py": tt.script}, tt.command)
		tree.Installed = func(program string) bool { return !strings.Contains(" "+tt.lacks+" ", " "+program+" ") }
		q := Inspect(tree, tree.Registered.Hooks[0])
		if got := q.uv != ""; got != tt.want || len(q.findings) != count(tt.want) {
			t.Errorf("%s: a stand-in %v, findings %+v", name, got, q.findings)
		}
		for _, p := range q.Next() {
			if has := slices.ContainsFunc(p.Case.WantedEnv().Programs, func(p suites.Program) bool { return p.Name == "uv" }); has != tt.want {
				t.Errorf("%s: fired with it: %v", name, has)
			}
		}
	}
}

func count(one bool) int {
	if one {
		return 1
	}
	return 0
}

// TestStandInRuns runs the stand-in as a script's first line does.
func TestStandInRuns(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	tree := treeOf(t, map[string]string{"x.py": "# /// script\n# requires-python = \">=3.6\"\n# dependencies = []\n# ///\nimport sys\nprint(sys.argv[1:])\n"}, "uv run --script x.py")
	tree.Installed = func(program string) bool { return program == "python3" }
	script := Inspect(tree, tree.Registered.Hooks[0]).uv
	for args, want := range map[string]string{"run --script x.py a": "['a']\n", "run -q -p 3.12 x.py --flag": "['--flag']\n"} {
		cmd := exec.Command("sh", append([]string{"-c", script, "uv"}, strings.Fields(args)...)...)
		cmd.Dir = tree.Root
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("uv %s: %q, %v, want %q", args, out, err, want)
		}
	}
}

// TestReadOnlyPlaces checks that a hook that writes where firings may not is not judged.
func TestReadOnlyPlaces(t *testing.T) {
	t.Parallel()
	for _, stderr := range []string{
		"hook.sh: line 3: /srv/log: Read-only file system", "hook.sh: 3: cannot create /srv/log: Read-only file system",
		"tee: /srv/log: Read-only file system", "touch: cannot touch '/srv/log': Read-only file system",
		"Traceback (most recent call last):\nOSError: [Errno 30] Read-only file system: '/srv/log'", "Error: EROFS: read-only file system, open '/srv/log'\n    at open",
	} {
		tree := treeOf(t, map[string]string{"x.sh": "#!/bin/sh\n"}, `"$CLAUDE_PROJECT_DIR"/x.sh`)
		q := Inspect(tree, tree.Registered.Hooks[0])
		q.judgeEnd(fired{firing: firing{event: "PreToolUse"}, Result: suites.Result{Exit: 1, Stderr: []byte(stderr)}})
		if !strings.Contains(q.absent, "it writes /srv/log, which is read-only here") || len(q.findings) > 0 {
			t.Errorf("%s: %q, %+v", stderr, q.absent, q.findings)
		}
	}
}

// TestForeignVariables checks that exactly the variables that a client does not set are findings, except for
// those of a plugin and those that the command sets.
func TestForeignVariables(t *testing.T) {
	t.Parallel()
	for _, c := range clients.Clients() {
		for _, variable := range clients.Variables() {
			for _, tt := range []struct {
				hook discover.Hook
				want bool
			}{
				{discover.Hook{Command: `"$` + variable + `"/x.sh`}, !c.Sets(variable)},
				{discover.Hook{Command: variable + `=.; "$` + variable + `"/x.sh`}, false},
				{discover.Hook{Command: `"$` + variable + `"/x.sh`, PluginRoot: "/p"}, !c.Sets(variable) && !strings.HasSuffix(variable, "_PLUGIN_ROOT")},
				{discover.Hook{Command: "x.sh"}, false},
			} {
				if got := judgeForeign(site{reader: c, hook: tt.hook}); (len(got) == 1) != tt.want {
					t.Errorf("%s, %+v: %q, want a finding: %t", c.Name, tt.hook, whats(got), tt.want)
				}
			}
		}
	}
}

// TestStaticRules checks rules about registrations that no injected failure shows.
func TestStaticRules(t *testing.T) {
	t.Parallel()
	codex, _ := clients.ByName("codex")
	for rule, all := range map[string][]Finding{
		"wrong-root":            Registrations(treeOf(t, nil, `"${CLAUDE_PLUGIN_ROOT}"/x.sh`)),
		"shell-syntax":          Registrations(treeOf(t, nil, "[[ a == b ]] && true")),
		"matcher-not-evaluated": find([]discover.Hook{{ID: "h", Event: "PreToolUse", Matcher: `^((\w+)+)+!$`}}, "matcher-not-evaluated"),
		"client-entry":          findIn(Tree{Clients: []clients.Client{codex}, AskedClients: []string{"codex"}, Registered: discover.Registered{Hooks: []discover.Hook{{ID: "h", Event: "PreToolUse", If: "Bash"}}}}, "client-entry"),
	} {
		if !slices.ContainsFunc(all, func(f Finding) bool { return f.Rule == rule }) {
			t.Errorf("%s: %q", rule, whats(all))
		}
	}
	q := &Inspection{}
	q.Take(Probe{seen: func(suites.Outcome) {}}, suites.Outcome{Withheld: []string{"~/.config/x"}})
	if len(q.findings) != 1 || q.findings[0].Rule != "hidden-file" {
		t.Errorf("%+v", q.findings)
	}
}
