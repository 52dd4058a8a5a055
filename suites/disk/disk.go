// Package disk accesses files that someone else may have prepared: a cloned project is
// data, and its links, pipes and devices must not lead hookwatch elsewhere. hookwatch
// writes, replaces and deletes files through a Dir, which follows no link, and reads files
// of a project through a Reader, which only opens regular files of limited size that are
// not hidden.
package disk

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"unicode"
	"unicode/utf8"
)

// A Reason is the reason why a file was refused.
type Reason int

// Reasons for refusing a file.
const (
	Link   Reason = iota + 1 // a symbolic link is in the way
	Shared                   // the file has other names (hard links), which a write would change too
	// A directory, pipe, socket or device instead of a file, or a file instead of a directory.
	Kind
	Size    // the file is larger than the limit
	Outside // it is outside of the project
	Hidden  // it is hidden from hooks, and so from records
	Moved   // it was replaced while it was opened
	Absent  // cases have a directory of their own there
	Foreign // it is not the user's alone, so another user may have written it
)

// An Error reports a file that was refused.
type Error struct {
	Path   string // as the caller named it
	Reason Reason
	Detail string // the kind of file, or the target of a link
}

// reasons are the texts of an Error after its path; {} is its detail.
var reasons = map[Reason]string{
	Link:    "is a symbolic link to {}: hookwatch keeps nothing through a link (remove it)",
	Shared:  "has other names (hard links), and may be a file of something else (remove it)",
	Kind:    "is a {} (remove it)",
	Size:    "is too large to read: {}",
	Outside: "leads out of the project, to {}: it is not read",
	Hidden:  "is masked: it is not read",
	Absent:  "does not exist for cases: their directory there is private",
	Moved:   "was exchanged while it was opened",
	Foreign: "is another user's, or others may write to it (remove it)",
}

// Error returns the reason and how to fix it.
func (e *Error) Error() string {
	reason := cmp.Or(reasons[e.Reason], "is refused")
	return printable(e.Path) + " " + strings.Replace(reason, "{}", printable(e.Detail), 1)
}

// Unwrap makes a file that does not exist for cases one that does not exist.
func (e *Error) Unwrap() error {
	if e.Reason == Absent {
		return fs.ErrNotExist
	}
	return nil
}

// printable quotes names that a terminal would not show unchanged.
func printable(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) || !utf8.ValidString(name) {
		return strconv.QuoteToGraphic(name)
	}
	return name
}

// kindOf returns the name of a kind of file.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "directory"
	case mode&fs.ModeNamedPipe != 0:
		return "named pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	case mode.IsRegular():
		return "file"
	default:
		return "special file"
	}
}

// maxLinks is the maximum number of links followed in one path, as on Linux.
const maxLinks = 40

// Lead returns the real path of an absolute path, with every link followed, even if no
// file exists: a broken link leads to the file that a write would create. A loop of links
// leads to itself.
func Lead(path string) string { return lead(filepath.Clean(path), maxLinks) }

func lead(path string, left int) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	target, err := os.Readlink(path)
	switch {
	case err != nil || left == 0:
		return filepath.Join(lead(parent, left), filepath.Base(path))
	case filepath.IsAbs(target):
		return lead(filepath.Clean(target), left-1)
	default:
		// ".." in a target is the parent of the real directory, not of the path.
		return lead(filepath.Join(lead(parent, left), target), left-1)
	}
}

// Existing returns path, or its nearest parent that is a directory.
func Existing(path string) string {
	path = filepath.Clean(path)
	for {
		parent := filepath.Dir(path)
		if parent == path || IsDir(path) {
			return path
		}
		path = parent
	}
}

// Within reports whether path is dir or below it, by their names.
func Within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// ByDepth compares paths, with outer ones before inner ones.
func ByDepth(a, b string) int {
	if n := strings.Count(a, "/") - strings.Count(b, "/"); n != 0 {
		return n
	}
	return strings.Compare(a, b)
}

// Real returns the path without symbolic links, or the cleaned path if no file exists.
func Real(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		return p
	}
	return filepath.Clean(path)
}

