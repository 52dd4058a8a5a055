package record

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

// An ArchivedRun is a full run as it ended. ReadRun reads its records.
type ArchivedRun struct {
	Dir   string    // its directory
	Stamp string    // the directory's name
	At    time.Time // when it ended, whole seconds, UTC
	st    stamp
}

// runsName lists the stamps of archived runs in the order in which they ended. The
// clock does not know it: it may have gone back between two of them.
const runsName = "runs.json"

// Runs lists the archived runs, the latest first, those of other tools too.
func (r *Reader) Runs() ([]ArchivedRun, error) {
	all, err := entries(r.archive)
	if err != nil {
		return nil, fmt.Errorf("list archived runs: %w", err)
	}
	var runs []ArchivedRun
	for _, e := range all {
		if st, ok := parseStamp(e.Name()); ok && e.IsDir() {
			runs = append(runs, ArchivedRun{Dir: filepath.Join(r.archive.Path(), e.Name()), Stamp: e.Name(), At: st.at, st: st})
		}
	}
	slices.SortFunc(runs, func(a, b ArchivedRun) int { return b.st.compare(a.st) })
	r.inOrder(runs)
	return runs, nil
}

// inOrder puts runs, which are sorted by their stamps, the newest first, into the
// order in which they ended. Those that are not listed stay where they are: without
// a list, or with one that cannot be read, the stamps are all there is.
func (r *Reader) inOrder(runs []ArchivedRun) {
	if r.dir == nil || len(runs) < 2 {
		return
	}
	var stamps []string
	if text, err := r.dir.ReadFile(runsName, DocumentLimit); err != nil || ParseJSON(text, &stamps) != nil {
		return
	}
	place := make(map[string]int, len(stamps))
	for i, st := range stamps {
		place[st] = i
	}
	var at []int
	var listed []ArchivedRun
	for i, run := range runs {
		if _, ok := place[run.Stamp]; ok {
			at, listed = append(at, i), append(listed, run)
		}
	}
	slices.SortFunc(listed, func(a, b ArchivedRun) int { return cmp.Compare(place[b.Stamp], place[a.Stamp]) })
	for i, run := range listed {
		runs[at[i]] = run
	}
}
