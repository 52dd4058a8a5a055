package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hookwatch/suites/process/testdata/processtest"
)

// trapped are programs that something may start by name: those that hookwatch asks
// for their versions, that git is configured with, that show notifications, and
// that scripts are made of.
var trapped = strings.Fields(`git jq bash sh python3 node npm npx uv ruff claude notify-send kdialog dbus-launch
	cat env uname getent id ls sed awk less more delta ssh direnv mise strace osascript terminal-notifier`)

// trapDirs are where a clone keeps programs that PATH leads to.
var trapDirs = []string{"node_modules/.bin", ".venv/bin", "bin", "."}

// trap leaves word of itself at its end, which is outside of the project: nothing
// that runs in isolation can.
const trap = "#!/bin/sh\nPATH=/usr/bin:/bin\nmkdir -p 'CANARY' && echo \"$0 $*\" >>'CANARY/sprung'\ncase \"$0\" in *git|*jq|*python3|*node|*npm) echo \"v1.2.3\";; esac\nexit 0\n"

// hostileClone is a clone that offers traps to everything that looks at it.
func hostileClone(t *testing.T, canary string) string {
	t.Helper()
	top := t.TempDir()
	root := filepath.Join(top, "clone")
	trap := strings.ReplaceAll(trap, "CANARY", canary)
	files := map[string]string{
		".hookwatch.yaml": "suites: [builtin, 'suites/*.yaml']\nspecs: ['docs/*.md']\nnotify: {desktop: true}\nlive: {client: ./bin/claude}\n" +
			"gates: {jq: fail, git: fail}\nstand_ins: [jaq]\npreflight: {required: [git, jq]}\n",
		".claude/settings.json": `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": ".claude/hooks/h.sh"}]}]}}`,
		".claude/hooks/h.sh":    "#!/usr/bin/env bash\ngit status; jq . config.json; npm test; python3 x.py; node x.js; ruff --version; notify-send x\nexit 0\n",
		"suites/s.yaml": "suite: s\nhook: .claude/hooks/h.sh\ncases:\n" +
			"  - {id: A1, name: a, event: Stop, expect: {exit: 0}, verify: [docs/a.md]}\n" +
			"  - {id: A2, name: b, event: Stop, gates: [{tool: jq, min_version: '1.0'}], expect: {exit: 0}}\n" +
			"  - {id: A3, name: c, check: {tool: jq, minimum: '1.0'}}\n" +
			"  - {id: A4, name: d, check: {tool: git, places: [git, node_modules/.bin/git]}}\n",
		"docs/a.md":           "# A\n\nA1 stops [verify: .claude/hooks/h.sh].\n",
		".envrc":              ". bin/trap\n",
		"package.json":        `{"scripts": {"test": "bin/trap", "preinstall": "bin/trap"}}`,
		".mise.toml":          "[hooks]\nenter = 'bin/trap'\n",
		".tool-versions":      "jq path:./bin\n",
		".gitattributes":      "* filter=trap diff=trap\n",
		".git/HEAD":           "ref: refs/heads/main\n",
		".git/objects/x":      "",
		".git/refs/heads/x":   "",
		".git/hooks/pre-push": trap,
		".git/config": "[core]\n\tfsmonitor = ROOT/bin/trap\n\tpager = ROOT/bin/trap\n\thooksPath = ROOT/bin\n\tsshCommand = ROOT/bin/trap\n\teditor = ROOT/bin/trap\n" +
			"[diff \"trap\"]\n\ttextconv = ROOT/bin/trap\n[filter \"trap\"]\n\tclean = ROOT/bin/trap\n\tsmudge = ROOT/bin/trap\n\trequired = true\n[alias]\n\tstatus = !ROOT/bin/trap\n",
	}
	for _, dir := range trapDirs {
		for _, name := range append([]string{"trap", "fsmonitor", "post-index-change"}, trapped...) {
			files[filepath.Join(dir, name)] = trap
		}
	}
	for name, text := range files {
		files[name] = strings.ReplaceAll(text, "ROOT", root)
	}
	writeFiles(t, root, files)
	return root
}

// trapPath is a search path that leads into the clone in every way there is.
func trapPath(root string) string {
	return strings.Join([]string{"", filepath.Join(root, "node_modules/.bin"), ".venv/bin", "./bin", "..", filepath.Base(root) + "/bin",
		filepath.Join(root, ".claude/../bin"), os.Getenv("PATH"), "."}, ":")
}

