package trace

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"hookwatch/suites"
	"hookwatch/suites/depend/script"
	"hookwatch/suites/shell"
)

// call records the effect of a simple command on the trace; taken reports whether another
// command reads its output.
func (r *factReader) call(c command, taken bool) {
	r.noFile[c.first] = true
	base := path.Base(c.name)
	r.starts(base, c.args)
	if strings.ContainsFunc(c.name, func(c rune) bool { return !isWordRune(c) }) {
		r.words[c.name] = true // such as "[", because a function may have that name
	}
	switch {
	case c.name == "":
		r.facts.Dynamic = true
		r.facts.Interprets = r.facts.Interprets || strings.Contains(spelled(c.first), "/") // a program of the project's own
		r.untraced(c.args)
	case c.name == "eval":
		r.facts.Dynamic = r.facts.Dynamic || slices.Contains(c.args, "")
		r.untraced(c.args)
	case c.name == "trap":
		r.trap(c)
	case sources[c.name]:
		r.source(c)
	case c.name == "set":
		r.set(c.args)
	case c.name == "unset":
		r.unset(c.args)
	case stopsTrap[c.name] != nil:
		r.ends(c.args, stopsTrap[c.name])
	case base == "bash":
		r.bash(c)
	case isUntraced(base):
		r.opaque(c)
	case c.name == "type", c.name == "compgen", c.name == "command" && slices.Contains(c.args, "-V"):
		r.facts.Shows = true
	case wraps(base):
		r.wrapped(c, base)
	case declarations[c.name]:
		r.shows(c.name, c.args) // behind "builtin" or "command"
	}
	r.reads(c, base, taken)
}

// starts records a program that may start shells or is in another language, and the program that
// a launcher runs.
func (r *factReader) starts(program string, args []string) {
	p := shell.ProgramOf(program)
	r.facts.Starts = r.facts.Starts || p.Starts()
	r.facts.Environment = r.facts.Environment || p.Starts()
	if untracedPython(append([]string{program}, args...)) {
		r.facts.Hides = shell.Python
	}
	r.facts.Interprets = r.facts.Interprets || interprets(program) ||
		p.Runner && (slices.ContainsFunc(args, interprets) || slices.Contains(args, "run") && p.Behind != "run")
}

func (r *factReader) opaque(c command) {
	if base := path.Base(c.name); shell.ProgramOf(base).Shell && len(c.args) == 2 && c.args[0] == "-c" && c.args[1] != "" &&
		!strings.ContainsAny(c.args[1], "$`") && !strings.Contains(c.args[1], ". ") && !strings.Contains(c.args[1], "source") && !strings.Contains(c.args[1], ".sh") {
		r.facts.Environment = true // it may be a renamed bash, which runs functions from there
		return                     // the code is part of this statement and no script
	}
	r.facts.Opaque = "it runs " + path.Base(c.name)
}

// wrapped examines the arguments of a program that runs another program.
func (r *factReader) wrapped(c command, base string) {
	for i, a := range c.args {
		b := path.Base(a)
		switch {
		case base == "env" && (a == "-" || a == "-i" || a == "--ignore-environment" || a == "-u" && i+1 < len(c.args) && untraces[c.args[i+1]]):
			r.facts.Opaque = "it clears the environment"
		case base == "exec" && strings.HasPrefix(a, "-") && strings.Contains(a, "c"):
			r.facts.Opaque = "it clears the environment"
		case base == "env" && a == "-u" && i+1 < len(c.args) && hides[c.args[i+1]] != "":
			r.facts.Hides = hides[c.args[i+1]]
		case a != "" && shell.ProgramOf(b).Starts():
			r.starts(b, c.args[i+1:])
		case a != "" && isUntraced(b):
			r.facts.Opaque = "it runs " + b
		case b == "bash" && a != "":
			r.bash(command{name: "bash", args: c.args[i+1:], words: c.words[i+1:]})
			return
		}
	}
}

