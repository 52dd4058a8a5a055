package explore

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"hookwatch/suites"
	"hookwatch/suites/depend"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// commandMark begins each record of bash, once for each level of substitution.
const commandMark = "\x1e"

// startBash observes bash by its own log of expanded commands (set -x), which it writes to a file and
// not to the hook's stderr. PS4 is set here because a bash of root ignores an inherited one.
func startBash(dir string, env []string) suites.Tracing {
	var b strings.Builder
	b.WriteString(trace.Sourced(trace.ValueOf(env, "BASH_ENV")))
	// A descriptor that hooks do not use; bash before 5 is not observed.
	fmt.Fprintf(&b, "{ [[ ${BASH_VERSINFO[0]} -ge 5 ]] && exec 97>>%s; } 2>/dev/null && { BASH_XTRACEFD=97 PS4=$'\\x1e\\x1f${BASH_SOURCE[0]-}\\x1f${LINENO}\\x1f$?\\x1f'; %s set -x; }\n:\n", shell.Quote(filepath.Join(dir, logName)), observeRead)
	return suites.Tracing{
		Files: map[string]string{startFile: b.String(), logName: ""},
		Logs:  []string{logName},
		Set:   map[string]string{"BASH_ENV": trace.Unexpanded(filepath.Join(dir, startFile))},
	}
}

// startFile is the file that bash reads before a script.
const startFile = "start.bash"

// observeRead logs what read assigns, as if it was an assignment; bash does not. Only its message about a wrong call
// names another file.
const observeRead = `read() {
local -; set +x
local hookwatch_status=0 hookwatch_name
builtin read "$@" || hookwatch_status=$?
for hookwatch_name in "$@" REPLY; do case $hookwatch_name in
*[!A-Za-z0-9_]* | [0-9]* | '') ;;
*) [[ -n ${!hookwatch_name+set} ]] && builtin printf '\x1e\x1f%s\x1f%s\x1f0\x1f%s=%s\n' "${BASH_SOURCE[1]-}" "${BASH_LINENO[0]}" "$hookwatch_name" "${!hookwatch_name@Q}" >&97 ;;
esac; done 2>/dev/null
return "$hookwatch_status"
}
`

// A command is one that bash began, with its words expanded.
type command struct {
	file   string
	line   int
	before int // the exit code of the command before it
	text   string
}

func (r *Record) bash(logs map[string][]byte) {
	const most = 4000 // commands
	for entry := range strings.SplitSeq(string(logs[logName]), commandMark) {
		f := strings.SplitN(entry, "\x1f", 5)
		if len(f) < 5 || len(r.shell) == most || path.Base(f[1]) == startFile {
			continue
		}
		if line, err := strconv.Atoi(f[2]); err == nil {
			before, _ := strconv.Atoi(f[3]) // a number
			r.shell = append(r.shell, command{f[1], line, before, strings.TrimSuffix(f[4], "\n")})
		}
	}
	for i, c := range r.shell[min(1, len(r.shell)):] {
		r.misused(r.shell[i], c.before)
	}
	values := map[string]string{}
	for from := 0; from < len(r.shell); {
		to := from + 1
		for to < len(r.shell) && r.shell[to].file == r.shell[from].file && r.shell[to].line == r.shell[from].line {
			to++
		}
		r.line(r.shell[from:to], values)
		from = to
	}
}

// line records what the commands of one line compare. Those of a pipeline are logged in any order.
func (r *Record) line(commands []command, values map[string]string) {
	sorted := slices.SortedStableFunc(slices.Values(commands), func(a, b command) int { return strings.Compare(a.text, b.text) })
	piped, payload := "", true // what one of them prints, if it is known, and whether it may be the payload
	for _, c := range sorted {
		name, _, _ := strings.Cut(c.text, " ")
		payload = payload && (passing().MatchString(c.text) || filters[name] != nil)
		if all := words(c.text); len(all) > 1 && (all[0] == "echo" || all[0] == "printf") {
			if all = all[1:]; len(all) > 1 && strings.Contains(all[0], "%") {
				all = all[1:]
			}
			piped = strings.Join(all, " ")
			payload = payload && strings.Contains(piped, `"hook_event_name"`)
		}
	}
	for _, c := range sorted {
		text := c.text
		for _, declares := range []string{"local ", "declare ", "typeset ", "readonly ", "export "} {
			text = strings.TrimPrefix(text, declares)
		}
		if name, value, ok := strings.Cut(text, "="); ok && variable().MatchString(name) {
			values[name] = strings.Join(words(value), " ")
			continue
		}
		r.command(c, values, piped)
		if payload {
			r.filter(c)
		}
	}
}

