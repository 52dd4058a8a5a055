package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// attacks lists all that a clone was seen to try, or may.
func attacks() []attack {
	return slices.Concat(linkedResults(), madeState(), weakened(), maskedFiles(), oddFiles(), bombs(), programs(), spoken())
}

const results = ".claude/tests/hooks/results"

// linkedResults puts something else at every place that hookwatch writes to.
func linkedResults() []attack {
	// A present state and a rolling log of the clone's own have these names.
	files := []string{
		".lock", ".gitignore", "running.json", "inputs.json", "environment.json", "RESULTS.md", "COMPARISON.md",
		"rolling/a-agent.jsonl", "rolling/tools.log", "rolling/a-agent-2020-01-01T00-00-00.000.jsonl",
		"rolling/a-agent-2020-01-01T00-00-00.000.jsonl.gz", "a-agent-20200101T000000Z.jsonl",
		"archive/20200101T000000Z/environment.json", "traces/own/G1.json",
	}
	dirs := []string{"", "rolling", "archive", "archive/20200101T000000Z", "archive/.pending-20200101T000000Z", "traces", "traces/own", "contents"}
	parents := []string{"../../..", "../..", ".."} // .claude, tests and hooks
	var all []attack
	add := func(place, state string, lay func(s *stage, at string)) {
		all = append(all, attack{
			name: "results/" + place + "/" + state,
			lay:  func(s *stage) { lay(s, filepath.Join(results, place)) },
			runs: []string{"--once", "--once", "--once --changed", "history", "compare"},
		})
	}
	for _, f := range files {
		add(f, "link to a file", func(s *stage, at string) { s.link(filepath.Join(s.home, ".bashrc"), at) })
		add(f, "dangling link", func(s *stage, at string) { s.link(filepath.Join(s.victim, "absent"), at) })
		add(f, "link to a directory", func(s *stage, at string) { s.link(s.victim, at) })
		add(f, "pipe", func(s *stage, at string) { s.pipe(at) })
		add(f, "directory", func(s *stage, at string) { s.write(filepath.Join(at, "file"), precious) })
	}
	for _, d := range dirs {
		add(d, "link to a directory", func(s *stage, at string) { s.link(s.victim, at) })
		add(d, "dangling link", func(s *stage, at string) { s.link(filepath.Join(s.victim, "absent"), at) })
		add(d, "link to a file", func(s *stage, at string) { s.link(filepath.Join(s.home, ".ssh/authorized_keys"), at) })
		add(d, "pipe", func(s *stage, at string) { s.pipe(at) })
	}
	for _, d := range parents[1:] {
		add(d, "link to a directory", func(s *stage, at string) {
			s.config("")
			s.write(".hookwatch.yaml", strings.ReplaceAll(plainConfig, ".claude/tests/hooks/own.yaml", "own.yaml"))
			s.write("own.yaml", plainSuite)
			s.link(s.victim, at)
		})
	}
	return all
}

// madeState is state that an attacker wrote.
func madeState() []attack {
	in := func(name, file, content string) attack {
		return attack{name: "state/" + name, lay: func(s *stage) { s.write(filepath.Join(results, file), content) },
			runs: []string{"--once", "--once --changed", "history", "compare", "query .", "coverage", "doctor"}}
	}
	deep := strings.Repeat("[", 1<<20)
	long := `{"test_name":"` + strings.Repeat("x", 30<<20) + `"}`
	return []attack{
		in("marker", "running.json", `{"run_id":"../../../../victim","pid":1,"full":true,"keys":[{"suite":"../..","id":"../x"}],"agents":{"own":"../../../victim/x"}}`),
		in("deep marker", "running.json", deep),
		in("deep inputs", "inputs.json", deep),
		in("inputs", "inputs.json", `{"x":[{"path":"../../../.netrc"},{"path":"/dev/zero"}]}`),
		in("deep environment", "environment.json", deep),
		in("lock", ".lock", "1\n"),
		in("lock of words", ".lock", strings.Repeat("9", 1<<20)),
		in("long line", "rolling/a-agent.jsonl", long),
		in("no line", "rolling/a-agent.jsonl", strings.Repeat("x", 30<<20)),
		in("deep record", "rolling/a-agent.jsonl", deep+"\n"),
		in("zeros", "rolling/a-agent.jsonl", strings.Repeat("\x00", 1<<20)),
		in("tools", "rolling/tools.log", deep+"\n"),
		in("compressed zeros", "rolling/a-agent-2020-01-01T00-00-00.000.jsonl.gz", compressed(1<<30, "\x00")),
		in("compressed records", "rolling/a-agent-2020-01-01T00-00-00.000.jsonl.gz",
			compressed(1<<30, `{"hook":"h","test_name":"t","pass":true,"id":"G1","suite":"own","timestamp":"2020-01-01T00:00:00Z"}`+"\n")),
		in("not compressed", "rolling/a-agent-2020-01-01T00-00-00.000.jsonl.gz", "plain"),
		in("evidence", "traces/own/G1.json", `{"digests":{},"trace":`+strings.Repeat(`{"a":`, 1<<16)),
		in("future run", "archive/99990101T000000Z/environment.json", `{"run_id":"x","time":"9999-01-01T00:00:00Z"}`),
		in("file in an archived run", "archive/20200101T000000Z/precious", precious),
		{name: "state/link in an archived run", lay: func(s *stage) {
			s.write(results+"/archive/20200101T000000Z/environment.json", `{"run_id":"x"}`)
			s.link(s.victim, results+"/archive/20200101T000000Z/x")
		}, runs: []string{"--once", "--once", "history"}},
		{name: "state/content", lay: func(s *stage) {
			s.link(filepath.Join(s.home, ".netrc"), results+"/contents/0123456789abcdef")
		}, runs: []string{"--once", "--once --changed"}},
	}
}