// bash records a traced bash, or the option that keeps it from reading BASH_ENV.
func (r *factReader) bash(c command) {
	for i, a := range c.args {
		switch {
		case strings.HasPrefix(a, "--posix"), a == "posix", strings.HasPrefix(a, "--r"), a == "restricted",
			strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.ContainsAny(a, "pr"):
			r.facts.Opaque = "it runs bash " + a
			return
		case strings.HasPrefix(a, "-") && strings.ContainsAny(a, "nv"):
			return // the script is only checked or printed
		case strings.HasPrefix(a, "-") || strings.HasPrefix(a, "+"):
		default:
			r.noFile[c.words[i]] = true
			return
		}
	}
}

// trap examines the first argument, which runs later, and the signals. A trap on DEBUG or of an
// unknown signal ends tracing because it replaces the tracing trap, and one on RETURN behaves
// differently in a traced run.
func (r *factReader) trap(c command) {
	if len(c.args) > 0 && c.args[0] == "" && len(c.words[0].Parts) > 0 && !emptyQuotes(c.words[0]) {
		r.facts.Dynamic = true
	}
	for i, a := range c.args {
		if i > 0 && (a == "" || strings.EqualFold(a, "DEBUG") || strings.EqualFold(a, "RETURN")) {
			r.facts.Ends = "it has a DEBUG or RETURN trap of its own"
		}
	}
	r.untraced(c.args[:min(1, len(c.args))])
}

func emptyQuotes(w *syntax.Word) bool {
	text, ok := plain(w.Parts)
	return ok && text == ""
}

// stopsTrap maps builtins that can stop the tracing trap from running or writing to a test of the
// arguments that do this.
var stopsTrap = map[string]func(arg string) bool{
	"enable": func(string) bool { return true },
	"ulimit": func(a string) bool { return strings.HasPrefix(a, "-") && strings.ContainsAny(a, "nf") },
	"shopt": func(a string) bool {
		return a == "functrace" || a == "extdebug" || a == "restricted" || a == "posix"
	},
	"alias": func(a string) bool {
		name, _, defined := strings.Cut(a, "=")
		return defined && (name == "builtin" || !strings.ContainsFunc(name, isWordRune))
	},
}

// ends tests each argument. Arguments that are not literal may have any value.
func (r *factReader) ends(args []string, does func(string) bool) {
	for _, a := range args {
		if a == "" || does(a) {
			r.facts.Ends = "it may turn tracing off"
		}
	}
}

// source records the file that is sourced.
func (r *factReader) source(c command) {
	if len(c.words) == 0 {
		return
	}
	r.noFile[c.words[0]] = true
	for _, p := range c.words[0].Parts {
		if _, ok := p.(*syntax.ProcSubst); ok {
			r.facts.Dynamic = true
		}
	}
	if strings.HasPrefix(c.args[0], "/dev/") {
		r.facts.Dynamic = true
	}
}

func (r *factReader) set(args []string) {
	if len(args) == 0 {
		r.facts.Shows = true
	}
	for i, a := range args {
		switch {
		case a == "--" || a == "-":
			return
		case a == "", a == "restricted", strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, "r"):
			r.facts.Ends = "it may turn tracing off"
		case strings.HasPrefix(a, "+") && strings.Contains(a, "T"), a == "functrace" && args[max(i-1, 0)] == "+o":
			r.facts.Ends = "it turns functrace off"
		case a == "allexport", strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, "a"):
			r.facts.Shows = true // functions are exported too
		case a == "posix":
			r.facts.Opaque = "it turns to POSIX mode"
		}
	}
}

func (r *factReader) unset(names []string) {
	for _, n := range names {
		if hides[n] != "" {
			r.facts.Hides = hides[n]
		}
		if untraces[n] {
			r.facts.Opaque = "it unsets " + n
		}
		if n == "LINENO" || n == "FUNCNAME" || n == "BASH_SOURCE" || n == "BASHPID" {
			r.facts.Ends = "it unsets " + n
		}
	}
}

// A command is a simple command with the literal text of its words, "" for a word with
// expansions.
type command struct {
	name  string
	args  []string
	words []*syntax.Word // of the arguments
	first *syntax.Word
}