// TestTraps: no command starts a program of the project's outside of isolation,
// and those that only read start none at all but what doctor asks for its version.
func TestTraps(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	reading := [][]string{
		{"list", "-v"}, {"why"}, {"why", "A1"}, {"why", ".claude/hooks/h.sh"}, {"verify"}, {"history"}, {"history", "A1"}, {"compare"},
		{"query", "."}, {"coverage"}, {"schema", "suite"}, {"schema", "config"}, {"--help"}, {"--version"}, {"help", "run"}, {"doctor"},
		{"doctor", "--format", "json"}, {"init"}, {"init", "--starter"}, {"nonsense"},
	}
	running := [][]string{{"fire", "Stop"}, {"run", "A1"}, {"--once"}, {"--once", "--changed"}}
	for _, args := range slices.Concat(processtest.Sample(reading, 8), processtest.Sample(running, 4)) {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			canary := filepath.Join(t.TempDir(), "canary")
			root := hostileClone(t, canary)
			log := filepath.Join(t.TempDir(), "log")
			cmd := program(t, root, args...)
			cmd.Args = append([]string{strace, "-f", "-qq", "-s", "300", "-e", "trace=execve,execveat,clone,clone3,fork,vfork", "-e", "signal=none", "-o", log, cmd.Path}, args...)
			cmd.Path = strace
			cmd.Env = append(cmd.Env, "PATH="+trapPath(root), "VIRTUAL_ENV="+root+"/.venv", "CI=", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere")
			out, err := cmd.CombinedOutput()
			if _, exited := err.(*exec.ExitError); err != nil && !exited {
				t.Fatal(err)
			}
			if sprung, err := os.ReadFile(filepath.Join(canary, "sprung")); err == nil {
				t.Errorf("sprung: %s\n%s", sprung, out)
			}
			text, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			for _, program := range startedOutside(t, text) {
				if real, err := filepath.EvalSymlinks(program); err == nil {
					program = real
				}
				if strings.HasPrefix(program, root+"/") || !filepath.IsAbs(program) || args[0] != "doctor" && slices.ContainsFunc(reading, func(r []string) bool { return slices.Equal(r, args) }) {
					t.Errorf("started outside of isolation: %s", program)
				}
			}
		})
	}
}

var traced = regexp.MustCompile(`(?m)^(\d+) +(?:(execve|execveat)\((?:AT_FDCWD, |\d+, )?"([^"]*)", \["([^"]*)".* = 0|(?:clone|clone3|fork|vfork)\(.* = (\d+)|<\.\.\. (?:clone|clone3|fork|vfork) resumed>.* = (\d+)|<\.\.\. (execve|execveat) resumed>.* = 0|(execve|execveat)\((?:AT_FDCWD, |\d+, )?"([^"]*)", \["([^"]*)".*<unfinished \.\.\.>)`)

// startedOutside lists the programs that hookwatch started, and those that they
// started, but for its supervisors of cases and all that these start.
func startedOutside(t *testing.T, log []byte) (programs []string) {
	t.Helper()
	outside := map[int]bool{}
	waiting := map[int][2]string{} // program and name that are being started
	began := false
	start := func(pid int, program, name string) {
		switch {
		case !began:
			began, outside[pid] = true, true // hookwatch itself
		case !outside[pid]:
		case name == "hookwatch-case":
			outside[pid] = false
		default:
			programs = append(programs, program)
		}
	}
	for _, m := range traced.FindAllSubmatch(log, -1) {
		pid, _ := strconv.Atoi(string(m[1]))
		child, _ := strconv.Atoi(string(bytes.Join([][]byte{m[5], m[6]}, nil)))
		switch {
		case child > 0 && outside[pid]:
			if _, known := outside[child]; !known {
				outside[child] = true
			}
		case len(m[2]) > 0:
			start(pid, string(m[3]), string(m[4]))
		case len(m[8]) > 0:
			waiting[pid] = [2]string{string(m[9]), string(m[10])}
		case len(m[7]) > 0:
			start(pid, waiting[pid][0], waiting[pid][1])
		}
	}
	if !began {
		t.Fatal(fmt.Sprintf("nothing was traced: %.300s", log))
	}
	return programs
}
