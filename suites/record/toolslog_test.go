package record

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
)

// selectedWith ends a selected run without cases, with tools.
func selectedWith(t *testing.T, s *Store, id string, tools ...suites.Tool) error {
	t.Helper()
	must(t, s.Begin(Run{ID: id}))
	return s.EndSelected(nil, nil, suites.Environment{Tools: tools})
}

// TestToolsOverTime checks that the log of tools is read from all of its files, with one
// line per change, even if another process continues it.
func TestToolsOverTime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tool := func(i int) suites.Tool {
		return suites.Tool{Name: "ruff", Path: "/ruff", Digest: strconv.Itoa(i), Version: strings.Repeat("x", 400)}
	}
	pause := time.NewTicker(5 * time.Millisecond) // old files are named by the millisecond
	defer pause.Stop()
	const changes = 12
	for half := range 2 {
		s, err := Open(Options{Place: at(dir), RollingSize: 2 << 10})
		must(t, err)
		for i := range changes/2 + half { // the second begins with the last tools of the first
			n := half*(changes/2-1) + i
			must(t, selectedWith(t, s, "r"+strconv.Itoa(n), tool(n)))
			must(t, selectedWith(t, s, "again"+strconv.Itoa(n), tool(n)))
			<-pause.C
		}
		must(t, s.Close())
	}
	packed, err := filepath.Glob(filepath.Join(dir, rollingName, "tools-*.log"+".gz"))
	must(t, err)
	if len(packed) < 2 {
		t.Errorf("%d old files are compressed", len(packed))
	}
	all, err := reader(t, dir).Tools()
	must(t, err)
	var got, want []string
	for i := range all {
		got = append(got, all[i].Tools[0].Digest)
	}
	for i := range changes {
		want = append(want, strconv.Itoa(i))
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("tools %v, want %v", got, want)
	}
	if none, err := reader(t, t.TempDir()).Tools(); err != nil || len(none) > 0 {
		t.Errorf("without a log: %v, %v", none, err)
	}
}

// TestToolsThatCannotBeLogged checks that the run ends nevertheless, and the error is
// reported.
func TestToolsThatCannotBeLogged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, Options{Place: at(dir)})
	runFull(t, s, "r0", noon, rec("r0", "pm/P01", "1"))
	must(t, os.Mkdir(filepath.Join(dir, rollingName, toolsLog), 0o755))
	var failed *WriteError
	if err := selectedWith(t, s, "r1", suites.Tool{Name: "ruff"}); !errors.As(err, &failed) {
		t.Errorf("a selected run: %v", err)
	}
	if text := read(t, filepath.Join(dir, environmentName)); !strings.Contains(text, "r1") {
		t.Errorf("environment.json: %s", text)
	}
	begin(t, s, "r2", true, rec("r2", "pm/P01", "2"))
	if err := s.EndFull([]suites.Record{rec("r2", "pm/P01", "2")}, nil, suites.Environment{Tools: []suites.Tool{{Name: "ruff"}}}, nil, noon.Add(time.Hour)); !errors.As(err, &failed) {
		t.Errorf("a full run: %v", err)
	}
	wantState(t, dir, "pm-agent-20260301T130000Z.jsonl: pm/P01=2")
	if s.run != nil {
		t.Errorf("%s is open still", s.run.ID)
	}
}