// commandOf reads the words of a simple command without leading "command" and "builtin".
func commandOf(words []*syntax.Word) command {
	for len(words) > 1 && (literal(words[0]) == "builtin" || literal(words[0]) == "command" && !strings.HasPrefix(literal(words[1]), "-")) {
		words = words[1:]
	}
	if len(words) > 2 && literal(words[0]) == "command" && literal(words[1]) == "-p" {
		return commandOf(words[2:])
	}
	c := command{first: words[0], name: literal(words[0]), words: words[1:]}
	for _, w := range words[1:] {
		c.args = append(c.args, literal(w))
	}
	return c
}

// literal returns the text of a word without expansions, and "" for any other.
func literal(w *syntax.Word) string {
	text, ok := plain(w.Parts)
	if !ok {
		return ""
	}
	return text
}

func plain(parts []syntax.WordPart) (string, bool) {
	var b strings.Builder
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			text, ok := plain(p.Parts)
			if !ok {
				return "", false
			}
			b.WriteString(text)
		default:
			return "", false
		}
	}
	return b.String(), true
}

// Programs by their effect on the trace.
var (
	printers = script.Words("echo printf type which hash")
	sources  = script.Words("source .")
	trees    = script.Words("find rg tar rsync du git-status")

	declarations = script.Words("declare typeset export readonly local")
)

// isUntraced reports whether a program can run others without a trace. Every shell except bash
// can.
func isUntraced(program string) bool {
	p := shell.ProgramOf(program)
	return p.Untraced || p.Shell && program != "bash"
}

func wraps(program string) bool {
	p := shell.ProgramOf(program)
	return p.Wraps || p.Within
}

// interprets reports whether a program runs code that can read any data.
func interprets(program string) bool {
	p := shell.ProgramOf(program)
	return p.Interprets() || p.Builds && !p.Within
}

// StartErrTrap traces a run as Start does, but each bash logs only commands that fail, with their
// status and options, because "set -e" may end the script there. It uses an ERR trap, which an
// ERR trap of the hook itself replaces, so that nothing is known of such a hook.
func StartErrTrap(dir string, env []string) suites.Tracing {
	var b strings.Builder
	b.WriteString(Sourced(ValueOf(env, "BASH_ENV")))
	trap := fmt.Sprintf(`{ builtin printf "%%s\037%%s\037%%s\037%%s\037%%s\037%%s\037%%s\0" "$?" "$-" "$$/$BASHPID" "$LINENO" "$0" "${BASH_SOURCE[0]-$0}" "${BASH_COMMAND:0:%d}" || :; } 2>/dev/null >>%s`,
		textLimit, shell.Quote(filepath.Join(dir, logName)))
	fmt.Fprintf(&b, "set -E\ntrap %s ERR\n", shell.Quote(trap))
	start := filepath.Join(dir, startName)
	return suites.Tracing{Files: map[string]string{startName: b.String(), logName: ""}, Logs: []string{logName}, Set: map[string]string{"BASH_ENV": Unexpanded(start)}}
}

// EndingOf returns the command at which a script, given by its base name, ended with an exit
// code, from the logs of StartErrTrap. It returns nil if they have none.
func EndingOf(logs map[string][]byte, script string, exit int) *suites.Ending {
	var last, inner *suites.Ending
	for line := range strings.SplitSeq(string(logs[logName]), "\x00") {
		f := strings.SplitN(line, fieldMark, 7)
		if len(f) < 7 || f[0] != strconv.Itoa(exit) || !strings.Contains(f[1], "e") || base(f[4]) != script {
			continue
		}
		shell, sub, _ := strings.Cut(f[2], "/")
		number, err := strconv.Atoi(f[3])
		if err != nil {
			continue
		}
		e := &suites.Ending{File: base(f[5]), Line: number, Command: f[6]}
		switch {
		case shell != sub: // it ends without the script
			inner = e
		case inner != nil && strings.HasPrefix(e.Command, "("): // bash reports the last line of the subshell
			last = inner
		default:
			last = e
		}
	}
	return last
}

func base(file string) string { return path.Base(filepath.ToSlash(file)) }

type ownReader struct {
	script  *script.Script
	extGlob bool // it has patterns that bash cannot parse without extglob
	stack   []syntax.Node
	tests   int
}

