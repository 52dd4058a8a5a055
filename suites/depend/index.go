package depend

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/sync/errgroup"
)

// An index remembers the digests of files, and what scripts say.
type index struct {
	root  string
	real  string // root with its symbolic links resolved
	files map[string]*file
	links map[string][]string // target -> paths that lead to it
}

// A file is what was found at a path. The digest of a file that is not there,
// or is no regular file, is "".
type file struct {
	digest string
	err    error
	target string   // where symbolic links lead, when they do
	steps  []string // on the way there, and of links that lead nowhere
	script *script  // nil until asked for
}

func newIndex(root string) *index {
	x := &index{root: filepath.Clean(root), files: map[string]*file{}, links: map[string][]string{}}
	x.real = x.root
	if real, err := filepath.EvalSymlinks(x.root); err == nil {
		x.real = real
	}
	return x
}

// slash turns a path of the system, or one from the root, into a slash path
// from the root; absolute when it lies outside.
func (x *index) slash(p string) string {
	p = filepath.ToSlash(p)
	for _, root := range []string{x.root, x.real} {
		if rest, ok := strings.CutPrefix(p, filepath.ToSlash(root)+"/"); ok {
			p = rest
			break
		}
		if p == filepath.ToSlash(root) {
			return "."
		}
	}
	return path.Clean(p)
}

func (x *index) abs(p string) string {
	if path.IsAbs(p) || filepath.IsAbs(p) {
		return filepath.FromSlash(p)
	}
	return filepath.Join(x.root, filepath.FromSlash(p))
}

// get tells what is at a path, reading it at most once.
func (x *index) get(p string) *file {
	if f, ok := x.files[p]; ok {
		return f
	}
	f, _ := x.load(p, false)
	return f
}

// script is get for a file that is a script, analysed from the bytes that the
// digest was taken of.
func (x *index) script(p string) *file {
	if f, ok := x.files[p]; ok && (f.script != nil || f.digest == "") {
		return f
	}
	f, content := x.load(p, true)
	if f.digest != "" {
		f.script = newScript(p, content)
	}
	return f
}

func (x *index) load(p string, keep bool) (*file, []byte) {
	return x.put(p, x.look(p, keep))
}

// A look is what was found at a path, before it is remembered.
type look struct {
	file
	content []byte
}

// look reads a path without touching what is remembered.
func (x *index) look(p string, keep bool) *look {
	abs := x.abs(p)
	l := &look{}
	l.target, l.steps = x.linked(p, abs)
	l.digest, l.content, l.err = digestOf(abs, keep)
	return l
}

func (x *index) put(p string, l *look) (*file, []byte) {
	if old := x.files[p]; l.script == nil && old != nil && old.digest == l.digest {
		l.script = old.script
	}
	f := l.file
	x.files[p] = &f
	for _, step := range l.steps {
		if !slices.Contains(x.links[step], p) {
			x.links[step] = append(x.links[step], p)
		}
	}
	return &f, l.content
}

// prepare analyses scripts that have not been, several at a time.
func (x *index) prepare(paths []string) {
	var missing []string
	for _, p := range paths {
		if _, ok := x.files[p]; !ok {
			missing = append(missing, p)
		}
	}
	looks := make([]*look, len(missing))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, p := range missing {
		group.Go(func() error {
			l := x.look(p, true)
			if l.digest != "" {
				l.script = newScript(p, l.content)
			}
			looks[i] = l
			return nil
		})
	}
	_ = group.Wait() // none fails
	for i, p := range missing {
		x.put(p, looks[i])
	}
}

// linked follows symbolic links from a path. It tells where they lead, "" when
// the path is no link or leads nowhere, and every step.
func (x *index) linked(p, abs string) (target string, steps []string) {
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		if target = x.slash(real); target == p {
			return "", nil
		}
		steps = append(steps, target)
	}
	for range maxLinks {
		to, err := os.Readlink(abs)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(abs), to)
		}
		abs = to
		steps = append(steps, x.slash(abs))
	}
	return target, steps
}

// maxLinks bounds a chain of symbolic links, as systems do.
const maxLinks = 40

// leadingTo lists the links that lead to any of the paths or below them.
func (x *index) leadingTo(paths map[string]bool) []string {
	var links []string
	for target, from := range x.links {
		for p := range paths {
			if target == p || below(target, p) {
				links = append(links, from...)
				break
			}
		}
	}
	return links
}

// digestOf hashes a regular file's execute bit and content, and gives the
// content when it is to be kept. A file that cannot be read differs from one
// that is not there.
func digestOf(abs string, keep bool) (digest string, content []byte, err error) {
	info, err := os.Stat(abs)
	if err != nil {
		return "", nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for its writer
		return "", nil, &fs.PathError{Op: "read", Path: abs, Err: fs.ErrInvalid}
	}
	sum := sha256.New()
	runnable := byte('-')
	if info.Mode()&0o111 != 0 {
		runnable = 'x'
	}
	sum.Write([]byte{runnable})
	if keep {
		content, err = os.ReadFile(abs)
		sum.Write(content)
	} else {
		err = copyFile(sum, abs)
	}
	if err != nil {
		return "unreadable", nil, err
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), content, nil
}

// copyFile writes a file's content, however long it is.
func copyFile(to io.Writer, abs string) error {
	r, err := os.Open(abs)
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(to, r)
	return err
}

// read is a file's content, for those that look into it.
func (x *index) read(p string) ([]byte, error) {
	f, content := x.load(p, true)
	return content, f.err
}

// existing is the digest of a file that can be read.
func (x *index) existing(p string) (string, error) {
	f := x.get(p)
	return f.digest, f.err
}

// namesOf lists the regular files directly in a directory.
func (x *index) namesOf(dir string) []string {
	entries, err := os.ReadDir(x.abs(dir))
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	return names
}

// glob adds the files below a directory that match a pattern.
func (x *index) glob(base, pattern string, found map[string]bool) {
	matches, err := doublestar.Glob(os.DirFS(x.abs(base)), pattern, doublestar.WithFilesOnly())
	if err != nil {
		return
	}
	for _, m := range matches {
		found[path.Join(base, m)] = true
	}
}

// unchanged reports whether a path holds what it held: the same content by the
// same links, or nothing, as before.
func (x *index) unchanged(p string, f *file) bool {
	l := x.look(p, false)
	if f.digest == "" && !(errors.Is(f.err, fs.ErrNotExist) && errors.Is(l.err, fs.ErrNotExist)) {
		return false // a directory says nothing of what is below it
	}
	return l.digest == f.digest && l.target == f.target && slices.Equal(l.steps, f.steps)
}

// drop forgets a path and what is below it.
func (x *index) drop(p string) {
	f, ok := x.files[p]
	delete(x.files, p)
	if ok && f.digest != "" {
		return
	}
	for known := range x.files {
		if below(known, p) {
			delete(x.files, known)
		}
	}
}

// below reports whether a path lies in a directory.
func below(p, dir string) bool {
	return dir == "." && !path.IsAbs(p) || strings.HasPrefix(p, dir+"/")
}
