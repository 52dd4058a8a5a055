package depend

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"

	"golang.org/x/sync/errgroup"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// An index caches the digests of files and the analyses of scripts.
type index struct {
	reader disk.Reader
	root   string
	real   string // root with its symbolic links resolved
	files  map[string]*file
	links  map[string][]string       // target -> paths that lead to it
	newer  map[string]bool           // paths that had changed before Refresh named them
	dirs   map[string]disk.Signature // of directories whose names were read, by path with a slash

	passing func(name string) bool // see Project.Passing
}

// A file is the state of a path. The digest is "" if no regular file exists there.
type file struct {
	path   string // the key in the index: the one copy that everything else shares
	digest string
	// signature is that of the file before this content was read.
	signature disk.Signature
	err       error
	target    string   // where symbolic links lead, if it is one
	link      string   // the text of the link, "" if it is none; the directories above it may be links
	steps     []string // of the chain of links, also if it is broken
	script    *Script  // nil until first used
}

func newIndex(p Project) *index {
	x := &index{reader: p.Reader, root: filepath.Clean(p.Root), files: map[string]*file{}, links: map[string][]string{}, newer: map[string]bool{}, dirs: map[string]disk.Signature{}, passing: p.Passing}
	x.real = x.root
	if real, err := filepath.EvalSymlinks(x.root); err == nil {
		x.real = real
	}
	return x
}

// size returns the number of cached paths.
func (x *index) size() int { return len(x.files) + len(x.links) }

// slash converts a path of the system, or one from the root, to a slash path from the root,
// which is absolute for places outside it.
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

// get returns the state of a path and reads it at most once.
func (x *index) get(p string) *file {
	if f, ok := x.files[p]; ok {
		return f
	}
	f, _ := x.load(p, false)
	return f
}

// script is like get for a script, which it analyses from the same bytes that the digest covers.
func (x *index) script(p string) *file {
	if f, ok := x.files[p]; ok && (f.script != nil || f.digest == "") {
		return f
	}
	f, content := x.load(p, true)
	if f.digest != "" {
		f.script = scriptOf(p, f.err, content)
	}
	return f
}

// scriptOf analyses content, or returns a script that explains why it was not read.
func scriptOf(p string, err error, content []byte) *Script {
	if err != nil {
		return unread(err)
	}
	return readScript(p, content)
}

func (x *index) load(p string, keep bool) (*file, []byte) {
	return x.put(p, x.look(p, keep))
}

// A look is the state of a path before it is cached.
type look struct {
	file
	content []byte
}

// look reads a path without changing the cache.
func (x *index) look(p string, keep bool) *look {
	abs := x.abs(p)
	l := &look{}
	f, err := x.reader.Anywhere().Open(abs, digestAtMost)
	if disk.ReasonOf(err) == disk.Absent { // the same whatever the machine has there
		_, l.link, l.steps = x.linked(p, abs, "")
		return l
	}
	if err != nil {
		real, _ := filepath.EvalSymlinks(abs)
		l.target, l.link, l.steps = x.linked(p, abs, real)
		l.signature = SignatureOf(p, abs)
		l.digest, l.err = refused(abs, err)
		return l
	}
	defer f.Close()
	l.signature = disk.SignatureOf(f.Info)
	l.target, l.link, l.steps = x.linked(p, abs, f.Real)
	if isIndex(p) && f.Info.Size() <= mostStaged {
		content, err := f.ReadAll(mostStaged)
		if l.err = err; err == nil {
			if entries, err := staged(content); err == nil {
				content = entries
			}
			l.digest = suites.Digest(content)
		}
		return l
	}
	l.digest, l.content, l.err = digestOf(f, keep)
	return l
}

func (x *index) put(p string, l *look) (*file, []byte) {
	if old := x.files[p]; l.script == nil && old != nil && old.digest == l.digest {
		l.script = old.script
	}
	f := l.file
	f.path = p
	if old := x.files[p]; old != nil {
		f.path = old.path
		if !l.same(old) {
			x.newer[p] = true // analyses may have used the earlier state
			f.signature = old.signature
		}
	}
	x.files[p] = &f
	for _, step := range l.steps {
		if !slices.Contains(x.links[step], p) {
			x.links[step] = append(x.links[step], p)
		}
	}
	return &f, l.content
}

// SignatureOf returns the present signature of an input at an absolute path, zero if nothing exists
// there. Of a directory whose names are not read it is the same whatever the directory contains.
func SignatureOf(input, abs string) disk.Signature {
	fi, err := os.Stat(abs)
	switch {
	case err != nil:
		return disk.Signature{}
	case fi.IsDir() && !strings.HasSuffix(input, "/"):
		return disk.Signature{Mode: fs.ModeDir}
	}
	return disk.SignatureOf(fi)
}

