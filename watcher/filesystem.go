package watcher

import (
	"io/fs"
	"os"
	"syscall"
)

// A filesystem is what the watcher knows of a file system. It follows symbolic links
// itself, one name at a time.
type filesystem interface {
	Lstat(path string) (fs.FileInfo, error)
	Readlink(path string) (string, error)
	ReadDir(path string) ([]fs.DirEntry, error)
	Open(path string) (fs.File, error)
}

// The system's is the real one.
type system struct {
	open func(path string) (fs.File, error) // nil: openNonblocking
}

func (system) Lstat(path string) (fs.FileInfo, error)     { return os.Lstat(path) }
func (system) Readlink(path string) (string, error)       { return os.Readlink(path) }
func (system) ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(path) }

func (s system) Open(path string) (fs.File, error) {
	if s.open != nil {
		return s.open(path)
	}
	return openNonblocking(path)
}

// openNonblocking does not wait for a writer if a pipe took the place of a file.
func openNonblocking(path string) (fs.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	return f, nil
}
