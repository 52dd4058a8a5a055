package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"hookwatch/suites/disk"
	"hookwatch/suites/pattern"
	"hookwatch/suites/process"
)

// copyBackend is the backend that gives each case a temporary copy of the project.
type copyBackend struct{ o Options }

func newCopyBackend(o Options) Backend { return &copyBackend{o} }

func (*copyBackend) Describe() Description {
	return Description{
		Name:      "copy",
		Summary:   "each case has a copy of the project; HOME, the network and other places are open to it",
		Open:      "hooks ran on a copy of the project; your HOME, all other files and the network were open to them",
		Warning:   "isolation is copy: hooks run on a copy of the project, and your HOME, all other files and the network are open to them",
		Consent:   "your HOME, the network and all other files are open to hooks",
		HooksOnly: true, // a program could do anything the user may do, who allowed only hooks to run
	}
}

func (b *copyBackend) Probe(Wanted) ([]Bound, Sandbox, error) {
	return b.o.directBounds(), nil, nil
}

func (b *copyBackend) Open(_ context.Context, open Opener, w Wanted) (Sandbox, error) {
	root, err := copyProject(b.o.Root, w.Dir, b.o.Own)
	if err != nil {
		return nil, fmt.Errorf("copy the project: %w", err)
	}
	var setup process.Setup
	if w.Observed {
		session := filepath.Dir(w.Dir)
		rules := observedRules([]string{session, disk.Real(session)}, []string{b.o.Root, b.o.Home, disk.Real(b.o.Home), copyIn(w.Dir), disk.Real(copyIn(w.Dir))})
		setup = process.Setup{Steps: observeOnly(rules, w.Turns), Shared: true}
	}
	d, err := newDirect(open, setup, w, b.o, root, nil)
	if err != nil {
		return nil, err
	}
	d.original, d.copied = GitTop(b.o.Root), copyIn(w.Dir)
	return d, nil
}

// copyIn returns the path of the copy in a case's directory.
func copyIn(dir string) string { return filepath.Join(dir, "copy") }

// copyProject copies the project at root, with the whole work tree that contains it, below dir,
// except for the paths to skip, and returns the copy's root. Git writes to the copy; the objects,
// which never change, stay in the original. A repository elsewhere, as that of a linked work tree,
// is copied too. One limit applies to the work tree and the repository together, because a clone
// determines how large they are and which repository its .git file names.
func copyProject(root, dir string, skip []string) (string, error) {
	left, _, files := freeSpace(dir)
	bounds := Bounds{Bytes: int64(left / 2), Entries: mostEntries}
	if half := int(min(files/2, mostEntries)); files > 0 { // some file systems do not count files
		bounds.Entries = max(half, 1)
	}
	return copyBounded(root, dir, skip, bounds)
}

// mostEntries bounds the files and directories of one copy. A project with all of its dependencies
// installed has a few hundred thousand.
const mostEntries = 1_000_000

func copyBounded(root, dir string, skip []string, bounds Bounds) (string, error) {
	root = disk.Real(root)
	top, to := GitTop(root), copyIn(dir)
	objects := filepath.Join(top, ".git", "objects")
	c := copier{Bounds: bounds, Skip: func(rel string) bool {
		path := filepath.Join(top, rel)
		return path == objects || slices.Contains(skip, path)
	}}
	if err := c.Tree(top, to); err != nil {
		return "", tooLarge(err, top, dir, bounds)
	}
	if disk.IsDir(objects) {
		if err := borrow(objects, filepath.Join(to, ".git", "objects")); err != nil {
			return "", err
		}
	}
	copied := filepath.Join(to, strings.TrimPrefix(root, top))
	c.Skip = func(rel string) bool { return rel == "objects" }
	return copied, detach(&c, top, to, dir)
}