// IsDir reports whether path is a directory or a link to one.
func IsDir(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// NameLimit is the maximum length, in bytes, of the name of a suite, a case or an agent
// within a file name. File systems permit 255, but stamps, extensions and the names of
// temporary files are added.
const NameLimit = 180

// IsDevice reports whether Windows treats name, with any extension, as a device.
func IsDevice(name string) bool {
	base, _, _ := strings.Cut(strings.ToUpper(name), ".")
	switch base = strings.TrimRight(base, " "); base {
	case "CON", "PRN", "AUX", "NUL":
		return true
	}
	port := strings.TrimPrefix(strings.TrimPrefix(base, "COM"), "LPT")
	return len(base) > len(port) && len(port) == 1 && port >= "0" && port <= "9"
}

// ProgramDigest returns a digest of a program's path and signature, because its content may be too large to read.
// The ID is no part of it: that of a device may be another one after a restart. It returns "" if no file exists at
// the path.
func ProgramDigest(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	s := SignatureOf(info)
	sum := sha256.Sum256(fmt.Append(nil, path, s.Size, s.Modified, s.Changed, s.Mode))
	return hex.EncodeToString(sum[:8])
}

// Pinned caches the content of recently saved files. The watcher opens a changed file
// here; later readers with the same Pinned get the same bytes until the file's signature
// changes. So a version of a file is read once, and all results for it are based on the
// same bytes. The zero value is empty. It is safe for concurrent use.
type Pinned struct {
	mu    sync.Mutex
	files map[string]pinned // by real path
	order []string          // the oldest first
	size  int               // bytes of content
}

type pinned struct {
	info      fs.FileInfo
	signature Signature
	content   []byte
}

// Limits of the cache: the size of a file, and of all files together.
const (
	pinnedFile = 1 << 20 // bytes
	pinnedAll  = 4 << 20 // bytes
)

// Open opens and reads the file with a real path, even if it is cached, and caches its
// content. It does not wait for a writer if the file was replaced by a pipe.
func (p *Pinned) Open(real string) (fs.File, error) {
	f, err := os.OpenFile(real, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		p.forget(real)
		return nil, err
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > pinnedFile {
		p.forget(real)
		return f, nil // reading it reports the error
	}
	v, err := p.take(f, real, info)
	if err != nil {
		return nil, err
	}
	return v.open(), nil
}

// take reads an opened file to its end, closes it and caches its content.
func (p *Pinned) take(f *os.File, real string, info fs.FileInfo) (pinned, error) {
	defer f.Close()
	content, err := readAll(f, real, info.Size(), pinnedFile)
	if err != nil {
		p.forget(real)
		return pinned{}, &fs.PathError{Op: "read", Path: real, Err: err}
	}
	v := pinned{info, SignatureOf(info), content}
	p.hold(real, v)
	return v, nil
}

// isOutdated reports whether another version of a file is cached: then the file was saved
// recently and is likely to be read again.
func (p *Pinned) isOutdated(real string, now fs.FileInfo) bool {
	if p == nil || now.Size() > pinnedFile {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.files[real]
	return ok
}

// Rest empties the cache when the results for a save are complete.
func (p *Pinned) Rest() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files, p.order, p.size = nil, nil, 0
}

func (p *Pinned) forget(real string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop(real)
}

func (p *Pinned) drop(real string) {
	if v, ok := p.files[real]; ok {
		p.size -= len(v.content)
		delete(p.files, real)
	}
}

func (p *Pinned) hold(real string, v pinned) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.files == nil {
		p.files = make(map[string]pinned)
	}
	if _, ok := p.files[real]; !ok {
		p.order = append(p.order, real)
	}
	p.drop(real)
	p.files[real] = v
	p.size += len(v.content)
	for p.size > pinnedAll || len(p.order) > pinnedFiles {
		p.drop(p.order[0])
		p.order = p.order[1:]
	}
}

// pinnedFiles is the maximum number of cached files, and of names of those that were
// cached.
const pinnedFiles = 200

// of returns the content of the file with a real path, if it is cached and the file has
// not changed.
func (p *Pinned) of(real string, now fs.FileInfo) (v pinned, ok bool) {
	if p == nil {
		return pinned{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	v, ok = p.files[real]
	return v, ok && v.signature == SignatureOf(now)
}

// open returns the content as an open file.
func (v pinned) open() *held { return &held{Reader: bytes.NewReader(v.content), info: v.info} }

// A held file is an open file with its content in memory.
type held struct {
	*bytes.Reader
	info fs.FileInfo
}

func (h *held) Stat() (fs.FileInfo, error) { return h.info, nil }
func (h *held) Close() error               { return nil }

var _ io.ReadCloser = (*held)(nil)
