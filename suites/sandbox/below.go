package sandbox

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// readBelow reads a regular file of at most limit bytes in a directory whose content is untrusted:
// it follows no link out of the directory and does not block on a pipe.
func readBelow(dir, name string, limit int64) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return readIn(root, name, limit, false)
}

// readIn reads a regular file as readBelow does. If the file is larger than limit, it returns the
// first limit bytes if cut is set, else an error.
func readIn(root *os.Root, name string, limit int64, cut bool) ([]byte, error) {
	fi, err := root.Stat(name) // checked first, because opening a device may have effects
	if err == nil && !fi.Mode().IsRegular() {
		err = fmt.Errorf("%s: no file", name)
	}
	if err != nil {
		return nil, err
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err = f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !fi.Mode().IsRegular():
		return nil, fmt.Errorf("%s: no file", name)
	case fi.Size() > limit && !cut:
		return nil, fmt.Errorf("%s: %d bytes, more than %d", name, fi.Size(), limit)
	}
	return io.ReadAll(io.LimitReader(f, limit))
}

// listIn returns the names of the regular files in a directory, or an error if there are more than
// limit entries.
func listIn(root *os.Root, name string, limit int) ([]string, error) {
	dir, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(limit + 1)
	switch {
	case err != nil && err != io.EOF:
		return nil, err
	case len(entries) > limit:
		return nil, fmt.Errorf("%s: more than %d entries", name, limit)
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// linkBelow creates a symbolic link in a directory, as linkIn does.
func linkBelow(dir, name, target string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return linkIn(root, name, target)
}

// linkIn creates a symbolic link and its parent directories. It keeps whatever exists at name.
func linkIn(root *os.Root, name, target string) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := root.Symlink(target, name); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// emptyBelow removes everything in a subdirectory of a directory.
func emptyBelow(dir, name string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	in, err := root.OpenRoot(name)
	if err != nil {
		return err
	}
	defer in.Close()
	entries, err := fs.ReadDir(in.FS(), ".")
	for _, e := range entries {
		err = errors.Join(err, in.RemoveAll(e.Name()))
	}
	return err
}
