package trace

import (
	"cmp"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/depend/script"
	"hookwatch/suites/pattern"
)

// A Run describes a traced run, except for its log.
type Run struct {
	// Resolve returns the canonical path of a file (from the project's root, or absolute outside
	// it) for the name that bash uses, relative to dir. It returns "" if the file does not
	// exist.
	Resolve func(name, dir string) string
	// Script returns the content of a resolved file, as it was during the run, parsed by the
	// language that executed it. After an error, all of the file counts as reached.
	Script func(path string, by Language) (*script.Script, error)
	// Hooks are the resolved scripts that the case starts. If no interpreter reported that it
	// started on one, that script ran without a trace.
	Hooks []string
	// Uses are the uses of files, if they were observed.
	Uses map[string]suites.AccessKind
	// Abnormal is the reason why the run did not end by itself; "" if it did.
	Abnormal string
	// Output is the output of the case, which is searched for line numbers.
	Output [][]byte
}

// Decode returns the trace for the logs of a traced run.
func Decode(logs map[string][]byte, run Run) *Trace {
	d := &decoder{run: run, trace: &Trace{Form: Form, Files: map[string]*Met{}}, files: map[string]*fileDecoder{}, words: map[script.Key]bool{}, names: map[string]bool{}, shown: map[script.Key]bool{}, sent: map[script.Key]bool{}}
	if run.Abnormal != "" {
		d.incomplete(run.Abnormal) // the reason for logs that are lost
	}
	for _, l := range languages {
		if l != languages[0] {
			d.trace.Traced = append(d.trace.Traced, l.Name())
		}
		l.Decode(LogsOf(l.Name(), logs), d)
	}
	d.finish()
	return d.trace
}

// Decode implements Language.
func (bash) Decode(logs map[string][]byte, d *decoder) {
	log, kept := logs[logName]
	if !kept {
		d.incomplete("the log of bash is lost")
	}
	starts, events, evaluations, err := readLog(log)
	if err != nil {
		d.incomplete(err.Error())
	}
	for _, s := range starts {
		d.start(bash{})
		if f := d.file(bash{}, s.file, s.dir); f != nil {
			f.met.Main = true
		}
	}
	d.loose, d.looser = rewritten(events)
	for _, e := range events {
		d.event(e, starts)
	}
	for _, e := range evaluations {
		if e.file == "environment" { // a function that a child bash got, of any file
			e.known = false
			for _, f := range d.files {
				if f.script != nil && f.named(e.function) {
					f.evaluate(e)
				}
			}
		}
		d.place(e.event, starts, func(f *fileDecoder, loose bool) {
			if !loose {
				f.evaluate(e)
			}
		})
	}
}

// start records that an interpreter of a language reported that it started.
func (d *decoder) start(l Language) {
	d.started = true
	if name := l.Name(); l != languages[0] && !slices.Contains(d.trace.Started, name) {
		d.trace.Started = append(d.trace.Started, name)
	}
}

// hide records a language of which the case may have run code without a trace.
func (d *decoder) hide(language string) {
	if language != "" && !slices.Contains(d.trace.Hidden, language) {
		d.trace.Hidden = append(d.trace.Hidden, language)
	}
}

// read records a script whose text is read as data.
func (d *decoder) read(name string) {
	if file := d.run.Resolve(name, ""); file != "" {
		d.texts = append(d.texts, file)
	}
}

// A decoder builds a trace from the logs of all languages.
type decoder struct {
	run     Run
	trace   *Trace
	files   map[string]*fileDecoder // by resolved path
	texts   []string                // files whose text is read
	shows   bool                    // the case may show the text of files
	opens   bool                    // bash may have opened a script to read it as data
	started bool                    // an interpreter reported that it started
	words   map[script.Key]bool
	names   map[string]bool
	shown   map[script.Key]bool
	sent    map[script.Key]bool

	loose, looser bool // see rewritten
}

func (d *decoder) incomplete(why string) {
	d.trace.Incomplete = cmp.Or(d.trace.Incomplete, why)
}