// Assigns reports whether bash was seen to assign a variable or to read it, in any script.
func (r *Record) Assigns(variable string) bool {
	return slices.ContainsFunc(r.shell, func(c command) bool {
		name, rest, _ := strings.Cut(strings.TrimPrefix(c.text, "local "), " ")
		return strings.HasPrefix(name, variable+"=") || name == "read" && slices.Contains(strings.Fields(rest), variable)
	})
}

// A fromStdin is a comparison of standard input whose text the log does not show, with the variables at its time.
type fromStdin struct {
	Comparison
	values map[string]string
}

// unseen is the value of a variable that bash set without a trace, as by read.
const unseen = "\x00"

// valueOf returns the value of a word that is a variable.
func valueOf(values map[string]string, word string) string {
	name := strings.Trim(word, `"${}`)
	if value, known := values[name]; known || !variable().MatchString(name) {
		return value
	}
	return unseen
}

// passing matches commands that print no text of a file.
var passing = pattern.Lazy(`^(?:echo|printf|cat$|\[\[?|'\['|test|local|export|readonly|declare|\w+=)`)

// filters are programs to which hooks pass their input, with the exit codes of a wrong filter, expression or
// option.
var filters = map[string][]int{"jq": {3, 5}, "jaq": {3, 5}, "grep": {2}, "sed": {1}, "awk": {2}}

// misused records a program that ended with the code of a wrong call, unless files that it reads may be the
// cause.
func (r *Record) misused(c command, exit int) {
	all := words(c.text)
	if len(all) < 2 || !slices.Contains(filters[path.Base(all[0])], exit) || len(operands(all)) > 1 {
		return
	}
	r.add(Comparison{File: c.file, Line: c.line, Op: failing, Pattern: fmt.Sprintf("%s ends with %d", path.Base(all[0]), exit)})
}

// operands returns the words of a command that are no options.
func operands(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all[1:]), func(w string) bool { return strings.HasPrefix(w, "-") && len(w) > 1 })
}

// readers are the names of jq.
var readers = []string{"jq", "jaq"}

// filter records the fields that jq reads of its standard input.
func (r *Record) filter(c command) {
	all := words(c.text)
	if len(all) < 2 || !slices.Contains(readers, path.Base(all[0])) {
		return
	}
	rest := operands(all)
	if len(rest) != 1 || slices.ContainsFunc(all, withoutInput().MatchString) {
		return
	}
	keys, err := depend.FilterKeys(rest[0])
	if err != nil {
		return // the program's own error follows
	}
	for _, k := range keys {
		if len(k) > 0 {
			r.add(Comparison{File: c.file, Line: c.line, Op: reading, Value: strings.Join(k, ".")})
		}
	}
}

// withoutInput matches options by which jq reads something else than one document of its input, or that have
// operands.
var withoutInput = pattern.Lazy(`^(?:-[a-zA-Z]*[nRs]|--null-input|--raw-input|--slurp|--\w*(?:arg|file)\w*)`)

var variable = pattern.Lazy(`^[A-Za-z_]\w*$`)

