package run

import (
	"context"
	"path/filepath"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/audit"
	"hookwatch/suites/isolate"
	"hookwatch/suites/process"
)

// version is what a gate's tool says of itself; it is asked once.
func (r *Runner) version(ctx context.Context, tool suites.Tool) (string, error) {
	return r.tools.version(ctx, tool, r.asking(tool))
}

// ask runs a program that is to do no more than print its version.
func (s *sandbox) ask(ctx context.Context, argv []string) (process.Result, error) {
	program, _ := s.viewed(argv[0])
	results, err := s.Run(ctx, process.Command{
		Argv: append([]string{program}, argv[1:]...), Dir: s.root, Env: With(s.env, audit.Offline), Timeout: versionTime, Limit: versionLimit,
	})
	if err != nil {
		return process.Result{}, err
	}
	return results[0], nil
}

// viewed is where the case has a file of the project, which may be named by a way
// around the project's root; not ok for any other file.
func (s *sandbox) viewed(file string) (at string, ok bool) {
	if isolate.Within(s.r.Root, file) {
		return s.below(s.r.Root, file), true
	}
	root, errRoot := filepath.EvalSymlinks(s.r.Root)
	dir, errDir := filepath.EvalSymlinks(filepath.Dir(file))
	if errRoot != nil || errDir != nil || !isolate.Within(root, dir) {
		return file, false
	}
	return s.below(root, filepath.Join(dir, filepath.Base(file))), true
}

// below is where the case has a file that lies below root.
func (s *sandbox) below(root, file string) string {
	return filepath.Join(s.root, strings.TrimPrefix(file, root))
}
