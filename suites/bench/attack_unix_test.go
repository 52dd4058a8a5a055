//go:build unix

package bench

import (
	"bytes"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// another is the ID of a user who is not the one of the tests.
const another = 4001

// entry returns the only file of the store.
func (s *scene) entry() string {
	s.t.Helper()
	files, err := filepath.Glob(filepath.Join(s.project, "state", "*"))
	if err != nil || len(files) != 1 {
		s.t.Fatal(files, err)
	}
	return files[0]
}

// forge returns a file that has everything but the truth: a hook that lets everything through.
func (s *scene) forge(change func(*kept)) []byte {
	s.t.Helper()
	text, err := os.ReadFile(s.entry())
	one := parseKept(text)
	if err != nil || one == nil {
		s.t.Fatal("the store is not readable: ", err)
	}
	one.Outcome.Results = []suites.Result{{Effect: suites.Proceeds}}
	change(one)
	return formatKept(one)
}

// TestAttacked checks that nothing which takes the place of a kept outcome is taken for it, and that the firing is made
// instead. What another user may have written is said.
func TestAttacked(t *testing.T) {
	t.Parallel()
	overwrite := func(content func(s *scene) []byte) func(*scene, string) error {
		return func(s *scene, file string) error { return os.WriteFile(file, content(s), 0o644) }
	}
	instead := func(put func(file string) error) func(*scene, string) error {
		return func(_ *scene, file string) error { return errors.Join(os.Rename(file, file+"-away"), put(file)) }
	}
	for name, tt := range map[string]struct {
		attack func(s *scene, file string) error
		said   bool // also to the user
		stays  bool // so that no outcome is kept at this place until it is removed
	}{
		"no digest": {attack: overwrite(func(s *scene) []byte {
			return append([]byte(form), bytes.TrimPrefix(s.forge(func(*kept) {}), []byte(form))[32:]...)
		})},
		"digest of the right one": {attack: func(s *scene, file string) error {
			text, err := os.ReadFile(file)
			forged := s.forge(func(*kept) {})
			copy(forged[len(form):len(form)+32], text[len(form):])
			return errors.Join(err, os.WriteFile(file, forged, 0o644))
		}},
		"name of another firing": {attack: overwrite(func(s *scene) []byte { return s.forge(func(k *kept) { k.Key = strings.Repeat("0", len(k.Key)) }) })},
		"state of another hook":  {attack: overwrite(func(s *scene) []byte { return s.forge(func(k *kept) { k.Used[0].State = "x" }) })},
		"other program":          {attack: overwrite(func(s *scene) []byte { return s.forge(func(k *kept) { k.Programs[len(k.Programs)-1].Digest = "x" }) })},
		"next version": {attack: overwrite(func(s *scene) []byte {
			return bytes.Replace(s.forge(func(*kept) {}), []byte("firing 3"), []byte("firing 4"), 1)
		})},
		"digest of nonsense": {attack: overwrite(func(*scene) []byte { return seal([]byte("nonsense")) })},
		"too large":          {attack: func(_ *scene, file string) error { return os.Truncate(file, keptFile+1) }},
		"another user's": {said: true, attack: func(s *scene, file string) error {
			if os.Geteuid() != 0 {
				s.t.Skip("only root gives files away")
			}
			return errors.Join(os.WriteFile(file, s.forge(func(*kept) {}), 0o644), os.Chown(file, another, another))
		}},
		"writable by others": {said: true, attack: func(s *scene, file string) error {
			return errors.Join(os.WriteFile(file, s.forge(func(*kept) {}), 0o644), os.Chmod(file, 0o646))
		}},
		"writable by a group": {said: true, attack: func(s *scene, file string) error {
			return errors.Join(os.WriteFile(file, s.forge(func(*kept) {}), 0o644), os.Chmod(file, 0o664))
		}},
		"hard link":      {attack: func(s *scene, file string) error { return os.Link(file, filepath.Join(s.project, "other")) }},
		"symbolic link":  {stays: true, attack: instead(func(file string) error { return os.Symlink(file+"-away", file) })},
		"link to itself": {stays: true, attack: instead(func(file string) error { return os.Symlink(file, file) })},
		"pipe":           {stays: true, attack: instead(func(file string) error { return syscall.Mkfifo(file, 0o600) })},
		"directory":      {stays: true, attack: instead(func(file string) error { return os.Mkdir(file, 0o700) })},
		"socket":         {stays: true, attack: instead(socketAt)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			s.fire(nil)
			file := s.entry()
			if err := tt.attack(s, file); err != nil {
				t.Fatal(err)
			}
			if !s.fire(nil) { // which also checks what the outcome is
				t.Error("it is taken for the outcome of the firing")
			}
			if said := disk.ReasonOf(s.said) == disk.Foreign && strings.Contains(s.said.Error(), file); said != tt.said || !said && s.said != nil {
				t.Errorf("the user is told %v", s.said)
			}
			if made := s.fire(nil); made != tt.stays {
				t.Errorf("the firing after that was made: %t, want %t", made, tt.stays)
			}
		})
	}
}

