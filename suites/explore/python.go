package explore

import (
	"bytes"
	_ "embed"
	"strconv"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/depend/trace"
)

//go:embed python_start.py
var pythonStart string

// startPython observes CPython from 3.8 on: a sitecustomize module rewrites the scripts of the hook when
// they are loaded, so that they log, each record once:
//
//	C file line op value pattern   a comparison, a read of a field, or an error
//	L file line column             a statement begins
func startPython(dir string, env []string) suites.Tracing {
	return suites.Tracing{
		Files: map[string]string{"sitecustomize.py": pythonStart, logName: ""},
		Logs:  []string{logName},
		Set:   map[string]string{"PYTHONPATH": trace.Preload(dir, "", env)["PYTHONPATH"]},
	}
}

func (r *Record) python(logs map[string][]byte) {
	for line := range bytes.SplitSeq(logs[logName], []byte{0}) {
		f := strings.Split(string(line), "\x1f")
		if len(f) < 4 {
			continue
		}
		at, err := strconv.Atoi(f[2])
		if err != nil {
			continue
		}
		switch {
		case f[0] == "C" && len(f) == 6:
			r.add(Comparison{File: f[1], Line: at, Op: Op(f[3]), Value: f[4], Pattern: f[5]})
		case f[0] == "L":
			if column, err := strconv.Atoi(f[3]); err == nil {
				r.began[place{file: f[1], line: at, column: column}] = true
			}
		}
	}
}