// command records what a command compares. piped is what another command of its line prints.
func (r *Record) command(c command, values map[string]string, piped string) {
	add := func(op Op, value, pattern string) {
		if value == "" && pattern != "" {
			r.unknown = append(r.unknown, fromStdin{Comparison{File: c.file, Line: c.line, Op: op, Pattern: pattern}, maps.Clone(values)})
		}
		r.add(Comparison{File: c.file, Line: c.line, Op: op, Value: value, Pattern: pattern})
	}
	if test, ok := strings.CutPrefix(c.text, "[[ "); ok {
		condition(strings.TrimSuffix(test, " ]]"), add)
		return
	}
	if word, ok := strings.CutPrefix(c.text, "case "); ok { // the word is not expanded, and the patterns are in the script
		word = strings.TrimSuffix(word, " in")
		add(ofCase, valueOf(values, word), word)
		return
	}
	all := words(c.text)
	if len(all) == 0 {
		return
	}
	switch name := path.Base(all[0]); name {
	case "[", "test":
		if i := slices.IndexFunc(all, func(w string) bool { return slices.Contains([]string{"=", "==", "!="}, w) }); i > 1 && i+1 < len(all) {
			add(Equal, all[i-1], all[i+1])
		}
	case "grep", "egrep", "fgrep", "rg":
		op, patterns := grep(name, all[1:])
		for _, p := range patterns {
			add(op, piped, p)
		}
	case "jq", "jaq", "sed", "awk", "gawk", "perl":
		for _, a := range all[1:] {
			program(name, all, a, func(op Op, p string) { add(op, piped, p) })
		}
	}
}

// ofCase marks a case, whose patterns Resolve adds.
const ofCase Op = "case"

// condition reads one comparison in [[ ]]. Bash prints the left side as it is, and quoted characters of
// a pattern with a backslash.
func condition(test string, add func(Op, string, string)) {
	if unary().MatchString(test) {
		return
	}
	for _, c := range []struct {
		sign string
		op   Op
	}{{" =~ ", Extended}, {" == ", Glob}, {" != ", Glob}, {" = ", Glob}} {
		if i := strings.LastIndex(test, c.sign); i >= 0 {
			pattern := test[i+len(c.sign):]
			if c.op == Glob {
				pattern = quotedLetter().ReplaceAllString(pattern, "$1")
			}
			add(c.op, test[:i], pattern)
			return
		}
	}
}

// syntaxes are the options of grep that say what a pattern is.
var syntaxes = []struct {
	short, long string
	op          Op
}{{"E", "--extended-regexp", Extended}, {"P", "--perl-regexp", Regexp}, {"F", "--fixed-strings", Contains}}

var unary = pattern.Lazy(`^!? ?-[a-zA-Z] `)

// grep returns the patterns that a call of grep looks for.
func grep(name string, args []string) (Op, []string) {
	op := map[string]Op{"grep": Basic, "egrep": Extended, "fgrep": Contains, "rg": Regexp}[name]
	var patterns []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "-e" || a == "--regexp":
			if i++; i < len(args) {
				patterns = append(patterns, args[i])
			}
		case a == "--":
			if len(patterns) == 0 && i+1 < len(args) {
				return op, strings.Split(args[i+1], "\n")
			}
			return op, patterns
		case slices.Contains([]string{"-m", "-A", "-B", "-C", "--include", "--exclude"}, a):
			i++
		case a == "-f" || a == "--file":
			return op, nil // the patterns are in a file
		case strings.HasPrefix(a, "-") && len(a) > 1:
			for _, o := range syntaxes {
				if a == o.long || !strings.HasPrefix(a, "--") && strings.Contains(a, o.short) {
					op = o.op
				}
			}
			if !strings.HasPrefix(a, "--") && strings.HasSuffix(a, "e") && i+1 < len(args) {
				i++
				patterns = append(patterns, args[i])
			}
		case len(patterns) == 0:
			return op, strings.Split(a, "\n")
		}
	}
	return op, patterns
}

var (
	filterTests  = pattern.Lazy(`(test|match|contains|startswith|endswith|inside|index)\(\s*"((?:[^"\\]|\\.)*)"|(\btype\s*)?(?:==|!=)\s*"((?:[^"\\]|\\.)*)"`)
	slashPattern = pattern.Lazy(`(?:^|[^\w/])(?:m?/((?:[^/\\\n]|\\.)+)/|s/((?:[^/\\\n]|\\.)+)/(?:[^/\\\n]|\\.)*/)`)
)

