package shell

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestPrograms states the kinds of each program of the table.
func TestPrograms(t *testing.T) {
	t.Parallel()
	kinds := map[string]func(string, Program) bool{
		"shell":      func(_ string, p Program) bool { return p.Shell },
		"bash":       func(_ string, p Program) bool { return p.Language == Shell },
		"by bash":    func(_ string, p Program) bool { return p.ByBash },
		"interprets": func(_ string, p Program) bool { return p.Interprets() },
		"python":     func(_ string, p Program) bool { return p.Language == Python },
		"node":       func(_ string, p Program) bool { return p.Language == Node },
		"wraps":      func(_ string, p Program) bool { return p.Wraps },
		"own":        func(_ string, p Program) bool { return p.Own == 1 },
		"within":     func(_ string, p Program) bool { return p.Within },
		"runner":     func(_ string, p Program) bool { return p.Runner },
		"builds":     func(_ string, p Program) bool { return p.Builds },
		"untraced":   func(_ string, p Program) bool { return p.Untraced },
	}
	want := map[string]string{
		"shell":      "ash bash csh dash fish ksh mksh rbash sh tcsh zsh",
		"bash":       "ash bash dash ksh mksh rbash sh zsh",
		"by bash":    "bash dash sh",
		"interprets": "bun deno lua node nodejs perl php pwsh pypy python ruby tclsh ts-node tsx",
		"python":     "pypy python uv",
		"node":       "bun deno node nodejs ts-node tsx",
		"wraps":      "builtin caffeinate chronic chrt command doas env exec flock gtimeout ionice nice nohup setsid stdbuf sudo taskset time timeout unbuffer xargs",
		"own":        "chrt flock gtimeout taskset timeout",
		"within":     "find parallel script watch",
		"runner":     "bundle bunx conda npm npx pdm pipenv pnpm poetry uv uvx yarn",
		"builds":     "cargo go just make parallel",
		"untraced":   "at batch busybox chroot crontab doas docker nsenter podman ssh su sudo systemd-run unshare",
	}
	for kind, is := range kinds {
		var names []string
		for name, p := range programs {
			if is(name, p) {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != want[kind] {
			t.Errorf("%s: %s\nwant %s", kind, got, want[kind])
		}
	}
	for name, language := range map[string]string{
		"/usr/bin/python3.12": Python, "pypy3": Python, "tclsh8.6": "tcl", "/bin/bash": Shell, "bash5": "", "pythonic": "", "jq": "", "": "",
	} {
		if got := ProgramOf(name).Language; got != language {
			t.Errorf("%q runs %q, want %q", name, got, language)
		}
	}
}

// TestExtensions states that each extension names a program of the table.
func TestExtensions(t *testing.T) {
	t.Parallel()
	for ext, by := range extensions {
		if !ProgramOf(by).RunsScripts() {
			t.Errorf("%s is run by %q", ext, by)
		}
	}
	if got := ByExtension("a/B.PY") + ByExtension("hook") + ByExtension("a.json"); got != "python3" {
		t.Error(got)
	}
}

func TestInner(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"":                             "0",
		"jq .":                         "0",
		"env":                          "1",
		"env -i A=1 -u B bash x":       "5",
		"nice -n 5 bash x":             "3",
		"nice -5 bash x":               "2",
		"timeout -k 1 5s bash x":       "4",
		"/usr/bin/timeout 5 bash":      "2",
		"sudo -u nobody -- bash x":     "4",
		"flock -w 9 /tmp/lock bash":    "4",
		"xargs -0 -n 1 jq .":           "4",
		"uv run --with a script.py":    "4",
		"uv --directory d run bandit":  "4",
		"uv pip install x":             "0",
		"npx --yes tsx x.ts":           "2",
		"npm exec -- tsc":              "3",
		"npm test":                     "0",
		"timeout \x01 ..":              "2",
		"env \x01=1 bash":              "1",
		"stdbuf --unknown 5 sort":      "3",
		"command -v jq":                "2",
		"find . -exec grep {} ;":       "0",
		"doas -u root A=1 /bin/cat /x": "4",
		"env -iu B bash x":             "3",
		"xargs -0I {} bash x":          "3",
		"stdbuf -oL -e 0 bash x":       "4",
		"poetry -C d run python x.py":  "4",
		"conda run -n base python x":   "4",
		"taskset -c 0 bash x":          "3",
	} {
		if got := fmt.Sprint(Inner(strings.Fields(command))); got != want {
			t.Errorf("%q: %s, want %s", command, got, want)
		}
	}
}

// TestOperand finds what interpreters run behind options with values, as their manuals have them:
// "hook" is a script, "c" code.
func TestOperand(t *testing.T) {
	t.Parallel()
	for _, command := range strings.Split(`python hook; python -X utf8 hook; python3 -W ignore hook; python3 -Wignore hook; python -Xdev -u hook; python -uX dev hook; python -Bm c hook;
		python3 -c c hook; python3 -uc c; python3.12 --check-hash-based-pycs never hook; pypy3 --jit off hook;
		bash hook; bash -o pipefail hook; bash -euo pipefail hook; bash -oe pipefail hook; bash -O extglob hook; bash +e hook; bash +O extglob -x hook; bash -- hook; bash - hook;
		bash --rcfile f hook; bash -c c; bash -ec c hook; bash -c -x c; bash -co pipefail c; bash -o pipefail -c c; sh -e hook; zsh -o x -f hook; dash -o nounset hook;
		node hook; node -C cond hook; node --title t hook; node --title=t hook; node -r m hook; node --env-file f --no-warnings hook; node -e c; node -pe c; node --import m -p c;
		deno run --allow-all hook; deno run --config f hook; deno hook; deno eval c; bun hook; bun run --cwd d hook; bun -e c; tsx watch --tsconfig f hook; tsx hook; ts-node -P f hook;
		ruby -I lib hook; ruby -rjson -Ilib hook; ruby -ne c; ruby -W0 -e c; perl -I lib hook; perl -MText::Balanced hook; perl -i.be -pe c; perl -lane c; perl -E c;
		php -d a=b hook; php -f hook; php -r c; lua -l m -e s hook; tclsh -encoding utf-8 hook; pwsh -NoProfile -ExecutionPolicy Bypass -File hook; pwsh -Command c; fish -C s hook`, ";") {
		words := strings.Fields(command)
		at, inline := Operand(words)
		want, found := "hook", ""
		if inline {
			want = "c"
		}
		if at < len(words) {
			found = words[at]
		}
		if found != want || inline != slices.Contains(words, "c") {
			t.Errorf("%s: runs %q (code %v)", command, found, inline)
		}
	}
	for _, command := range []string{"bash", "bash -s", "python3 -", "node", "bash -o pipefail", "python3 --version", "bash --"} {
		if words := strings.Fields(command); func() bool { at, _ := Operand(words); return at != len(words) }() {
			t.Errorf("%s runs a script", command)
		}
	}
}

func TestInterpreter(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"#!/bin/bash -eu":                        "[/bin/bash -eu] true shell",
		"#! /usr/bin/env bash\nnode":             "[bash] true shell",
		"#!/usr/bin/env -S bash --posix":         "[bash --posix] true shell",
		"#!/usr/bin/env -i bash":                 "[bash] false shell",
		"#!/usr/bin/env -S BASH_ENV= bash":       "[bash] false shell",
		"#!/usr/bin/env -S uv run --script":      "[uv run --script] true python",
		"#!/usr/bin/env -S npx tsx":              "[npx tsx] true node",
		"#!/usr/bin/env -S deno run --allow-all": "[deno run --allow-all] true node",
		"#!/usr/bin/fish":                        "[/usr/bin/fish] true fish",
		"#!/usr/bin/env":                         "[] true ",
		"#!":                                     "[] true ",
		"# a comment":                            "[] false ",
	} {
		words, direct := Interpreter(line)
		if got := fmt.Sprint(words, direct, " ", LanguageOf(words)); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "''", "a b": "'a b'", "it's $x": `'it'\''s $x'`} {
		if got := Quote(text); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// TestDeep parses text that would overflow the stack of the parser, or of functions that walk
// its tree.
func TestDeep(t *testing.T) {
	t.Parallel()
	for _, opening := range []string{
		"(", "$(", "$((", "$((1+(", "`", "{ ", "${a:-", "if ", "while ", "until ", "for a in b; do ", "case a in b) ", "! ", "a() ", "time ", "coproc ",
		"\"$(", "\"${a:-", "<(", "[[ ( ", "[[ ! ", "a|", "a&&", "a||", "((-", "((a?", "((a=", "((a+", "((a,", "a=(", "${a[", "${a[$(", "@(", "cat <<A\n$(",
		"if a; then b; el", "let a=(", "[[ a && ", "$'", "eval a; (", "f() { ", "select a in b; do ", "if a; then ", "a=$(",
	} {
		for _, n := range []int{100, 100_000} {
			_, err := Parse(strings.Repeat(opening, n) + "\n")
			if err == nil && n > 1000 && strings.ContainsAny(opening, "({") {
				t.Errorf("%q %d times is taken for good", opening, n)
			}
		}
	}
	for closing, text := range map[string]string{
		"closed":  strings.Repeat("(", 50_000) + "a" + strings.Repeat(")", 50_000),
		"chained": strings.Repeat("a&&", 200_000) + "a",
		"summed":  "echo $((" + strings.Repeat("a+", 200_000) + "a))",
		"negated": "[[ " + strings.Repeat("! ", 200_000) + "a ]]",
	} {
		if _, err := Parse(text + "\n"); !errors.Is(err, errDeep) {
			t.Errorf("%s: error %v", closing, err)
		}
	}
}

// TestPlain checks that ordinary text is parsed, however long it is.
func TestPlain(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nested": strings.Repeat("if a; then\n", 60) + "b\n" + strings.Repeat("fi\n", 60),
		"long":   strings.Repeat("if a && b; then c=$(d \"$(e)\"); fi\n", 20_000),
		"piped":  strings.Repeat("a | b | c && d || e\n", 20_000),
	} {
		file, err := Parse(text)
		if err != nil || len(file.Stmts) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
