// Package reference holds the starter projects: hooks, their settings and
// configuration, and documents whose markers say what their tests depend on.
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

// A Starter is a project to begin with. Its files are embedded one by one, in a file
// named after it: a folder would bring along whatever runs have left in it.
type Starter struct {
	Name  string // also of its folder here
	About string // what its hooks are for, in a line
	files embed.FS
}

// A File is one file of a starter project.
type File struct {
	Path    string      // slash path from the project's root
	Mode    fs.FileMode // permission bits, 0755 for what is run
	Content []byte
}

// Files returns the project's files in order of their paths. The caller owns
// what it is given.
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

// mode restores the bits that embedding drops.
func mode(name string) fs.FileMode {
	if path.Ext(name) == ".sh" {
		return 0o755
	}
	return 0o644
}

// Extract writes the project into dir, which is made when it is missing, and
// returns the slash paths that it wrote, relative to dir. It overwrites
// nothing: when any of the files exists it writes none and its error names
// all that do. It follows no link below dir.
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

// checkFree fails when a file is in the way of the project's own.
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

// exists looks for a file of the project. A link in its way is an error.
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

// create writes one new file, and refuses one that appeared since the check.
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
