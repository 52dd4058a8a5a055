//go:build linux

package run

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// TestFilesNotRead checks that nothing is reported of a masked file, of one that a link of the
// project leads to, and of one that is not regular, and that none of them blocks.
func TestFilesNotRead(t *testing.T) {
	t.Parallel()
	const secret = `{"token": "s3cret"}`
	p := newScene(t, map[string]string{
		"home/.netrc": secret, "home/plain.json": `{"token": "open"}`, "project/own.json": `{"token": "mine"}`,
		"project/names.json": `{"file": "~/.netrc"}`, "project/reads.json": `{"file": "own.json"}`,
	})
	masked := filepath.Join(p.root, "home/.netrc")
	p.m.Reader.World = func(path string) disk.Reason {
		fi, err := os.Stat(path)
		was, errWas := os.Stat(masked)
		if err == nil && errWas == nil && os.SameFile(fi, was) {
			return disk.Hidden
		}
		return 0
	}
	at := func(name string) string { return filepath.Join(p.m.Root, name) }
	for _, err := range []error{
		os.Symlink(masked, at("link.json")), os.Link(masked, at("hard.json")), os.Symlink("own.json", at("inside.json")),
		os.Symlink(filepath.Join(p.root, "home/plain.json"), at("out.json")), os.Symlink("/dev/zero", at("zero.json")),
		syscall.Mkfifo(at("pipe.json"), 0o644), os.WriteFile(at("large.json"), nil, 0o644), os.Truncate(at("large.json"), 1<<40),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]string{
		"~/.netrc": "is masked", masked: "is masked", "link.json": "leads out of the project", "hard.json": "is masked", "out.json": "leads out of the project",
		"zero.json": "leads out of the project", "/dev/zero": "no regular file", "pipe.json": "no regular file", "large.json": "too large",
		"own.json": `token is "mine"`, "inside.json": `token is "mine"`, "~/plain.json": `token is "open"`,
	} {
		found := make(chan suites.Finding, 1)
		go func() { found <- p.look(&suites.Check{File: file, Key: "token"}) }()
		select {
		case f := <-found:
			if !strings.Contains(f.Detail, want) || f.Holds != strings.Contains(want, "token is") || strings.Contains(f.Detail, "s3cret") {
				t.Errorf("%s: %+v, want %q", file, f, want)
			}
		case <-time.After(5 * time.Minute):
			t.Fatalf("%s: the check waits for it", file)
		}
	}
	for by, want := range map[string]string{"names.json": "is masked", "reads.json": `token is "mine"`} {
		f := p.look(&suites.Check{File: "nowhere", Key: "token", NamedBy: &suites.KeyPath{File: by, Key: "file"}})
		if !strings.Contains(f.Detail, want) {
			t.Errorf("named by %s: %+v, want %q", by, f, want)
		}
	}
	if f := p.look(&suites.Check{File: "nowhere", Key: "x", NamedBy: &suites.KeyPath{File: "link.json", Key: "token"}}); strings.Contains(f.Detail, "s3cret") {
		t.Errorf("a masked file's content is reported as a name: %+v", f)
	}
}
