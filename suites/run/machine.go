package run

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/isolate"
	"hookwatch/suites/process"
)

// A machine tells the programs of the machine from those that a project may have
// brought along: only the former are ever started outside of isolation.
type machine struct {
	env  []string
	dirs []string // of PATH that are the machine's
	own  []string // the project's directories, as they are named and in truth
}

func newMachine(root string, env []string) machine {
	m := machine{env: env}
	for _, dir := range []string{root, isolate.GitTop(root)} {
		m.own = append(m.own, filepath.Clean(dir))
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			m.own = append(m.own, real, isolate.GitTop(real))
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
func (m machine) brought(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	return slices.ContainsFunc(m.own, func(dir string) bool {
		return isolate.Within(dir, filepath.Clean(path)) || isolate.Within(dir, real)
	})
}

// has reports whether a program was found in a directory of the machine, and is
// none of the project's.
func (m machine) has(program string) bool {
	return slices.Contains(m.dirs, filepath.Dir(program)) && !m.brought(program)
}

// ask has a program of the machine print its version. It starts in a directory
// that no project can be around, and finds other programs, such as its own
// interpreter, nowhere but on the machine. One that cannot be started tells nothing.
func (m machine) ask(ctx context.Context, argv []string) (process.Result, error) {
	env := With(slices.Clone(m.env), map[string]string{"PATH": strings.Join(m.dirs, string(filepath.ListSeparator))})
	root := filepath.VolumeName(os.TempDir()) + string(filepath.Separator)
	res, err := process.Run(ctx, process.Command{Argv: argv, Dir: root, Env: env, Timeout: versionTime, Limit: versionLimit})
	if err != nil {
		return process.Result{StartError: err}, nil
	}
	return res, nil
}

// Versions asks each tool that may be asked for its version, at most a few at
// once; box remembers the answers. A program that the project may have brought is
// asked in a sandbox. It is not where a copy is all there is, in which it could do
// what the person may do: nobody asked for it to run, as they do for hooks in place.
func (r *Runner) Versions(ctx context.Context, box *Toolbox, tools []suites.Tool) {
	askEach(tools, func(tool suites.Tool) string {
		if r.Isolation == isolate.Copy && !r.machine.has(tool.Path) {
			return ""
		}
		said, _ := box.version(ctx, tool, r.asking(tool)) // what could not be asked tells nothing
		return said
	})
}

// asking is how a program is asked for its version: on the machine, or in a sandbox
// that is no case's.
func (r *Runner) asking(tool suites.Tool) asking {
	if r.machine.has(tool.Path) {
		return r.machine.ask
	}
	return func(ctx context.Context, argv []string) (process.Result, error) {
		s, err := r.open(ctx, &suites.Case{Suite: "version", ID: "tool"}, nil)
		if err != nil {
			return process.Result{}, err
		}
		defer func() { s.close(); _ = r.discard(s.dir) }()
		return s.ask(ctx, argv)
	}
}
