package trace

import (
	"bytes"
	_ "embed"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites"
	parser "hookwatch/suites/depend/python"
	"hookwatch/suites/depend/script"
	"hookwatch/suites/shell"
)

// python traces the scripts and modules of CPython from 3.8 on. A sitecustomize module, found by
// PYTHONPATH, logs every new line: by sys.monitoring from 3.12 on, else by a trace function. Each
// record is one write before the line runs, so a process that is killed loses nothing. The
// records, each with its fields:
//
//	S pid version interpreter directory   an interpreter started
//	M, I file                             a file started, as the main script or imported
//	F file line name                      a function was entered
//	L file line                           a line is run
//	W file                                code without lines, such as an installed package
//	R file                                a script is read as data
//	X kept|lost program arguments         a program is started with or without these variables
//	E reason                              lines may be missing from here on
type python struct{}

//go:embed python_start.py
var pythonStart string

const pythonModule = "sitecustomize.py"

func (python) Name() string { return shell.Python }

// Recognises implements Language.
func (python) Recognises(file string, content []byte) bool {
	if shebang := script.Shebang(content); shebang != "" {
		words, _ := shell.Interpreter(shebang)
		return shell.LanguageOf(words) == shell.Python
	}
	return shell.ProgramOf(shell.ByExtension(file)).Language == shell.Python
}

// Start implements Language.
func (python) Start(dir string, env []string) suites.Tracing {
	return suites.Tracing{
		Files: map[string]string{pythonModule: pythonStart, logName: ""},
		Logs:  []string{logName},
		Set:   map[string]string{"PYTHONPATH": Preload(dir, "", env)["PYTHONPATH"]},
	}
}

// Parse implements Language.
func (python) Parse(src []byte) (*script.Script, error) { return parser.Script(src) }

// Unseen implements Language. Python records every file that it executes, so a file without a
// record was executed only by an interpreter that is not traced: one that ignores the variables,
// or that a program started which clears them. Programs that are known to do so are in Trace.Hidden;
// of others it is only known whether a traced interpreter started at all.
func (python) Unseen(shebang string, met *Met, t *Trace) string {
	switch {
	case met != nil:
		return ""
	case untracedPython(strings.Fields(shebang)):
		return "its interpreter line keeps Python from being traced"
	case (t.Starts || t.Interprets) && !slices.Contains(t.Started, shell.Python):
		return "a program that the case ran may run it by a Python that is not traced"
	}
	return ""
}

// untracedPython reports whether the words of a command start Python with an option by which it
// ignores variables or sitecustomize.
func untracedPython(words []string) bool {
	for i, w := range words {
		if p := shell.ProgramOf(strings.TrimPrefix(w, "#!")); p.Language == shell.Python && !p.Runner {
			at, _ := shell.Operand(words[i:])
			return slices.ContainsFunc(words[i+1:i+at], func(option string) bool {
				return strings.HasPrefix(option, "-") && !strings.HasPrefix(option, "--") && strings.ContainsAny(option, "IES")
			})
		}
	}
	return false
}

// Decode implements Language.
func (python) Decode(logs map[string][]byte, d *decoder) {
	log, kept := logs[logName]
	if !kept {
		d.incomplete("the log of Python is lost")
	}
	p := &pyDecoder{decoder: d}
	seen := map[string]bool{}
	for len(log) > 0 {
		line, rest, whole := bytes.Cut(log, []byte{0})
		if !whole {
			d.incomplete("its log ends within a line")
			return
		}
		log = rest
		if seen[string(line)] {
			continue
		}
		seen[string(line)] = true
		if f := strings.Split(string(line), fieldMark); !p.record(f[0], f[1:]) {
			d.incomplete("its log holds a torn line")
		}
	}
}

type pyDecoder struct{ *decoder }

