package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	"hookwatch/suites/process/testdata/processtest"
)

// An attack is a repository that a user clones and starts hookwatch in. The user's other files
// must stay unchanged, none of their content may be printed, nothing of the repository may run
// outside of a sandbox, and hookwatch must end.
type attack struct {
	name   string
	lay    func(*stage) // adds files of the clone to the plain project
	runs   []string     // command lines, in order; none is one full run
	env    []string     // in addition to the plain variables
	output string       // a text that the output contains
	exits  []int        // of the last command; nil: any
}

// The secret is in masked files of HOME, in a variable and nowhere else.
const (
	stagedSecret = "s3cret-of-the-person"
	precious     = "precious\n"
)

const (
	hangs     = 5 * time.Minute // ten times what a case may take
	mostBytes = 900 << 20       // resident, of hookwatch itself
)

// A stage is a small model of the user's machine: HOME, files outside, and a clone.
type stage struct {
	t                        *testing.T
	top, home, victim, clone string
	self                     string
}

func newStage(t *testing.T, self string) *stage {
	t.Helper()
	top, err := os.MkdirTemp("/var/tmp", "hookwatch-attack-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(top) })
	s := &stage{t: t, top: top, self: self,
		home: filepath.Join(top, "home"), victim: filepath.Join(top, "victim"), clone: filepath.Join(top, "home", "src", "clone")}
	if err := os.Chmod(top, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string]string{
		"home/.bashrc":              precious,
		"home/.ssh/authorized_keys": precious,
		"home/.ssh/env":             "TOKEN=" + stagedSecret + "\n",
		"home/.netrc":               "password " + stagedSecret + "\n",
		"home/.aws/credentials":     `{"key": "` + stagedSecret + `"}`,
		"victim/file":               precious,
		"victim/20200101T000000Z/environment.json":    `{"run_id":"x"}`,
		"victim/20200101T000000Z/file":                precious,
		"victim/a-agent.jsonl":                        "",
		"victim/.pending-x/file":                      precious,
		"state/keep":                                  "",
		"tmp/keep":                                    "",
		"home/src/clone/.hookwatch.yaml":              plainConfig,
		"home/src/clone/.claude/hooks/guard.sh":       plainHook,
		"home/src/clone/.claude/settings.json":        plainSettings,
		"home/src/clone/.claude/tests/hooks/own.yaml": plainSuite,
		"home/src/clone/docs/specs/guard.md":          "# Guard\n\n## Rule\n\nDenies bad. [verify: .claude/hooks/guard.sh §decide]\n",
	} {
		s.write(filepath.Join(s.top, path), content)
	}
	return s
}

const (
	plainConfig = `suites: [.claude/tests/hooks/own.yaml]
specs: [docs/specs/*.md]
run: {trace: always}
results: {keep_runs: 1, rolling_size: 1KB}
`
	plainHook = `#!/usr/bin/env bash
decide() { grep -qw bad && { echo "no bad" >&2; exit 2; }; }
decide
exit 0
`
	plainSettings = `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "bash .claude/hooks/guard.sh"}]}]}}`
	plainSuite    = `suite: own
agent: a-agent
hook: .claude/hooks/guard.sh
event: PreToolUse
tool: Bash
verify: [".claude/hooks/guard.sh §decide"]
cases:
  - {id: G1, name: "$(touch ~/ran)", command: bad, expect: {exit: 2}}
  - {id: G2, name: good, command: good, control: G1, expect: {exit: 0}}
`
)

// write makes a file with its directories. Paths are from the clone.
func (s *stage) write(path, content string) {
	s.t.Helper()
	path = s.at(path)
	err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.RemoveAll(path), os.WriteFile(path, []byte(content), 0o755))
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) at(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(s.clone, path)
}

// link replaces a place by a link to target.
func (s *stage) link(target, path string) {
	s.t.Helper()
	path = s.at(path)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.RemoveAll(path), os.Symlink(target, path)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) pipe(path string) {
	s.t.Helper()
	path = s.at(path)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.RemoveAll(path), syscall.Mkfifo(path, 0o666)); err != nil {
		s.t.Fatal(err)
	}
}

// hook replaces the guard's text.
func (s *stage) directory(path string) {
	s.t.Helper()
	path = s.at(path)
	if err := errors.Join(os.RemoveAll(path), os.MkdirAll(path, 0o755), os.WriteFile(filepath.Join(path, "file"), nil, 0o644)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) hook(text string) {
	s.write(".claude/hooks/guard.sh", "#!/usr/bin/env bash\n"+text+"\n")
}

// config adds lines to the configuration.
func (s *stage) config(lines string) {
	s.t.Helper()
	s.write(".hookwatch.yaml", strings.ReplaceAll(plainConfig, "run: {trace: always}\n", "")+lines+"\n")
}

// outside returns mode, time, content and target of the user's files outside the clone, except
// those in hookwatch's own directories.
func (s *stage) outside() map[string]string {
	s.t.Helper()
	all := make(map[string]string)
	for _, dir := range []string{s.home, s.victim} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if path == s.clone {
				return fs.SkipDir
			}
			fi, infoErr := d.Info()
			if err := errors.Join(err, infoErr); err != nil {
				return err
			}
			all[path] = fmt.Sprint(fi.Mode(), fi.Size(), fi.ModTime().UnixNano(), readOf(path, fi))
			return nil
		})
		if err != nil {
			s.t.Fatal(err)
		}
	}
	return all
}