// file returns the decoder of a file that an interpreter of l executes under this name, nil if it
// is no file or unknown.
func (d *decoder) file(l Language, name, dir string) *fileDecoder {
	if name == "" || name == "environment" || strings.HasPrefix(name, "/dev/") || strings.HasPrefix(name, "/proc/") {
		return nil
	}
	known := d.run.Resolve(name, dir)
	if known == "" {
		return nil
	}
	if f, ok := d.files[known]; ok {
		if f.by != l && f.met.Whole == "" {
			f.met.Whole = "it is executed by " + f.by.Name() + " and " + l.Name()
		}
		return f
	}
	f := &fileDecoder{by: l, met: &Met{}, hit: map[*script.Statement]bool{}, functions: map[script.Key]bool{}}
	d.files[known], d.trace.Files[known] = f, f.met
	script, err := d.run.Script(known, l)
	if err != nil {
		f.met.Whole = "it cannot be parsed: " + err.Error()
		return f
	}
	f.script, f.met.Digest = script, script.Digest
	for _, word := range script.Reveals {
		d.words[WordKey(word)] = true
	}
	return f
}

// event records one command. Relative names are resolved in the working directory of the event
// and in those where a bash started.
func (d *decoder) event(e *event, starts []start) {
	if e.file == "environment" {
		d.exported(e.function)
		return
	}
	d.opens = d.opens || e.file == ""
	if strings.HasPrefix(e.text, "trap") && (strings.Contains(e.text, "DEBUG") || strings.Contains(e.text, "RETURN")) {
		d.incomplete("it has a DEBUG or RETURN trap of its own")
	}
	if !d.place(*e, starts, func(f *fileDecoder, loose bool) { f.note(e, loose) }) {
		d.incomplete("it executed " + path.Base(e.file) + ", which was not found again")
	}
}

// place calls in with each file in which an event may have been; loose is explained at note. It reports whether one was
// found.
func (d *decoder) place(e event, starts []start, in func(f *fileDecoder, loose bool)) (found bool) {
	dirs := []string{e.dir}
	if relative(e.file) {
		for _, s := range starts {
			dirs = append(dirs, s.dir)
		}
	}
	found = !relative(e.file)
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		f := d.file(bash{}, e.file, dir)
		found = found || f != nil
		if f != nil && f.script != nil {
			in(f, d.looser || d.loose && e.function != "")
		}
	}
	return found
}

// relative reports whether bash's name of a file needs a directory to be resolved.
func relative(name string) bool { return name != "" && !strings.HasPrefix(name, "/") }

// exported records a function that a child bash got through the environment. It was defined in
// one of the files, but its lines are unknown, so its whole body counts.
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

// finish combines the facts of the reached statements and adds files that count as a whole.
func (d *decoder) finish() {
	if !d.started {
		d.incomplete("no interpreter reported that it started")
	}
	var tools []*fileDecoder
	for file, f := range d.files {
		if f.met.Main && filepath.IsAbs(file) && !slices.Contains(d.run.Hooks, file) {
			tools = append(tools, f)
		} else {
			d.sum(f, false)
			d.shares(f)
		}
	}
	// A tool such as the wrapper of an interpreter prints only its own functions and line numbers,
	// unless it has some of the project.
	alone := !d.Sourced() && !d.trace.Shows && len(d.sent) == 0
	for _, f := range tools {
		if d.sum(f, true); !alone {
			d.shares(f)
		}
	}
	for _, hook := range d.run.Hooks {
		if met := d.trace.Files[hook]; met == nil || !met.Main {
			d.whole(hook, "it was not started by an interpreter that is traced")
		}
	}
	for _, p := range d.texts {
		d.text(p, "the case reads it")
	}
	d.trace.Words = NewSet(d.words)
	d.trace.Shown, d.trace.Exported = NewSet(d.shown), NewSet(d.sent)
	d.trace.Names = slices.Sorted(maps.Keys(d.names))
	for _, p := range slices.Sorted(maps.Keys(d.run.Uses)) {
		d.opened(p, d.run.Uses[p])
	}
	for _, out := range d.run.Output {
		d.trace.Lines = d.trace.Lines || lineNumber().Match(out)
		d.shows = d.shows || sourceLine().Match(out)
	}
	if d.shows {
		d.trace.Lines = true
		for file := range d.files {
			d.text(file, "the case may show its lines")
		}
	}
}

// opened adds what is known of a file that was opened for reading. A program other than bash reads
// a script of bash as data.
func (d *decoder) opened(file string, kind suites.AccessKind) {
	f := d.files[file]
	switch {
	case kind&suites.Read == 0:
	case kind&(suites.Data|suites.Wrote) == 0:
		d.source(file)
	case kind&suites.Data != 0 && f != nil && f.by == Language(bash{}):
		d.text(file, "another program than bash reads it")
	}
}

