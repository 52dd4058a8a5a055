package trace

import (
	"bytes"
	"errors"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites/pattern"
)

// A Run is what is known of a traced run beside its log.
type Run struct {
	// Resolve gives the path by which a file is known (from the project's root,
	// or absolute), for the name by which bash knows it and the directory that a
	// relative one starts from; "" for a file that is not there.
	Resolve func(name, dir string) string
	// Script gives the parsed content of a resolved file, as it was when the case
	// ran. An error means that nothing can be said of its statements.
	Script func(path string) (*Script, error)
	// Hooks are the resolved scripts that the case starts. One of which no bash
	// announced itself was run by something that is not traced.
	Hooks []string
	// Opened are files that the case is known to have used in another way, such
	// as the modules of an interpreter that is not bash: all of each counts.
	Opened []string
	// Abnormal says why the run did not end by itself; "" when it did.
	Abnormal string
	// Output is what the case printed, to see whether it names line numbers.
	Output [][]byte
}

// Decode turns the log of a traced run into a trace.
func Decode(log []byte, run Run) *Trace {
	d := &decoder{run: run, trace: &Trace{Files: map[string]*Met{}}, files: map[string]*fileDecoder{}, words: map[Key]bool{}, names: map[string]bool{}, shown: map[Key]bool{}, sent: map[Key]bool{}}
	starts, events, err := readLog(log)
	if err != nil {
		d.incomplete(err.Error())
	}
	for _, s := range starts {
		if f := d.file(s.file, s.dir); f != nil {
			f.met.Main = true
		}
	}
	d.loose, d.looser = rewritten(events)
	for _, e := range events {
		d.event(e, starts)
	}
	d.finish(len(starts))
	return d.trace
}

type decoder struct {
	run   Run
	trace *Trace
	files map[string]*fileDecoder // nil for a file of no interest
	words map[Key]bool
	names map[string]bool
	shown map[Key]bool
	sent  map[Key]bool

	loose, looser bool // see rewritten
}

func (d *decoder) incomplete(why string) {
	if d.trace.Incomplete == "" {
		d.trace.Incomplete = why
	}
}

// file finds what a name of bash's stands for.
func (d *decoder) file(name, dir string) *fileDecoder {
	if name == "" || name == "environment" || strings.HasPrefix(name, "/dev/") || strings.HasPrefix(name, "/proc/") {
		return nil
	}
	known := d.run.Resolve(name, dir)
	if known == "" {
		return nil
	}
	if f, ok := d.files[known]; ok {
		return f
	}
	f := &fileDecoder{met: &Met{}, hit: map[*Statement]bool{}, functions: map[Key]bool{}}
	d.files[known], d.trace.Files[known] = f, f.met
	script, err := d.run.Script(known)
	if err != nil {
		f.met.Whole = "it cannot be parsed: " + err.Error()
		return f
	}
	f.script, f.met.Digest = script, script.Digest
	return f
}

// event notes one command. A relative name is looked for from the working
// directory of the event, then from those that a bash started in.
func (d *decoder) event(e event, starts []start) {
	if e.file == "environment" {
		d.exported(e.function)
		return
	}
	if strings.HasPrefix(e.text, "trap") && (strings.Contains(e.text, "DEBUG") || strings.Contains(e.text, "RETURN")) {
		d.incomplete("it has a DEBUG or RETURN trap of its own")
	}
	dirs := []string{e.dir}
	if relative(e.file) {
		for _, s := range starts {
			dirs = append(dirs, s.dir)
		}
	}
	found := !relative(e.file)
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		f := d.file(e.file, dir)
		found = found || f != nil
		if f != nil && f.script != nil {
			f.note(e, d.looser || d.loose && e.function != "")
		}
	}
	if !found {
		d.incomplete("it executed " + path.Base(e.file) + ", which was not found again")
	}
}

// relative reports whether a name of bash's is of a file and needs a directory.
func relative(name string) bool { return name != "" && !strings.HasPrefix(name, "/") }

// exported notes a function that a child got through the environment: it was
// defined in one of the files, and its lines are lost.
func (d *decoder) exported(function string) {
	for _, f := range d.files {
		if f.script == nil {
			continue
		}
		for _, fn := range f.script.Functions {
			if fn.Name == function {
				f.functions[WordKey(function)] = true
				f.all(fn.Body)
			}
		}
	}
}