// tooLarge returns an error with what does not fit in a copy, and the remedy.
func tooLarge(err error, what, dir string, bounds Bounds) error {
	switch {
	case errors.Is(err, errBytes):
		return fmt.Errorf("%s holds more than %d MB, half of the free space in %s: make room there, or set TMPDIR", what, bounds.Bytes/1_000_000, dir)
	case errors.Is(err, errEntries):
		return fmt.Errorf("%s holds more than the %d files and directories that a copy may have", what, bounds.Entries)
	default:
		return err
	}
}

// moveWorkTree sets the work tree in the configuration of a submodule's repository, if it names
// one.
func moveWorkTree(config, to string) error {
	b, err := readGit(config)
	if err != nil {
		return err
	}
	moved := workTreeLine().ReplaceAllLiteral(b, []byte("\tworktree = "+strconv.Quote(to)))
	if bytes.Equal(moved, b) {
		return nil
	}
	return os.WriteFile(config, moved, 0o644)
}

var workTreeLine = pattern.Lazy(`(?m)^\s*worktree\s*=(.*)$`)

// borrow creates an object store that reads objects from another one.
func borrow(objects, to string) error {
	if err := os.MkdirAll(filepath.Join(to, "info"), 0o755); err != nil {
		return err
	}
	others := objects + "\n"
	b, err := readGit(filepath.Join(objects, "info", "alternates"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for line := range strings.Lines(string(b)) {
		if path := strings.TrimSpace(line); path != "" {
			others += absolutePath(objects, path) + "\n"
		}
	}
	return os.WriteFile(filepath.Join(to, "info", "alternates"), []byte(others), 0o644)
}

// detach makes the copy of a linked work tree or a submodule independent of its repository, by
// copying that into dir with c, which has already copied the work tree and continues to count.
func detach(c *copier, top, copied, dir string) error {
	common, _ := gitCommon(top) // a repository that is not the work tree's own is not copied
	if common == "" {
		return nil
	}
	objects, aside := filepath.Join(common, "objects"), filepath.Join(dir, "repository")
	if err := c.Tree(common, aside); err != nil {
		return tooLarge(err, top+" and its repository "+common, dir, c.Bounds)
	}
	if err := borrow(objects, filepath.Join(aside, "objects")); err != nil {
		return err
	}
	gitdir, _ := gitDir(top)
	own := filepath.Join(aside, strings.TrimPrefix(disk.Real(gitdir), common))
	if err := moveWorkTree(filepath.Join(aside, "config"), copied); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(copied, ".git"), []byte("gitdir: "+own+"\n"), 0o644)
}

// A copier copies trees, with limits on all of them together. It copies links as links and omits
// sockets, pipes and devices. It keeps modes, times and holes.
type copier struct {
	Skip    func(rel string) bool // nil: skip nothing
	Bounds  Bounds
	bytes   int64
	entries int
	Refuse  func(rel string, err error) error // handles a file that cannot be created; nil: return its error
}

// Bounds limits the amount that a copier copies; 0 is no limit.
type Bounds struct {
	Bytes   int64 // disk space of the files, without holes
	Entries int   // files, links and directories
}

var (
	errBytes   = errors.New("more bytes than the bound")
	errEntries = errors.New("more files than the bound")
)

// Tree copies the content of one directory into another, which may exist.
func (c *copier) Tree(from, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	return c.dir(from, to, "")
}

func (c *copier) dir(from, to, rel string) error {
	entries, err := os.ReadDir(filepath.Join(from, rel) + "/.")
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := filepath.Join(rel, e.Name())
		if c.Skip != nil && c.Skip(name) {
			continue
		}
		if err := c.entry(from, to, name, e); err != nil {
			return err
		}
	}
	return nil
}

// entry copies one entry. It skips paths that are too long for the system.
func (c *copier) entry(from, to, name string, e fs.DirEntry) error {
	err := c.copy(from, to, name, e)
	if !errors.Is(err, syscall.ENAMETOOLONG) {
		return err
	}
	if c.Refuse != nil {
		return c.Refuse(name, err)
	}
	return nil
}

