package record

import (
	"errors"
	"path/filepath"
	"testing"

	"hookwatch/suites"
)

func TestAFullRunThatCannotBeKeptHarmsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, Options{Place: at(dir)})
	runFull(t, s, "r1", noon, rec("r1", "pm/P01", "1"), rec("r1", "pm/P02", "1"))
	before := list(t, dir)
	write(t, filepath.Join(dir, archiveName, pendingPrefix+"20260301T120000Z-2"), "in the way")
	begin(t, s, "r2", true, rec("r2", "pm/P01", "2"))
	err := s.EndFull([]suites.Record{rec("r2", "pm/P01", "2")}, nil, suites.Environment{}, nil, noon)
	if failed := (*WriteError)(nil); !errors.As(err, &failed) || failed.Dir != dir {
		t.Errorf("got %v", err)
	}
	wantState(t, dir, "pm-agent-20260301T120000Z.jsonl: pm/P01=1 pm/P02=1")
	if after := list(t, dir); len(after) != len(before)+2 { // running.json, and the obstacle
		t.Errorf("left over: %v, before %v", after, before)
	}
	begin(t, s, "r3", false) // takes over the run that r2 could not end
	wantState(t, dir, "pm-agent-20260301T120000Z.jsonl: pm/P01=2 pm/P02=1")
	must(t, s.EndSelected(nil, nil, suites.Environment{}))
}
