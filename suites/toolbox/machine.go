package toolbox

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/process"
	"hookwatch/suites/sandbox"
)

// A Machine tells the programs of the machine from those that a project may have
// brought along: only the former are ever started outside of isolation.
type Machine struct {
	env  []string
	dirs []string // of PATH that are the machine's
	own  []string // the project's directories, as they are named and in truth
}

// NewMachine takes the directories of PATH that are none of the project's at root.
func NewMachine(root string, env []string) Machine {
	m := Machine{env: env}
	for _, dir := range []string{root, sandbox.GitTop(root)} {
		m.own = append(m.own, filepath.Clean(dir))
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			m.own = append(m.own, real, sandbox.GitTop(real))
		}
	}
	for _, dir := range filepath.SplitList(process.Getenv(env, "PATH")) {
		// An empty or relative entry is one of whichever directory a person is in.
		if filepath.IsAbs(dir) && !m.brought(dir) {
			m.dirs = append(m.dirs, filepath.Clean(dir))
		}
	}
	return m
}

// brought reports whether the project may have brought a file or directory: it lies
// in the project or in the work tree around that, by its name or in truth.
func (m Machine) brought(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	return slices.ContainsFunc(m.own, func(dir string) bool {
		return disk.Within(dir, filepath.Clean(path)) || disk.Within(dir, real)
	})
}

// Has reports whether a program was found in a directory of the machine, and is
// none of the project's.
func (m Machine) Has(program string) bool {
	return slices.Contains(m.dirs, filepath.Dir(program)) && !m.brought(program)
}

// Ask has a program of the machine print its version. It starts in a directory
// that no project can be around, and finds other programs, such as its own
// interpreter, nowhere but on the machine. One that cannot be started tells nothing.
func (m Machine) Ask(ctx context.Context, argv []string) (process.Result, error) {
	env := process.With(slices.Clone(m.env), map[string]string{"PATH": strings.Join(m.dirs, string(filepath.ListSeparator))})
	root := filepath.VolumeName(os.TempDir()) + string(filepath.Separator)
	res, err := process.Run(ctx, process.Command{Argv: argv, Dir: root, Env: env, Timeout: VersionTime, Limit: VersionLimit})
	if err != nil {
		return process.Result{StartError: err}, nil
	}
	return res, nil
}

// A AuditedMachine is where checks look.
type AuditedMachine struct {
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
func (m *AuditedMachine) abs(name string) string {
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
