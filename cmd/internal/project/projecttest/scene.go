// Package projecttest creates small projects on disk for tests.
package projecttest

import (
	"os"
	"path/filepath"
	"testing"

	"hookwatch/cmd/internal/project"
	"hookwatch/config"
)

// Settings is the beginning of every scene's configuration.
const Settings = "suites: [suites/*.yaml]\nhooks: [hooks]\nverify: off\nresults: {dir: results}\nnotify: {desktop: false, settle: 20ms}\n"

// Guard is a hook that denies every input that contains "bad".
const Guard = "#!/bin/bash\nif grep -q bad; then echo no >&2; exit 2; fi\n"

// A Scene is a small project on disk, in a directory with a space in its name.
type Scene struct {
	T    *testing.T
	Root string
}

// New creates a scene with a configuration, the hook Guard, and files.
func New(t *testing.T, files map[string]string) *Scene {
	t.Helper()
	s := &Scene{T: t, Root: filepath.Join(t.TempDir(), "a project")}
	s.Write(config.FileName, Settings)
	s.Write("hooks/guard.sh", Guard)
	for name, content := range files {
		s.Write(name, content)
	}
	return s
}

// Path returns the path of a file of the scene.
func (s *Scene) Path(name string) string { return filepath.Join(s.Root, filepath.FromSlash(name)) }

// Write replaces a file atomically, because a case must not see a part of it.
func (s *Scene) Write(name, content string) {
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
func (s *Scene) Read(name string) string {
	s.T.Helper()
	b, err := os.ReadFile(s.Path(name))
	if err != nil && !os.IsNotExist(err) {
		s.T.Fatal(err)
	}
	return string(b)
}

// Load loads the project. Its configuration does not depend on the environment.
func (s *Scene) Load(f project.Filter) *project.Project {
	s.T.Helper()
	p, problems := project.Load(s.Config(), f, nil)
	if len(problems) > 0 {
		s.T.Fatal(problems)
	}
	return p
}

// Config loads the configuration.
func (s *Scene) Config() *config.Config {
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

// OneCase returns a suite with one case of the scene's hook.
func OneCase(id, rest string) string {
	return "suite: s\nhook: hooks/guard.sh\nevent: Stop\ncases:\n  - {id: " + id + ", name: one, " + rest + "}\n"
}