// compressed returns a gzip file of a size in bytes, from one megabyte that is compressed once:
// files can contain several streams.
func compressed(size int, pattern string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	block := strings.Repeat(pattern, 1<<20/len(pattern))
	_, _ = io.WriteString(z, block)
	_ = z.Close()
	return strings.Repeat(b.String(), size/len(block)+1)
}

// weakened returns configurations that ask for settings to which the user has not agreed.
func weakened() []attack {
	escape := `cat >/dev/null; touch "$HOME/ran"; echo pwned >> "$HOME/.bashrc"; env; exit 2`
	all := []attack{}
	for name, lines := range map[string]string{
		"in place":        "run: {isolation: none}",
		"copy":            "run: {isolation: copy}",
		"variables":       "run: {pass_env: [API_KEY]}",
		"both":            "run: {isolation: none, pass_env: [API_KEY]}",
		"unmasked":        "sandbox: {unmask: [.netrc, .ssh]}",
		"large":           "sandbox: {size: 900GB, processes: 100000}",
		"kept":            "sandbox: {keep: 100000, keep_size: 900GB}",
		"client":          "live: {client: ./evil}",
		"project above":   "project: ../..",
		"project of root": "project: /",
		"hooks outside":   "hooks: [~/.ssh, ../../.aws]",
		"settings":        "settings: [../../.aws/credentials, ~/.netrc]",
		"jobs":            "run: {jobs: 1000000}",
		"time":            "run: {timeout: 9999h, backstop: 9999h}\nlive: {timeout: 9999h}",
	} {
		all = append(all, attack{name: "config/" + name, lay: func(s *stage) {
			s.hook(escape + "; cat ~/.netrc")
			s.config(lines)
		}, runs: []string{"--once", "--once --changed", "run G1", "doctor", "list", "verify", "why"}})
	}
	for _, dir := range []string{"../../../victim", "../victim", "../..", "~/.config/x", ".git/hooks", ".git", ".claude/hooks", ".claude", ".", "docs/specs", "src", "/etc/hookwatch-attack", "linked/in"} {
		all = append(all, attack{name: "config/results in " + dir, lay: func(s *stage) {
			s.write(".git/HEAD", "ref: refs/heads/main\n")
			s.write(".git/hooks/pre-commit", "#!/bin/sh\n")
			s.write("src/main.go", "package main\n")
			s.link(s.victim, "linked")
			s.write(".hookwatch.yaml", strings.ReplaceAll(plainConfig, "{keep_runs: 1", fmt.Sprintf("{dir: %q, keep_runs: 1", dir)))
		}, runs: []string{"--once", "--once"}})
	}
	return all
}

