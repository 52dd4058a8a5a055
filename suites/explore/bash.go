package explore

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// commandMark begins each record of bash, once for each level of substitution.
const commandMark = "\x1e"

// startBash observes bash by its own log of expanded commands (set -x), which it writes to a file and
// not to the hook's stderr. PS4 is set here because a bash of root ignores an inherited one.
func startBash(dir string, env []string) suites.Tracing {
	const start = "start.bash"
	var b strings.Builder
	if theirs := valueOf(env, "BASH_ENV"); theirs != "" {
		fmt.Fprintf(&b, "[ ! -r %[1]s ] || . %[1]s\n", `"`+strings.ReplaceAll(theirs, `"`, `\"`)+`"`)
	}
	fmt.Fprintf(&b, "exec {BASH_XTRACEFD}>>%s\nPS4=$'\\x1e\\x1f${BASH_SOURCE[0]-}\\x1f${LINENO}\\x1f'\nset -x\n", shell.Quote(filepath.Join(dir, logName)))
	return suites.Tracing{
		Files: map[string]string{start: b.String(), logName: ""},
		Logs:  []string{logName},
		Set:   map[string]string{"BASH_ENV": strings.NewReplacer(`\`, `\\`, "$", `\$`, "`", "\\`").Replace(filepath.Join(dir, start))},
	}
}

// A command is one that bash began, with its words expanded.
type command struct {
	file string
	line int
	text string
}

func (r *Record) bash(logs map[string][]byte) {
	const most = 4000 // commands
	values := map[string]string{}
	piped := "" // what the last command printed, if it is known
	for entry := range strings.SplitSeq(string(logs[logName]), commandMark) {
		f := strings.SplitN(entry, "\x1f", 4)
		if len(f) < 4 || len(r.shell) == most {
			continue
		}
		line, err := strconv.Atoi(f[2])
		if err != nil {
			continue
		}
		c := command{f[1], line, strings.TrimSuffix(f[3], "\n")}
		r.shell = append(r.shell, c)
		if name, value, ok := strings.Cut(c.text, "="); ok && variable().MatchString(name) {
			values[name] = strings.Join(words(value), " ")
			continue
		}
		piped = r.command(c, values, piped)
	}
}

var variable = pattern.Lazy(`^[A-Za-z_]\w*$`)

// command records what a command compares. piped is what the command before it printed; the result is
// what this one prints.
func (r *Record) command(c command, values map[string]string, piped string) string {
	add := func(op Op, value, pattern string) {
		r.add(Comparison{File: c.file, Line: c.line, Op: op, Value: value, Pattern: pattern})
	}
	if test, ok := strings.CutPrefix(c.text, "[[ "); ok {
		condition(strings.TrimSuffix(test, " ]]"), add)
		return ""
	}
	if word, ok := strings.CutPrefix(c.text, "case "); ok { // the word is not expanded, and the patterns are in the script
		word = strings.TrimSuffix(word, " in")
		add(ofCase, values[strings.Trim(word, `"${}`)], word)
		return ""
	}
	all := words(c.text)
	if len(all) == 0 {
		return ""
	}
	switch name := path.Base(all[0]); name {
	case "[", "test":
		if i := slices.IndexFunc(all, func(w string) bool { return w == "=" || w == "==" || w == "!=" }); i > 1 && i+1 < len(all) {
			add(Equal, all[i-1], all[i+1])
		}
	case "echo", "printf":
		return strings.Join(all[1:], " ")
	case "grep", "egrep", "fgrep", "rg":
		op, patterns := grep(name, all[1:])
		for _, p := range patterns {
			add(op, piped, p)
		}
		return piped
	case "jq", "jaq", "sed", "awk", "gawk", "perl":
		for _, a := range all[1:] {
			program(name, a, func(op Op, p string) { add(op, piped, p) })
		}
		return piped
	case "cat", "tr", "head", "tail", "cut", "tee", "xargs":
		return piped
	}
	return ""
}

// ofCase marks a case, whose patterns Resolve adds.
const ofCase Op = "case"

// condition reads one comparison in [[ ]]. Bash prints the left side as it is, and quoted characters of
// a pattern with a backslash.
func condition(test string, add func(Op, string, string)) {
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
		case a == "-m" || a == "-A" || a == "-B" || a == "-C" || a == "--include" || a == "--exclude":
			i++
		case strings.HasPrefix(a, "--"):
			op = map[string]Op{"--extended-regexp": Extended, "--perl-regexp": Regexp, "--fixed-strings": Contains}[a]
		case strings.HasPrefix(a, "-") && len(a) > 1:
			for letter, as := range map[string]Op{"E": Extended, "P": Regexp, "F": Contains} {
				if strings.Contains(a, letter) {
					op = as
				}
			}
			if strings.HasSuffix(a, "e") && i+1 < len(args) {
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
	filterTests  = pattern.Lazy(`(test|match|contains|startswith|endswith|inside|index|split)\(\s*"((?:[^"\\]|\\.)*)"|(==|!=)\s*"((?:[^"\\]|\\.)*)"`)
	slashPattern = pattern.Lazy(`(?:^|[^\w/])/((?:[^/\\\n]|\\.)+)/`)
)

// program reads the comparisons in a filter of jq, or in a script of sed, awk or perl.
func program(name, text string, add func(Op, string)) {
	if name != "jq" && name != "jaq" {
		for _, m := range slashPattern().FindAllStringSubmatch(text, -1) {
			add(map[bool]Op{true: Basic, false: Extended}[name == "sed"], m[1])
		}
		return
	}
	for _, m := range filterTests().FindAllStringSubmatch(text, -1) {
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

// words returns the words of a command as bash logs it.
func words(text string) (all []string) {
	file, err := shell.Parse(text)
	if err != nil || len(file.Stmts) != 1 {
		return nil
	}
	call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok {
		return nil
	}
	for _, w := range call.Args {
		all = append(all, literal(w.Parts))
	}
	return all
}

// literal returns the text of a word that is expanded already.
func literal(parts []syntax.WordPart) string {
	var b strings.Builder
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(escaped().ReplaceAllString(p.Value, "$1"))
		case *syntax.SglQuoted:
			if p.Dollar {
				b.WriteString(ansi(p.Value))
			} else {
				b.WriteString(p.Value)
			}
		case *syntax.DblQuoted:
			b.WriteString(literal(p.Parts))
		}
	}
	return b.String()
}

// quotedLetter matches quoted characters that mean nothing else without a backslash.
var quotedLetter = pattern.Lazy(`\\([^*?\[\]\\])`)

var escaped = pattern.Lazy(`(?s)\\(.)`)

// ansi reads the escapes of $'...' that bash itself writes.
func ansi(text string) string {
	if s, err := strconv.Unquote(`"` + strings.NewReplacer(`\'`, `'`, `"`, `\"`, `\E`, `\x1b`, "\n", `\n`).Replace(text) + `"`); err == nil {
		return s
	}
	return text
}

// cases replaces the comparisons of a case by one for each of its patterns, which are in the script.
func (r *Record) cases(file string, src []byte) {
	parsed, err := shell.Parse(string(src))
	if err != nil {
		return
	}
	patterns := map[int][]string{} // by line
	syntax.Walk(parsed, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CaseClause); ok {
			for _, item := range c.Items {
				for _, w := range item.Patterns {
					patterns[int(c.Pos().Line())] = append(patterns[int(c.Pos().Line())], glob(w.Parts, false))
				}
			}
		}
		return true
	})
	var all []Comparison
	for _, c := range r.Comparisons {
		if c.Op != ofCase || path.Base(c.File) != path.Base(file) {
			all = append(all, c)
			continue
		}
		for _, p := range patterns[c.Line] {
			if strings.Trim(p, "*") != "" {
				all = append(all, Comparison{c.File, c.Line, Glob, c.Value, p})
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
			b.WriteString(special().ReplaceAllString(p.Value, `\$0`))
		case *syntax.DblQuoted:
			b.WriteString(glob(p.Parts, true))
		default:
			b.WriteByte('*')
		}
	}
	return b.String()
}

var special = pattern.Lazy(`[*?\[\]\\]`)

// decides reports whether bash began the command of a decision: any command of a statement that is one,
// but only the one that decides of a list.
func (r *Record) decides(d Decision) bool {
	return slices.ContainsFunc(r.shell, func(c command) bool {
		if path.Base(c.file) != path.Base(d.File) || c.line < d.Line || c.line > d.last {
			return false
		}
		name, _, _ := strings.Cut(c.text, " ")
		return !d.listed || slices.Contains(d.functions, name) || deciding().MatchString(c.text) || decidingShell().MatchString(c.text)
	})
}
