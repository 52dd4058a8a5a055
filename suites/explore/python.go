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
//	S file line source             code of -c or standard input has this name here
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
		case f[0] == "S":
			r.inline = append(r.inline, inline{f[1], bytes.TrimRight([]byte(f[3]), "\n")})
		case f[0] == "C" && len(f) == 6:
			r.add(Comparison{File: f[1], Line: at, Op: Op(f[3]), Value: f[4], Pattern: f[5]})
		case f[0] == "L":
			if column, err := strconv.Atoi(f[3]); err == nil {
				r.began[place{file: f[1], line: at, column: column}] = true
			}
		}
	}
}

// inline is code of Python that a script of another language contains.
type inline struct {
	name string // in the log
	code []byte
}

// place gives what inline code did the place of the code in the script that contains it.
func (r *Record) place(script string, src []byte) {
	for _, in := range r.inline {
		at := bytes.Index(src, in.code)
		if at < 0 {
			continue
		}
		before := bytes.Count(src[:at], []byte{'\n'})
		move := func(file *string, line *int) {
			if *file == in.name {
				*file, *line = script, *line+before
			}
		}
		for i := range r.Comparisons {
			move(&r.Comparisons[i].File, &r.Comparisons[i].Line)
		}
		for i := range r.Reads {
			move(&r.Reads[i].File, &r.Reads[i].Line)
		}
		for i := range r.Errors {
			move(&r.Errors[i].File, &r.Errors[i].Line)
		}
	}
}
