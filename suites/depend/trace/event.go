package trace

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites/depend/script"
)

// An event is one record of the log: a command that bash was about to run.
type event struct {
	file     string // as bash names it; "" for code that is in no file
	dir      string // the working directory, to which file may be relative
	function string // "" at top level
	line     int
	text     string // squeezed
	cut      bool   // text is only a beginning
	// next has the events that followed it in the same process, nil if one is unknown. Only events
	// of case have them.
	next map[*event]bool
}

// follow records which event followed in the same process.
func (e *event) follow(next *event) {
	if e == nil || !strings.HasPrefix(e.text, "case") {
		return
	}
	if e.next == nil {
		e.next = map[*event]bool{}
	}
	e.next[next] = true
}

// A start is the record of one bash that started.
type start struct{ dir, file string }

const fieldMark = "\x1f"

// readLog returns the starts, and the distinct events and evaluations of a log. It returns an error if the log
// ends within a record, because the writer was killed then.
func readLog(log []byte) (starts []start, events []*event, evaluations []evaluation, err error) {
	seen, evaluated := map[string]*event{}, map[string]bool{}
	last := map[string]*event{} // by process
	forget := func() {
		for _, e := range last {
			e.follow(nil)
		}
		clear(last)
	}
	defer forget()
	for len(log) > 0 {
		line, rest, whole := bytes.Cut(log, []byte{0})
		if !whole {
			return starts, events, nil, errors.New("its log ends within a line")
		}
		log = rest
		kind, record, _ := strings.Cut(string(line), fieldMark)
		switch kind {
		case "B":
			f := strings.Split(record, fieldMark)
			if len(f) != 2 {
				return starts, events, nil, errors.New("its log holds a torn line")
			}
			forget() // the next step of a case may use the same numbers of processes
			if s := (start{f[0], f[1]}); !slices.Contains(starts, s) {
				starts = append(starts, s)
			}
		case "E":
			process, command, _ := strings.Cut(record, fieldMark)
			e := seen[command]
			if e == nil {
				if e, err = eventOf(strings.Split(command, fieldMark)); err != nil {
					return starts, events, nil, err
				}
				seen[command] = e
				events = append(events, e)
			}
			last[process].follow(e)
			last[process] = e
			if process == "" { // an old bash does not number its processes
				forget()
			}
		case "V":
			if evaluated[record] {
				continue
			}
			evaluated[record] = true
			e, err := evaluationOf(strings.Split(record, fieldMark))
			if err != nil {
				return starts, events, nil, err
			}
			evaluations = append(evaluations, e)
		default:
			return starts, events, nil, errors.New("its log holds a torn line")
		}
	}
	return starts, events, evaluations, nil
}

func eventOf(f []string) (*event, error) {
	if len(f) < 5 {
		return nil, errors.New("its log holds a torn line")
	}
	line, err := strconv.Atoi(f[0])
	if err != nil {
		return nil, errors.New("its log holds a line number that is none")
	}
	text := strings.Join(f[4:], fieldMark) // the command may contain the mark itself
	return &event{
		function: f[1], file: f[2], dir: f[3], line: line,
		text: squeeze(text), cut: len(text) >= textLimit, // the locale may count bytes
	}, nil
}

// rewritten reports whether the text of an event can differ from its command: in functions,
// which traps may call, and everywhere if aliases are expanded.
func rewritten(events []*event) (inFunctions, everywhere bool) {
	for _, e := range events {
		inFunctions = inFunctions || strings.HasPrefix(e.text, "trap")
		everywhere = everywhere || strings.Contains(e.text, "expand_aliases")
	}
	return inFunctions, everywhere
}

// note records the statements that an event may belong to. The line is right for a plain command
// and wrong inside a multi-line $( ), in < <( ), on entering a function and in a trap. The text
// matches the command's signature except in a trap, where it is the text of the previous
// command, and after an alias was expanded. Such events are loose, and both line and text count.
func (f *fileDecoder) note(e *event, loose bool) {
	onLine, byText, both := f.find(e)
	found := both
	if len(both) == 0 {
		found = byText
	}
	if loose || len(byText) == 0 {
		found = append(found, innermost(onLine)...)
	}
	f.hitAll(found)
	for _, st := range found {
		f.compare(st, e, loose)
	}
	if len(onLine)+len(byText) == 0 {
		f.unexplained(e)
	}
}

// find returns the statements that an event may belong to by its line, by its text, and by both.
func (f *fileDecoder) find(e *event) (onLine, byText, both []*script.Statement) {
	scope := f.scope(e.function)
	for _, st := range f.script.Statements {
		if st.Function != nil || !scope(st) {
			continue
		}
		here, announced := st.Start <= e.line && e.line <= st.End, announcements(st, e) > 0
		if here {
			onLine = append(onLine, st)
		}
		if announced {
			byText = append(byText, st)
		}
		if here && announced {
			both = append(both, st)
		}
	}
	return onLine, byText, both
}

// scope returns the filter for statements that an event can belong to: those of its function,
// those outside all functions, or any if the function was defined by code from elsewhere.
func (f *fileDecoder) scope(function string) func(*script.Statement) bool {
	switch {
	case f.named(function):
		f.functions[WordKey(function)] = true
		return func(st *script.Statement) bool { return inside(st, function) }
	case function == "" || function == "main" || function == "source":
		return func(st *script.Statement) bool { return st.In.Function == nil }
	default:
		return func(*script.Statement) bool { return true }
	}
}

func (f *fileDecoder) hitAll(list []*script.Statement) {
	for _, st := range list {
		f.hit[st] = true
	}
}

// unexplained handles an event that matches no statement: code from eval or of a trap, whose own
// statement was recorded, or the entry of a function, which is reported on its first line. If
// the event is on another line of a function, all of the function counts.
func (f *fileDecoder) unexplained(e *event) {
	for _, fn := range f.script.Functions {
		if fn.Name == e.function && fn.Start < e.line && e.line <= fn.End {
			f.all(fn.Body)
		}
	}
}

// all records every statement of a block and of its inner blocks.
func (f *fileDecoder) all(b *script.Block) {
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

// named reports whether the file defines a function with this name.
func (f *fileDecoder) named(name string) bool {
	for _, fn := range f.script.Functions {
		if fn.Name == name {
			return true
		}
	}
	return false
}

// inside reports whether a statement can run as part of a function, because it is in its body.
// Outside functions bash reports "main" or "source", which can also be names of functions.
func inside(st *script.Statement, function string) bool {
	in := st.In.Function
	if in == nil {
		return function == "main" || function == "source"
	}
	return in.Name == function
}

// announcements returns the number of commands of a statement that an event may be of.
func announcements(st *script.Statement, e *event) (n int) {
	for _, s := range st.Signatures {
		if announces(s, e.text, e.cut) {
			n++
		}
	}
	return n
}

// innermost drops statements that contain another statement of the list in a block.
func innermost(list []*script.Statement) []*script.Statement {
	outer := map[*script.Statement]bool{}
	for _, st := range list {
		for up := st.In.Of; up != nil; up = up.In.Of {
			outer[up] = true
		}
	}
	var inner []*script.Statement
	for _, st := range list {
		if !outer[st] {
			inner = append(inner, st)
		}
	}
	return inner
}
