//go:build !windows

package record

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hookwatch/suites"
)

// Names in the results directory of a clone.
const (
	inClone  = ".claude/tests/hooks/results"
	oldStamp = "20260228T120000Z"
	digest   = "0123456789abcdef0123456789abcdef"
)

// A trap is a file or directory that a clone can replace by something else.
type trap struct {
	name string
	dir  bool
	// unsaid means that hookwatch does not use the file, so that there is nothing to report.
	unsaid bool
	// appended means that the file is written in place, so it must have no other name.
	appended bool
}

var traps = []trap{
	{name: ".claude", dir: true}, {name: ".claude/tests", dir: true}, {name: ".claude/tests/hooks", dir: true}, {name: inClone, dir: true},
	{name: inClone + "/rolling", dir: true}, {name: inClone + "/archive", dir: true},
	{name: inClone + "/traces", dir: true}, {name: inClone + "/contents", dir: true}, {name: inClone + "/traces/pm", dir: true},
	{name: inClone + "/archive/" + oldStamp, dir: true}, {name: inClone + "/archive/.pending-20260301T120000Z", dir: true},
	{name: inClone + "/.gitignore"}, {name: inClone + "/.lock", appended: true}, {name: inClone + "/.origin"},
	{name: inClone + "/RESULTS.md"}, {name: inClone + "/COMPARISON.md"}, {name: inClone + "/inputs.json"},
	{name: inClone + "/environment.json"}, {name: inClone + "/runs.json"}, {name: inClone + "/running.json"}, {name: inClone + "/.RESULTS.md123", unsaid: true},
	{name: inClone + "/pm-agent-" + oldStamp + ".jsonl"}, {name: inClone + "/new-agent-20260301T120000Z.jsonl"},
	{name: inClone + "/rolling/pm-agent.jsonl", appended: true}, {name: inClone + "/rolling/new-agent.jsonl", appended: true},
	{name: inClone + "/rolling/tools.log", appended: true},
	{name: inClone + "/rolling/pm-agent-2026-02-01T00-00-00.000.jsonl"}, {name: inClone + "/rolling/pm-agent-2026-02-01T00-00-00.000.jsonl.gz"},
	{name: inClone + "/archive/" + oldStamp + "/RESULTS.md"}, {name: inClone + "/archive/" + oldStamp + "/environment.json"},
	{name: inClone + "/archive/" + oldStamp + "/pm-agent-" + oldStamp + ".jsonl"},
	{name: inClone + "/archive/" + oldStamp + "/notes"},
	{name: inClone + "/traces/pm/P01.json"}, {name: inClone + "/contents/" + digest},
}

// states are the replacements that a clone can contain. hookwatch must report links and
// other kinds of files when it finds them.
var states = map[string]func(path, outside string) error{
	"dangling":             func(path, outside string) error { return os.Symlink(filepath.Join(outside, "absent"), path) },
	"link to a file":       func(path, outside string) error { return os.Symlink(filepath.Join(outside, "bashrc"), path) },
	"link to a directory":  func(path, outside string) error { return os.Symlink(outside, path) },
	"link to a file there": func(path, _ string) error { return os.Symlink(path+".was", path) },
	"pipe":                 func(path, _ string) error { return syscall.Mkfifo(path, 0o644) },
	"the other kind":       nil, // a file for a directory, a directory for a file
	"hard link":            func(path, outside string) error { return os.Link(filepath.Join(outside, "bashrc"), path) },
}

// precious is the content of the user's file.
const precious = `{"test_name":"precious","id":"precious","suite":"pm","pass":true}` + "\n"

// clone creates a project with records of two full runs, next to files of the user's.
func clone(t *testing.T) (project, outside string) {
	t.Helper()
	top := inMemory(t)
	project, outside = filepath.Join(top, "project"), filepath.Join(top, "outside")
	write(t, filepath.Join(outside, "bashrc"), precious)
	write(t, filepath.Join(outside, oldStamp, "environment.json"), `{"run_id":"r0"}`)
	write(t, filepath.Join(outside, "20200101T000000Z", "environment.json"), `{"run_id":"r0"}`)
	write(t, filepath.Join(outside, ".pending-20260301T120000Z", "RESULTS.md"), "mine")
	dir := filepath.Join(project, inClone)
	env := `{"run_id":"old"}`
	line := `{"test_name":"P01","pass":true,"id":"P01","suite":"pm","run_id":"old","timestamp":"2026-02-28T12:00:00Z"}` + "\n"
	for name, text := range map[string]string{
		"pm-agent-" + oldStamp + ".jsonl": line, "RESULTS.md": "old", "environment.json": env, "inputs.json": "{}", "COMPARISON.md": "old",
		"rolling/pm-agent.jsonl": line, "rolling/pm-agent-2026-02-01T00-00-00.000.jsonl": line, "rolling/tools.log": "",
		"archive/" + oldStamp + "/pm-agent-" + oldStamp + ".jsonl": line, "archive/" + oldStamp + "/RESULTS.md": "old",
		"archive/" + oldStamp + "/environment.json": env, "archive/20260227T120000Z/environment.json": env,
		"archive/.pending-20260301T120000Z/RESULTS.md": "half", "traces/pm/P01.json": "{}", "contents/" + digest: "x",
	} {
		write(t, filepath.Join(dir, name), text)
	}
	return project, outside
}

