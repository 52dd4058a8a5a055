package watcher

import (
	"io/fs"
	"os"
	"syscall"
)

// A filesystem is the part of a file system that the watcher uses. The watcher follows
// symbolic links itself, one name at a time.
type filesystem interface {
	Lstat(path string) (fs.FileInfo, error)
	Readlink(path string) (string, error)
	ReadDir(path string) ([]fs.DirEntry, error)
	Open(path string) (fs.File, error)
}

// A system is the real file system.
type system struct {
	open func(path string) (fs.File, error) // nil means openNonblocking
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

// openNonblocking opens a file without waiting for a writer if a pipe replaced it.
func openNonblocking(path string) (fs.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	return f, nil
}
