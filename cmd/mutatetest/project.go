package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/cmd/internal/session"
	"hookwatch/config"
	"hookwatch/suites"
)

// workspace is a temporary directory with a copy of the project in it.
func workspace(project string) (temp, root string, err error) {
	if temp, err = os.MkdirTemp("", "mutate-"); err != nil {
		return "", "", err
	}
	if temp, err = filepath.EvalSymlinks(temp); err == nil {
		root = filepath.Join(temp, "project")
		err = copyProject(project, root)
	}
	if err != nil {
		return "", "", errors.Join(err, os.RemoveAll(temp))
	}
	return temp, root, nil
}

// copyProject copies a project to a temporary directory, without git's own
// files and records of earlier runs.
func copyProject(from, to string) error {
	return filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || d.Name() == "results"):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(target, 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(p)
			if err != nil {
				return err
			}
			return os.Symlink(link, target)
		case !d.Type().IsRegular():
			return nil
		}
		return copyFile(p, target)
	})
}

func copyFile(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, info.Mode().Perm())
}

var errNoCase = errors.New("no case of the suites has a hook in the project")

// load reads a project as a session does, and gives those of its cases that were
// asked for and that run a hook.
func load(o options, root string) (*session.Project, []*suites.Case, error) {
	cfg, err := config.Load(config.LoadOptions{Dir: root, Env: func(string) (string, bool) { return "", false }})
	if err != nil {
		return nil, nil, err
	}
	cfg.Suites = append(cfg.Suites, o.suiteFiles...)
	p, problems := session.Load(cfg, session.Filter{}, nil)
	if p == nil {
		return nil, nil, problems[0]
	}
	var cases []*suites.Case
	for _, c := range p.Cases {
		if wanted(o, root, c) {
			cases = append(cases, c)
		}
	}
	if len(cases) == 0 {
		return p, nil, errNoCase
	}
	return p, cases, nil
}

func wanted(o options, root string, c *suites.Case) bool {
	if len(o.suites) > 0 && !slices.Contains(o.suites, c.Suite) || c.Layer == suites.Live || c.Chain || c.Hook == "" {
		return false
	}
	if ids := fields(o.filter); len(ids) > 0 && !slices.ContainsFunc(ids, func(p string) bool { return strings.HasPrefix(c.ID, p) }) {
		return false
	}
	_, err := os.Stat(filepath.Join(root, filepath.FromSlash(c.Hook)))
	return err == nil
}

// write replaces a file's content as an editor does, so that no running bash
// reads half of it.
func write(file string, content []byte) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	next := file + ".next"
	if err := os.WriteFile(next, content, info.Mode().Perm()); err != nil {
		return err
	}
	if err := os.Chmod(next, info.Mode().Perm()); err != nil {
		return err
	}
	if err := os.Rename(next, file); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}
