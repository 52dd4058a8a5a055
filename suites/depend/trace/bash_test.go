package trace_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
	"hookwatch/suites/depend/script"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/process/testdata/processtest"
)

// A traced is a script that a real interpreter ran, with and without tracing.
type traced struct {
	*trace.Trace
	t      *testing.T
	dir    string
	script *script.Script // of the hook
	hook   string
	source string
	result outcome
}

const hook = "hook.sh"

// run runs "bash hook.sh"; see runBy.
func run(t *testing.T, files map[string]string) *traced {
	t.Helper()
	return runBy(t, files, hook, "bash", hook)
}

// runBy writes the files, runs a command in their directory with and without tracing and fails the
// test if anything but the trace differs.
func runBy(t *testing.T, files map[string]string, hook string, command ...string) *traced {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	plain := fire(t, filepath.Join(dir, "plain"), files, nil, command)
	root := filepath.Join(dir, "plain") // the same path, because hooks print it
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	how := trace.Start(filepath.Join(dir, "trace's"), nil)
	for name, content := range how.Files {
		write(t, filepath.Join(dir, "trace's", name), content)
	}
	result := fire(t, root, files, how.Set, command)
	if diff := cmp.Diff(plain, result); diff != "" {
		t.Errorf("tracing changed the outcome (- plain, + traced):\n%s", diff)
	}
	logs := readLogs(t, filepath.Join(dir, "trace's"), how.Logs)
	x := &traced{t: t, dir: root, source: files[hook], hook: hook, result: result}
	if x.script, err = trace.Parse(hook, []byte(files[hook])); err != nil {
		t.Fatal(err)
	}
	x.Trace = trace.Decode(logs, trace.Run{
		Resolve: x.resolve,
		Script: func(path string, by trace.Language) (*script.Script, error) {
			if !filepath.IsAbs(path) {
				path = filepath.Join(root, path)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			if by == nil {
				return trace.Parse(path, data)
			}
			return by.Parse(data)
		},
		Hooks:  []string{hook},
		Uses:   map[string]suites.AccessKind{"sourced.sh": suites.Read},
		Output: [][]byte{[]byte(result.Stdout), []byte(result.Stderr)},
	})
	return x
}

// readLogs reads the logs of a run as a session does.
func readLogs(t *testing.T, dir string, names []string) map[string][]byte {
	t.Helper()
	logs := map[string][]byte{}
	for _, name := range names {
		files := []string{filepath.Join(dir, name)}
		if strings.HasSuffix(name, "/") {
			files, _ = filepath.Glob(filepath.Join(dir, name, "*"))
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			rel, err := filepath.Rel(dir, file)
			if err != nil {
				t.Fatal(err)
			}
			logs[filepath.ToSlash(rel)] = data
		}
	}
	return logs
}

type outcome struct {
	Exit           int
	Stdout, Stderr string
	Files          map[string]string
}

func fire(t *testing.T, root string, files map[string]string, set map[string]string, command []string) outcome {
	t.Helper()
	for name, content := range files {
		write(t, filepath.Join(root, name), content)
	}
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir = root
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + root}
	for k, v := range set {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("{}\nsecond line\n"), &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String(), contents(t, root)}
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := processtest.WriteProgram(file, []byte(content)); err != nil {
		t.Fatal(err)
	}
}

func contents(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.Contains(p, "__pycache__") {
			return err
		}
		data, err := os.ReadFile(p)
		all[strings.TrimPrefix(p, root)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (x *traced) resolve(name, dir string) string {
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return ""
	}
	if rel, err := filepath.Rel(x.dir, real); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return real
}

// met checks for each line of hook.sh that ends in "# yes" or "# no" whether a statement that
// begins or ends there was reached.
func (x *traced) met() {
	x.t.Helper()
	if x.Files[x.hook] == nil {
		x.t.Fatalf("nothing of %s was met", x.hook)
	}
	for i, line := range strings.Split(x.source, "\n") {
		want := strings.HasSuffix(line, "# yes")
		if !want && !strings.HasSuffix(line, "# no") {
			continue
		}
		if got := x.hit(i + 1); got != want {
			x.t.Errorf("line %d met: %v, want %v: %s", i+1, got, want, line)
		}
	}
}

// hit reports whether the innermost statements on a line were reached.
func (x *traced) hit(line int) bool {
	return slices.ContainsFunc(x.script.Statements, func(s *script.Statement) bool {
		return s.Function == nil && !s.Arm && (s.Start == line || s.End == line) && x.Files[x.hook].Statements.Has(s.Key)
	})
}