// program reads the comparisons in a filter of jq, or in a script of sed, awk or perl, given as one of the
// words of a command.
func program(name string, all []string, text string, add func(Op, string)) {
	if !slices.Contains(readers, name) {
		op := map[string]Op{"sed": Basic, "perl": Regexp}[name]
		if op == "" || name == "sed" && slices.ContainsFunc(all, func(w string) bool { return strings.HasPrefix(w, "-") && strings.ContainsAny(w, "Er") }) {
			op = Extended
		}
		for _, m := range slashPattern().FindAllStringSubmatch(text, -1) {
			add(op, m[1]+m[2])
		}
		return
	}
	for _, m := range filterTests().FindAllStringSubmatch(text, -1) {
		if m[3] != "" {
			continue // the name of a type, which no text is
		}
		op := map[string]Op{"test": Regexp, "match": Regexp, "startswith": Prefix, "endswith": Suffix, "": Equal}[m[1]]
		literal, err := strconv.Unquote(`"` + m[2] + m[4] + `"`)
		if err != nil {
			literal = m[2] + m[4]
		}
		if op == "" {
			op = Contains
		}
		add(op, literal)
	}
}

// words returns the words of a command as bash logs it, which must not be changed.
func words(text string) []string {
	return split.of(text, func() []string { return slices.Clip(wordsOf(text)) })
}

var split memo[[]string]

func wordsOf(text string) (all []string) {
	file, err := shell.Parse(text)
	if err != nil || len(file.Stmts) != 1 {
		return nil
	}
	call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok {
		return nil
	}
	all, err = expand.Fields(&expand.Config{}, call.Args...) // nil is one that all calls change
	if err != nil {
		return nil // bash logs what it has expanded
	}
	return all
}

// quotedLetter matches quoted characters that mean nothing else without a backslash.
var quotedLetter = pattern.Lazy(`\\([^*?\[\]\\])`)

var escaped = pattern.Lazy(`(?s)\\(.)`)

// cases replaces the comparisons of a case by one for each of its patterns, which are in the script.
func (r *Record) cases(file string, src []byte) {
	parsed, err := shell.Parse(string(src))
	if err != nil {
		return
	}
	type arm struct {
		line int
		glob string
	}
	arms, written, here := map[int][]arm{}, map[int]string{}, map[int]string{} // by the line of the case, the condition or the here-string
	syntax.Walk(parsed, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CaseClause:
			for _, item := range n.Items {
				for _, w := range item.Patterns {
					arms[int(n.Pos().Line())] = append(arms[int(n.Pos().Line())], arm{int(w.Pos().Line()), glob(w.Parts, false)})
				}
			}
		case *syntax.Redirect:
			if n.Op == syntax.WordHdoc {
				here[int(n.Pos().Line())] = string(src[n.Word.Pos().Offset():n.Word.End().Offset()])
			}
		case *syntax.BinaryTest:
			if n.Op == syntax.TsReMatch {
				written[int(n.Pos().Line())] = string(src[n.Y.Pos().Offset():n.Y.End().Offset()])
			}
		}
		return true
	})
	for _, u := range r.unknown {
		if i := slices.Index(r.Comparisons, u.Comparison); i >= 0 && here[u.Line] != "" && Same(u.File, file) {
			r.Comparisons[i].Value = valueOf(u.values, here[u.Line])
		}
	}
	var all []Comparison
	for _, c := range r.Comparisons {
		if Same(c.File, file) && c.Op == Extended && strings.ReplaceAll(written[c.Line], `\d`, "d") == c.Pattern {
			c.Pattern = written[c.Line] // bash logs it without backslashes that mean nothing
		}
		if c.Op != ofCase || !Same(c.File, file) {
			all = append(all, c)
			continue
		}
		for _, a := range arms[c.Line] {
			if strings.Trim(a.glob, "*") != "" {
				all = append(all, Comparison{c.File, a.line, Glob, c.Value, a.glob})
			}
		}
	}
	r.Comparisons = all
}