// finish sums up what the met statements say of the trace.
func (d *decoder) finish(starts int) {
	if starts == 0 {
		d.incomplete("no bash said that it started")
	}
	if d.run.Abnormal != "" {
		d.incomplete(d.run.Abnormal)
	}
	for _, f := range d.files {
		d.sum(f)
	}
	for _, hook := range d.run.Hooks {
		if met := d.trace.Files[hook]; met == nil || !met.Main {
			d.whole(hook, "it was not started by a bash that is traced")
		}
	}
	for _, p := range d.run.Opened {
		d.whole(p, "it is no bash script")
	}
	d.trace.Words = NewSet(d.words)
	d.trace.Shown, d.trace.Exported = NewSet(d.shown), NewSet(d.sent)
	d.trace.Names = slices.Sorted(maps.Keys(d.names))
	for _, out := range d.run.Output {
		d.trace.Lines = d.trace.Lines || namesLine(out)
	}
}

func (d *decoder) whole(file, why string) {
	met := d.trace.Files[file]
	if met == nil {
		met = &Met{}
		d.trace.Files[file] = met
	}
	if met.Whole == "" {
		met.Whole = why
	}
}

func (d *decoder) sum(f *fileDecoder) {
	keys := map[Key]bool{}
	said := map[*Statement]bool{}
	for st := range f.hit {
		keys[st.Key] = true
		for host := st; host != nil; host = host.In.Of { // that of a loop has redirections
			said[host] = true
		}
	}
	for st := range said {
		for _, w := range st.Facts.Words {
			d.words[WordKey(w)] = true
		}
		for _, n := range st.Facts.Names {
			d.names[n] = true
		}
		for _, n := range st.Facts.Shown {
			d.shown[WordKey(n)] = true
		}
		for _, n := range st.Facts.Exported {
			d.sent[WordKey(n)] = true
		}
		d.trace.Environment = d.trace.Environment || st.Facts.Environment
		d.trace.Starts = d.trace.Starts || st.Facts.Starts
		d.trace.Interprets = d.trace.Interprets || st.Facts.Interprets
		d.trace.Dynamic = d.trace.Dynamic || st.Facts.Dynamic
		d.trace.Shows = d.trace.Shows || st.Facts.Shows
		if st.Facts.Opaque != "" && d.trace.Opaque == "" {
			d.trace.Opaque = st.Facts.Opaque
		}
		if st.Facts.Ends != "" {
			d.incomplete(st.Facts.Ends)
		}
	}
	d.trace.Lines = d.trace.Lines || f.script != nil && f.script.Numbers != "" // its own or those of its callers
	if f.script != nil && slices.ContainsFunc(f.script.Functions, func(fn *Function) bool { return fn.Name == "builtin" }) {
		d.incomplete("it defines builtin")
	}
	f.met.Statements, f.met.Functions = NewSet(keys), NewSet(f.functions)
}

// An event is one line of the log: a command that bash was about to run.
type event struct {
	file     string // as bash names it; "" for code that is in no file
	dir      string // the working directory, where file is relative
	function string // "" at top level
	line     int
	text     string // squeezed
	cut      bool   // text is only a beginning
}

// A start is one bash that began.
type start struct{ dir, file string }

const fieldMark = "\x1f"

// readLog gives the starts and the distinct events of a log. A log that ends in
// the middle of a line says that the writer was killed.
func readLog(log []byte) (starts []start, events []event, err error) {
	seen := map[string]bool{}
	for len(log) > 0 {
		line, rest, whole := bytes.Cut(log, []byte{0})
		if !whole {
			return starts, events, errors.New("its log ends within a line")
		}
		log = rest
		if seen[string(line)] {
			continue
		}
		seen[string(line)] = true
		f := strings.Split(string(line), fieldMark)
		switch {
		case f[0] == "B" && len(f) == 3:
			starts = append(starts, start{f[1], f[2]})
		case f[0] == "E" && len(f) >= 6:
			e, err := eventOf(f[1:])
			if err != nil {
				return starts, events, err
			}
			events = append(events, e)
		default:
			return starts, events, errors.New("its log holds a torn line")
		}
	}
	return starts, events, nil
}

func eventOf(f []string) (event, error) {
	line, err := strconv.Atoi(f[0])
	if err != nil {
		return event{}, errors.New("its log holds a line number that is none")
	}
	text := strings.Join(f[4:], fieldMark) // the command may hold the mark itself
	return event{
		function: f[1], file: f[2], dir: f[3], line: line,
		text: squeeze(text), cut: len(text) >= textLimit, // bytes may be what the locale counts
	}, nil
}

