package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A Reader reads files that a project names. The zero value reads any regular file at any
// path.
type Reader struct {
	// Absolute path; files whose real path is elsewhere are refused; "" means none are.
	Root   string
	Agreed []string // real paths of files and directories outside Root that may be read
	// World returns Hidden or Absent if cases do not see what is at a path whose directories are no
	// links, and 0 if they do. If nil, they see everything.
	World  func(path string) Reason
	Pinned *Pinned // cache of recently saved files; may be nil
}

// Anywhere returns a Reader that also reads files outside the project, because a script
// may use all files that its case sees.
func (r Reader) Anywhere() Reader { return Reader{World: r.World, Pinned: r.Pinned} }

// A File is an open regular file and its metadata.
type File struct {
	io.ReadCloser
	Real string // the path without symbolic links
	Info fs.FileInfo
}

// ReadFile reads a regular file of at most limit bytes. It follows links to files that the
// Reader may read. The error is an *Error if the file was refused.
func (r Reader) ReadFile(path string, limit int64) ([]byte, error) {
	f, err := r.Open(path, limit)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, path, f.Info.Size(), limit)
}

// Open opens a file that ReadFile could read. It never opens a pipe or device, even if one
// replaces a file in the meantime.
func (r Reader) Open(path string, limit int64) (*File, error) {
	real, err := r.Resolve(path)
	if err != nil {
		return nil, err
	}
	before, err := os.Lstat(real)
	if err == nil {
		err = checkFile(path, before, limit)
	}
	if err != nil {
		return nil, err
	}
	if v, ok := r.Pinned.of(real, before); ok {
		return &File{v.open(), real, v.info}, nil
	}
	f, err := openReal(real)
	if err != nil {
		return nil, err
	}
	opened, err := f.Stat()
	if err == nil && !os.SameFile(before, opened) {
		err = &Error{path, Moved, ""}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	if r.Pinned.isOutdated(real, opened) {
		v, err := r.Pinned.take(f, real, opened)
		if err != nil {
			return nil, err
		}
		return &File{v.open(), real, v.info}, nil
	}
	return &File{f, real, opened}, nil
}

// ReadAll reads an opened file of at most limit bytes.
func (f *File) ReadAll(limit int64) ([]byte, error) {
	return readAll(f, f.Real, f.Info.Size(), limit)
}

// Resolve returns the real path of a file or directory if the Reader may read it.
func (r Reader) Resolve(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", err
	}
	if r.Root != "" && !r.inside(real) {
		return "", &Error{path, Outside, real}
	}
	if reason := r.meaning(abs, real); reason != 0 {
		return "", &Error{path, reason, ""}
	}
	return real, nil
}

// Stat returns the metadata of a file or directory that the Reader may read.
func (r Reader) Stat(path string) (fs.FileInfo, error) {
	real, err := r.Resolve(path)
	if err != nil {
		return nil, err
	}
	return os.Stat(real)
}

// meaning returns why cases do not see a file: where its path leads, or a link on the way is not in
// their world.
func (r Reader) meaning(path, real string) Reason {
	if r.World == nil {
		return 0
	}
	if path == real {
		return r.World(real)
	}
	for _, place := range append(Links(path), real) {
		if reason := r.World(place); reason != 0 {
			return reason
		}
	}
	return 0
}

// Sees reports whether cases see what is at an absolute path itself, which may be a link.
func (r Reader) Sees(path string) bool {
	if r.World == nil {
		return true
	}
	dir := filepath.Dir(path)
	hidden := func(p string) bool { return r.World(p) != 0 }
	return !slices.ContainsFunc(Links(dir), hidden) && !hidden(filepath.Join(Real(dir), filepath.Base(path)))
}

// Links returns the links on the way along an absolute path, each with the real path of its
// directory.
func Links(path string) (links []string) {
	rest, at := strings.Split(filepath.ToSlash(filepath.Clean(path)), "/"), string(filepath.Separator)
	for left := maxLinks; len(rest) > 0 && left > 0; {
		at, rest = filepath.Join(at, rest[0]), rest[1:]
		target, err := os.Readlink(at)
		if err != nil {
			continue
		}
		left--
		links = append(links, at)
		rest = append(strings.Split(filepath.ToSlash(target), "/"), rest...)
		if at = filepath.Dir(at); filepath.IsAbs(target) {
			at = string(filepath.Separator)
		}
	}
	return links
}

