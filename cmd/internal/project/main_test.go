//go:build unix

package project

import (
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"hookwatch/config"
)

func TestMain(m *testing.M) {
	// The clock of package pattern's matches ends by itself, some time after the last match.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

// A scene is a small project on disk, in a directory with a space in its name.
type scene struct {
	t    *testing.T
	root string
}

// settings is the beginning of every scene's configuration.
const settings = "suites: [suites/*.yaml]\nhooks: [hooks]\nverify: off\nresults: {dir: results}\nnotify: {desktop: false}\n"

// pair is a case that is blocked, and one that is allowed and has the first as its
// control.
const pair = `suite: s
hook: hooks/guard.sh
event: PreToolUse
tool: Bash
cases:
  - {id: B1, name: blocked, category: block, command: bad thing, expect: {exit: 2, effect: denied}}
  - {id: A1, name: let_through, category: approve, command: fine, control: B1, expect: {exit: 0}}
`

// guard denies input that contains "bad".
const guard = "#!/bin/bash\nif grep -q bad; then echo no >&2; exit 2; fi\n"

func oneCase(id, rest string) string {
	return "suite: s\nhook: hooks/guard.sh\nevent: Stop\ncases:\n  - {id: " + id + ", name: one, " + rest + "}\n"
}

func newScene(t *testing.T, files map[string]string) *scene {
	t.Helper()
	s := &scene{t, filepath.Join(t.TempDir(), "a project")}
	s.write(config.FileName, settings)
	s.write("hooks/guard.sh", guard)
	for name, content := range files {
		s.write(name, content)
	}
	return s
}

func (s *scene) path(name string) string { return filepath.Join(s.root, filepath.FromSlash(name)) }

func (s *scene) write(name, content string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(s.path(name)), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(s.path(name), []byte(content), 0o755); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) load(f Filter) *Project {
	s.t.Helper()
	p, problems := Load(s.config(), f, nil)
	if len(problems) > 0 {
		s.t.Fatal(problems)
	}
	return p
}

func (s *scene) config() *config.Config {
	s.t.Helper()
	cfg, err := config.Load(config.LoadOptions{Dir: s.root, Env: func(string) (string, bool) { return "", false }, State: s.path("../state")})
	if err != nil {
		s.t.Fatal(err)
	}
	return cfg
}
