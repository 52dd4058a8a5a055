package edit

import (
	"bytes"
	"path"

	"hookwatch/suites"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/shell"
)

// Compare returns the differences between two contents. file is the name in traces; Compare
// itself only uses its base and extension.
func Compare(file string, before, after []byte) *Edits {
	e := &Edits{Path: file, Old: suites.Digest(before), New: suites.Digest(after)}
	if bytes.Equal(before, after) {
		return e
	}
	old, err := trace.Parse(before)
	if err != nil {
		e.All = "the old content cannot be parsed: " + err.Error()
		return e
	}
	new, err := trace.Parse(after)
	if err != nil {
		e.All = "the new content cannot be parsed: " + err.Error()
		return e
	}
	e.shebang = old.Shebang
	e.Moved = moved(old, new)
	if e.All = beyond(file, old, new, before, after); e.All != "" {
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
func beyond(file string, old, new *trace.Script, before, after []byte) string {
	switch {
	case old.Shebang != new.Shebang:
		return "the interpreter line changed"
	case !isShell(file, old.Shebang):
		return "it is no shell script"
	case bytes.IndexByte(before, '\r') >= 0 || bytes.IndexByte(after, '\r') >= 0:
		return "it has carriage returns"
	case old.Own != "" || new.Own != "":
		return first(old.Own, new.Own)
	case old.Numbers != "" || new.Numbers != "":
		return first(old.Numbers, new.Numbers)
	case old.Structure == new.Structure:
		return ""
	case old.Odd != "" || new.Odd != "":
		return first(old.Odd, new.Odd)
	case new.ExtGlobs && !old.ExtGlobs:
		return "it has a new extended pattern, which bash may refuse to parse"
	}
	return ""
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// isShell reports whether bash may run the file. This includes scripts of other shells, because
// the first line does not determine which program runs a hook.
func isShell(file, shebang string) bool {
	if shebang != "" {
		return trace.ShellOf(shebang) != ""
	}
	return path.Ext(file) == "" || shell.ByExtension(file) == "bash"
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