// signature returns the signature that an input had when it was read.
func (x *index) signature(p string) disk.Signature {
	if s, known := x.dirs[p]; known {
		return s
	}
	return x.get(p).signature
}

// prepare analyses scripts that are not cached, several in parallel.
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
				l.script = scriptOf(p, l.err, l.content)
			}
			looks[i] = l
			return nil
		})
	}
	_ = group.Wait() // no function returns an error
	for i, p := range missing {
		looks[i].script = looks[i].script.compact()
		x.put(p, looks[i])
	}
}

// linked follows symbolic links from a path, as far as cases see them. It returns the final target,
// "" if the path is no link or the link is broken, the text of the first link, and every step. real
// is the target, "" if there is none.
func (x *index) linked(p, abs, real string) (target, link string, steps []string) {
	if real != "" {
		if target = x.slash(real); target == p {
			return "", "", nil
		}
		steps = append(steps, target)
	}
	for range maxLinks {
		to, err := os.Readlink(abs)
		if err != nil || !x.reader.Sees(abs) {
			break
		}
		if len(link) == 0 {
			link = to
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(abs), to)
		}
		abs = to
		steps = append(steps, x.slash(abs))
	}
	return target, link, steps
}

// maxLinks limits the length of a chain of symbolic links, as operating systems do.
const maxLinks = 40

// leadingTo returns the links that lead to any of the paths or below them.
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

// read returns a file's content.
func (x *index) read(p string) ([]byte, error) {
	f, content := x.load(p, true)
	return content, f.err
}

// document is like read for a file that must be inside the project.
func (x *index) document(p string) ([]byte, error) {
	if _, err := x.reader.Resolve(x.abs(p)); err != nil {
		return nil, err
	}
	return x.read(p)
}

// existing returns the digest of a file that can be read.
func (x *index) existing(p string) (string, error) {
	f := x.get(p)
	if f.digest != "" && disk.ReasonOf(f.err) == disk.Size {
		return f.digest, nil // it exists, but cannot be analysed
	}
	return f.digest, f.err
}

