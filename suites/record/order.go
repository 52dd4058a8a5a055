package record

import (
	"cmp"
	"encoding/json"
	"slices"

	"hookwatch/suites/disk"
)

// runsName lists the stamps of archived runs in the order in which they ended. The
// clock does not know it: it may have gone back between two of them.
const runsName = "runs.json"

// inOrder puts runs, which are sorted by their stamps, the newest first, into the
// order in which they ended. Those that are not listed stay where they are: without
// a list, or with one that cannot be read, the stamps are all there is.
func (r *Reader) inOrder(runs []ArchivedRun) {
	if r.dir == nil || len(runs) < 2 {
		return
	}
	var stamps []string
	if text, err := r.dir.ReadFile(runsName, documentLimit); err != nil || parse(text, &stamps) != nil {
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

// noteOrder notes that a run ends after all that are archived. It comes before the
// run is: what is listed and not there is none.
func (s *Store) noteOrder(st stamp) error {
	runs, err := s.r.Runs()
	if err != nil {
		return err
	}
	var stamps []string
	for _, run := range slices.Backward(runs) {
		stamps = append(stamps, run.Stamp)
	}
	text, err := json.Marshal(append(stamps, st.String()))
	if err != nil {
		return err
	}
	return s.r.dir.Replace(runsName, text, disk.Synced)
}