func (r Reader) inside(real string) bool {
	if Within(r.Root, real) { // then the root is a real path as well
		return true
	}
	root, err := filepath.EvalSymlinks(r.Root)
	return err == nil && Within(root, real) ||
		slices.ContainsFunc(r.Agreed, func(a string) bool { return Within(a, real) })
}

func checkFile(path string, fi fs.FileInfo, limit int64) error {
	switch {
	case !fi.Mode().IsRegular():
		return &Error{path, Kind, kindOf(fi.Mode())}
	case fi.Size() > limit:
		return tooLarge(path, limit)
	}
	return nil
}

// ReasonOf returns the reason why a file was refused, or 0 for an error of the system.
func ReasonOf(err error) Reason {
	var refused *Error
	if errors.As(err, &refused) {
		return refused.Reason
	}
	return 0
}

// IsRefused reports whether err is about a file that was refused, rather than an error of
// the system.
func IsRefused(err error) bool { return ReasonOf(err) != 0 }

// readAll reads a file of about the given size, which may grow in the meantime. It
// allocates no more than the content needs, because contents stay in memory.
func readAll(f io.Reader, path string, size, limit int64) ([]byte, error) {
	if size <= 0 {
		size = unknownSize
	}
	f = io.LimitReader(f, limit+1)
	b := make([]byte, 0, min(size, limit)+1) // with room for the read that finds the end
	for {
		n, err := f.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case int64(len(b)) > limit:
			return nil, tooLarge(path, limit)
		case errors.Is(err, io.EOF):
			return b, nil
		case err != nil:
			return b, err
		case len(b) == cap(b):
			b = slices.Grow(b, len(b))
		}
	}
}

// unknownSize is the initial size in bytes of the buffer for files without a size.
const unknownSize = 4 << 10

func tooLarge(path string, limit int64) error {
	return &Error{path, Size, fmt.Sprintf("more than %d bytes", limit)}
}

// openAndLook opens a file and checks that its path still has no symbolic links.
func openAndLook(real string) (*os.File, error) {
	f, err := os.OpenFile(real, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if again, err := filepath.EvalSymlinks(real); err != nil || again != real {
		_ = f.Close()
		return nil, &Error{real, Moved, ""}
	}
	return f, nil
}

// A Signature changes when a file is written, as far as the system can detect it without
// reading the file, even if the content or the modification time is set back. The zero
// value means that there is no file.
type Signature struct {
	ID       FileID
	Size     int64 // bytes
	Modified int64 // nanoseconds since 1970
	// Time of the last change to the content or metadata, in nanoseconds since 1970; 0 if the
	// system does not report it.
	Changed int64
	Mode    fs.FileMode
}

// SignatureOf returns the signature of the file that info describes.
func SignatureOf(info fs.FileInfo) Signature {
	id, changed := systemFacts(info)
	return Signature{id, info.Size(), info.ModTime().UnixNano(), changed, info.Mode()}
}

// ClockStep is the largest difference between the clock and the times of files, which the kernel
// updates only with each tick.
const ClockStep = 10 * time.Millisecond

// LastChange returns the time at which the file was changed last.
func (s Signature) LastChange() time.Time { return time.Unix(0, max(s.Modified, s.Changed)) }

// LastChange returns the time at which the file or directory at a path was changed, created or removed last, or a
// later one: the removal of what is missing changed the nearest directory that exists. It is zero if there is none.
func LastChange(path string) time.Time {
	for {
		if info, err := os.Stat(path); err == nil {
			return SignatureOf(info).LastChange()
		}
		above := filepath.Dir(path)
		if above == path {
			return time.Time{}
		}
		path = above
	}
}

// IDOf returns the ID of the file that info describes, or zero if the system does not
// report it.
func IDOf(info fs.FileInfo) FileID {
	id, _ := systemFacts(info)
	return id
}

// racyWindow is the age that a file's times must have for its signature to be reliable:
// within it, a second write may not change them. The coarsest file system in use has a
// resolution of two seconds.
const racyWindow = 2 * time.Second

// Racy reports whether a file read at t may be written again without its signature
// changing. This includes files with times in the future.
func (s Signature) Racy(t time.Time) bool {
	return max(s.Modified, s.Changed) > t.Add(-racyWindow).UnixNano()
}