// rewritten tells of a run whether the text of an event can be another than the
// command's: in functions, which traps may call, and everywhere by an alias.
func rewritten(events []event) (inFunctions, everywhere bool) {
	for _, e := range events {
		inFunctions = inFunctions || strings.HasPrefix(e.text, "trap")
		everywhere = everywhere || strings.Contains(e.text, "expand_aliases")
	}
	return inFunctions, everywhere
}

// note finds the statements that an event may be of. The line is right for a
// plain command and wrong inside a multi-line $( ), in < <( ), on entering a
// function and in a trap. The text is always of the command, as its signature
// has it, but in a trap, where it is that of the command before, and where an
// alias was expanded: such events are loose, and both line and text count.
func (f *fileDecoder) note(e event, loose bool) {
	scope := f.scope(e.function)
	var onLine, said, both []*Statement
	for _, st := range f.script.Statements {
		if st.Function != nil || !scope(st) {
			continue
		}
		here, announced := st.Start <= e.line && e.line <= st.End, st.announced(e)
		if here {
			onLine = append(onLine, st)
		}
		if announced {
			said = append(said, st)
		}
		if here && announced {
			both = append(both, st)
		}
	}
	f.hitAll(both)
	if len(both) == 0 {
		f.hitAll(said)
	}
	if loose || len(said) == 0 {
		f.hitAll(innermost(onLine))
	}
	if len(onLine)+len(said) == 0 {
		f.unexplained(e)
	}
}

// scope tells which statements an event can be of: those of the function that it
// is in, those outside all functions, or any where code from elsewhere defined
// the function.
func (f *fileDecoder) scope(function string) func(*Statement) bool {
	switch {
	case f.named(function):
		f.functions[WordKey(function)] = true
		return func(st *Statement) bool { return inside(st, function) }
	case function == "" || function == "main" || function == "source":
		return func(st *Statement) bool { return st.In.Function == nil }
	default:
		return func(*Statement) bool { return true }
	}
}

func (f *fileDecoder) hitAll(list []*Statement) {
	for _, st := range list {
		f.hit[st] = true
	}
}

// unexplained is an event that no statement accounts for: code from eval or of
// a trap, whose own statement was met, or the entry of a function, which is
// announced on its first line. One that is said to be elsewhere in a function
// makes all of it count.
func (f *fileDecoder) unexplained(e event) {
	for _, fn := range f.script.Functions {
		if fn.Name == e.function && fn.Start < e.line && e.line <= fn.End {
			f.all(fn.Body)
		}
	}
}

// all notes every statement of a block and of the blocks in it.
func (f *fileDecoder) all(b *Block) {
	for _, st := range b.Statements {
		if st.Function != nil {
			continue
		}
		f.hit[st] = true
		for _, inner := range st.Blocks {
			f.all(inner)
		}
	}
}

// named reports whether the file defines a function of that name.
func (f *fileDecoder) named(name string) bool {
	for _, fn := range f.script.Functions {
		if fn.Name == name {
			return true
		}
	}
	return false
}

// inside reports whether a statement can run as part of a function: it stands
// in its body. Outside functions bash says "main" or "source", which may be
// names of functions too.
func inside(st *Statement, function string) bool {
	in := st.In.Function
	if in == nil {
		return function == "main" || function == "source"
	}
	return in.Name == function
}

func (st *Statement) announced(e event) bool {
	for _, s := range st.signatures {
		if s.announces(e.text, e.cut) {
			return true
		}
	}
	return false
}

// innermost leaves out statements that hold another of the list in a block.
func innermost(list []*Statement) []*Statement {
	outer := map[*Statement]bool{}
	for _, st := range list {
		for up := st.In.Of; up != nil; up = up.In.Of {
			outer[up] = true
		}
	}
	var inner []*Statement
	for _, st := range list {
		if !outer[st] {
			inner = append(inner, st)
		}
	}
	return inner
}

var lineNumber = pattern.Lazy(`(?i)\bline [0-9]+\b|\.json:[0-9]`)

// namesLine reports whether a text names a line, as bash's own errors and jq's do.
func namesLine(out []byte) bool { return lineNumber().Match(out) }

// A fileDecoder collects what was met of one file.
type fileDecoder struct {
	script    *Script // nil when it could not be parsed
	met       *Met
	hit       map[*Statement]bool
	functions map[Key]bool
}
