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

// A Machine distinguishes the programs of the machine from those that a project may have brought
// along. Only the former may be started outside isolation.
type Machine struct {
	env  []string
	dirs []string // the directories of PATH that belong to the machine
	own  []string // the project's directories, as named and without symbolic links
}

// NewMachine returns the Machine of the directories in PATH that are not part of the project at
// root.
func NewMachine(root string, env []string) Machine {
	m := Machine{env: env}
	for _, dir := range []string{root, sandbox.GitTop(root)} {
		m.own = append(m.own, filepath.Clean(dir))
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			m.own = append(m.own, real, sandbox.GitTop(real))
		}
	}
	for _, dir := range filepath.SplitList(process.Getenv(env, "PATH")) {
		// An empty or relative entry means whatever directory is current, so it may be the
		// project's.
		if filepath.IsAbs(dir) && !m.brought(dir) {
			m.dirs = append(m.dirs, filepath.Clean(dir))
		}
	}
	return m
}

// brought reports whether the project may have brought a file or directory along: it is in the
// project or in the work tree around it, by its name or after resolving symbolic links.
func (m Machine) brought(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	return slices.ContainsFunc(m.own, func(dir string) bool {
		return disk.Within(dir, filepath.Clean(path)) || disk.Within(dir, real)
	})
}

// Has reports whether a program is in a directory of the machine and not part of the project.
func (m Machine) Has(program string) bool {
	return slices.Contains(m.dirs, filepath.Dir(program)) && !m.brought(program)
}

// Ask runs a program of the machine to print its version. It starts in the root directory, which no
// project contains, and with only the machine's directories in PATH, because the program may look
// up others, such as its interpreter. A program that cannot be started is reported in StartError.
func (m Machine) Ask(ctx context.Context, argv []string) (process.Result, error) {
	env := process.With(slices.Clone(m.env), map[string]string{"PATH": strings.Join(m.dirs, string(filepath.ListSeparator))})
	root := filepath.VolumeName(os.TempDir()) + string(filepath.Separator)
	res, err := process.Run(ctx, process.Command{Argv: argv, Dir: root, Env: env, Timeout: VersionTime, Limit: VersionLimit})
	if err != nil {
		return process.Result{StartError: err}, nil
	}
	return res, nil
}

// An AuditedMachine describes where checks look.
type AuditedMachine struct {
	Root     string            // of the project, absolute
	Env      []string          // provides PATH and HOME
	StandIns map[string]string // replaced tools, such as jaq -> gojq 0.12
	// Hooks returns the registered hooks that fire for an event and the value that matchers are
	// compared with; "" for hooks that fire for any value.
	Hooks func(event, value string) []discover.Hook
	// Hidden reports whether a file is masked from hooks. If nil, none is.
	Hidden func(path string) bool
	// Ask runs a program that must only print its version.
	Ask func(ctx context.Context, argv []string) (process.Result, error)
}

// abs returns the path of a file that a check names.
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
