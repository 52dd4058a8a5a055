package depend_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/depend"
	"hookwatch/suites/depend/script"
	"hookwatch/suites/depend/trace"
)

const hook, library, config = "hooks/guard.sh", "hooks/lib.sh", "hooks/config.json"

const guard = `#!/bin/bash
source "$(dirname "$0")/lib.sh"
allowed=$(jq -r '.allow.tools[]' "$(dirname "$0")/config.json")
case $1 in
  a) say one ;;
  b) say two ;;
esac
`

const lib = `say() {
  echo "$1"
}
hush() {
  echo quiet
}
`

const settings = `{"allow": {"tools": ["x"], "paths": []}, "log": true}`

// A world contains a project's files before and after a change. Files that are not in after are
// unchanged.
type world struct {
	before, after map[string]string
	bits          map[string]string // of files after the change; "x" if missing
}

func plainWorld(file, old, new string) world {
	w := world{before: map[string]string{hook: guard, library: lib, config: settings}}
	if file != "" {
		if !strings.Contains(w.before[file], old) {
			panic(fmt.Sprintf("%s does not hold %q", file, old))
		}
		w.after = map[string]string{file: strings.Replace(w.before[file], old, new, 1)}
	}
	return w
}

func (w world) old(file string) []byte { return append([]byte("x"), w.before[file]...) }

func (w world) now(file string) []byte {
	text, changed := w.after[file]
	if !changed {
		text = w.before[file]
	}
	bit := "x"
	if b, ok := w.bits[file]; ok {
		bit = b
	}
	return append([]byte(bit), text...)
}

// contents implements depend.Contents: by digest, "" for the current content.
func (w world) contents(file, digest string) []byte {
	for _, content := range [][]byte{w.now(file), w.old(file)} {
		if (digest == "" || digest == suites.Digest(content)) && len(content) > 1 {
			return content
		}
	}
	return nil
}

// changed returns the difference that a file's change makes.
func (w world) changed(file string, by suites.By) depend.Difference {
	d := depend.Difference{Was: suites.Digest(w.old(file))}
	d.Path, d.Digest, d.By, d.Because = file, suites.Digest(w.now(file)), by, "why it is an input"
	return d
}

// came returns the trace of a run of the hook, before the change, that reached the statements on
// these lines of the hook and of the library.
func (w world) came(t *testing.T, inHook, inLibrary []int) *trace.Trace {
	t.Helper()
	tr := &trace.Trace{Files: map[string]*trace.Met{}}
	words := map[script.Key]bool{}
	for file, lines := range map[string][]int{hook: inHook, library: inLibrary} {
		s, err := trace.Parse(file, []byte(w.before[file]))
		if err != nil {
			t.Fatal(err)
		}
		keys, functions := map[script.Key]bool{}, map[script.Key]bool{}
		for _, st := range s.Statements {
			if st.Function != nil || !slices.Contains(lines, st.Start) {
				continue
			}
			keys[st.Key] = true
			if st.In.Function != nil {
				functions[trace.WordKey(st.In.Function.Name)] = true
			}
			for _, word := range st.Facts.Words {
				words[trace.WordKey(word)] = true
			}
			tr.Names = append(tr.Names, st.Facts.Names...)
			tr.Interprets = tr.Interprets || st.Facts.Interprets
		}
		tr.Files[file] = &trace.Met{Digest: s.Digest, Main: file == hook, Statements: trace.NewSet(keys), Functions: trace.NewSet(functions)}
	}
	tr.Words = trace.NewSet(words)
	return tr
}

// ranA returns the trace of a case that executes say one.
func (w world) ranA(t *testing.T) *trace.Trace {
	t.Helper()
	return w.came(t, []int{2, 3, 4, 5}, []int{2})
}

func (w world) decide(q depend.Question) depend.Answer {
	if q.Scripts == nil {
		q.Scripts = []string{hook, library}
	}
	return depend.NewDecider(w.contents).Decide(q)
}

