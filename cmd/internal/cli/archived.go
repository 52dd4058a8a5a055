package cli

import (
	"errors"
	"fmt"

	"hookwatch/suites/record"
)

// snapshot reads an archived run, or the present state when none is named.
func snapshot(r *record.Reader, dir, run string) (*record.Snapshot, error) {
	if run == "" {
		return r.Read()
	}
	runs, err := r.Runs()
	if err != nil {
		return nil, err
	}
	for _, full := range runs {
		if full.Stamp == run || run == "latest" {
			return r.ReadRun(full)
		}
	}
	return nil, fmt.Errorf("no archived run %s in %s (there are %d)", run, dir, len(runs))
}

// pair reads the two runs that are meant.
func pair(r *record.Reader, dir string, args []string) (before, after *record.Snapshot, err error) {
	names := args
	if len(names) == 0 {
		runs, err := r.Runs()
		if err != nil {
			return nil, nil, err
		}
		if len(runs) < 2 {
			return nil, nil, fmt.Errorf("%d full runs in %s: two are needed (hookwatch --once makes one)", len(runs), dir)
		}
		names = []string{runs[1].Stamp, runs[0].Stamp}
	}
	if before, err = snapshot(r, dir, names[0]); err != nil {
		return nil, nil, err
	}
	second := ""
	if len(names) == 2 {
		second = names[1]
	}
	after, err = snapshot(r, dir, second)
	if err == nil && len(after.Records) == 0 {
		err = errors.New("there is no present state to compare with: hookwatch --once makes one")
	}
	return before, after, err
}
