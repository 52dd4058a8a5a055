package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// scene creates a directory of hookwatch's, and a file of the user's outside.
func scene(t *testing.T) (dir *Dir, base, outside string) {
	t.Helper()
	top := t.TempDir()
	base, outside = filepath.Join(top, "project"), filepath.Join(top, "outside")
	write(t, filepath.Join(outside, "bashrc"), "precious\n")
	write(t, filepath.Join(base, "results", "kept"), "old\n")
	dir, err := Make(base, filepath.Join(base, "results"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dir.Close() })
	return dir, base, outside
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

// acts are all operations that write to an entry.
var acts = map[string]func(d *Dir) error{
	"append": func(d *Dir) error {
		f, err := d.Append("x")
		if err == nil {
			_, err = f.WriteString("more\n")
			_ = f.Close()
		}
		return err
	},
	"create":           func(d *Dir) error { f, err := d.Create("x", 0o644); closeIf(f); return err },
	"replace":          func(d *Dir) error { return d.Replace("x", []byte("new\n"), Unsynced) },
	"replace durable":  func(d *Dir) error { return d.Replace("x", []byte("new\n"), Synced) },
	"rename":           func(d *Dir) error { return d.Rename("kept", d, "x") },
	"new directory":    func(d *Dir) error { s, err := d.NewSub("x"); closeDir(s); return refusedAs(d, err) },
	"remove":           func(d *Dir) error { return d.Remove("x") },
	"remove directory": func(d *Dir) error { return d.RemoveDir("x") },
	"directory":        func(d *Dir) error { s, err := d.MakeSub("x"); closeDir(s); return err },
	"lock":             func(d *Dir) error { l, err := d.Lock("x"); closeLock(l); return err },
	"touch":            func(d *Dir) error { return d.Touch("x", time.Unix(1, 0)) },
	"read":             func(d *Dir) error { _, err := d.ReadFile("x", 100); return err },
	"open a directory": func(d *Dir) error { s, err := d.Sub("x"); closeDir(s); return err },
}

func closeIf(f *os.File) {
	if f != nil {
		_ = f.Close()
	}
}

func closeDir(d *Dir) {
	if d != nil {
		_ = d.Close()
	}
}

func closeLock(l *Lock) {
	if l != nil {
		_ = l.Close()
	}
}

// TestLinksInTheWay performs every act on a link of every kind.
func TestLinksInTheWay(t *testing.T) {
	t.Parallel()
	targets := map[string]func(base, outside string) string{
		"to a file outside":      func(_, outside string) string { return filepath.Join(outside, "bashrc") },
		"to a directory outside": func(_, outside string) string { return outside },
		"dangling":               func(_, outside string) string { return filepath.Join(outside, "absent") },
		"relative":               func(string, string) string { return "../../outside/bashrc" },
		"to a file inside":       func(string, string) string { return "kept" },
	}
	for act, do := range acts {
		for state, target := range targets {
			t.Run(act+" "+state, func(t *testing.T) {
				t.Parallel()
				dir, base, outside := scene(t)
				link(t, target(base, outside), filepath.Join(dir.Path(), "x"))
				err := do(dir)
				var refused *Error
				if !errors.As(err, &refused) || refused.Reason != Link {
					t.Errorf("error %v, want a link that is refused", err)
				}
				untouched(t, dir, outside)
			})
		}
	}
}

func untouched(t *testing.T, dir *Dir, outside string) {
	t.Helper()
	if b, err := os.ReadFile(filepath.Join(outside, "bashrc")); err != nil || string(b) != "precious\n" {
		t.Errorf("the file outside holds %q, %v", b, err)
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 1 {
		t.Errorf("outside holds %v", entries)
	}
	if b, _ := os.ReadFile(filepath.Join(dir.Path(), "kept")); string(b) != "old\n" {
		t.Errorf("the file inside holds %q", b)
	}
}

// refusedAs treats a directory that cannot be created, because something is in its place,
// as refused.
func refusedAs(d *Dir, err error) error {
	if fi, lerr := d.Lstat("x"); lerr == nil && errors.Is(err, fs.ErrExist) {
		return d.refuse("x", fi)
	}
	return err
}

// TestRemove deletes files, empty directories and missing files.
func TestRemove(t *testing.T) {
	t.Parallel()
	dir, _, _ := scene(t)
	write(t, filepath.Join(dir.Path(), "y", "file"), "")
	if err := dir.RemoveDir("y"); err == nil {
		t.Error("a directory was deleted with its content")
	}
	y, err := dir.Sub("y")
	if err != nil {
		t.Fatal(err)
	}
	defer y.Close()
	for _, err := range []error{y.Remove("file"), dir.RemoveDir("y"), dir.Remove("kept"), dir.Remove("absent")} {
		if err != nil {
			t.Error(err)
		}
	}
	if entries, _ := dir.ReadDir(); len(entries) != 0 {
		t.Errorf("left: %v", entries)
	}
}

// TestSwappedDirectory replaces the directory by a link while it is open.
func TestSwappedDirectory(t *testing.T) {
	t.Parallel()
	dir, base, outside := scene(t)
	if !dir.InPlace(base) {
		t.Error("it is in its place")
	}
	moved := filepath.Join(base, "moved")
	if err := os.Rename(dir.Path(), moved); err != nil {
		t.Fatal(err)
	}
	link(t, outside, dir.Path())
	if dir.InPlace(base) {
		t.Error("a link replaced it")
	}
	for act, do := range acts {
		_ = do(dir) // it only affects the directory that was opened
		_ = act
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 1 {
		t.Errorf("outside holds %v", entries)
	}
	if again, err := Make(base, dir.Path()); err == nil {
		_ = again.Close()
		t.Error("the link was followed")
	}
}

// TestWay checks that a link in any component below the base is refused, and none above
// it.
func TestWay(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	write(t, filepath.Join(top, "real", "a", "file"), "")
	link(t, filepath.Join(top, "real"), filepath.Join(top, "home"))
	base := filepath.Join(top, "home")
	d, err := Make(base, filepath.Join(base, "a", "b", "c"))
	if err != nil {
		t.Fatal(err)
	}
	_ = d.Close()
	link(t, filepath.Join(top, "real", "a"), filepath.Join(top, "real", "l"))
	for _, path := range []string{"l", "l/b", "l/new", "a/file/x"} {
		if d, err := Make(base, filepath.Join(base, path)); !IsRefused(err) {
			closeDir(d)
			t.Errorf("%s: error %v", path, err)
		}
	}
	if _, err := Make(filepath.Join(base, "a"), base); !IsRefused(err) {
		t.Errorf("outside of the base: %v", err)
	}
}

// TestLock takes one lock twice.
func TestLock(t *testing.T) {
	t.Parallel()
	dir, _, _ := scene(t)
	a, err := dir.Lock(".lock")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if held, err := a.Try(); !held || err != nil {
		t.Fatal(held, err)
	}
	for _, text := range []string{"12345\n", "6\n"} {
		if err := a.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	b, err := dir.Lock(".lock")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if held, err := b.Try(); held || err != nil {
		t.Error("held twice", err)
	}
	if text, err := dir.ReadFile(".lock", 10); string(text) != "6\n" {
		t.Errorf("it holds %q, %v", text, err)
	}
	_ = a.Close()
	if held, err := b.Try(); !held || err != nil {
		t.Error("not given back", err)
	}
}

// TestReplace checks that one file remains, whatever was there before.
func TestReplace(t *testing.T) {
	t.Parallel()
	dir, base, _ := scene(t)
	for _, durable := range []Durable{Synced, Unsynced} {
		if err := dir.Replace("kept", []byte("new\n"), durable); err != nil {
			t.Fatal(err)
		}
	}
	if b, _ := dir.ReadFile("kept", 4); string(b) != "new\n" {
		t.Errorf("it holds %q", b)
	}
	if _, err := dir.ReadFile("kept", 3); !IsRefused(err) {
		t.Errorf("more than the limit: %v", err)
	}
	sub, err := dir.MakeSub("archive")
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	if err := dir.Rename("kept", sub, "moved"); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(filepath.Join(base, "results", "archive", "moved")); string(b) != "new\n" {
		t.Errorf("moved, it holds %q", b)
	}
	if entries, _ := dir.ReadDir(); len(entries) != 1 {
		t.Errorf("it holds %v", entries)
	}
}

// TestLead follows links to the end, including those to missing files.
func TestLead(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(top, "real", "file"), "")
	for name, target := range map[string]string{
		"dir": "real", "absent": "real/new/file", "up": "../elsewhere/x", "absolute": filepath.Join(top, "gone"),
		"twice": "absent", "loop": "loop", "a": "b", "b": "a", "real/out": "../../outside",
	} {
		link(t, target, filepath.Join(top, name))
	}
	for path, want := range map[string]string{
		"real/file": "real/file", "dir/file": "real/file", "dir/new/deep": "real/new/deep", "new": "new", "real/file/x": "real/file/x",
		"absent": "real/new/file", "absent/below": "real/new/file/below", "twice": "real/new/file", "absolute/x": "gone/x",
		"up": "../elsewhere/x", "dir/out/x": "../outside/x", "dir/../new": "new", "loop": "loop", "loop/x": "loop/x", "a/b": "b/b",
	} {
		got := Lead(filepath.Join(top, path))
		if path == "a/b" { // a loop may be left at any of its links
			if !Within(top, got) {
				t.Errorf("%s leads to %s", path, got)
			}
			continue
		}
		if got != filepath.Join(top, want) {
			t.Errorf("%s leads to %s, want %s", path, got, want)
		}
	}
	if got := Existing(filepath.Join(top, "real/file/x/y")); got != filepath.Join(top, "real") {
		t.Errorf("existing is %s", got)
	}
}

// TestWriteNew checks that WriteNew never overwrites a file or follows a link.
func TestWriteNew(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	root, outside := filepath.Join(top, "clone"), filepath.Join(top, "outside")
	for _, dir := range []string{root, outside} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteNew(root, filepath.Join(root, "a/b/c.yaml"), []byte("one"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := WriteNew(root, filepath.Join(root, "a/b/c.yaml"), []byte("two"), 0o644); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second time: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(root, "a/b/c.yaml")); err != nil || string(text) != "one" {
		t.Errorf("%q, %v", text, err)
	}
	for link, name := range map[string]string{
		".claude": ".claude/tests/hooks/suites/first.yaml", "a/tests": "a/tests/first.yaml", ".hookwatch.yaml": ".hookwatch.yaml",
	} {
		if err := os.Symlink(filepath.Join(outside, "absent"), filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
		if err := WriteNew(root, filepath.Join(root, name), []byte("x"), 0o644); !IsRefused(err) || !strings.Contains(err.Error(), filepath.Join(root, link)) {
			t.Errorf("%s is a link: %v", link, err)
		}
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 0 {
		t.Errorf("outside: %v, %v", entries, err)
	}
}

// TestExists checks that a file differs from none, and that a link or another kind of file is an error.
func TestExists(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, filepath.Join(root, "a", "file"), "x")
	if err := errors.Join(os.Symlink("file", filepath.Join(root, "a", "link")), os.Symlink("a", filepath.Join(root, "b"))); err != nil {
		t.Skip(err)
	}
	for name, want := range map[string]struct{ exists, refused bool }{
		"a/file": {exists: true}, "a/none": {}, "none/file": {}, "a/link": {refused: true}, "b/file": {refused: true}, "a": {refused: true},
	} {
		got, err := Exists(root, filepath.Join(root, filepath.FromSlash(name)))
		if IsRefused(err) != want.refused || err != nil && !want.refused || !want.refused && got != want.exists {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
