package depend

import (
	"path"
	"slices"
	"strings"

	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// runsFile reports whether a program runs the file in its first argument.
func runsFile(program string) bool {
	return program == "source" || program == "." || shell.ProgramOf(program).RunsScripts()
}

// call records the program that a simple command runs, or that its name is computed. inline
// reports whether its input is in the script.
func (r *shellReader) call(args []*shell.Word, inline bool) {
	if len(args) == 0 {
		return
	}
	first := flatten(args[0])
	name := path.Base(first.text)
	switch {
	case strings.Contains(name, expanded) || name == "":
		r.callComputed(args[0], first)
		return
	case name != "[" && strings.ContainsAny(name, "*?["):
		r.computes(args[0], "runs a command whose name is computed")
		return
	}
	r.commands[name] = true
	rest := args[1:]
	words := []string{name}
	for _, a := range rest {
		words = append(words, flatten(a).text)
	}
	inner := shell.Inner(words)
	switch {
	case name == "command" && len(rest) > 0 && strings.HasPrefix(rest[0].Bare(), "-"),
		name == "type", name == "which", name == "hash":
		r.asked(rest)
	case inner > 0:
		r.call(args[inner:], inline && !shell.ProgramOf(name).Runner)
	case runsFile(name):
		r.interpret(args[0], rest, inline)
	case name == "eval":
		r.evaluate(rest)
	case name == "cd", name == "pushd":
		r.move(rest)
	case name == "read", name == "mapfile", name == "readarray", name == "printf", name == "getopts", name == "unset":
		r.fill(name, rest)
	}
}

// callComputed records "$cmd", which is judged when all assignments are known, and "$dir/$name",
// which may be any file.
func (r *shellReader) callComputed(w *shell.Word, f flat) {
	if f.text == expanded && f.vars[0] != "" {
		r.Run[f.vars[0]] = w.Line
		return
	}
	if f.text == expanded && !f.lists {
		return // the output of a command whose text is searched for names
	}
	r.computes(w, "runs a command whose name is computed")
}

// asked records the names that "command -v" looks up.
func (r *shellReader) asked(args []*shell.Word) {
	for _, a := range args {
		if f := flatten(a); f.text != "" && !strings.Contains(f.text, expanded) && !strings.HasPrefix(f.text, "-") {
			r.commands[path.Base(f.text)] = true
		}
	}
}

// interpret examines the file argument of an interpreter or source.
func (r *shellReader) interpret(command *shell.Word, args []*shell.Word, inline bool) {
	for i, a := range args {
		f := flatten(a)
		switch {
		case f.text == "-c" && i+1 < len(args):
			r.evaluate(args[i+1:])
			return
		case f.text == "-m":
			r.computes(a, "runs a module")
			return
		case strings.HasPrefix(f.text, "-"):
		case strings.ContainsAny(path.Base(f.text), expanded+"*?["):
			r.computes(a, "sources a file whose name is computed")
			return
		default:
			return
		}
	}
	if !inline && !isQuestion(args) {
		r.computes(command, "runs code from its input")
	}
}

// isQuestion reports whether the arguments only ask for information, such as "bash --version",
// which runs nothing.
func isQuestion(args []*shell.Word) bool {
	return len(args) == 1 && (args[0].Bare() == "--version" || args[0].Bare() == "--help" || args[0].Bare() == "-V")
}

// evaluate examines code in a string. Its words are part of the text, and its variables are
// judged like "$cmd".
func (r *shellReader) evaluate(args []*shell.Word) {
	r.Evals = true
	for _, a := range args {
		for _, v := range flatten(a).vars {
			if v != "" {
				r.Run[v] = a.Line
			}
		}
	}
}

// move records the target of cd, because names without a directory are relative to it.
func (r *shellReader) move(args []*shell.Word) {
	for _, a := range args {
		f := flatten(a)
		switch {
		case strings.HasPrefix(f.text, "-"):
			continue
		case strings.HasPrefix(f.text, "/"):
			r.Moves = append(r.Moves, Operand{})
		default:
			r.Moves = append(r.Moves, f.operandOf(f.text))
		}
		return
	}
	r.Moves = append(r.Moves, Operand{})
}

// fill records variables that a builtin sets.
func (r *shellReader) fill(name string, args []*shell.Word) {
	for i, a := range args {
		v := a.Bare()
		if v == "" || strings.HasPrefix(v, "-") || name == "printf" && (i == 0 || args[i-1].Bare() != "-v") {
			continue
		}
		r.Assigned[v] = append(r.Assigned[v], Operand{})
		if name != "printf" && name != "unset" {
			r.Listed[v] = true
		}
	}
}

// starting matches, in Python and Node, the first argument of a call that starts or looks up
// programs: subprocess.run(["git", ...]), execSync("git status"), shutil.which("jq").
var starting = pattern.Lazy(`(?:\bsubprocess\.\w+|\bos\.(?:system|popen)|\bshutil\.which|\b(?:Popen|check_output|check_call|getoutput)|` +
	`\b(?:execSync|execFile|execFileSync|spawn|spawnSync)|\bchild_process\.exec|\bwhich(?:\.sync)?)` +
	`\s*\(\s*\[?\s*[bfr]?["'\x60]([A-Za-z0-9_./][A-Za-z0-9_.+/-]*)`)

// wordLists matches the first of a list of words, because programs are often started from such a
// list later.
var wordLists = pattern.Lazy(`\[\s*["']([a-z][A-Za-z0-9_.+-]*)["']\s*,`)

// Called returns the programs that a script starts or looks up according to its text, sorted.
// Programs that it only mentions are not included.
func (s *Script) Called() []string {
	called := slices.Clone(s.Tools)
	if s.Language == shell.Python || s.Language == shell.Node {
		for _, m := range starting().FindAllStringSubmatch(s.Text, -1) {
			called = append(called, path.Base(m[1]))
		}
		for _, m := range wordLists().FindAllStringSubmatch(s.Text, -1) {
			if knownTools[m[1]] {
				called = append(called, m[1])
			}
		}
	}
	slices.Sort(called)
	return slices.Compact(called)
}

// knownTools are programs that hooks run. A literal word that is one of them counts anywhere.
var knownTools = set(`
	jq jaq gojq yq uv uvx ruff ty mypy pyright biome eslint prettier tsc oxlint knip jscpd
	shellcheck shfmt yamllint hadolint taplo markdownlint markdownlint-cli2 semgrep gitleaks
	bandit vulture flake8 black isort pylint pytest pip pip3 poetry pipenv
	node npm npx pnpm yarn bun bunx deno python python3 ruby perl php go gofmt golangci-lint cargo rustfmt rustc
	git gh curl wget docker make terraform tofu claude actionlint check-jsonschema ast-grep rg fd ctags
	osascript notify-send terminal-notifier say timeout gtimeout sqlite3 openssl shasum sha256sum`)

// builtins are names that bash does not search for in PATH.
var builtins = set(`
	. : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown
	echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile
	popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true
	type typeset ulimit umask unalias unset wait`)

// toolFiles maps programs to the configuration files that they search for.
var toolFiles = map[string][]string{
	"ruff":              {"ruff.toml", ".ruff.toml", "pyproject.toml"},
	"ty":                {"ty.toml", "pyproject.toml"},
	"mypy":              {"mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg"},
	"black":             {"pyproject.toml"},
	"uv":                {"uv.toml", "pyproject.toml", "uv.lock"},
	"flake8":            {".flake8", "setup.cfg", "tox.ini"},
	"bandit":            {".bandit", "pyproject.toml"},
	"vulture":           {"pyproject.toml"},
	"pylint":            {".pylintrc", "pylintrc", "pyproject.toml"},
	"pytest":            {"pytest.ini", "pyproject.toml", "setup.cfg"},
	"biome":             {"biome.json", "biome.jsonc"},
	"prettier":          {".prettierrc", ".prettierrc.json", "package.json"},
	"eslint":            {".eslintrc.json", "eslint.config.js", "eslint.config.mjs", "package.json"},
	"tsc":               {"tsconfig.json"},
	"oxlint":            {".oxlintrc.json"},
	"knip":              {"knip.json", "package.json"},
	"jscpd":             {".jscpd.json"},
	"npm":               {"package.json", ".npmrc"},
	"npx":               {"package.json", ".npmrc"},
	"shellcheck":        {".shellcheckrc", "shellcheckrc"},
	"shfmt":             {".editorconfig"},
	"yamllint":          {".yamllint", ".yamllint.yaml", ".yamllint.yml"},
	"hadolint":          {".hadolint.yaml", ".hadolint.yml"},
	"taplo":             {"taplo.toml", ".taplo.toml"},
	"markdownlint":      {".markdownlint.json", ".markdownlint.jsonc", ".markdownlint.yaml"},
	"markdownlint-cli2": {".markdownlint-cli2.jsonc", ".markdownlint-cli2.yaml", ".markdownlint.jsonc", ".markdownlint.json", ".markdownlint.yaml"},
	"semgrep":           {".semgrep.yml", ".semgrepignore"},
	"gitleaks":          {".gitleaks.toml"},
	"golangci-lint":     {".golangci.yml", ".golangci.yaml"},
}
