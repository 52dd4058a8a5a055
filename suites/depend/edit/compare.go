package edit

import (
	"bytes"
	"path"

	"hookwatch/suites"
	"hookwatch/suites/depend/trace"
)

// Compare returns the differences between two contents. file is the name in traces; Compare
// itself only uses its base and extension.
func Compare(file string, before, after []byte) *Edits {
	e := &Edits{Path: file, Old: suites.Digest(before), New: suites.Digest(after)}
	if bytes.Equal(before, after) {
		return e
	}
	was, is := trace.LanguageOf(file, before), trace.LanguageOf(file, after)
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
	if e.All = beyond(was, old, new); e.All != "" {
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

// beyond returns the reason why statements cannot describe a difference, "" if they can.
func beyond(l trace.Language, old, new *trace.Script) string {
	why := l.Beyond(old, new)
	switch {
	case old.Shebang != new.Shebang:
		return "the interpreter line changed"
	case why != "":
		return why
	case old.Own != "" || new.Own != "":
		return first(old.Own, new.Own)
	case old.Numbers != "" || new.Numbers != "":
		return first(old.Numbers, new.Numbers)
	case old.Structure == new.Structure:
		return ""
	case old.Odd != "" || new.Odd != "":
		return first(old.Odd, new.Odd)
	}
	return ""
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// moved reports whether any statement is on other lines than before.
func moved(old, new *trace.Script) bool {
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
