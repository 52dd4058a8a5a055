package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestCopy(t *testing.T) {
	t.Parallel()
	dir, to := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(
		os.MkdirAll(in("a"), 0o755), os.MkdirAll(in("skipped"), 0o755),
		os.WriteFile(in("a/b"), []byte("1"), 0o644), os.WriteFile(in("skipped/x"), []byte("2"), 0o644), os.WriteFile(in("script"), []byte("3"), 0o644),
		os.Symlink("../nowhere", in("a/link")), os.Chmod(in("script"), 0o755), os.Mkdir(in("closed"), 0o555),
	); err != nil {
		t.Fatal(err)
	}
	if err := (&copier{Skip: func(rel string) bool { return rel == "skipped" }}).Tree(dir, to); err != nil {
		t.Fatal(err)
	}
	want, got := takeSnapshot(dir), takeSnapshot(to)
	delete(want, "skipped")
	delete(want, "skipped/x")
	if changes := diff(want, got); len(changes) > 0 || len(got) != len(want) {
		t.Errorf("%v", changes)
	}
	for _, name := range []string{"a/b", "script"} {
		was, err := os.Stat(in(name))
		is, errCopy := os.Stat(filepath.Join(to, name))
		if err != nil || errCopy != nil || !is.ModTime().Equal(was.ModTime()) {
			t.Errorf("%s: %v, %v", name, err, errCopy)
		}
	}
	if err := Remove(to); err != nil {
		t.Error(err)
	}
}