func (w *ownReader) visit(n syntax.Node) bool {
	if n == nil {
		switch w.stack[len(w.stack)-1].(type) {
		case *syntax.TestClause, *syntax.CaseItem:
			w.tests--
		}
		w.stack = w.stack[:len(w.stack)-1]
		return true
	}
	switch n := n.(type) {
	case *syntax.ParamExp:
		w.parameter(n)
	case *syntax.Lit: // in arithmetic, a variable is a literal
		w.lines(n, n.Value)
	case *syntax.SglQuoted: // a trap's action, or PS4
		w.lines(n, n.Value)
	case *syntax.CallExpr:
		w.call(n)
	case *syntax.ExtGlob:
		w.extGlob = w.extGlob || w.tests == 0
	case *syntax.TestClause:
		w.tests++
	case *syntax.CaseItem:
		w.tests++
		for _, p := range n.Patterns {
			for _, part := range p.Parts {
				if _, ok := part.(*syntax.ExtGlob); ok {
					w.extGlob = true // in case, unlike in [[ ]]
				}
			}
		}
	}
	w.stack = append(w.stack, n)
	return true
}

func (w *ownReader) lines(n syntax.Node, text string) {
	if strings.Contains(text, "LINENO") {
		w.script.Numbers = fmt.Sprintf("it uses LINENO on line %d", n.Pos().Line())
	}
}

func (w *ownReader) parameter(p *syntax.ParamExp) {
	if p.Param == nil {
		return
	}
	switch p.Param.Value {
	case "0", "BASH_SOURCE":
		if !directoryOf(p) && !w.harmless(p) {
			w.script.Own = fmt.Sprintf("it may read its own text ($%s on line %d)", p.Param.Value, p.Pos().Line())
		}
	}
}

// directoryOf reports whether an expansion uses only one part of a path.
func directoryOf(p *syntax.ParamExp) bool {
	if p.Exp == nil || p.Exp.Word == nil {
		return p.Length
	}
	switch pattern := p.Exp.Word.Lit(); p.Exp.Op {
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return strings.HasPrefix(pattern, "/")
	case syntax.RemSmallPrefix, syntax.RemLargePrefix:
		return strings.HasSuffix(pattern, "/")
	default:
		return false
	}
}

// harmless reports whether the script's own path is used without opening the file to read it: as
// an argument of dirname, in a comparison, in a message, or to run the script.
func (w *ownReader) harmless(p *syntax.ParamExp) bool {
	for i := len(w.stack) - 1; i >= 0; i-- {
		switch n := w.stack[i].(type) {
		case *syntax.TestClause:
			return true
		case *syntax.Redirect:
			if n.Hdoc != nil {
				return true
			}
		case *syntax.CallExpr:
			if len(n.Args) == 0 {
				return false
			}
			if len(n.Args) > 0 && within(n.Args[0], p) {
				return true // it runs itself
			}
			c := commandOf(n.Args)
			if printers[c.name] && !substituted(w.stack[:i]) || c.name == "dirname" || c.name == "basename" || c.name == "[" || c.name == "test" {
				return true
			}
			if path.Base(c.name) == "bash" && len(c.words) > 0 && within(c.words[0], p) {
				return true
			}
		}
	}
	return false
}

// substituted reports whether the output at this place is read by a substitution or another
// command.
func substituted(stack []syntax.Node) bool {
	for _, n := range stack {
		switch n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.BinaryCmd:
			return true
		}
	}
	return false
}

func within(outer, inner syntax.Node) bool {
	return outer.Pos().Offset() <= inner.Pos().Offset() && inner.End().Offset() <= outer.End().Offset()
}

func (w *ownReader) call(n *syntax.CallExpr) {
	if len(n.Args) == 0 {
		return
	}
	c := commandOf(n.Args)
	switch c.name {
	case "caller":
		w.script.Numbers = fmt.Sprintf("it uses caller on line %d", n.Pos().Line())
	case "set":
		for _, a := range c.args {
			if a == "verbose" || len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.Contains(a, "v") {
				w.script.Own = fmt.Sprintf("it prints its own text (set %s on line %d)", a, n.Pos().Line())
			}
		}
	case "history", "fc":
		w.script.Own = fmt.Sprintf("it uses %s on line %d", c.name, n.Pos().Line())
	}
}
