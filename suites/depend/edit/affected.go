package edit

import (
	"fmt"
	"slices"

	"hookwatch/suites/depend/trace"
)

// Affected reports whether the edits can change the outcome of a case with this trace, and why,
// in one line. If the trace is nil, nothing is known of the case, and only edits without any
// effect leave it unaffected.
func Affected(e *Edits, t *trace.Trace) (bool, string) {
	if e.Old == e.New {
		return false, "the content is the same"
	}
	if t != nil {
		if name, ok := t.Uses(e.Path); ok {
			return true, fmt.Sprintf("the case executes a statement that may read the file (%s)", name)
		}
		if met := t.Files[e.Path]; met != nil && met.Text != "" {
			return true, "all of its text counts: " + met.Text
		}
		if e.Moved && t.Lines {
			return true, "lines moved; the output of the case names lines"
		}
	}
	switch {
	case e.None() && e.Assumed && (t == nil || t.Files[e.Path] == nil):
		return true, "it may be data"
	case e.None():
		return false, "only comments or white space changed"
	}
	if why := blind(e, t); why != "" {
		return true, why
	}
	for _, edit := range e.List {
		if why := edit.met(e.Path, t); why != "" {
			return true, why
		}
	}
	return false, "the case executes nothing that changed"
}

// Entered reports whether a case with this trace entered a function of the old content with this name,
// so that the trace shows which of its statements it executed.
func Entered(e *Edits, t *trace.Trace, name string) bool {
	met := t.Files[e.Path]
	return met != nil && slices.ContainsFunc(e.functions, func(fn *trace.Function) bool { return fn.Name == name && met.Functions.Has(fn.Key) })
}

// blind returns the reason why every edit of the file affects the case, "" if there is none.
func blind(e *Edits, t *trace.Trace) string {
	if e.All != "" {
		return e.All
	}
	if t == nil {
		return "there is no trace of the case"
	}
	if why := t.Blind(); why != "" {
		return why
	}
	met := t.Files[e.Path]
	if slices.Contains(t.Hidden, e.by.Name()) {
		return "the case may run it by a " + e.by.Name() + " that is not traced"
	}
	if met == nil && !trace.Traces(t, e.by) {
		return "the trace does not show what " + e.by.Name() + " executes"
	}
	if why := e.by.Unseen(e.shebang, met, t); why != "" {
		return why
	}
	switch {
	case met == nil:
		return ""
	case met.Whole != "":
		return "all of the file counts: " + met.Whole
	case met.Digest != e.Old:
		return "the trace is of another content"
	}
	return ""
}

// met returns the reason why a case with this trace executed the edit, "" if it did not.
func (e Edit) met(file string, t *trace.Trace) string {
	if e.binds != nil && !t.Dynamic && !slices.ContainsFunc(e.binds, func(name string) bool { return t.Words.Has(trace.WordKey(name)) }) {
		return ""
	}
	return e.reached(file, t)
}

func (e Edit) reached(file string, t *trace.Trace) string {
	g := e.guard
	if g.all != "" {
		return fmt.Sprintf("%s: %s", e, g.all)
	}
	if met := t.Files[file]; met != nil {
		if slices.ContainsFunc(g.keys, met.Statements.Has) {
			return fmt.Sprintf("%s; the case executes it", e)
		}
		if slices.ContainsFunc(g.entered, met.Functions.Has) {
			return fmt.Sprintf("%s; the case enters it", e)
		}
	}
	if g.function != "" {
		if t.Words.Has(trace.WordKey(g.function)) || entered(t, g.function) {
			return fmt.Sprintf("%s; the case executes a call of %s", e, g.function)
		}
	}
	switch {
	case g.dynamic && t.Dynamic:
		return fmt.Sprintf("%s; the case ran commands whose names are not spelled out", e)
	case e.shown(t):
		return fmt.Sprintf("%s; the case printed or passed on functions", e)
	}
	return ""
}

// shown reports whether a case printed or exported a function whose text the edit changes.
func (e Edit) shown(t *trace.Trace) bool {
	return slices.ContainsFunc(e.text, t.ShowsFunction)
}

func entered(t *trace.Trace, function string) bool {
	key := trace.WordKey(function)
	for _, met := range t.Files {
		if met.Functions.Has(key) {
			return true
		}
	}
	return false
}

// Uncovered returns the edits that none of the traces reaches: code that no case runs, so a pass
// does not cover it. It returns nil if one of the traces cannot decide this, or if the edits are
// of a kind that statements do not show.
func Uncovered(e *Edits, traces []*trace.Trace) []Edit {
	if e.All != "" || len(e.List) == 0 {
		return nil
	}
	for _, t := range traces {
		if blind(e, t) != "" {
			return nil
		}
	}
	var list []Edit
	for _, edit := range e.List {
		covered := edit.What == namesChanged // the definition is an edit of its own
		for _, t := range traces {
			covered = covered || edit.met(e.Path, t) != ""
		}
		if !covered {
			list = append(list, edit)
		}
	}
	return list
}