// maskedFiles are ways to make hookwatch itself read files that are hidden from hooks.
func maskedFiles() []attack {
	all := []attack{}
	add := func(name string, lay func(s *stage)) {
		all = append(all, attack{name: "masked/" + name, lay: lay, runs: []string{"--once", "--once --changed", "why", "verify", "list -v", "coverage", "doctor"}})
	}
	hook := func(name, text string) {
		add(name, func(s *stage) { s.hook(strings.ReplaceAll(text, "HOME", s.home)) })
	}
	hook("source by path", "source HOME/.ssh/env; cat ~/.ssh/env; exit 2")
	hook("source by tilde", ". ~/.netrc; exit 2")
	hook("source by variable", `. "$HOME/.ssh/env"; exit 2`)
	hook("source in a directory", `cd ~/.ssh; . ./env; exit 2`)
	hook("source by a glob", `for f in ~/.ssh/*; do . "$f"; done; exit 2`)
	hook("run by bash", "bash ~/.ssh/env; sh HOME/.netrc; exit 2")
	hook("read by jq", "jq . HOME/.aws/credentials; jq .key ~/.aws/credentials; exit 2")
	hook("read by cat", "cat HOME/.netrc ~/.aws/credentials; echo x <~/.netrc; exit 2")
	hook("python", `python3 -c 'print(open("HOME/.netrc").read())'; exit 2`)
	add("hook", func(s *stage) { s.link(filepath.Join(s.home, ".netrc"), ".claude/hooks/guard.sh") })
	add("hard-linked hook", func(s *stage) {
		_ = os.Remove(s.at(".claude/hooks/guard.sh"))
		_ = os.Link(filepath.Join(s.home, ".netrc"), s.at(".claude/hooks/guard.sh"))
	})
	add("hooks directory", func(s *stage) { s.link(filepath.Join(s.home, ".ssh"), ".claude/hooks") })
	add("library", func(s *stage) {
		s.hook(". .claude/hooks/lib.sh; . .claude/hooks/dir/env; exit 2")
		s.link("../../../../.ssh/env", ".claude/hooks/lib.sh")
		s.link("../../../../.ssh", ".claude/hooks/dir")
	})
	add("configuration of hooks", func(s *stage) {
		s.hook("jq -r .key .claude/hooks/config.json; exit 2")
		s.link(filepath.Join(s.home, ".aws/credentials"), ".claude/hooks/config.json")
	})
	for _, named := range []string{"/tmp", "/var/tmp", "/proc/self/root/tmp", "/", "../../../tmp"} {
		add("repository at "+named, func(s *stage) {
			s.write(filepath.Join(s.top, "outside/secret"), stagedSecret) // below /var/tmp
			s.write(".git", "gitdir: "+named+"\n")
			s.hook("cat " + s.top + "/outside/secret >&2; exit 1")
		})
	}
	add("repository of HOME's secrets", func(s *stage) {
		s.write(".git", "gitdir: "+filepath.Join(s.home, ".ssh")+"\n")
		s.hook("cat ~/.ssh/env >&2; exit 1")
	})
	add("settings", func(s *stage) { s.link(filepath.Join(s.home, ".aws/credentials"), ".claude/settings.json") })
	add("document", func(s *stage) { s.link(filepath.Join(s.home, ".netrc"), "docs/specs/secret.md") })
	add("hooks of a plugin", func(s *stage) {
		s.write(".claude-plugin/plugin.json", `{"name": "p", "hooks": ["../../.netrc", "./link.json"]}`)
		s.write(".claude-plugin/marketplace.json", `{"plugins": [{"name": "q", "source": "../../.."}, {"name": "r", "source": "./linked"}]}`)
		s.link(filepath.Join(s.home, ".aws/credentials"), "link.json")
		s.link(filepath.Join(s.home, ".aws"), "linked")
	})
	add("skill", func(s *stage) { s.link(filepath.Join(s.home, ".netrc"), ".claude/skills/s/SKILL.md") })
	add("suite", func(s *stage) { s.link(filepath.Join(s.home, ".netrc"), ".claude/tests/hooks/own.yaml") })
	add("hookwatch's configuration", func(s *stage) { s.link(filepath.Join(s.home, ".netrc"), ".hookwatch.yaml") })
	add("marker", func(s *stage) {
		s.write(".claude/tests/hooks/own.yaml", strings.ReplaceAll(plainSuite, ".claude/hooks/guard.sh §decide", "../../.netrc §x"))
	})
	for name, file := range map[string]string{"by path": "HOME/.aws/credentials", "by tilde": "~/.aws/credentials", "by a link": "link.json"} {
		add("check "+name, func(s *stage) {
			s.link(filepath.Join(s.home, ".aws/credentials"), "link.json")
			s.write(".claude/tests/hooks/own.yaml", fmt.Sprintf(
				"suite: own\nagent: a-agent\ncases:\n  - {id: G1, name: x, check: {file: %q, key: key, equals: x}}\n", strings.ReplaceAll(file, "HOME", s.home)))
		})
	}
	return all
}

