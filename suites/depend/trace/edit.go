package trace

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/depend/script"
)

// Edits describes the differences between two contents of one file.
//
// Two contents are compared as trees, block by block. Up to the first edited place that a run
// reaches, the old and the new script behave the same, and a run that reaches none behaves as
// before. So each edit has a condition that is true for every run that reached its place, and in
// doubt for more.
type Edits struct {
	Path     string // slash path from the project's root, as traces name it
	Old, New string // digests of the contents
	All      string // why every case is affected; "" if List is complete
	List     []Edit // block by block; empty if only comments or white space differ
	Moved    bool   // some statement is on other lines
	Assumed  bool   // neither its name nor its content shows that it is a script
	shebang  string // of the old content
	by       Language

	functions []*script.Function // of the old content
}

// None reports whether nothing that is executed differs.
func (e *Edits) None() bool { return e.All == "" && len(e.List) == 0 }

// An Edit is one place that differs.
type Edit struct {
	What     string // such as "statement changed"
	Old, New Lines  // zero if there are none
	Function string // the enclosing function; "" at top level
	guard    guard
	text     []string // functions whose text it changes, or that it adds or removes
	binds    []string // if not nil, it affects only cases that use one of these names
	// replaces is not nil if only comparisons of variables differ.
	replaces *replacement
}

// Lines is a range of lines, from 1, both included.
type Lines struct{ From, To int }

// String formats the range as "812-815", or "812" if it is one line.
func (l Lines) String() string {
	if l.From == l.To {
		return fmt.Sprint(l.From)
	}
	return fmt.Sprintf("%d-%d", l.From, l.To)
}

// String formats the edit as "statement changed at lines 812-815 in f".
func (e Edit) String() string {
	at, version := e.New, ""
	if at.From == 0 {
		at, version = e.Old, "old "
	}
	s := e.What
	switch at.From {
	case at.To:
		s += fmt.Sprintf(" at %sline %s", version, at)
	default:
		s += fmt.Sprintf(" at %slines %s", version, at)
	}
	if e.Function != "" {
		s += " in " + e.Function
	}
	return s
}

// Compare returns the differences between two contents. file is the name in traces; Compare
// itself only uses its base and extension.
func Compare(file string, before, after []byte) *Edits {
	e := &Edits{Path: file, Old: suites.Digest(before), New: suites.Digest(after)}
	if bytes.Equal(before, after) {
		return e
	}
	was, is := LanguageOf(file, before), LanguageOf(file, after)
	switch {
	case was != is:
		e.All = "the interpreter line changed"
	case was == nil:
		e.All = "it is in no language that is traced"
	}
	if e.All != "" {
		return e
	}
	e.by = was
	old, err := was.Parse(before)
	if err != nil {
		e.All = "the old content cannot be parsed: " + err.Error()
		return e
	}
	new, err := was.Parse(after)
	if err != nil {
		e.All = "the new content cannot be parsed: " + err.Error()
		return e
	}
	e.shebang, e.functions = old.Shebang, old.Functions
	e.Assumed = old.Shebang == "" && path.Ext(file) == ""
	e.Moved = old.Quotes || moved(old, new)
	if e.All = script.Beyond(old, new); e.All != "" {
		return e
	}
	if old.Structure == new.Structure {
		return e
	}
	d := &differ{list: &e.List}
	d.block(old.Body, new.Body)
	if len(e.List) == 0 && !onlyMoved(old.Body, new.Body) {
		e.All = "it differs in a way that its statements do not show"
	}
	return e
}

// moved reports whether any statement is on other lines than before.
func moved(old, new *script.Script) bool {
	if len(old.Statements) != len(new.Statements) {
		return true
	}
	for i, o := range old.Statements {
		if n := new.Statements[i]; o.Start != n.Start || o.End != n.End {
			return true
		}
	}
	return false
}

// Affected reports whether the edits can change the outcome of a case with this trace, and why,
// in one line. If the trace is nil, nothing is known of the case, and only edits without any
// effect leave it unaffected.
func Affected(e *Edits, t *Trace) (bool, string) { return affected(e, t, Edit.answersAlike) }

// Reached reports whether a case with this trace executes one of the edits, also if its outcome cannot differ because a
// comparison answers as before.
func Reached(e *Edits, t *Trace) bool {
	reached, _ := affected(e, t, func(Edit, string, *Trace) bool { return false })
	return reached
}

// affected is Affected, but for edits that a case executes and goes on as before.
func affected(e *Edits, t *Trace, goesOn func(one Edit, file string, t *Trace) bool) (bool, string) {
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
	unaffected := "the case executes nothing that changed"
	for _, edit := range e.List {
		switch why := edit.met(e.Path, t); {
		case why == "":
		case goesOn(edit, e.Path, t):
			unaffected = edit.String() + "; it answers as before to the values of the case"
		default:
			return true, why
		}
	}
	return false, unaffected
}