// glob returns a word as a pattern: quoted characters get a backslash, and expansions match anything.
func glob(parts []syntax.WordPart, quoted bool) string {
	var b strings.Builder
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if quoted {
				b.WriteString(special().ReplaceAllString(p.Value, `\$0`))
			} else {
				b.WriteString(p.Value)
			}
		case *syntax.SglQuoted:
			text, err := expand.Literal(&expand.Config{}, &syntax.Word{Parts: []syntax.WordPart{p}})
			if err != nil {
				text = p.Value
			}
			b.WriteString(special().ReplaceAllString(text, `\$0`))
		case *syntax.DblQuoted:
			b.WriteString(glob(p.Parts, true))
		default:
			b.WriteByte('*')
		}
	}
	return b.String()
}

var special = pattern.Lazy(`[*?\[\]\\]`)

// endings are commands that end a script or a function.
var endings = []string{"exit", "return"}

// decides reports whether bash began the command of a decision.
func (r *Record) decides(d Decision) bool {
	return slices.ContainsFunc(r.shell, func(c command) bool {
		if !Same(c.file, d.File) || c.line < d.Line || c.line > d.last {
			return false
		}
		name, _, _ := strings.Cut(c.text, " ")
		return name == d.name && (!slices.Contains(endings, name) || c.text == name+" 2")
	})
}

// shellDecisions returns the decisions of a script of bash.
func shellDecisions(file string, src []byte, elsewhere []string) (all []Decision) {
	parsed, err := shell.Parse(string(src))
	if err != nil {
		return nil
	}
	lines := strings.Split(string(src), "\n")
	line := func(n int) string { return strings.TrimSpace(lines[min(n, len(lines))-1]) }
	functions, calls := map[string]bool{}, map[string]bool{}
	for _, name := range elsewhere {
		functions[name] = true
	}
	syntax.Walk(parsed, func(n syntax.Node) bool {
		if f, ok := n.(*syntax.FuncDecl); ok && f.Name != nil && f.Body != nil {
			syntax.Walk(f.Body, func(inner syntax.Node) bool {
				if s, ok := inner.(*syntax.Stmt); ok && decidesByItself(src, s) && !strings.HasPrefix(string(src[s.Pos().Offset():s.End().Offset()]), "return") {
					functions[f.Name.Value] = true
				}
				return true
			})
		}
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			calls[c.Args[0].Lit()] = true
		}
		return true
	})
	var parents []syntax.Node
	syntax.Walk(parsed, func(n syntax.Node) bool {
		if n == nil {
			parents = parents[:len(parents)-1]
			return true
		}
		parents = append(parents, n)
		s, ok := n.(*syntax.Stmt)
		if !ok {
			return true
		}
		c, ok := s.Cmd.(*syntax.CallExpr)
		if !ok || len(c.Args) == 0 || !decidesByItself(src, s) && !functions[c.Args[0].Lit()] {
			return true
		}
		d := Decision{File: file, Line: int(c.Pos().Line()), Statement: line(int(c.Pos().Line())), last: int(c.End().Line()), language: "bash", name: c.Args[0].Lit()}
		for _, parent := range parents {
			if f, ok := parent.(*syntax.FuncDecl); ok && calls[f.Name.Value] && functions[f.Name.Value] {
				return true // its calls decide
			}
		}
		all = append(all, d)
		return true
	})
	return all
}

// decidesByItself reports whether a simple command ends with exit code 2, or prints a decision, also in a
// here-document.
func decidesByItself(src []byte, s *syntax.Stmt) bool {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 {
		return false
	}
	text := string(src[c.Pos().Offset():c.End().Offset()])
	for _, r := range s.Redirs {
		if r.Hdoc != nil {
			text += string(src[r.Hdoc.Pos().Offset():r.Hdoc.End().Offset()])
		}
	}
	return decidingShell().MatchString(text) || deciding().MatchString(text)
}
