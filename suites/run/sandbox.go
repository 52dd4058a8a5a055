package run

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites"
)

// A sandbox is the surroundings of one case: a directory with the case's TMPDIR
// and, where the case asks for one, its temporary project.
type sandbox struct {
	r        *Runner
	c        *suites.Case
	dir      string
	tmp      string
	override string // CLAUDE_PROJECT_DIR of the case's own; "" when it is the project
	cwd      string
	number   string
	env      []string
	expand   *strings.Replacer
	server   *server
	placed   []string // fixtures outside the sandbox, to be taken away again
	made     []string // directories made for them
}

func (r *Runner) open(ctx context.Context, c *suites.Case) (*sandbox, error) {
	dir, err := os.MkdirTemp(r.Temp, c.Suite+"-"+c.ID+"-")
	if err != nil {
		return nil, err
	}
	s := &sandbox{r: r, c: c, dir: dir, tmp: filepath.Join(dir, "tmp"), cwd: r.Root, number: r.sessionNumber()}
	if err := s.build(ctx); err != nil {
		s.close()
		_ = os.RemoveAll(dir)
		return nil, err
	}
	return s, nil
}

func (s *sandbox) build(ctx context.Context) error {
	if err := os.Mkdir(s.tmp, 0o755); err != nil {
		return err
	}
	if len(s.c.Server) > 0 {
		server, err := serve(s.c.Server)
		if err != nil {
			return err
		}
		s.server = server
	}
	if s.c.Project != nil || s.c.Repo != nil {
		s.override = filepath.Join(s.dir, "project")
		if err := os.Mkdir(s.override, 0o755); err != nil {
			return err
		}
	}
	if err := s.environ(); err != nil {
		return err
	}
	if s.c.Project != nil {
		if err := writeTree(s.override, s.c.Project.Files); err != nil {
			return err
		}
	}
	if s.c.Repo != nil {
		s.cwd = s.override
		return s.buildRepo(ctx, s.c.Repo)
	}
	return nil
}

// project is what the hook sees as CLAUDE_PROJECT_DIR.
func (s *sandbox) project() string {
	if s.override != "" {
		return s.override
	}
	return s.r.Root
}

// close stops what runs for the case and takes its fixtures out of the project.
// The sandbox's own directory stays: whoever judges the case decides.
func (s *sandbox) close() {
	if s.server != nil {
		s.server.close()
	}
	for _, p := range append(s.placed, s.made...) {
		_ = os.Remove(p) // a directory that somebody else uses by now stays
	}
}

// path expands a template; what is relative lies in the case's TMPDIR.
func (s *sandbox) path(template string) string {
	p := filepath.FromSlash(s.expand.Replace(template))
	if !filepath.IsAbs(p) {
		p = filepath.Join(s.tmp, p)
	}
	return filepath.Clean(p)
}

// place writes a fixture. Outside the sandbox it never replaces a file.
func (s *sandbox) place(f suites.Fixture) error {
	p, mode := s.path(f.Path), fs.FileMode(f.Mode)
	if mode == 0 {
		mode = 0o644
	}
	if within(s.dir, p) {
		return writeFile(p, f.Content, mode)
	}
	if _, err := os.Lstat(p); err == nil && !slices.Contains(s.placed, p) {
		return fmt.Errorf("fixture %s: the file exists and is not the case's: choose another name", p)
	}
	for dir := filepath.Dir(p); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); err == nil {
			break
		}
		s.made = append(s.made, dir) // the deepest first
	}
	s.placed = append(s.placed, p)
	return writeFile(p, f.Content, mode)
}

func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

func writeTree(dir string, files map[string]string) error {
	for name, content := range files {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return fmt.Errorf("%s: lies outside the temporary project", name)
		}
		if err := writeFile(filepath.Join(dir, filepath.FromSlash(name)), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(path, content string, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		return err
	}
	return os.Chmod(path, mode) // also where the file was there, or a umask took bits away
}
