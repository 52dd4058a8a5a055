//go:build unix

package config

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hookwatch/suites/process/testdata/processtest"
)

func mkfifo(path string) error { return syscall.Mkfifo(path, 0o644) }

// listen creates a socket.
func listen(path string) error {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false)
	return l.Close()
}

// TestOwner checks that another user's file above the user's working directory is not
// used.
func TestOwner(t *testing.T) {
	t.Parallel()
	me := os.Geteuid()
	for name, tt := range map[string]struct {
		file, start int // owners of the file, and of the directory below it
		link        int // owner of a link instead of the file; -1 means there is no link
		refused     bool
	}{
		"mine":                        {me, me, -1, false},
		"root's":                      {0, me, -1, false},
		"another's":                   {4001, me, -1, true},
		"another's, in their own":     {4001, 4001, -1, false},
		"another's, in a third one's": {4001, 4002, -1, true},
		"another's link to mine":      {me, me, 4001, true},
		"my link to another's":        {4001, me, me, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := project(t, map[string]string{"top/sub/x": "", "top/.claude/settings.json": "{}", "top/f.yaml": "run: {jobs: 1}"})
			top := filepath.Join(dir, "top")
			if me != 0 && (tt.file != me || tt.start != me || tt.link > 0 && tt.link != me) {
				t.Skip("only root gives files away")
			}
			file, link := filepath.Join(top, "f.yaml"), filepath.Join(top, FileName)
			var err error
			if tt.link < 0 {
				err = errors.Join(os.Rename(file, link), os.Chown(link, tt.file, -1))
			} else {
				err = errors.Join(os.Chown(file, tt.file, -1), os.Symlink("f.yaml", link), os.Lchown(link, tt.link, -1))
			}
			if err = errors.Join(err, os.Chown(filepath.Join(top, "sub"), tt.start, -1)); err != nil {
				t.Fatal(err)
			}
			o := LoadOptions{Dir: filepath.Join(top, "sub"), Env: noEnv, State: filepath.Join(dir, "state")}
			c, err := Load(o)
			if tt.refused != (err != nil) || err != nil && !strings.Contains(err.Error(), "another user") {
				t.Errorf("%v, %v", c, err)
			}
			o.Path = filepath.Join("..", FileName)
			if c, err := Load(o); err != nil || c.Run.Jobs != 1 {
				t.Errorf("named by the user: %v, %v", c, err)
			}
		})
	}
}

// foreign names a directory in which root has prepared the file of a third user.
const foreign = "HOOKWATCH_TEST_FOREIGN"

// TestOwnerAsUser is TestOwner for a user who cannot change the owner of files. It is run
// by TestAsOrdinaryUser.
func TestOwnerAsUser(t *testing.T) {
	t.Parallel()
	dir := os.Getenv(foreign)
	if dir == "" {
		return
	}
	sub := filepath.Join(dir, "sub")
	if _, err := Load(LoadOptions{Dir: sub, Env: noEnv, State: filepath.Join(dir, "state")}); err == nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("read: %v", err)
	}
	if _, err := Load(LoadOptions{Dir: sub, Path: filepath.Join(dir, FileName), Env: noEnv, State: filepath.Join(dir, "state")}); err != nil {
		t.Error("named by the user:", err)
	}
}

// TestOwnerOfGuess checks that another user's .git or .claude does not make the directory
// a project.
func TestOwnerOfGuess(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	dir := project(t, map[string]string{"top/sub/x": "", "top/.claude/settings.json": "{}", "top/.git/HEAD": ""})
	for _, name := range []string{".claude", ".git"} {
		if err := os.Chown(filepath.Join(dir, "top", name), 1001, -1); err != nil {
			t.Fatal(err)
		}
	}
	sub := filepath.Join(dir, "top", "sub")
	if c, err := Load(LoadOptions{Dir: sub, Env: noEnv, State: filepath.Join(dir, "state")}); err != nil || c.Root != sub {
		t.Errorf("%v, %v", c, err)
	}
}

// TestAsOrdinaryUser repeats tests that root may pass differently as another user.
func TestAsOrdinaryUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("it is done as one")
	}
	dir, err := os.MkdirTemp("/tmp", "hookwatch-user") // a directory that the user can access
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	for _, err := range []error{os.Chmod(dir, 0o777), os.Chown(dir, 1001, 1001)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	program, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	prepared := filepath.Join(dir, "foreign")
	for _, err := range []error{
		os.MkdirAll(filepath.Join(prepared, "sub"), 0o755), os.Chown(filepath.Join(prepared, "sub"), 1001, 1001),
		os.WriteFile(filepath.Join(prepared, FileName), nil, 0o644), os.Chown(filepath.Join(prepared, FileName), 4001, 4001),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	binary := filepath.Join(dir, "config.test")
	if err := processtest.WriteProgram(binary, program); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "-test.run", "^(TestConsent|TestResultsPlace|TestOwner|TestOwnerAsUser|TestConfigurationOfAnotherKind|TestGitOfAnotherKind|TestStateOfTheProject)$")
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir, "TMPDIR=" + dir, "PATH=" + os.Getenv("PATH"), foreign + "=" + prepared}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 1001, Gid: 1001}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