// source adds a script of which bash executed no statement with an event: it can only define
// functions. That bash read it as data instead, by a redirection, is ruled out.
func (d *decoder) source(file string) {
	if d.trace.Files[file] != nil || d.opens || d.looser || d.trace.Dynamic {
		return
	}
	for _, f := range d.files {
		if f.met.Whole != "" {
			return
		}
	}
	if _, uses := d.trace.Uses(file); uses {
		return
	}
	if script, err := d.run.Script(file, bash{}); err == nil && script.OnlyDefines() {
		d.trace.Files[file] = &Met{Digest: script.Digest}
	}
}

// text makes all edits of a file affect the case, even those of comments.
func (d *decoder) text(file, why string) {
	if d.trace.Files[file] == nil {
		if _, err := d.run.Script(file, nil); err != nil {
			return // no script
		}
		d.trace.Files[file] = &Met{}
	}
	d.trace.Files[file].Text = why
}

func (d *decoder) whole(file, why string) {
	met := d.trace.Files[file]
	if met == nil {
		met = &Met{}
		d.trace.Files[file] = met
	}
	met.Whole = cmp.Or(met.Whole, why)
}

// around returns the statements that were reached and those around them: the statement around a loop
// has the redirections.
func (f *fileDecoder) around() map[*script.Statement]bool {
	all := map[*script.Statement]bool{}
	for st := range f.hit {
		for host := st; host != nil && !all[host]; host = host.In.Of {
			all[host] = true
		}
	}
	return all
}

// shares adds what a file prints or exports of functions and line numbers: its own, and those of the
// scripts that its process sourced or that called it.
func (d *decoder) shares(f *fileDecoder) {
	d.trace.Lines = d.trace.Lines || f.script != nil && f.script.Numbers != ""
	for st := range f.around() {
		for _, n := range st.Facts.Shown {
			d.shown[WordKey(n)] = true
		}
		for _, n := range st.Facts.Exported {
			d.sent[WordKey(n)] = true
		}
		d.trace.Shows = d.trace.Shows || st.Facts.Shows
	}
}

// Sourced reports whether a bash executed a file of the project that it was not started on.
func (d *decoder) Sourced() bool {
	for file, f := range d.files {
		if _, bash := f.by.(bash); bash && !f.met.Main && !filepath.IsAbs(file) {
			return true
		}
	}
	return false
}

// sum adds the facts of the statements that were reached. A tool is a script outside the project
// that was started as a program, such as a wrapper of an interpreter: what it does without a trace
// is done by itself.
func (d *decoder) sum(f *fileDecoder, tool bool) {
	keys := map[script.Key]bool{}
	for st := range f.hit {
		keys[st.Key] = true
	}
	for st := range f.around() {
		for _, w := range st.Facts.Words {
			d.words[WordKey(w)] = true
		}
		for _, n := range st.Facts.Names {
			d.names[n] = true
		}
		d.trace.Environment = d.trace.Environment || st.Facts.Environment
		d.trace.Starts = d.trace.Starts || st.Facts.Starts
		d.trace.Interprets = d.trace.Interprets || st.Facts.Interprets
		d.trace.Dynamic = d.trace.Dynamic || st.Facts.Dynamic
		d.shows = d.shows || st.Facts.Text
		d.opens = d.opens || st.Facts.Opens
		d.hide(st.Facts.Hides)
		if st.Facts.Opaque != "" && d.trace.Opaque == "" {
			d.trace.Opaque = st.Facts.Opaque
		}
		switch {
		case tool && st.Facts.Ends != "":
			d.trace.Starts = true
		case st.Facts.Ends != "":
			d.incomplete(st.Facts.Ends)
		}
	}
	if f.script != nil && slices.ContainsFunc(f.script.Functions, func(fn *script.Function) bool { return fn.Name == "builtin" }) {
		d.incomplete("it defines builtin")
	}
	f.met.Statements, f.met.Functions = NewSet(keys), NewSet(f.functions)
}

var lineNumber = pattern.Lazy(`(?i)\bline [0-9]+\b|\.(json|[cm]?[jt]sx?):[0-9]|\bat .*:[0-9]+:[0-9]+|--trace-uncaught`)

var sourceLine = pattern.Lazy(`File "[^"]+", line [0-9]|\.py:[0-9]+`)

// A fileDecoder collects the statements and functions of one file that were reached.
type fileDecoder struct {
	by        Language
	script    *script.Script // nil if it could not be parsed
	met       *Met
	hit       map[*script.Statement]bool
	functions map[script.Key]bool
	bytes     int // of values
}
