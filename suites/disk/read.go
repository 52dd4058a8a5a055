package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// A Reader reads files that a project names. The zero value reads any regular
// file, wherever it lies.
type Reader struct {
	Root   string                 // absolute; what lies elsewhere in truth is refused. "": nothing is
	Agreed []string               // real paths of files and directories elsewhere that may be read all the same
	Hidden func(path string) bool // of a real path: it is not read. Nil: none is
}

// ReadFile reads a regular file of at most limit bytes. Links are followed as
// far as the Reader may. The error is an *Error where the file was refused.
func (r Reader) ReadFile(path string, limit int64) ([]byte, error) {
	f, err := r.Open(path, limit)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, path, limit)
}

// Open opens what ReadFile would read.
func (r Reader) Open(path string, limit int64) (*os.File, error) {
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
	f, err := os.OpenFile(real, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if err := r.same(f, path, real, before); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// Resolve gives the real path of a file if the Reader may read it.
func (r Reader) Resolve(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	if real, err = filepath.Abs(real); err != nil {
		return "", err
	}
	if r.Root != "" && !r.inside(real) {
		return "", &Error{path, Outside, real}
	}
	if r.Hidden != nil && r.Hidden(real) {
		return "", &Error{path, Hidden, ""}
	}
	return real, nil
}

func (r Reader) inside(real string) bool {
	root, err := filepath.EvalSymlinks(r.Root)
	if err != nil {
		return false
	}
	return within(root, real) || slices.ContainsFunc(r.Agreed, func(a string) bool { return within(a, real) })
}

// same makes sure that what was opened is what was looked at, and still there.
func (r Reader) same(f *os.File, path, real string, before fs.FileInfo) error {
	opened, err := f.Stat()
	if err != nil {
		return err
	}
	again, err := r.Resolve(path)
	if err != nil {
		return err
	}
	if again != real || !os.SameFile(before, opened) {
		return &Error{path, Moved, ""}
	}
	return nil
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

func tooLarge(path string, limit int64) error {
	return &Error{path, Size, fmt.Sprintf("more than %d bytes", limit)}
}

// readAll reads a file that may grow meanwhile.
func readAll(f io.Reader, path string, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		return nil, tooLarge(path, limit)
	}
	return b, err
}

// IsRefused reports whether err is that of a file that was refused, rather than
// one of the system.
func IsRefused(err error) bool {
	var refused *Error
	return errors.As(err, &refused)
}
