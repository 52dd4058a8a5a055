package isolate

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// LinkBelow makes a symbolic link in a directory, as LinkIn does.
func LinkBelow(dir, name, target string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return LinkIn(root, name, target)
}

// LinkIn makes a symbolic link, and the directories above it. What lies there
// already stays.
func LinkIn(root *os.Root, name, target string) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := root.Symlink(target, name); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