func (c *copier) copy(from, to, name string, e fs.DirEntry) error {
	source, target := filepath.Join(from, name), filepath.Join(to, name)
	if c.entries++; c.Bounds.Entries > 0 && c.entries > c.Bounds.Entries {
		return errEntries
	}
	fi, err := e.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil // removed meanwhile
	}
	if err != nil {
		return err
	}
	switch {
	case fi.Mode()&fs.ModeSymlink != 0:
		link, err := os.Readlink(source)
		if err != nil {
			return err
		}
		return os.Symlink(link, target)
	case fi.IsDir():
		if err := os.MkdirAll(target, 0o700); err != nil {
			return err
		}
		if err := c.dir(from, to, name); err != nil {
			return err
		}
		return keepTimes(target, fi)
	case fi.Mode().IsRegular():
		err := c.File(source, target, fi)
		if err != nil && c.Refuse != nil {
			return c.Refuse(name, err)
		}
		return err
	default:
		return nil
	}
}

// File copies a regular file, as fi describes it, to a new one.
func (c *copier) File(source, target string, fi fs.FileInfo) error {
	if c.bytes += heldBy(fi); c.Bounds.Bytes > 0 && c.bytes > c.Bounds.Bytes {
		return errBytes
	}
	in, err := os.OpenFile(source, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may have become a pipe
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		return nil // hooks could not read it either, or it was removed meanwhile
	}
	if err != nil {
		return err
	}
	defer in.Close()
	if now, err := in.Stat(); err != nil || !now.Mode().IsRegular() {
		return err
	}
	out, err := os.OpenFile(target, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(copyData(out, in, fi), out.Close()); err != nil {
		_ = os.Remove(target)
		return err
	}
	return keepTimes(target, fi)
}

// copyData copies a file's data and preserves its holes.
func copyData(out, in *os.File, fi fs.FileInfo) error {
	if heldBy(fi) >= fi.Size() {
		_, err := io.Copy(out, in) // shares blocks if the file system can
		return err
	}
	for at := int64(0); at < fi.Size(); {
		begin, end, ok := nextData(in, at, fi.Size())
		if !ok {
			break
		}
		if _, err := in.Seek(begin, io.SeekStart); err != nil {
			return err
		}
		if _, err := out.Seek(begin, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.CopyN(out, in, end-begin); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		at = end
	}
	return out.Truncate(fi.Size())
}

// keepTimes sets the times and permissions of a copy. It does not get the right to run as its owner,
// because a case that runs as root must not leave a program of root's.
func keepTimes(target string, fi fs.FileInfo) error {
	if err := os.Chmod(target, fi.Mode()&(fs.ModePerm|fs.ModeSticky)); err != nil {
		return err
	}
	return os.Chtimes(target, fi.ModTime(), fi.ModTime())
}

// remove removes a directory even if a case removed its own permissions. It follows no links.
func remove(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	root, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		return err
	}
	defer root.Close()
	unlock(root, filepath.Base(dir))
	return os.RemoveAll(dir)
}

// unlock gives the owner all permissions for a directory and those in it.
func unlock(root *os.Root, dir string) {
	if fi, err := root.Lstat(dir); err != nil || !fi.IsDir() || root.Chmod(dir, 0o700) != nil {
		return
	}
	f, err := root.Open(dir)
	if err != nil {
		return
	}
	entries, _ := f.ReadDir(-1)
	_ = f.Close()
	for _, e := range entries {
		if e.IsDir() {
			unlock(root, filepath.Join(dir, e.Name()))
		}
	}
}

// heldIn returns the number of bytes for which the content of a directory counts.
func heldIn(dir string) (total int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // unreadable files do not count
		}
		if fi, err := d.Info(); err == nil {
			total += takenBy(fi)
		}
		return nil
	})
	return total
}
