// Package reference contains the starter projects: hooks, their settings and configuration, and
// documents whose markers name the dependencies of their tests.
package reference

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"hookwatch/suites/disk"
)

// A Starter is a project to begin with. Its files are embedded one by one, in a file named after
// it, because embedding a folder would include files that runs have left in it.
type Starter struct {
	Name  string // also the name of its folder here
	About string // the purpose of its hooks, in a line
	files embed.FS
}

// A File is one file of a starter project.
type File struct {
	Path    string      // slash path from the project's root
	Mode    fs.FileMode // permission bits, 0755 for scripts
	Content []byte
}

// Files returns the project's files, sorted by path. The caller owns the result.
func (s Starter) Files() []File {
	var files []File
	err := fs.WalkDir(s.files, s.Name, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := s.files.ReadFile(name)
		files = append(files, File{strings.TrimPrefix(name, s.Name+"/"), mode(name), content})
		return err
	})
	if err != nil {
		panic(err) // the file system is part of the program
	}
	return files
}

// mode returns the permission bits, which embedding drops.
func mode(name string) fs.FileMode {
	if path.Ext(name) == ".sh" {
		return 0o755
	}
	return 0o644
}

// Extract writes the project into dir, which it creates if it is missing, and returns the slash
// paths of the written files, relative to dir. It overwrites nothing: if any of the files
// exists, it writes none and returns an error that lists them. It follows no link below dir.
func (s Starter) Extract(dir string) (written []string, err error) {
	files := s.Files()
	if err := checkFree(dir, files); err != nil {
		return nil, err
	}
	made, err := disk.Make(disk.Existing(dir), dir)
	if err != nil {
		return nil, fmt.Errorf("starter project: %w", err)
	}
	defer made.Close()
	for _, f := range files {
		if err := create(dir, f); err != nil {
			return written, fmt.Errorf("starter project: %w", err)
		}
		written = append(written, f.Path)
	}
	return written, nil
}

// checkFree returns an error if any of the project's files exists already.
func checkFree(dir string, files []File) error {
	var taken []string
	for _, f := range files {
		switch there, err := exists(dir, f); {
		case err != nil:
			return fmt.Errorf("starter project: %w", err)
		case there:
			taken = append(taken, f.Path)
		}
	}
	if len(taken) > 0 {
		return fmt.Errorf("%s: %w, nothing was written: %s (choose an empty directory, or move them away)",
			dir, fs.ErrExist, strings.Join(taken, ", "))
	}
	return nil
}

// exists reports whether a file of the project exists. A link on its path is an error.
func exists(dir string, f File) (bool, error) {
	name := filepath.Join(dir, filepath.FromSlash(f.Path))
	d, err := disk.Open(dir, filepath.Dir(name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer d.Close()
	_, err = d.Lstat(filepath.Base(name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, errors.Join(err, d.CheckFile(filepath.Base(name)))
}

// create writes one new file, and fails if it appeared since the check.
func create(dir string, f File) error {
	name := filepath.Join(dir, filepath.FromSlash(f.Path))
	d, err := disk.Make(dir, filepath.Dir(name))
	if err != nil {
		return err
	}
	defer d.Close()
	out, err := d.Create(filepath.Base(name), f.Mode)
	if err != nil {
		return err
	}
	_, err = out.Write(f.Content)
	return errors.Join(err, out.Close())
}
