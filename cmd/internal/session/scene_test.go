package session

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/config"
)

// settings is the beginning of every project's configuration.
const settings = "suites: [suites/*.yaml]\nhooks: [hooks]\nverify: off\nresults: {dir: results}\nnotify: {desktop: false, settle: 20ms}\n"

// guard is a hook that denies every input that contains "bad".
const guard = "#!/bin/bash\nif grep -qw bad; then echo no >&2; exit 2; fi\n"

// projectFiles are those of a small project on disk, in a directory with a space in its name.
type projectFiles struct {
	T    *testing.T
	Root string
}

// newProjectFiles creates a project with a configuration, the hook guard, and files.
func newProjectFiles(t *testing.T, files map[string]string) *projectFiles {
	t.Helper()
	s := &projectFiles{T: t, Root: filepath.Join(t.TempDir(), "a project")}
	s.Write(config.FileName, settings)
	s.Write("hooks/guard.sh", guard)
	for name, content := range files {
		s.Write(name, content)
	}
	return s
}

// Path returns the path of a file of the project.
func (s *projectFiles) Path(name string) string {
	return filepath.Join(s.Root, filepath.FromSlash(name))
}

// Write replaces a file atomically, because a case must not see a part of it.
func (s *projectFiles) Write(name, content string) {
	s.T.Helper()
	if err := os.MkdirAll(filepath.Dir(s.Path(name)), 0o755); err != nil {
		s.T.Fatal(err)
	}
	part := s.Path(name) + "~"
	if err := os.WriteFile(part, []byte(content), 0o755); err != nil {
		s.T.Fatal(err)
	}
	if err := os.Rename(part, s.Path(name)); err != nil {
		s.T.Fatal(err)
	}
}

// Read returns the content of a file, or "" if it does not exist.
func (s *projectFiles) Read(name string) string {
	s.T.Helper()
	b, err := os.ReadFile(s.Path(name))
	if err != nil && !os.IsNotExist(err) {
		s.T.Fatal(err)
	}
	return string(b)
}

// Load loads the project. Its configuration does not depend on the environment.
func (s *projectFiles) Load(f Filter) *Project {
	s.T.Helper()
	p, problems := Load(s.Config(), f, nil)
	if len(problems) > 0 {
		s.T.Fatal(problems)
	}
	return p
}

// Config loads the configuration.
func (s *projectFiles) Config() *config.Config {
	s.T.Helper()
	cfg, err := config.Load(config.LoadOptions{Dir: s.Root, Env: inPlace, State: s.Path("../state")})
	if err != nil {
		s.T.Fatal(err)
	}
	return cfg
}

// inPlace is an environment that makes hooks run in place, because those of these tests
// communicate with them through files of the project.
func inPlace(name string) (string, bool) { return "none", name == "HOOKWATCH_ISOLATION" }

// oneCase returns a suite with one case of the project's hook.
func oneCase(id, rest string) string {
	return "suite: s\nhook: hooks/guard.sh\nevent: Stop\ncases:\n  - {id: " + id + ", name: one, " + rest + "}\n"
}

// equal reports the difference between two values.
func equal[T any](t testing.TB, what string, want, got T, opts ...cmp.Option) {
	t.Helper()
	if d := cmp.Diff(want, got, opts...); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}
