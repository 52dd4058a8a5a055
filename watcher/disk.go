package watcher

import (
	"io/fs"
	"os"
	"syscall"
)

// A disk is what the watcher knows of a file system. It follows symbolic links
// itself, one name at a time.
type disk interface {
	Lstat(path string) (fs.FileInfo, error)
	Readlink(path string) (string, error)
	ReadDir(path string) ([]fs.DirEntry, error)
	Open(path string) (fs.File, error)
}

// The systemDisk is the real one.
type systemDisk struct{}

func (systemDisk) Lstat(path string) (fs.FileInfo, error)     { return os.Lstat(path) }
func (systemDisk) Readlink(path string) (string, error)       { return os.Readlink(path) }
func (systemDisk) ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(path) }

// Open does not wait for a writer if a pipe took the place of a file.
func (systemDisk) Open(path string) (fs.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	return f, nil
}
