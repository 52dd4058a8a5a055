// Package reference holds the starter project: hooks, their settings and
// configuration, and documents whose markers say what its tests depend on.
package reference

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// The files are listed one by one: a folder would bring along whatever runs
// have left in it.
//
//go:embed project/.claude/hooks/approve_configs.sh
//go:embed project/.claude/hooks/config.json
//go:embed project/.claude/hooks/enforce_package_managers.sh
//go:embed project/.claude/hooks/multi_linter.sh
//go:embed project/.claude/hooks/protect_linter_configs.sh
//go:embed project/.claude/hooks/stop_config_guardian.sh
//go:embed project/.claude/settings.json
//go:embed project/.claude/subprocess-settings.json
//go:embed project/.hookwatch.yaml
//go:embed project/.jscpd.json
//go:embed project/.markdownlint-cli2.jsonc
//go:embed project/.ruff.toml
//go:embed project/.yamllint
//go:embed project/README.md
//go:embed project/docs/REFERENCE.md
//go:embed project/docs/specs/adr-config-protection.md
//go:embed project/docs/specs/adr-package-manager-enforcement.md
//go:embed project/docs/specs/hook-verification.md
//go:embed project/docs/specs/linter-verification.md
//go:embed project/taplo.toml
var embedded embed.FS

const root = "project"

// A File is one file of the starter project.
type File struct {
	Path    string      // slash path from the project's root
	Mode    fs.FileMode // permission bits, 0755 for what is run
	Content []byte
}

// Files returns the project's files in order of their paths. The caller owns
// what it is given.
func Files() []File {
	var files []File
	err := fs.WalkDir(embedded, root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := embedded.ReadFile(name)
		files = append(files, File{strings.TrimPrefix(name, root+"/"), mode(name), content})
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
// all that do. It follows no symbolic link out of dir.
func Extract(dir string) (written []string, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("starter project: %w", err)
	}
	target, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("starter project: %w", err)
	}
	defer target.Close()

	files := Files()
	if err := checkFree(target, files); err != nil {
		return nil, err
	}
	for _, f := range files {
		if err := create(target, f); err != nil {
			return written, fmt.Errorf("starter project: %w", err)
		}
		written = append(written, f.Path)
	}
	return written, nil
}

// checkFree fails when a file is in the way of the project's own.
func checkFree(target *os.Root, files []File) error {
	var taken []string
	for _, f := range files {
		_, err := target.Lstat(filepath.FromSlash(f.Path))
		switch {
		case err == nil:
			taken = append(taken, f.Path)
		case !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("starter project: %w", err)
		}
	}
	if len(taken) > 0 {
		return fmt.Errorf("%s: %w, nothing was written: %s (choose an empty directory, or move them away)",
			target.Name(), fs.ErrExist, strings.Join(taken, ", "))
	}
	return nil
}

// create writes one new file; O_EXCL also refuses one that appeared since the
// check.
func create(target *os.Root, f File) error {
	name := filepath.FromSlash(f.Path)
	if err := target.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	out, err := target.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.Mode)
	if err != nil {
		return err
	}
	_, err = out.Write(f.Content)
	return errors.Join(err, out.Close())
}
