package trace

import "hookwatch/suites/pattern"

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
