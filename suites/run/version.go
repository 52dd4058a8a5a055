package run

import (
	"context"
	"path/filepath"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/disk"
	"hookwatch/suites/isolate"
	"hookwatch/suites/process"
	"hookwatch/suites/toolbox"
)

// version is what a gate's tool says of itself; it is asked once.
func (r *Runner) version(ctx context.Context, tool suites.Tool) (string, error) {
	return r.tools.Version(ctx, tool, r.asking(tool))
}

// Versions asks each tool that may be asked for its version, at most a few at
// once; box remembers the answers. A program that the project may have brought is
// asked in a sandbox. It is not asked in a copy, where it could do whatever the user
// may do: the user asked for hooks to run there, not for this program.
func (r *Runner) Versions(ctx context.Context, box *toolbox.Toolbox, tools []suites.Tool) {
	toolbox.AskEach(tools, func(tool suites.Tool) string {
		if (r.Isolation == isolate.Copy || r.Refused != nil) && !r.machine.Has(tool.Path) {
			return ""
		}
		said, _ := box.Version(ctx, tool, r.asking(tool)) // what could not be asked tells nothing
		return said
	})
}

// asking is how a program is asked for its version: on the machine, or in a sandbox
// that is no case's.
func (r *Runner) asking(tool suites.Tool) toolbox.Asking {
	if r.machine.Has(tool.Path) {
		return r.machine.Ask
	}
	return func(ctx context.Context, argv []string) (process.Result, error) {
		s, err := r.sandboxes.open(ctx, &suites.Case{Suite: "version", ID: "tool"}, nil)
		if err != nil {
			return process.Result{}, err
		}
		defer func() { s.close(); _ = r.sandboxes.pool.Discard(s.dir) }()
		return s.ask(ctx, argv)
	}
}

// ask runs a program that is to do no more than print its version.
func (s *sandbox) ask(ctx context.Context, argv []string) (process.Result, error) {
	program, _ := s.viewed(argv[0])
	results, err := s.Run(ctx, process.Command{
		Argv: append([]string{program}, argv[1:]...), Dir: s.root, Env: process.With(s.env, toolbox.Offline), Timeout: toolbox.VersionTime, Limit: toolbox.VersionLimit,
	})
	if err != nil {
		return process.Result{}, err
	}
	return results[0], nil
}

// viewed is where the case has a file of the project, which may be named by a way
// around the project's root; not ok for any other file.
func (s *sandbox) viewed(file string) (at string, ok bool) {
	if disk.Within(s.o.Root, file) {
		return s.below(s.o.Root, file), true
	}
	root, errRoot := filepath.EvalSymlinks(s.o.Root)
	dir, errDir := filepath.EvalSymlinks(filepath.Dir(file))
	if errRoot != nil || errDir != nil || !disk.Within(root, dir) {
		return file, false
	}
	return s.below(root, filepath.Join(dir, filepath.Base(file))), true
}

// below is where the case has a file that lies below root.
func (s *sandbox) below(root, file string) string {
	return filepath.Join(s.root, strings.TrimPrefix(file, root))
}