// inMemory returns a temporary directory in memory if possible, because these tests sync
// thousands of files.
func inMemory(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "record")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { must(t, os.RemoveAll(dir)) })
	return dir
}

// set puts a state into a trap. In TestSwaps the previous file may disappear or return at
// the same time.
func set(project, outside string, tr trap, state string) error {
	path := filepath.Join(project, tr.name)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if moved := os.Rename(path, path+".was"); !errors.Is(moved, fs.ErrNotExist) {
		err = errors.Join(err, moved)
	}
	switch put := states[state]; {
	case put != nil:
		return errors.Join(err, put(path, outside))
	case tr.dir:
		return errors.Join(err, os.WriteFile(path, nil, 0o644))
	default:
		return errors.Join(err, os.Mkdir(path, 0o755))
	}
}

// everything uses all features of a results directory, and continues after errors. between
// is called between the beginning and the end of runs.
func everything(project string, between func()) (reported []string) {
	report := func(err error) {
		if err != nil {
			reported = append(reported, err.Error())
		}
	}
	p := Place{Base: project, Dir: filepath.Join(project, inClone)}
	s, err := Open(Options{Place: p, KeepRuns: 1, KeepDays: 1, RollingSize: 200, Now: func() time.Time { return noon }})
	report(err)
	if err == nil {
		reported = append(reported, s.Snapshot().Warnings...)
		for n := range 3 {
			report(work(s, fmt.Sprint("r", n), n > 0, between))
			reported = append(reported, s.Warnings()...)
		}
		report(s.Close())
	}
	r, err := OpenReader(p)
	report(err)
	if err == nil {
		defer r.Close()
		snap, err := r.Read()
		report(err)
		if err == nil {
			reported = append(reported, snap.Warnings...)
		}
		past, err := r.Past()
		report(err)
		if err == nil {
			reported = append(reported, past.Warnings...)
			for _, r := range past.Records {
				if r.ID == "precious" {
					reported = append(reported, "LEAK: a record of "+r.ID)
				}
			}
		}
		if e := r.Evidence(suites.Key{Suite: "pm", ID: "P01"}); e != nil && strings.Contains(string(e.Trace), "precious") {
			reported = append(reported, "LEAK: evidence")
		}
		if strings.Contains(string(r.Content(digest)), "precious") {
			reported = append(reported, "LEAK: content")
		}
	}
	return reported
}

func work(s *Store, id string, full bool, between func()) error {
	records := []suites.Record{rec(id, "pm/P01", id), rec(id, "new/N", id)}
	errs := []error{s.Begin(Run{ID: id, Full: full, Started: noon, Keys: keys(records)})}
	for _, r := range records {
		errs = append(errs, s.Append(r))
		between()
	}
	k := records[0].Key()
	errs = append(errs, s.KeepEvidence(k, &Evidence{Digests: records[0].Digests}), s.KeepContent(digest, func() []byte { return []byte("x") }))
	s.PruneContents()
	env := suites.Environment{Tools: []suites.Tool{{Name: "ruff", Digest: id}}}
	if full {
		errs = append(errs, s.EndFull(records, inputs("P01"), env, []byte("# "+id), noon), s.WriteComparison([]byte("x")))
	} else {
		errs = append(errs, s.EndSelected(records, inputs("P01"), env))
	}
	_, err := s.Runs()
	_, terr := s.Tools()
	return errors.Join(append(errs, err, terr)...)
}

// within fails a test whose work does not end.
func within(t *testing.T, do func() []string) []string {
	t.Helper()
	done := make(chan []string, 1)
	go func() { done <- do() }()
	select {
	case reported := <-done:
		return reported
	case <-time.After(5 * time.Minute):
		t.Fatal("it hangs")
		return nil
	}
}

// tree returns the content of a directory: kinds, modes and contents by path.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String()
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += info.ModTime().String() + string(b)
		}
		all[path] = text
		return nil
	}))
	return all
}

// checkOutside reports changes of files outside, and their content in records.
func checkOutside(t *testing.T, before map[string]string, project, outside string, reported []string) {
	t.Helper()
	if after := tree(t, outside); !maps.Equal(before, after) {
		t.Errorf("outside changed:\n%q\n%q", before, after)
	}
	for path, text := range tree(t, project) {
		info, err := os.Lstat(path)
		must(t, err)
		if st := info.Sys().(*syscall.Stat_t); strings.Contains(text, "precious") && info.Mode().IsRegular() && st.Nlink == 1 {
			t.Errorf("%s contains the content of a file outside", path)
		}
	}
	for _, text := range reported {
		if strings.HasPrefix(text, "LEAK") {
			t.Error(text)
		}
	}
}
