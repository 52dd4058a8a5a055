package scripts

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"hookwatch/suites/shell"
)

// openers are programs whose operands are files.
var openers = set("cat head tail wc sort uniq jq jaq grep egrep fgrep sed awk diff cmp stat ls sha256sum md5sum source . make")

// opens notes the bare words that can only be names of files: in a path or behind a
// dot they need no telling.
func (r *shellReader) opens(read *shell.Script) {
	for _, t := range read.Tests {
		if fileTests[t.Op] || t.Op == "-ef" {
			for _, w := range t.Words {
				r.open(w)
			}
		}
	}
	for _, to := range read.Redirects {
		if to.Op == "<" || to.Op == "<>" {
			r.open(to.Word)
		}
	}
	for _, c := range read.Commands {
		if len(c.Args) == 0 {
			continue
		}
		name := path.Base(flatten(c.Args[0]).text)
		for i, a := range c.Args[1:] {
			if openers[name] || (name == "[" || name == "test") && fileTests[flatten(c.Args[i]).text] {
				r.open(a)
			}
		}
	}
}

var fileTests = set("-e -f -r -s -x -w -a -L -h -p -S -nt -ot")

func (r *shellReader) open(w *shell.Word) {
	f := flatten(w)
	text := f.text
	if f.glob || f.putTogether() {
		r.assembles(w)
	}
	if text != "" && !strings.HasPrefix(text, "-") && !strings.ContainsFunc(text, func(c rune) bool { return !IsNameRune(c) || c == '.' }) {
		r.Opened = append(r.Opened, text)
	}
}

// putTogether reports whether a word is a path below a directory, be that an
// expansion, whose name holds an expansion. Files of the system and of the user are
// none of the project's.
func (f *flat) putTogether() bool {
	dir, base := path.Split(f.text)
	if dir == "" || !strings.Contains(base, expanded) || strings.HasPrefix(f.text, "/") {
		return false
	}
	return !strings.HasPrefix(f.text, expanded) || !elsewhere[f.vars[0]]
}

// elsewhere are variables that name directories outside of any project.
var elsewhere = set("HOME TMPDIR TMP TEMP XDG_STATE_HOME XDG_CACHE_HOME XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME CLAUDE_PLUGIN_DATA")

// code are the contents of which hookwatch does not know what they read, besides
// scripts of other languages.
var code = set(".awk binary python node ruby perl php lua tcl powershell fish csh")

// opening are the words without which code in a string can open no file of its own.
var opening = []string{"open", "read", "import", "require", "Path", "path", "File", "exec", "system", "spawn", "glob"}

// open says why a script may read files that no text names.
func (s *Script) open() string {
	switch {
	case code[s.Language], s.Language != shell.Shell && strings.HasPrefix(s.Text, "#!"):
		return "it is no shell script"
	case s.Language != shell.Shell:
		return "" // data that lies among the hooks
	case s.Computed != "":
		return s.Computed
	case s.Evals:
		return "it runs code from strings"
	case s.Assembled > 0:
		return fmt.Sprintf("it opens files whose names are put together, on line %d", s.Assembled)
	case len(s.Tails) > 0:
		return "it puts names of files together"
	}
	for _, tool := range s.Tools {
		if shell.ProgramOf(tool).Interprets() && slices.ContainsFunc(opening, func(word string) bool { return strings.Contains(s.Text, word) }) {
			return "it runs code for " + tool
		}
	}
	return ""
}