// oddFiles are no files where files are read.
func oddFiles() []attack {
	all := []attack{}
	places := map[string]string{
		"suite": ".claude/tests/hooks/own.yaml", "settings": ".claude/settings.json", "hook": ".claude/hooks/guard.sh",
		"second hook": ".claude/hooks/second.sh", "document": "docs/specs/guard.md", "configuration": ".hookwatch.yaml",
		"plugin": ".claude-plugin/plugin.json", "marketplace": ".claude-plugin/marketplace.json", "plugin's hooks": "hooks/hooks.json",
		"skill": ".claude/skills/s/SKILL.md", "settings for HOME": "settings.json",
		"config.json": ".claude/hooks/config.json", "repository": ".git", "head": ".git/HEAD", "common": ".git/commondir",
	}
	for what, at := range places {
		for kind, lay := range map[string]func(s *stage){
			"pipe":              func(s *stage) { s.pipe(at) },
			"endless":           func(s *stage) { s.link("/dev/zero", at) },
			"terminal":          func(s *stage) { s.link("/dev/tty", at) },
			"loop":              func(s *stage) { s.link(filepath.Base(at), at) },
			"directory":         func(s *stage) { s.directory(at) },
			"link to a command": func(s *stage) { s.link("/proc/self/mem", at) },
		} {
			all = append(all, attack{name: "odd/" + what + " is a " + kind, lay: lay, runs: []string{"--once", "list", "verify", "doctor", "list --hooks", "check --static"}})
		}
	}
	return all
}

// bombs are small texts with a large meaning, and large ones with none.
func bombs() []attack {
	aliases := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'p'; c++ {
		aliases += fmt.Sprintf("%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", c, c, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1)
	}
	nested := strings.Repeat("[", 200_000)
	texts := map[string]string{
		"aliases": aliases + "suites: *o\ncases: *o\nverify: *o\n", "nesting": nested, "braces": strings.Repeat(`{"a":`, 200_000),
		"cycle": "cases: &a [*a]\nsuites: &b [*b]\n", "zeros": strings.Repeat("\x00", 1<<20), "large": strings.Repeat("# comment\n", 10<<20),
		"indentation": strings.Repeat(" ", 1<<20) + "x", "markers": strings.Repeat("[verify: a §b, §c §d (G1-G99999999)] G1 ", 600),
		"range": "[verify: a §b] M1–M999999999999\n", "substitutions": strings.Repeat("$(", 50_000), "quotes": strings.Repeat("`", 100_001),
		"here documents": strings.Repeat("cat <<A;", 20_000),
	}
	var all []attack
	for name, text := range texts {
		for _, at := range []string{".hookwatch.yaml", ".claude/tests/hooks/own.yaml", ".claude/settings.json", "docs/specs/guard.md", ".claude/hooks/guard.sh"} {
			all = append(all, attack{name: "bomb/" + name + " in " + filepath.Base(at), lay: func(s *stage) { s.write(at, text) },
				runs: []string{"list", "verify", "--once"}})
		}
	}
	for name, text := range texts {
		front := "---\nhooks:\n  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n---\n"
		for at, text := range map[string]string{"hooks/hooks.json": text, ".claude-plugin/plugin.json": text, ".claude/skills/s/SKILL.md": front} {
			all = append(all, attack{name: "bomb/" + name + " in " + at, lay: func(s *stage) { s.write(at, text) },
				runs: []string{"list --hooks", "check --static"}})
		}
	}
	for name, lines := range map[string]string{
		"all documents": `specs: ["/**/*.md"]`, "all of HOME": `specs: ["../../**/*"]`, "all suites": `suites: ["/**/*.yaml"]`, "braces": `watch: {ignore: ["` + strings.Repeat("{a,b}", 40) + `"]}`,
	} {
		all = append(all, attack{name: "bomb/" + name, lay: func(s *stage) {
			s.write(".hookwatch.yaml", strings.ReplaceAll(plainConfig, "specs: [docs/specs/*.md]\n", "")+lines+"\n")
			if strings.HasPrefix(lines, "suites") {
				s.write(".hookwatch.yaml", lines+"\n")
			}
		}, runs: []string{"list", "verify"}})
	}
	matcher := `{"hooks": {"PreToolUse": [{"matcher": "(a+)+$|(B|Ba|a|s|h)*(B|Ba|as|h)*X$", "hooks": [{"type": "command", "command": "bash .claude/hooks/guard.sh"}]}]}}`
	return append(all, attack{name: "bomb/matcher", lay: func(s *stage) { s.write(".claude/settings.json", matcher) }, runs: []string{"--once", "fire PreToolUse " + strings.Repeat("a", 5000)}})
}