// namesOf returns the regular files directly in a directory.
func (x *index) namesOf(dir string) []string {
	real, err := x.reader.Anywhere().Resolve(x.abs(dir))
	if err != nil {
		return nil
	}
	entries, err := os.ReadDir(real)
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

// glob adds the files below a directory that match a pattern to found.
func (x *index) glob(base, pattern string, found map[string]bool) {
	matches, err := x.reader.Find(disk.Search{Base: x.abs(base), Pattern: pattern})
	if err != nil {
		return
	}
	for _, m := range matches {
		found[path.Join(base, m)] = true
	}
}

// below reports whether a path is inside a directory.
func below(p, dir string) bool {
	return dir == "." && !path.IsAbs(p) || strings.HasPrefix(p, dir+"/")
}

func (l *look) same(f *file) bool {
	return l.digest == f.digest && l.target == f.target && l.link == f.link && slices.Equal(l.steps, f.steps)
}

// Size limits in bytes. Larger files than lookAtMost are not analysed; larger ones than
// digestAtMost are compared by size and time.
const (
	lookAtMost   = 1 << 20
	digestAtMost = 64 << 20
)

// Digests of files whose content is not read. They differ from the digest of a missing file,
// which is "".
const (
	unreadable = "unreadable"
	masked     = "masked" // regardless of content: not even its digest is kept
)

// digestOf hashes a file's execute bit and content. It returns the content if keep is set and it
// is not too large.
func digestOf(f *disk.File, keep bool) (digest string, content []byte, err error) {
	sum := sha256.New()
	runnable := byte('-')
	if f.Info.Mode()&0o111 != 0 {
		runnable = 'x'
	}
	sum.Write([]byte{runnable})
	switch {
	case !keep:
		_, err = io.Copy(sum, io.LimitReader(f, digestAtMost))
	case f.Info.Size() > lookAtMost:
		head := make([]byte, headSize)
		if _, err = io.ReadFull(f, head); err == nil {
			sum.Write(head)
			_, err = io.Copy(sum, io.LimitReader(f, digestAtMost-headSize))
		}
		switch {
		case err != nil:
		case IsBinary(head): // a program, whose text is not analysed
			content = head
		default:
			return hex.EncodeToString(sum.Sum(nil)[:16]), nil, &disk.Error{Path: f.Real, Reason: disk.Size, Detail: fmt.Sprintf("more than %d MB", lookAtMost>>20)}
		}
	default:
		content, err = f.ReadAll(lookAtMost)
		sum.Write(content)
	}
	if err != nil {
		return unreadable, nil, err
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), content, nil
}

// refused returns the digest of a file that was not opened.
func refused(abs string, err error) (digest string, why error) {
	switch disk.ReasonOf(err) {
	case disk.Hidden:
		return masked, err
	case disk.Size:
		fi, statErr := os.Stat(abs)
		if statErr != nil {
			return "", statErr
		}
		return fmt.Sprintf("~%x-%x", fi.Size(), fi.ModTime().UnixNano()), err
	case disk.Kind:
		return "", &fs.PathError{Op: "read", Path: abs, Err: fs.ErrInvalid}
	}
	if fi, statErr := os.Stat(abs); statErr == nil && fi.Mode().IsRegular() {
		return unreadable, err
	}
	return "", err
}

// unread returns the Script for a file whose content is not read and may use anything.
func unread(err error) *Script {
	why := "it cannot be read"
	switch disk.ReasonOf(err) {
	case disk.Hidden:
		why = "it is masked"
	case disk.Size:
		why = fmt.Sprintf("it is larger than %d MB", lookAtMost>>20)
	}
	return &Script{Language: why, Computed: why}
}

// A listing is the content of the hook directories.
type listing struct {
	files   []string            // sorted
	byBase  map[string][]string // basename -> files
	byDir   map[string][]string // basename of a directory inside -> directories
	dirs    map[string]bool
	unusual []string // files whose basename is not a single word in a script

	behind  map[string]bool // real directories that were listed behind a link
	entries int             // number of entries in them, counted each time
}

// linkedEntries is the number of entries that are listed behind links before further links only
// add directories that no link has led to, because a hundred links to one large directory must
// not multiply its entries by a hundred. It is far above the size of hook directories.
const linkedEntries = 4000

// A way is the path on which a directory was reached.
type way struct {
	above []string        // the real directories on it
	seen  map[string]bool // real directories that were listed; behind a link, since that link
	link  bool            // it contains a link

	passing func(name string) bool
}

// walk lists a directory, through symbolic links, each real directory once, and again behind
// every outermost link that leads to it, so that the list does not depend on the current targets
// of links. A link behind a link only adds directories that the outer one has not led to. See
// also linkedEntries.
func (l *listing) walk(x *index, dir string, w way) {
	l.dirs[dir] = true
	real, err := filepath.EvalSymlinks(x.abs(dir))
	if err != nil || w.seen[real] || slices.Contains(w.above, real) {
		return
	}
	w.seen[real] = true
	w.above = append(slices.Clip(w.above), real)
	if len(w.above) > 1 {
		l.byDir[path.Base(dir)] = append(l.byDir[path.Base(dir)], dir)
	}
	entries, err := os.ReadDir(real)
	if err != nil {
		return
	}
	if w.link {
		l.behind[real] = true
		l.entries += len(entries)
	}
	for _, e := range entries {
		if w.passing != nil && w.passing(e.Name()) {
			continue
		}
		name := path.Join(dir, e.Name())
		mode, inner := e.Type(), w
		if mode&fs.ModeSymlink != 0 {
			x.get(name) // remembers its target in case that appears
			if info, err := os.Stat(x.abs(name)); err == nil && (!info.IsDir() || x.leadsInside(name)) {
				mode = info.Mode()
			}
			if !w.link {
				inner.link, inner.seen = true, l.seenBehind()
			}
		}
		switch {
		case mode.IsRegular():
			l.files = append(l.files, name)
		case mode.IsDir() && !disk.IgnoredDir(e.Name()):
			l.walk(x, name, inner)
		}
	}
}

// seenBehind returns the real directories that must not be listed behind another link.
func (l *listing) seenBehind() map[string]bool {
	if l.entries < linkedEntries {
		return map[string]bool{}
	}
	return l.behind
}

// leadsInside reports whether a link to a directory stays in the project, because a link to the
// root of the file system must not make all of it part of the project.
func (x *index) leadsInside(name string) bool {
	root, err := filepath.EvalSymlinks(x.abs("."))
	if err != nil {
		return false
	}
	real, err := filepath.EvalSymlinks(x.abs(name))
	return err == nil && below(filepath.ToSlash(real), filepath.ToSlash(root))
}

// has reports whether a file was listed.
func (l *listing) has(p string) bool {
	i := sort.SearchStrings(l.files, p)
	return i < len(l.files) && l.files[i] == p
}

// in returns the files of a directory and of its subdirectories.
func (l *listing) in(dir string) []string {
	var files []string
	for _, f := range l.files {
		if below(f, dir) {
			files = append(files, f)
		}
	}
	return files
}
