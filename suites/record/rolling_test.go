package record

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
)

func TestRollingLogIsRotatedCompressedAndReadInOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, Options{Place: at(dir), RollingSize: 4 << 10})
	must(t, s.Begin(Run{ID: "r1"}))
	pause := time.NewTicker(5 * time.Millisecond) // old files are named by the millisecond
	defer pause.Stop()
	const lines = 40
	for i := range lines {
		r := rec("r1", "pm/P01", strconv.Itoa(i))
		r.ActualOutput = strings.Repeat("x", 1000)
		must(t, s.Append(r))
		<-pause.C
	}
	must(t, s.Close())
	packed := 0
	for _, name := range list(t, filepath.Join(dir, rollingName)) {
		if strings.HasSuffix(name, ".gz") {
			packed++
		} else if name != "pm-agent.jsonl" {
			t.Errorf("%s is not compressed", name)
		}
	}
	if packed < 5 {
		t.Errorf("%d old files", packed)
	}
	var notes, want []string
	warned, err := reader(t, dir).History(func(agent string, r suites.Record) bool {
		notes = append(notes, r.Note)
		return agent == "pm-agent"
	})
	must(t, err)
	for i := range lines {
		want = append(want, strconv.Itoa(i))
	}
	if !slices.Equal(notes, want) || len(warned) != 0 {
		t.Errorf("history %v, warnings %q", notes, warned)
	}
	again := open(t, Options{Place: at(dir)}) // the run was not ended, and its records are in old files too
	wantState(t, dir, "pm-agent-20260301T120000Z.jsonl: pm/P01=39")
	if in := again.Interrupted(); in == nil || in.RunID != "r1" {
		t.Errorf("interrupted %+v", in)
	}
}