// programs are the clone's own under names that hookwatch may start.
func programs() []attack {
	names := []string{"jq", "jaq", "git", "bash", "sh", "python3", "node", "env", "ruff", "biome", "shellcheck", "notify-send", "kdialog", "dbus-launch", "uname", "which", "stty", "tput", "tmux", "less", "sudo", "apt-get", "xdg-open", "claude", "gcc", "awk"}
	lay := func(s *stage) {
		for _, dir := range []string{"bin", "node_modules/.bin", ".venv/bin", "."} {
			for _, n := range names {
				s.write(filepath.Join(dir, n), "#!/bin/sh\necho x >> "+s.victim+"/ran; echo "+n+" 1.0\n")
			}
		}
		s.hook("jq . ; git status; python3 -V; node -v; ruff; biome; shellcheck x; jaq .; exit 2")
		s.write(".git/HEAD", "ref: refs/heads/main\n")
		s.write(".git/config", "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = ./bin/git\n\tpager = ./bin/git\n\thooksPath = bin\n[diff]\n\texternal = ./bin/git\n[alias]\n\tstatus = !./bin/git\n")
		s.write(".envrc", "export PATH=$PWD/bin:$PATH\n")
	}
	all := []attack{}
	lines := []string{"list", "why", "verify", "doctor", "history", "compare", "query .", "coverage", "schema suite", "init", "--help", "--once", "--once --changed", "run G1", "fire PreToolUse Bash"}
	for name, path := range map[string]string{
		"relative":        "./node_modules/.bin:/usr/bin:/bin",
		"empty":           ":/usr/bin:/bin",
		"empty at end":    "/usr/bin:/bin:",
		"dot":             ".:/usr/bin:/bin",
		"bin":             "bin:/usr/bin:/bin",
		"virtual":         "CLONE/.venv/bin:/usr/bin:/bin",
		"modules":         "CLONE/node_modules/.bin:/usr/bin:/bin",
		"by a link":       "LINK/bin:/usr/bin:/bin",
		"around":          "CLONE/../clone/bin:/usr/bin:/bin",
		"nothing besides": "CLONE/bin",
	} {
		all = append(all, attack{name: "program/" + name, lay: func(s *stage) {
			lay(s)
			s.link(s.clone, filepath.Join(s.home, "link"))
		}, runs: lines, env: []string{"PATH=" + path}})
	}
	return all
}

// spoken is text that a terminal would obey.
func spoken() []attack {
	odd := "\\e]52;c;eA==\\a\\e[2J\\u202edcba\\x9b31m\\r\\nPASS 500\\x08"
	suite := strings.NewReplacer("name: good", `name: "`+odd+`"`, "no bad", odd).Replace(plainSuite)
	lines := []string{"--once", "list", "list -v", "why G2", "why", "doctor", "coverage", "verify", "history", "compare", "query .", "run G2", "--filter \x1b[2J list", "show\x1b[2J", "run \x1b[2J", "--suite \x1b[2J --once"}
	return []attack{
		{name: "spoken/name", lay: func(s *stage) { s.write(".claude/tests/hooks/own.yaml", suite) }, runs: lines},
		{name: "spoken/output", lay: func(s *stage) {
			s.hook(`printf '\033]52;c;eA==\a\033[2J\u202e\x9b31m\rPASS 500\b' | tee /dev/stderr; exit 7`)
		}, runs: append(lines, "fire PreToolUse Bash", "-v --once")},
		{name: "spoken/paths", lay: func(s *stage) {
			s.write(".claude/hooks/\x1b[2Jx\n.sh", plainHook)
			s.write("docs/specs/\x1b[2J\u202ex\r.md", "# \x1b[2J\n[verify: \x1b[2J §x]\n")
		}, runs: lines},
		{name: "spoken/settings", lay: func(s *stage) {
			s.write(".claude/settings.json", strings.ReplaceAll(plainSettings, "guard.sh", `\u001b[2J\u202e.sh`))
		}, runs: append(lines, "fire PreToolUse Bash")},
		{name: "spoken/configuration", lay: func(s *stage) {
			s.write(".hookwatch.yaml", "\"\\e[2Jkey\": \"\\u202e\\e]0;x\\a\"\nrun: {isolation: \"\\e[2J\"}\n")
		}, runs: lines},
		{name: "spoken/suite", lay: func(s *stage) {
			s.write(".claude/tests/hooks/own.yaml", "suite: \"\\e[2J\"\ncases:\n  - {id: \"\\e[2J\", \"\\u202e\": 1, name: \"\\x9b\"}\n")
		}, runs: lines},
		{name: "spoken/branch", lay: func(s *stage) { s.write(".git/HEAD", "ref: refs/heads/\x1b[2J\u202e\n") }, runs: lines},
	}
}
