package run

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/disk"
	"hookwatch/suites/process"
	"hookwatch/suites/shell"
)

// Limit bounds the recorded bytes of each stream of a call.
const Limit = 8000

// The log contains one text per call: fields end with fieldEnd, calls with callEnd.
const fieldEnd, callEnd = "\x1f", "\x1e"

// shim returns a script that forwards a call to passesTo and appends it to the log in one write.
func shim(tool, passesTo, log string) string {
	return strings.NewReplacer("@TOOL", shell.Quote(tool), "@REAL", shell.Quote(passesTo), "@LOG", shell.Quote(log), "@LIMIT", strconv.Itoa(Limit)).Replace(`#!/bin/sh
at=@LOG.$$
@REAL "$@" >"$at.out" 2>"$at.err"
code=$?
cat "$at.out"
cat "$at.err" >&2
{
  printf '%s\037%s\037' @TOOL "$code"
  head -c @LIMIT "$at.out" | tr -d '\036\037'
  printf '\037'
  head -c @LIMIT "$at.err" | tr -d '\036\037'
  for arg; do printf '\037'; printf '%s' "$arg" | head -c 1000 | tr -d '\036\037'; done
  printf '\036'
} >"$at.call"
cat "$at.call" >>@LOG
rm -f "$at.out" "$at.err" "$at.call"
exit $code
`)
}

// parse parses a log of calls. It skips incomplete calls.
func parse(log string) []suites.ToolCall {
	var calls []suites.ToolCall
	for {
		text, rest, whole := strings.Cut(log, callEnd)
		if !whole {
			return calls
		}
		log = rest
		fields := strings.Split(text, fieldEnd)
		if len(fields) < 4 {
			continue
		}
		exit, err := strconv.Atoi(fields[1])
		if err != nil {
			continue
		}
		calls = append(calls, suites.ToolCall{Tool: fields[0], Exit: exit, Stdout: []byte(fields[2]), Stderr: []byte(fields[3]), Args: fields[4:]})
	}
}

// shims stand in for the tools of one case in its search path. Each forwards the call unchanged and
// records it with its result.
type shims struct {
	tools   []suites.Tool
	filters []suites.Tool // tested with a probe instead
	log     string        // slash path in the case's directory
}

const shimDir = "shims"

// Calls runs a case a second time to record which tools of its gates the hooks call and what these
// answer, because hooks discard the output that explains why a tool finds nothing. Tools that the
// machine lacks are not recorded. In place it returns nil, because there no case may run twice.
func (r *Runner) Calls(ctx context.Context, c *suites.Case, gates []suites.Gate) ([]suites.ToolCall, error) {
	w := &shims{log: shimDir + "/calls"}
	for _, g := range gates {
		switch t := r.locate(g); {
		case !filepath.IsAbs(t.Path): // a stand-in has no path
		case slices.Contains(c.WantedEnv().AbsentTools, filepath.Base(t.Path)): // hidden from the case
		case suites.IsFilter(g.Tool):
			w.filters = append(w.filters, t)
		default:
			w.tools = append(w.tools, t)
		}
	}
	if r.Isolation.Describe().InPlace || len(w.tools)+len(w.filters) == 0 {
		return nil, nil
	}
	s, err := r.open(ctx, c, nil, false)
	if err != nil {
		return nil, err
	}
	defer func() { s.close(); _ = r.pool.Discard(s.dir) }()
	tried, err := r.tryOut(ctx, s, w.filters)
	if err != nil {
		return nil, err
	}
	if err := s.watch(ctx, w); err != nil {
		return nil, err
	}
	for i := range c.Steps {
		if _, err := s.step(ctx, i); err != nil {
			return nil, err
		}
	}
	log, err := s.ReadOwn(filepath.FromSlash(w.log), logLimit)
	if err != nil {
		return nil, err
	}
	// Names replace the directory, because it differs in each run.
	names := strings.NewReplacer(s.tmp, "{tmp}", s.dir, "{sandbox}")
	logged, err := r.loggedCalls(ctx, w, names.Replace(string(log)))
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return nil, err
	}
	return append(tried, logged...), nil
}

