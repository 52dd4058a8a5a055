package compare

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hookwatch/cmd/internal/revision"
	"hookwatch/cmd/internal/session"
	"hookwatch/config"
)

// TestLinks checks that files of a revision replace links of the work tree, and links files, and that
// nothing is written through a link.
func TestLinks(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	write := func(name string) error {
		return errors.Join(os.MkdirAll(filepath.Dir(at(name)), 0o755), os.WriteFile(at(name), []byte(name), 0o755))
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", root, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	err := errors.Join(write("same"), write("to-link"), write("dir/a"), write("dir/b"), write("to-dir"), os.Symlink("same", at("link")), os.Symlink("same", at("to-file")))
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "one")
	err = errors.Join(err, os.Remove(at("to-link")), os.Symlink("/etc/passwd", at("to-link")), os.RemoveAll(at("dir")), os.Symlink("/etc", at("dir")),
		os.Remove(at("to-dir")), os.Mkdir(at("to-dir"), 0o755), os.Remove(at("to-file")), write("to-file"))
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(config.LoadOptions{Dir: root, Env: func(string) (string, bool) { return "", false }, State: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	p, problems := session.Load(cfg, session.Filter{}, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	rev, err := revision.CheckOut(t.Context(), root, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	defer rev.Close()
	s := &Side{}
	if err := s.load(t.Context(), rev, p); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range s.Project.Instead.Files {
		kind := "file "
		if fs.FileMode(f.Mode)&fs.ModeSymlink != 0 {
			kind = "link to " + f.Content + " "
		}
		got = append(got, kind+f.Path)
	}
	slices.Sort(s.Project.Instead.Removed)
	if want := "file dir/a, file dir/b, file to-dir, link to same to-file, file to-link"; strings.Join(got, ", ") != want {
		t.Errorf("written: %s, want %s", strings.Join(got, ", "), want)
	}
	if want := "dir to-dir to-link"; strings.Join(s.Project.Instead.Removed, " ") != want {
		t.Errorf("removed: %s, want %s", strings.Join(s.Project.Instead.Removed, " "), want)
	}
}
