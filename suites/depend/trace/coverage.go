package trace

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/depend/script"
)

// A Traced is a case with its trace.
type Traced struct {
	Key   suites.Key
	Trace *Trace
}

// A Coverage describes the parts of one script that cases execute.
type Coverage struct {
	Path      string            `json:"path"`
	Cases     int               `json:"cases"`     // that executed any part of it
	Functions []CoveredFunction `json:"functions"` // in source order
	Lines     []CoveredLine     `json:"lines"`     // on which statements begin
	Gaps      []Gap             `json:"gaps"`      // lines that no case runs
}

// A CoveredFunction is one definition with the cases that entered it.
type CoveredFunction struct {
	Name  string   `json:"name"`
	Line  int      `json:"line"`
	End   int      `json:"end"`
	Cases []string `json:"cases"`
}

// A CoveredLine is a line on which a statement begins, with the number of cases that executed
// it.
type CoveredLine struct {
	Line  int          `json:"line"`
	Cases int          `json:"cases"`
	By    []suites.Key `json:"-"` // these cases
}

// A Gap is a range of lines, both included, whose statements no case executed.
type Gap struct {
	From     int    `json:"from"`
	To       int    `json:"to"`
	Function string `json:"function,omitempty"` // the enclosing function
}

// String formats the gap as "lines 3-5 in f".
func (g Gap) String() string {
	text := fmt.Sprintf("lines %d-%d", g.From, g.To)
	if g.From == g.To {
		text = fmt.Sprintf("line %d", g.From)
	}
	if g.Function != "" {
		text += " in " + g.Function
	}
	return text
}

// Cover returns the coverage of a script's current content. It ignores traces of other content
// and those for which the whole file counts.
func Cover(path string, s *script.Script, cases []Traced) Coverage {
	f := Coverage{Path: path, Functions: []CoveredFunction{}, Lines: []CoveredLine{}, Gaps: []Gap{}}
	var met []Traced
	for _, c := range cases {
		if m := c.Trace.Files[path]; m != nil && m.Digest == s.Digest && m.Whole == "" {
			met = append(met, c)
		}
	}
	f.Cases = len(met)
	for _, fn := range s.Functions {
		f.Functions = append(f.Functions, covered(path, fn, met))
	}
	f.lines(path, s, met)
	return f
}

func covered(path string, fn *script.Function, met []Traced) CoveredFunction {
	out := CoveredFunction{Name: fn.Name, Line: fn.Start, End: fn.End, Cases: []string{}}
	for _, c := range met {
		if c.Trace.Files[path].Functions.Has(fn.Key) {
			out.Cases = append(out.Cases, c.Key.String())
		}
	}
	return out
}

// lines counts the cases of every line. Statements that bash may run without an event are
// skipped.
func (f *Coverage) lines(path string, s *script.Script, met []Traced) {
	runs := map[int]map[suites.Key]bool{}
	for _, st := range s.Statements {
		if st.Function != nil || st.Arm || !st.Sure {
			continue
		}
		if runs[st.Start] == nil {
			runs[st.Start] = map[suites.Key]bool{}
		}
		for _, c := range met {
			if c.Trace.Files[path].Statements.Has(st.Key) {
				runs[st.Start][c.Key] = true
			}
		}
	}
	for n, by := range runs {
		f.Lines = append(f.Lines, CoveredLine{n, len(by), slices.SortedFunc(maps.Keys(by), suites.Key.Compare)})
	}
	slices.SortFunc(f.Lines, func(a, b CoveredLine) int { return cmp.Compare(a.Line, b.Line) })
	f.gaps(s)
}

// gaps joins consecutive lines that no case runs if they are in the same function.
func (f *Coverage) gaps(s *script.Script) {
	open := false
	for _, l := range f.Lines {
		in := functionAt(s, l.Line)
		last := len(f.Gaps) - 1
		switch {
		case l.Cases > 0:
			open = false
		case open && f.Gaps[last].Function == in:
			f.Gaps[last].To = l.Line
		default:
			f.Gaps = append(f.Gaps, Gap{l.Line, l.Line, in})
			open = true
		}
	}
}

// functionAt returns the name of the innermost function around a line, "" at top level.
func functionAt(s *script.Script, line int) string {
	name, size := "", 0
	for _, fn := range s.Functions {
		if fn.Start <= line && line <= fn.End && (name == "" || fn.End-fn.Start < size) {
			name, size = fn.Name, fn.End-fn.Start
		}
	}
	return name
}

// Run counts the lines that any case runs.
func (f *Coverage) Run() (lines int) {
	for _, l := range f.Lines {
		if l.Cases > 0 {
			lines++
		}
	}
	return lines
}

// Entered counts the functions that any case enters.
func (f *Coverage) Entered() (functions int) {
	for _, fn := range f.Functions {
		if len(fn.Cases) > 0 {
			functions++
		}
	}
	return functions
}

// WriteLCOV writes the files in the lcov format that genhtml and editors read. Counts are
// numbers of cases.
func WriteLCOV(w io.Writer, files []Coverage) error {
	p := &printer{w: w}
	for i := range files {
		f := &files[i]
		p.line("TN:")
		p.line("SF:%s", f.Path)
		for _, fn := range f.Functions {
			p.line("FN:%d,%s", fn.Line, fn.Name)
		}
		for _, fn := range f.Functions {
			p.line("FNDA:%d,%s", len(fn.Cases), fn.Name)
		}
		p.line("FNF:%d", len(f.Functions))
		p.line("FNH:%d", f.Entered())
		for _, l := range f.Lines {
			p.line("DA:%d,%d", l.Line, l.Cases)
		}
		p.line("LF:%d", len(f.Lines))
		p.line("LH:%d", f.Run())
		p.line("end_of_record")
	}
	return p.err
}

// A printer keeps the first write error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}
