package firstsuite

import (
	"errors"
	"io/fs"
	"path/filepath"

	"hookwatch/config"
	"hookwatch/suites/disk"
)

// Write makes what is absent of the configuration and the first suite, and names what
// it made and what was there.
func Write(root, suite string, hooks []Hook) (written, kept []string, err error) {
	for _, f := range []struct {
		name    string
		content []byte
	}{{config.FileName, config.Example()}, {suite, For(hooks)}} {
		err := writeNew(root, f.name, f.content)
		switch {
		case errors.Is(err, fs.ErrExist) && !disk.IsRefused(err):
			kept = append(kept, f.name)
		case err != nil:
			return written, kept, err
		default:
			written = append(written, f.name)
		}
	}
	return written, kept, nil
}

// writeNew makes a file of the project. No link below the root is followed.
func writeNew(root, name string, content []byte) error {
	path := filepath.Join(root, filepath.FromSlash(name))
	d, err := disk.Make(root, filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	f, err := d.Create(filepath.Base(path), 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}