func readOf(path string, fi fs.FileInfo) string {
	if !fi.Mode().IsRegular() {
		target, _ := os.Readlink(path)
		return target
	}
	b, _ := os.ReadFile(path)
	return string(b)
}

// run starts hookwatch with a command line of words, and returns its output.
func (s *stage) run(line string, env []string, uid int) (out []byte, exit int) {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), s.self, strings.Fields(line)...)
	cmd.Dir = s.clone
	cmd.Env = append([]string{
		asProgram + "=1", "PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + s.home, "CI=true", "TERM=dumb",
		"XDG_STATE_HOME=" + filepath.Join(s.top, "state"), "TMPDIR=" + filepath.Join(s.top, "tmp"),
		"API_KEY=" + stagedSecret, raceOptions,
	}, s.placed(env)...)
	if uid != os.Getuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
	out = measured(s.t, cmd, hangs, mostBytes)
	return out, cmd.ProcessState.ExitCode()
}

// placed puts the stage's own paths into variables.
func (s *stage) placed(env []string) []string {
	names := strings.NewReplacer("CLONE", s.clone, "LINK", filepath.Join(s.home, "link"))
	out := make([]string, len(env))
	for i, v := range env {
		out[i] = names.Replace(v)
	}
	return out
}

// carryOut creates the files of the attack, runs it and checks its effects.
func (s *stage) carryOut(a attack, uid int) {
	s.t.Helper()
	if a.lay != nil {
		a.lay(s)
	}
	s.give(uid)
	before := s.outside()
	if a.runs == nil {
		a.runs = []string{"--once"}
	}
	var all []byte
	exit := 0
	for _, line := range a.runs {
		var out []byte
		out, exit = s.run(line, a.env, uid)
		all = append(all, out...)
	}
	s.compare(before)
	s.inert(all)
	s.leaksNothing(all)
	if !bytes.Contains(all, []byte(a.output)) {
		s.t.Errorf("%q is missing in\n%s", a.output, all)
	}
	if bytes.Contains(all, []byte("panic:")) || bytes.Contains(all, []byte("internal error")) || a.exits != nil && !oneOf(a.exits, exit) {
		s.t.Errorf("exit %d, want one of %v\n%s", exit, a.exits, all)
	}
}

func oneOf(all []int, n int) bool {
	for _, i := range all {
		if i == n {
			return true
		}
	}
	return false
}

// give makes everything the user's own.
func (s *stage) give(uid int) {
	s.t.Helper()
	err := filepath.WalkDir(s.top, func(path string, _ fs.DirEntry, err error) error {
		return cmp.Or(err, os.Lchown(path, uid, uid))
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) compare(before map[string]string) {
	s.t.Helper()
	after := s.outside()
	for path, was := range before {
		if after[path] != was {
			s.t.Errorf("%s was touched: %.200q, was %.200q", path, after[path], was)
		}
	}
	for path := range after {
		if _, was := before[path]; !was {
			s.t.Errorf("%s was made", path)
		}
	}
}

// inert searches for sequences that a terminal would obey.
func (s *stage) inert(out []byte) {
	s.t.Helper()
	for _, r := range string(out) {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			s.t.Errorf("the output holds %U:\n%q", r, out)
			return
		}
	}
}

// leaksNothing searches the output and kept files for the secret.
func (s *stage) leaksNothing(out []byte) {
	s.t.Helper()
	if bytes.Contains(out, []byte(stagedSecret)) {
		s.t.Errorf("the secret was printed:\n%s", out)
	}
	for _, dir := range []string{s.clone, filepath.Join(s.top, "state"), filepath.Join(s.top, "tmp")} {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil
			}
			fi, err := d.Info()
			if err != nil || fi.Size() > 20<<20 || fi.Sys().(*syscall.Stat_t).Nlink > 1 { // a hard link is the file itself
				return nil
			}
			if b, _ := os.ReadFile(path); bytes.Contains(b, []byte(stagedSecret)) {
				s.t.Errorf("the secret is kept in %s", path)
			}
			return nil
		})
	}
}

// TestAttacks carries out attacks, in turn as an ordinary user and as the user who runs the test:
// one in 72, in an exhaustive test one in 24, or every one as both with HOOKWATCH_TEST_ATTACKS=all.
func TestAttacks(t *testing.T) {
	t.Parallel()
	self := installed(t)
	users := []int{os.Getuid()}
	if os.Getuid() == 0 {
		users = append(users, nobody)
	}
	slots := make(chan bool, 2)
	every, step := os.Getenv("HOOKWATCH_TEST_ATTACKS") == "all", 72
	if processtest.Exhaustive() {
		step = 24
	}
	for i, a := range attacks() {
		for _, uid := range users {
			if !every && (i%step != 0 || uid != users[i/step%len(users)]) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", a.name, uid), func(t *testing.T) {
				t.Parallel()
				slots <- true
				defer func() { <-slots }()
				newStage(t, self).carryOut(a, uid)
			})
		}
	}
}

// TestAttackNames: each attack has a name of its own, and there are as many as
// anybody thought of.
func TestAttackNames(t *testing.T) {
	t.Parallel()
	names := make(map[string]bool)
	for _, a := range attacks() {
		if names[a.name] {
			t.Errorf("two attacks are called %s", a.name)
		}
		names[a.name] = true
	}
	if len(names) < 300 {
		t.Errorf("%d attacks", len(names))
	}
}

// installed is the program where every user can start it.
func installed(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "hookwatch-program-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, dir: dir, self: filepath.Join(dir, "hookwatch")}
	p.install()
	return p.self
}