// tryOut calls filters with an input for which the result is known.
func (r *Runner) tryOut(ctx context.Context, s *caseRun, filters []suites.Tool) ([]suites.ToolCall, error) {
	var calls []suites.ToolCall
	probe := suites.FilterProbe
	for _, t := range filters {
		program, _ := s.viewPath(t.Path)
		args := []string{"-c", probe.Filter}
		results, err := s.Run(ctx, process.Command{
			Argv: append([]string{program}, args...), Dir: s.root, Env: s.env, Stdin: []byte(probe.Input), Timeout: versionTime, Limit: Limit,
		})
		if err != nil {
			return nil, err
		}
		version, err := r.version(ctx, t)
		if err != nil {
			return nil, err
		}
		res := results[0]
		calls = append(calls, suites.ToolCall{
			Tool: t.Name, Version: firstVersion(version), Args: args,
			Exit: res.Exit, Stdout: res.Stdout.Bytes, Stderr: res.Stderr.Bytes,
		})
	}
	return calls, nil
}

// loggedCalls returns the calls in the log, with the versions of the tools.
func (r *Runner) loggedCalls(ctx context.Context, w *shims, log string) ([]suites.ToolCall, error) {
	calls := parse(log)
	for i := range calls {
		at := slices.IndexFunc(w.tools, func(t suites.Tool) bool { return t.Name == calls[i].Tool })
		if at < 0 || !askableTool(calls[i].Tool) {
			continue
		}
		version, err := r.version(ctx, w.tools[at])
		if err != nil {
			return nil, err
		}
		calls[i].Version = firstVersion(version)
	}
	return calls, nil
}

// watch puts the shims before the searched directories. Directories that the case itself puts first
// stay first. If the case searches none of them, only calls of tools in the project are recorded.
func (s *caseRun) watch(ctx context.Context, w *shims) error {
	bin := filepath.Join(s.dir, shimDir, "bin")
	log := filepath.Join(s.dir, filepath.FromSlash(w.log))
	if err := s.Write(log, "", 0o666); err != nil {
		return err
	}
	for _, t := range w.tools {
		name, passesTo := filepath.Join(bin, t.Name), t.Path
		if at, own := s.viewPath(t.Path); own {
			if !s.owns(at) {
				continue
			}
			passesTo = at + watchedSuffix
			if moved, err := s.standBefore(ctx, at, name); err != nil {
				return err
			} else if !moved {
				continue
			}
		}
		if err := s.Write(name, shim(t.Name, passesTo, log), 0o755); err != nil {
			return err
		}
	}
	if path, ok := beforeSearched(process.Getenv(s.env, "PATH"), s.searched, bin); ok {
		s.set(map[string]string{"PATH": path})
	}
	return nil
}

// beforeSearched inserts dir into a search path, before the directories of searched, which is the
// path without the case's own directories. It returns false if path does not contain them in a row.
func beforeSearched(path, searched, dir string) (string, bool) {
	dirs, tail := filepath.SplitList(path), filepath.SplitList(searched)
	for i := range dirs {
		if len(tail) > 0 && slices.Equal(dirs[i:min(i+len(tail), len(dirs))], tail) {
			return strings.Join(slices.Insert(dirs, i, dir), string(filepath.ListSeparator)), true
		}
	}
	return "", false
}

// watchedSuffix is appended to the name of a tool of the project while a shim replaces it in the
// case's view.
const watchedSuffix = ".watched"

// owns reports whether a file of the project is really in the case's own view of it. A directory in
// its path may be a link to a place that is not the case's.
func (s *caseRun) owns(file string) bool {
	root, err := filepath.EvalSymlinks(s.root)
	if err != nil {
		return false
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(file))
	return err == nil && disk.Within(root, dir)
}

// standBefore renames a tool in the case's view and puts a link to its shim in its place. It
// returns false if the tool cannot be moved, for example because it is on a separate mount.
func (s *caseRun) standBefore(ctx context.Context, tool, witness string) (moved bool, err error) {
	const unmoved = 3
	script := fmt.Sprintf(`mv -- "$1" "$1%s" || exit %d; ln -s -- "$2" "$1"`, watchedSuffix, unmoved)
	results, err := s.Run(ctx, process.Command{
		Argv: []string{"/bin/sh", "-c", script, "sh", tool, witness}, Dir: s.root, Env: s.o.Env, Timeout: versionTime,
	})
	if err != nil {
		return false, err
	}
	switch res := results[0]; res.Exit {
	case 0:
		return true, nil
	case unmoved:
		return false, nil
	default:
		return false, fmt.Errorf("watch %s: %s", tool, res.Stderr.Bytes)
	}
}