// Entered reports whether a case with this trace entered a function of the old content with this name,
// so that the trace shows which of its statements it executed.
func Entered(e *Edits, t *Trace, name string) bool {
	met := t.Files[e.Path]
	return met != nil && slices.ContainsFunc(e.functions, func(fn *script.Function) bool { return fn.Name == name && met.Functions.Has(fn.Key) })
}

// blind returns the reason why every edit of the file affects the case, "" if there is none.
func blind(e *Edits, t *Trace) string {
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
	if met == nil && !traces(t, e.by) {
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
func (e Edit) met(file string, t *Trace) string {
	if e.binds != nil && !t.Dynamic && !slices.ContainsFunc(e.binds, func(name string) bool { return t.Words.Has(WordKey(name)) }) {
		return ""
	}
	return e.reached(file, t)
}

// answersAlike reports whether a case with this trace, which executed the edit, goes on as before, because the
// comparisons that differ have the same answers, and nothing else of them is used.
func (e Edit) answersAlike(file string, t *Trace) bool {
	met := t.Files[file]
	if e.replaces == nil || met == nil || slices.ContainsFunc(e.text, t.ShowsFunction) {
		return false
	}
	reveals := func(word string) bool { return t.Words.Has(WordKey(word)) }
	return !slices.ContainsFunc(e.replaces.reveals(), reveals) && e.replaces.same(met)
}

func (e Edit) reached(file string, t *Trace) string {
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
		if t.Words.Has(WordKey(g.function)) || entered(t, g.function) {
			return fmt.Sprintf("%s; the case executes a call of %s", e, g.function)
		}
	}
	switch {
	case g.dynamic && t.Dynamic:
		return fmt.Sprintf("%s; the case ran commands whose names are not spelled out", e)
	case slices.ContainsFunc(e.text, t.ShowsFunction):
		return fmt.Sprintf("%s; the case printed or passed on functions", e)
	}
	return ""
}

func entered(t *Trace, function string) bool {
	key := WordKey(function)
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
func Uncovered(e *Edits, traces []*Trace) []Edit {
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

// A guard is true for every trace of a run that reached a place. It is a disjunction: any one of
// its conditions is enough.
type guard struct {
	all      string       // why it is true for every trace
	keys     []script.Key // statements of the file
	function string       // a function that was entered, or whose name is in a reached statement
	entered  []script.Key // functions of the file that were entered
	dynamic  bool         // commands with unknown names ran
}

func (g guard) or(h guard) guard {
	g.all = cmp.Or(g.all, h.all)
	g.keys = append(g.keys[:len(g.keys):len(g.keys)], h.keys...)
	g.entered = append(g.entered[:len(g.entered):len(g.entered)], h.entered...)
	g.function = cmp.Or(g.function, h.function)
	g.dynamic = g.dynamic || h.dynamic
	return g
}

// reach returns a guard for every run that reached a statement: an event in it, and, if the
// statement may run without an event, the guard of the place before it.
func reach(s *script.Statement) guard {
	g := guard{keys: s.Keys(nil)}
	if s.Sure {
		return g
	}
	return g.or(behind(s.In, s.Index-1))
}

// before returns a guard for every run that reached the place before the statement with this
// index. If that statement is sure to cause an event, the event is enough, because such a run
// continues with it at once.
func before(b *script.Block, index int) guard {
	for _, s := range b.Statements[index:] {
		if s.Function != nil || s.Binds != nil { // see behind
			continue
		}
		if s.Sure {
			return guard{keys: s.Keys(nil)}
		}
		break
	}
	return behind(b, index-1)
}

// behind returns a guard for every run that got past the statement with this index: it reached
// that statement, or, if no statement runs before the place, it entered the block. Statements that
// only bind names do not count: a trace may lack one that was added since, because it did not affect
// the case.
func behind(b *script.Block, index int) guard {
	for ; index >= 0; index-- {
		if s := b.Statements[index]; s.Function == nil && s.Binds == nil {
			return reach(s)
		}
	}
	return entry(b)
}

// entry returns a guard for every run that entered a block.
func entry(b *script.Block) guard {
	switch {
	case b.After != nil && len(b.After.Statements) > 0:
		return behind(b.After, len(b.After.Statements)-1)
	case b.Of != nil:
		return reach(b.Of)
	case b.Function != nil:
		g := guard{function: b.Function.Name}
		if b.Function.Recorded {
			g = guard{entered: []script.Key{b.Function.Key}}
		}
		for _, s := range b.Statements {
			g.keys = s.Keys(g.keys)
		}
		return g
	default:
		return guard{all: "it is the top of the file"}
	}
}
