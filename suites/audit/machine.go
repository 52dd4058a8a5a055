package audit

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"hookwatch/suites/discover"
	"hookwatch/suites/process"
)

// A Machine is where checks look.
type Machine struct {
	Root     string            // of the project, absolute
	Env      []string          // whose PATH and HOME count
	StandIns map[string]string // tools that something stands in for, such as jaq -> gojq 0.12
	// Hooks tells which registered hooks fire for an event and the value its
	// matchers are compared with; "" for what fires whatever it is.
	Hooks func(event, value string) []discover.Hook
	// Hidden reports whether a file is masked from hooks. Nil: none is.
	Hidden func(path string) bool
	// Ask runs a program, which must do no more than print its version.
	Ask func(ctx context.Context, argv []string) (process.Result, error)
}

// abs is the path of a file as a check names it.
func (m *Machine) abs(name string) string {
	if rest, home := strings.CutPrefix(name, "~/"); home {
		return filepath.Join(process.Getenv(m.Env, "HOME"), filepath.FromSlash(rest))
	}
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(m.Root, filepath.FromSlash(name))
}

func isFile(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && !fi.IsDir()
}
