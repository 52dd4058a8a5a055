package record

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestRetentionKeepsWhatIsNotItsOwn checks that an archive directory is deleted only if it
// contains nothing but a run of hookwatch's. The reason for keeping it is reported once.
func TestRetentionKeepsWhatIsNotItsOwn(t *testing.T) {
	t.Parallel()
	const old = "20260101T000000Z"
	run := map[string]string{environmentName: `{"run_id":"r0"}`, resultsName: "# r0", "a-agent-" + old + ".jsonl": foreignLine + "\n"}
	with := func(name, text string) map[string]string {
		files := map[string]string{name: text}
		for name, text := range run {
			if _, ok := files[name]; !ok {
				files[name] = text
			}
		}
		return files
	}
	for name, c := range map[string]struct {
		dir      string
		files    map[string]string
		goes     bool
		reported string
	}{
		"a run":                   {old, run, true, ""},
		"one cut short by a kill": {old, with(".RESULTS.md12", "half"), true, ""},
		"notes":                   {old, with("notes.txt", "mine"), false, "notes.txt was not written by hookwatch"},
		"a directory":             {old, with("more/file", "mine"), false, "more is a directory"},
		"another tool's":          {old, map[string]string{"a-agent-" + old + ".jsonl": foreignLine}, false, ""},
		"an environment of none":  {old, with(environmentName, "{}"), false, ""},
		"a name like a stamp":     {"20260101T000000", run, false, ""},
		"half a run":              {pendingPrefix + old, map[string]string{resultsName: "half"}, true, ""},
		"half a run with notes":   {pendingPrefix + old, with("notes.txt", "mine"), false, "notes.txt was not written by hookwatch"},
		"a name like half a run":  {pendingPrefix + "thesis", run, false, ""},
		"a run of a time to come": {"20990101T000000Z", run, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, text := range c.files {
				write(t, filepath.Join(dir, archiveName, c.dir, file), text)
			}
			s := open(t, Options{Place: at(dir), KeepRuns: 1, KeepDays: 1})
			reported := s.Snapshot().Warnings
			for _, id := range []string{"r1", "r2"} {
				runFull(t, s, id, noon, rec(id, "pm/P01", id))
				reported = append(reported, s.Warnings()...)
			}
			_, err := os.Stat(filepath.Join(dir, archiveName, c.dir))
			if gone := os.IsNotExist(err); gone != c.goes {
				t.Errorf("deleted: %v, want %v", gone, c.goes)
			}
			about := slices.DeleteFunc(reported, func(text string) bool { return c.reported == "" || !strings.Contains(text, c.reported) })
			if c.reported != "" && len(about) != 1 {
				t.Errorf("reported %q, want once %q", reported, c.reported)
			}
			if runs, err := s.Runs(); err != nil || !slices.ContainsFunc(runs, func(r ArchivedRun) bool { return r.Stamp == "20260301T120000Z-2" }) {
				t.Errorf("the latest run is not there: %v, %v", runs, err)
			}
		})
	}
}

// TestOldLogsGoByTheirExactNames checks that nothing else in rolling is deleted or
// compressed.
func TestOldLogsGoByTheirExactNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{
		"pm-agent-2020-01-01T00-00-00.000.jsonl", "pm-agent-2020-01-02T00-00-00.000.jsonl.gz", "pm-agent-2026-02-28T00-00-00.000.jsonl", // ours
		"pm-agent-2020-01-01.jsonl", "pm-agent-2020-01-01T00-00-00.jsonl", "pm-agent-2020-13-01T00-00-00.000.jsonl", "pm-agent-2020-01-01T00-00-00.000.txt",
		"thesis-2020-01-01T00-00-00.000.jsonl",
	} {
		write(t, filepath.Join(dir, rollingName, name), foreignLine+"\n")
	}
	s, err := Open(Options{Place: at(dir), KeepDays: 30, RollingSize: 1, Now: func() time.Time { return noon }})
	must(t, err)
	runSelected(t, s, "r1", rec("r1", "pm/P01", "1"), rec("r1", "pm/P02", "1"))
	must(t, s.Close())
	want := []string{
		"pm-agent-2020-01-01.jsonl", "pm-agent-2020-01-01T00-00-00.000.txt", "pm-agent-2020-01-01T00-00-00.jsonl", "pm-agent-2020-13-01T00-00-00.000.jsonl",
		"pm-agent-2026-02-28T00-00-00.000.jsonl.gz", "pm-agent-2026-03-01T12-00-00.000.jsonl.gz", "pm-agent.jsonl", "thesis-2020-01-01T00-00-00.000.jsonl",
	}
	if got := list(t, filepath.Join(dir, rollingName)); !slices.Equal(got, want) {
		t.Errorf("rolling holds\n%q, want\n%q", got, want)
	}
}

func TestRetention(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return noon.AddDate(0, 0, n) }
	for _, c := range []struct {
		name       string
		runs, days int
		want       string
	}{
		{"all", 0, 0, "20260331 20260311 20260302 20260301"},
		{"two", 2, 0, "20260331 20260311"},
		{"one", 1, 0, "20260331"},
		{"twenty-five days", 0, 25, "20260331 20260311"},
		{"one day", 50, 1, "20260331"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := open(t, Options{Place: at(t.TempDir()), KeepRuns: c.runs, KeepDays: c.days})
			for i, n := range []int{0, 1, 10, 30} {
				id := string(rune('a' + i))
				runFull(t, s, id, day(n), rec(id, "pm/P01", ""))
			}
			runs, err := s.Runs()
			must(t, err)
			var days []string
			for _, r := range runs {
				days = append(days, r.Stamp[:8])
			}
			if got := strings.Join(days, " "); got != c.want {
				t.Errorf("kept %s, want %s", got, c.want)
			}
		})
	}
}