func TestSpareScripts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		file, old, new string
		unaffected     bool
		because        string
		change         func(*world, *depend.Difference, *depend.Question)
	}{
		"executed it":            {file: hook, old: "say one", new: "say ONE", because: "hooks/guard.sh: statement changed at line 5"},
		"did not execute":        {file: hook, old: "say two", new: "say TWO", unaffected: true, because: "nothing that changed"},
		"library, executed":      {file: library, old: `echo "$1"`, new: `echo "$1!"`, because: "in say"},
		"library, did not":       {file: library, old: "echo quiet", new: "echo loud", unaffected: true, because: "nothing that changed"},
		"comment":                {file: hook, old: "case", new: "# about it\ncase", unaffected: true, because: "only comments"},
		"comment, without trace": {file: hook, old: "case", new: "# about it\ncase", unaffected: true, because: "only comments", change: noTrace},
		"without trace":          {file: hook, old: "say two", new: "say TWO", because: "there is no trace", change: noTrace},
		"cannot be parsed":       {file: hook, old: "esac", new: "", because: "cannot be parsed"},
		"new": {file: hook, old: "say two", new: "say TWO", because: "why it is an input",
			change: func(_ *world, d *depend.Difference, _ *depend.Question) { d.Was = "" }},
		"new, reason unknown": {file: hook, old: "say two", new: "say TWO", because: "is new",
			change: func(_ *world, d *depend.Difference, _ *depend.Question) { d.Was, d.Because = "", "" }},
		"gone": {file: hook, old: "say two", new: "say TWO", because: "is gone",
			change: func(_ *world, d *depend.Difference, _ *depend.Question) { d.Digest = "" }},
		"needed by the case": {file: hook, old: "case", new: "# about it\ncase", because: "why it is an input",
			change: func(_ *world, d *depend.Difference, _ *depend.Question) { d.By = suites.Needed }},
		"needed, reason unknown": {file: hook, old: "case", new: "# about it\ncase", because: "depends on all of it",
			change: func(_ *world, d *depend.Difference, _ *depend.Question) { d.By, d.Because = suites.Needed, "" }},
		"marked":               {file: hook, old: "say two", new: "say TWO", because: "why it is an input", change: marked},
		"marked, comment only": {file: hook, old: "case", new: "# about it\ncase", unaffected: true, because: "only comments", change: marked},
		"content is lost": {file: hook, old: "say two", new: "say TWO", because: "its content changed",
			change: func(_ *world, d *depend.Difference, _ *depend.Question) { d.Was = "0123" }},
		"permissions changed": {file: hook, old: "say two", new: "say TWO", because: "it cannot be executed any more",
			change: func(w *world, d *depend.Difference, _ *depend.Question) {
				w.bits = map[string]string{hook: "-"}
				d.Digest = suites.Digest(w.now(hook))
			}},
		"is there again": {file: hook, old: "say two", new: "say TWO", because: "is there now",
			change: func(_ *world, d *depend.Difference, _ *depend.Question) { d.Was, d.Kind = "", depend.Appeared }},
		"is no input any more": {file: hook, old: "say two", new: "say TWO", because: "does not depend on it any more",
			change: func(_ *world, d *depend.Difference, _ *depend.Question) { d.Digest, d.Kind = "", depend.Dropped }},
		"trace of another content": {file: hook, old: "say two", new: "say TWO", because: "another content",
			change: func(_ *world, _ *depend.Difference, q *depend.Question) { q.Trace.Files[hook].Digest = "other" }},
		"trace is not complete": {file: hook, old: "say two", new: "say TWO", because: "it timed out",
			change: func(_ *world, _ *depend.Difference, q *depend.Question) { q.Trace.Incomplete = "it timed out" }},
		"no shell script": {file: hook, old: "#!/bin/bash", new: "#!/usr/bin/python3", because: "interpreter"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := plainWorld(tt.file, tt.old, tt.new)
			d := w.changed(tt.file, suites.Reached)
			q := depend.Question{Trace: w.ranA(t)}
			if tt.change != nil {
				tt.change(&w, &d, &q)
			}
			q.Changed = []depend.Difference{d}
			a := w.decide(q)
			if a.Unaffected != tt.unaffected || !strings.Contains(a.Because, tt.because) {
				t.Errorf("unaffected %v: %q; want %v, %q", a.Unaffected, a.Because, tt.unaffected, tt.because)
			}
		})
	}
}

func noTrace(_ *world, _ *depend.Difference, q *depend.Question) { q.Trace = nil }

func marked(_ *world, d *depend.Difference, _ *depend.Question) { d.By = suites.Marked }