// socketAt puts a socket at a path, which may be too long for an address.
func socketAt(path string) error {
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	near := filepath.Join(dir, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: near})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false)
	return errors.Join(l.Close(), os.Rename(near, path))
}

// TestAttackedFolder checks that a folder that may be another user's, or is none, is not used.
func TestAttackedFolder(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		attack func(dir string) error
		reason disk.Reason
	}{
		"another user's":      {func(dir string) error { return os.Chown(dir, another, another) }, disk.Foreign},
		"writable by others":  {func(dir string) error { return os.Chmod(dir, 0o757) }, disk.Foreign},
		"writable by a group": {func(dir string) error { return os.Chmod(dir, 0o775) }, disk.Foreign},
		"symbolic link":       {func(dir string) error { return errors.Join(os.Rename(dir, dir+"2"), os.Symlink(dir+"2", dir)) }, disk.Link},
		"pipe":                {func(dir string) error { return errors.Join(os.Rename(dir, dir+"2"), syscall.Mkfifo(dir, 0o600)) }, disk.Kind},
		"file":                {func(dir string) error { return errors.Join(os.Rename(dir, dir+"2"), os.WriteFile(dir, nil, 0o600)) }, disk.Kind},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			s.fire(nil)
			dir := filepath.Join(s.project, "state")
			if name == "another user's" && os.Geteuid() != 0 {
				t.Skip("only root gives files away")
			}
			if err := tt.attack(dir); err != nil {
				t.Fatal(err)
			}
			k, err := OpenKnown(KnownOptions{Base: s.project, Dir: dir, Root: s.project})
			if err == nil {
				_ = k.Close()
			}
			if disk.ReasonOf(err) != tt.reason || !strings.Contains(err.Error(), dir) {
				t.Errorf("it is refused with %v", err)
			}
		})
	}
}

// TestDroppedDespiteOthers checks that what is no file and lies among the outcomes neither stops them from being
// dropped nor is an error.
func TestDroppedDespiteOthers(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.fire(nil)
	file := s.entry()
	put := filepath.Join(s.project, "state", "0")
	err := errors.Join(syscall.Mkfifo(put, 0o600), os.Mkdir(put+"1", 0o700), os.Symlink(file, put+"2"), os.Chtimes(file, aged, aged))
	if err != nil {
		t.Fatal(err)
	}
	s.outcome.Results[0].Stdout = []byte("something else")
	s.fire(func(k *Known) { k.audit = func() bool { return true } })
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the outcome is still there: ", err)
	}
}

// TestForgedByTheUser checks that an outcome which lies about a firing, and which nobody but the user can have written,
// is found out by the audit.
func TestForgedByTheUser(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.fire(nil)
	if err := os.WriteFile(s.entry(), s.forge(func(*kept) {}), 0o644); err != nil {
		t.Fatal(err)
	}
	var known *Known
	if s.fire(func(k *Known) { k.audit = func() bool { return true }; known = k }); known.Counts().Differing != 1 {
		t.Errorf("counts %+v", known.Counts())
	}
}

// TestDamagedAnywhere checks that no beginning of a file is taken for it, and none with a flipped bit.
func TestDamagedAnywhere(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.fire(nil)
	text, err := os.ReadFile(s.entry())
	if err != nil || parseKept(text) == nil {
		t.Fatal("the file is not read: ", err)
	}
	for i := range text {
		if parseKept(text[:i]) != nil {
			t.Errorf("the first %d of %d bytes are taken", i, len(text))
		}
		for bit := range 8 {
			text[i] ^= 1 << bit
			if parseKept(text) != nil {
				t.Errorf("byte %d without its bit %d is taken", i, bit)
			}
			text[i] ^= 1 << bit
		}
	}
}