// record adds one record, and reports whether it is complete.
func (d *pyDecoder) record(kind string, f []string) bool {
	switch kind {
	case "S":
		d.start(python{})
		d.trace.Interprets = true
		return len(f) == 4
	case "E":
		d.incomplete(strings.Join(f, " "))
		return true
	case "X":
		return len(f) > 1 && d.program(f[0] == "kept", f[1], f[2:])
	}
	if len(f) == 0 {
		return false
	}
	switch {
	case kind == "R" && len(f) == 1:
		d.read(f[0])
	case kind == "W" && len(f) == 1:
		if at := d.run.Resolve(f[0], ""); at != "" && !path.IsAbs(at) && !filepath.IsAbs(at) {
			d.whole(at, "it is an installed package")
		}
	case (kind == "M" || kind == "I") && len(f) == 1:
		if file := d.executed(f[0]); file != nil && kind == "M" {
			file.met.Main = true
		}
	case kind == "F" && len(f) == 3:
		line, err := strconv.Atoi(f[1])
		if file := d.executed(f[0]); err == nil && file != nil && file.script != nil {
			file.enter(line, f[2])
		}
		return err == nil
	case kind == "L" && len(f) == 2:
		line, err := strconv.Atoi(f[1])
		if file := d.executed(f[0]); err == nil && file != nil && file.script != nil {
			file.line(line)
		}
		return err == nil
	default:
		return false
	}
	return true
}

// executed returns the decoder of a file of which code ran. A file that is gone cannot be compared
// later.
func (d *pyDecoder) executed(name string) *fileDecoder {
	f := d.file(python{}, name, "")
	if f == nil {
		d.incomplete("it executed " + path.Base(name) + ", which was not found again")
	}
	return f
}

// line records the statements on a line: the innermost, and all that share the line with it.
func (f *fileDecoder) line(line int) {
	var on []*script.Statement
	for _, st := range f.script.Statements {
		if st.Start <= line && line <= st.End {
			on = append(on, st)
		}
	}
	if len(on) == 0 {
		f.met.Whole = "line " + strconv.Itoa(line) + " of it is in no statement"
	}
	f.hitAll(innermost(on))
	for _, st := range on { // several on one line, such as "if x: y"
		if st.Start == line {
			f.hit[st] = true
		}
	}
}

// enter records a function that was entered. Its code begins at its first decorator.
func (f *fileDecoder) enter(line int, name string) {
	for _, fn := range f.script.Functions {
		if fn.Start <= line && line <= first(fn.Body) && fn.Name[strings.LastIndexByte(fn.Name, '.')+1:] == name {
			f.functions[fn.Key] = true
			return
		}
	}
	for _, st := range f.script.Statements { // a class has code too
		for _, b := range st.Blocks {
			if b.Class == name && st.Start <= line {
				return
			}
		}
	}
	f.met.Whole = "function " + name + " of it is not in its text"
}

// first returns the first line of a block's statements.
func first(b *script.Block) int {
	if len(b.Statements) == 0 {
		return 0
	}
	return b.Statements[0].Start
}

// program records a program that Python started.
func (d *pyDecoder) program(kept bool, name string, args []string) bool {
	base := path.Base(filepath.ToSlash(name))
	p := shell.ProgramOf(base)
	d.trace.Starts, d.trace.Interprets = true, true
	words := append([]string{base}, args[min(1, len(args)):]...)
	var why string
	switch {
	case !kept:
		d.hide(shell.Python)
		why = "it runs " + base + " without the variables of the trace"
	case untracedPython(words):
		d.hide(shell.Python)
	case p.Shell && base != "bash" && len(args) > 2 && args[1] == "-c" && !runsScript(args[2]):
		d.trace.Environment = true
	case isUntraced(base):
		why = "it runs " + base
	}
	if why != "" && d.trace.Opaque == "" {
		d.trace.Opaque = why
	}
	return true
}

// runsScript reports whether shell code may run another script in the same shell, or a Python that
// is not traced.
func runsScript(code string) bool {
	return strings.Contains(code, ". ") || strings.Contains(code, "source") || strings.Contains(code, ".sh") ||
		strings.Contains(code, "env ") || strings.Contains(code, "PYTHONPATH") || strings.Contains(code, "BASH_ENV") || untracedPython(strings.Fields(code))
}