// A section that a marker names is unaffected like the file that contains it.
func TestSpareSections(t *testing.T) {
	t.Parallel()
	section := func(w world, file string) depend.Difference {
		d := w.changed(file, suites.Marked)
		d.Section, d.Was, d.Digest = "case", "old section", "new section"
		return d
	}
	function := func(w world, name string) depend.Difference {
		d := section(w, library)
		d.Section = name
		return d
	}
	saying := `say() {
  if [[ $2 ]]; then
    echo "$2"
  fi
  echo "$1"
}
hush() {
  echo quiet
}
`
	in := func(old, new string) world {
		w := plainWorld("", "", "")
		w.before[library] = saying
		w.after = map[string]string{library: strings.Replace(saying, old, new, 1)}
		return w
	}
	other, same, quiet := in(`echo "$2"`, `echo "$3"`), in(`echo "$1"`, `echo "$3"`), in("echo quiet", "echo q")
	comment := plainWorld(hook, "case", "# about it\ncase")
	code := plainWorld(hook, "say two", "say TWO")
	for name, tt := range map[string]struct {
		w          world
		changed    []depend.Difference
		unaffected bool
		because    string
	}{
		"only comments changed":        {comment, []depend.Difference{comment.changed(hook, suites.Reached), section(comment, hook)}, true, "only comments"},
		"code changed":                 {code, []depend.Difference{code.changed(hook, suites.Reached), section(code, hook)}, false, "hooks/guard.sh §case: why it is an input"},
		"the file is no input":         {comment, []depend.Difference{section(comment, hook)}, false, "why it is an input"},
		"another file's comment":       {comment, []depend.Difference{comment.changed(hook, suites.Reached), section(comment, library)}, false, "hooks/lib.sh §case"},
		"one affects it, one does not": {code, []depend.Difference{code.changed(hook, suites.Reached), {Input: suites.Input{Path: "x", Digest: "1", By: suites.Needed}, Was: "2"}}, false, "x: the case depends"},
		"nothing changed for real":     {code, nil, true, ""},
		"another branch of a function": {other, []depend.Difference{other.changed(library, suites.Reached), function(other, "say")}, true, "executes nothing that changed"},
		"the executed part of it":      {same, []depend.Difference{same.changed(library, suites.Reached), function(same, "say")}, false, "executes it"},
		"a function not entered":       {quiet, []depend.Difference{quiet.changed(library, suites.Reached), function(quiet, "hush")}, false, "why it is an input"},
		"a document's section":         {other, []depend.Difference{other.changed(library, suites.Reached), section(other, library)}, false, "why it is an input"},
	} {
		ran := tt.w.ranA(t)
		if tt.w.before[library] == saying {
			ran = tt.w.came(t, []int{2, 3, 4, 5}, []int{2, 5})
		}
		a := tt.w.decide(depend.Question{Changed: tt.changed, Trace: ran})
		if a.Unaffected != tt.unaffected || !strings.Contains(a.Because, tt.because) {
			t.Errorf("%s: unaffected %v: %q; want %v, %q", name, a.Unaffected, a.Because, tt.unaffected, tt.because)
		}
	}
}

// The trace of an unaffected case is valid for the new content, and so for the next edit.
func TestSparedTraceIsCarried(t *testing.T) {
	t.Parallel()
	w := plainWorld(hook, "say two", "say TWO")
	before := w.ranA(t)
	a := w.decide(depend.Question{Changed: []depend.Difference{w.changed(hook, suites.Reached)}, Trace: before})
	if !a.Unaffected || a.Trace == nil || a.Trace == before {
		t.Fatalf("unaffected %v, trace %p of %p", a.Unaffected, a.Trace, before)
	}
	if got, want := a.Trace.Files[hook].Digest, suites.Digest([]byte(w.after[hook])); got != want {
		t.Errorf("the trace holds for %s, want %s", got, want)
	}
	if before.Files[hook].Digest != suites.Digest([]byte(guard)) {
		t.Error("the trace before was changed")
	}
}

func TestUncovered(t *testing.T) {
	t.Parallel()
	w := plainWorld(hook, "say two", "say TWO")
	r := depend.NewDecider(w.contents)
	tr := w.ranA(t)
	r.Decide(depend.Question{Changed: []depend.Difference{w.changed(hook, suites.Reached)}, Scripts: []string{hook}, Trace: tr})
	for name, tt := range map[string]struct {
		traces []*trace.Trace
		want   string
	}{
		"no case executes": {[]*trace.Trace{tr}, "hooks/guard.sh: statement changed at line 6"},
		"one does":         {[]*trace.Trace{tr, w.came(t, []int{6}, nil)}, ""},
		"one cannot tell":  {[]*trace.Trace{tr, nil}, ""},
	} {
		var got []string
		for _, u := range r.Uncovered(func(path string) []*trace.Trace {
			if path != hook {
				t.Errorf("asked for %s", path)
			}
			return tt.traces
		}) {
			got = append(got, u.String())
		}
		if strings.Join(got, "\n") != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
