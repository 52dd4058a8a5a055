package record

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hookwatch/suites"
)

// foreignLine is a line of another tool.
const foreignLine = `{"hook":"enforce_package_managers.sh","test_name":"pip_blocked","category":"block","input_summary":"pip install requests","expected_decision":"block","expected_exit":0,"actual_decision":"block","actual_exit":0,"actual_output":"{}","actual_stderr":"","pass":true,"note":"absent","timestamp":"2026-02-20T14:30:45Z","duration_ms":2000}`

// noon is the time of the tests.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// at returns a place whose base is the nearest existing parent of the directory.
func at(dir string) Place {
	base := dir
	for {
		if _, err := os.Lstat(base); err == nil {
			return Place{Base: base, Dir: dir}
		}
		base = filepath.Dir(base)
	}
}

func reader(t *testing.T, dir string) *Reader {
	t.Helper()
	r, err := OpenReader(at(dir))
	must(t, err)
	t.Cleanup(r.Close)
	return r
}

func open(t *testing.T, o Options) *Store {
	t.Helper()
	if o.Now == nil {
		o.Now = func() time.Time { return noon }
	}
	must(t, os.MkdirAll(o.Base, 0o755))
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// rec returns a record of case "suite/ID" in a run.
func rec(run, key string, note string) suites.Record {
	suite, id, _ := strings.Cut(key, "/")
	exit := 0
	return suites.Record{
		Hook: "hook.sh", TestName: "case_" + id, Suite: suite, ID: id, RunID: run, Pass: true, Note: note,
		ActualExit: &exit, Timestamp: "2026-03-01T12:00:00Z", Layer: suites.Direct,
		Digests: suites.Digests{Case: "c", Inputs: "in-" + id, Tools: "t"},
	}
}

func inputs(ids ...string) map[string][]suites.Input {
	m := map[string][]suites.Input{}
	for _, id := range ids {
		m["in-"+id] = []suites.Input{{Path: ".claude/hooks/hook.sh", Digest: id, Because: "runs it"}}
	}
	return m
}

func keys(records []suites.Record) []suites.Key {
	var ks []suites.Key
	for i := range records {
		ks = append(ks, records[i].Key())
	}
	return ks
}

func begin(t *testing.T, s *Store, id string, full bool, records ...suites.Record) {
	t.Helper()
	must(t, s.Begin(Run{ID: id, Full: full, Started: noon, Keys: keys(records), Agents: map[string]string{"pm": "pm-agent", "ml": "ml-agent"}}))
	for _, r := range records {
		must(t, s.Append(r))
	}
}

func runFull(t *testing.T, s *Store, id string, at time.Time, records ...suites.Record) {
	t.Helper()
	begin(t, s, id, true, records...)
	must(t, s.EndFull(records, nil, suites.Environment{OS: "linux"}, []byte("# "+id+"\n"), at))
}

func runSelected(t *testing.T, s *Store, id string, records ...suites.Record) {
	t.Helper()
	begin(t, s, id, false, records...)
	must(t, s.EndSelected(records, nil, suites.Environment{}))
}

// describe formats a present state as "agent-file: suite/ID=note ...".
func describe(s *Snapshot) []string {
	var lines []string
	for f, records := range s.ByAgent() {
		line := f.Name + ":"
		for _, r := range records {
			line += fmt.Sprintf(" %s=%s", r.Key(), r.Note)
		}
		lines = append(lines, line)
	}
	return lines
}

// diffSnapshots compares the exported fields of two snapshots; nil and empty ones are equal.
func diffSnapshots(want Snapshot, got *Snapshot) string {
	return cmp.Diff(&want, got, cmpopts.IgnoreUnexported(Snapshot{}), cmpopts.EquateEmpty())
}

// present reads the present state of a results directory.
func present(dir string) (*Snapshot, error) {
	r, err := OpenReader(at(dir))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.Read()
}

func wantState(t *testing.T, dir string, want ...string) {
	t.Helper()
	snap, err := present(dir)
	must(t, err)
	if got := describe(snap); !slices.Equal(got, want) {
		t.Errorf("present state:\n got %q\nwant %q", got, want)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o644))
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	return string(text)
}

// list returns the names below dir, directories with a slash.
func list(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if rel, _ := filepath.Rel(dir, path); rel != "." && err == nil {
			if d.IsDir() {
				rel += "/"
			}
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	}))
	slices.Sort(names)
	return names
}
