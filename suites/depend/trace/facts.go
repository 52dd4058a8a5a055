package trace

import (
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"hookwatch/suites/depend/script"
	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// readsContent lists the file tests that depend on the content of the file.
var readsContent = map[syntax.UnTestOperator]bool{syntax.TsNoEmpty: true, syntax.TsModif: true}

var matchOps = map[syntax.BinTestOperator]bool{
	syntax.TsMatch: true, syntax.TsMatchShort: true, syntax.TsNoMatch: true, syntax.TsReMatch: true,
}

// parameter records $?, and words that are no files: the patterns of "${x%pattern}" and
// subscripts such as the "*" of "${x[*]}".
func (r *factReader) parameter(p *syntax.ParamExp) {
	if p.Param != nil && (p.Param.Value == "?" || p.Param.Value == "PIPESTATUS") {
		r.facts.Status = true
	}
	if w, ok := p.Index.(*syntax.Word); ok {
		r.noFile[w] = true
	}
	if p.Repl != nil && p.Repl.Orig != nil {
		r.noFile[p.Repl.Orig] = true
	}
	if p.Exp != nil && p.Exp.Word != nil && (p.Exp.Op == syntax.RemSmallSuffix || p.Exp.Op == syntax.RemLargeSuffix ||
		p.Exp.Op == syntax.RemSmallPrefix || p.Exp.Op == syntax.RemLargePrefix) {
		r.noFile[p.Exp.Word] = true
	}
}

func (r *factReader) assigns(list []*syntax.Assign) {
	for _, a := range list {
		if a.Name != nil && untraces[a.Name.Value] {
			r.facts.Opaque = "it sets " + a.Name.Value
		}
		if a.Name != nil && hides[a.Name.Value] != "" && (a.Value == nil || !strings.Contains(spelled(a.Value), "*")) {
			r.facts.Hides = hides[a.Name.Value] // another value keeps the tracer's
		}
		if a.Name != nil && a.Name.Value == "LINENO" {
			r.facts.Ends = "it sets LINENO"
		}
		if a.Array != nil { // it may be run as a command
			for _, e := range a.Array.Elems {
				if e.Value != nil {
					r.untraced([]string{literal(e.Value)})
				}
			}
		}
	}
}

// untraces lists the variables that keep bash from reading BASH_ENV, and hides those that may keep
// other languages from being traced.
var (
	untraces = map[string]bool{"BASH_ENV": true, "POSIXLY_CORRECT": true, "SHELLOPTS": true}
	hides    = map[string]string{"PYTHONPATH": shell.Python, "PYTHONHOME": shell.Python}
)

func (r *factReader) declare(n *syntax.DeclClause) {
	r.assigns(n.Args)
	var args []string
	for _, a := range n.Args {
		switch {
		case a.Name != nil:
			args = append(args, a.Name.Value)
		case a.Value != nil:
			args = append(args, literal(a.Value))
		}
	}
	r.shows(n.Variant.Value, args)
}

// shows records the functions that a declaration with -f or -F names: export adds them to the
// environment, other declarations print them. Without a literal name, it may be all functions.
func (r *factReader) shows(command string, args []string) {
	functions, all, to := false, true, r.shown
	if command == "export" {
		to = r.sent
	}
	isFlag := func(a string) bool { return len(a) > 1 && (a[0] == '-' || a[0] == '+') }
	for _, a := range args {
		functions = functions || isFlag(a) && strings.ContainsAny(a[1:], "fF")
	}
	if !functions {
		return
	}
	for _, a := range args {
		if isFlag(a) {
			continue
		}
		all = a == ""
		if all {
			break
		}
		to[a] = true
	}
	r.facts.Shows = r.facts.Shows || all
}

type factReader struct {
	facts  script.Facts
	words  map[string]bool
	names  map[string]bool
	noFile map[*syntax.Word]bool // words that are not names of files to read
	taken  map[syntax.Node]bool  // commands whose output another command reads
	shown  map[string]bool
	sent   map[string]bool // functions that are exported
}

// untraced examines code in strings, and the arguments of a command with an unknown name, for
// traps that end tracing.
func (r *factReader) untraced(code []string) {
	for _, a := range code {
		if strings.Contains(a, "DEBUG") || strings.Contains(a, "RETURN") || strings.Contains(a, "functrace") || strings.Contains(a, "+T") {
			r.facts.Ends = "it has a DEBUG or RETURN trap of its own"
		}
	}
}

// text examines the literal text of a word.
func (r *factReader) text(s string) {
	for _, w := range strings.FieldsFunc(s, func(c rune) bool { return !isWordRune(c) }) {
		r.words[w] = true
	}
	r.facts.Environment = r.facts.Environment || strings.Contains(strings.ToLower(s), "env") || strings.Contains(s, "system(")
	if slices.ContainsFunc(listers, func(l string) bool { return strings.Contains(s, l) }) {
		r.names[anyFile] = true
	}
}

// take marks the commands below a node as commands whose output another command reads.
func (r *factReader) take(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok {
			r.taken[c] = true
		}
		return true
	})
}

// listers are calls in other languages that list the files of a directory.
var listers = []string{"glob(", "listdir", "os.walk", "scandir", "iterdir", "readdir", "Dir["}

func isWordRune(c rune) bool {
	return c == '_' || c == '-' || c == '.' || c == ':' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c > 127
}

// anyFile is the name for a statement that reads files without a literal name.
const anyFile = "*"

// reads records programs that read files whose names are not in the script.
func (r *factReader) reads(c command, base string, taken bool) {
	switch {
	case printers[c.name] && taken: // the words become input of another command
	case printers[c.name]:
		for _, w := range c.words {
			r.ignoreMessage(w)
		}
	case c.name == "[" || c.name == "test":
		for _, w := range c.words {
			r.noFile[w] = true
		}
	case trees[base], base == "git" && gitReadsTree(c.args), base == "ls" && hasFlag(c.args, "l"),
		strings.HasSuffix(base, "grep") && hasFlag(c.args, "rR"), base == "cp" && hasFlag(c.args, "raR"), base == "diff" && hasFlag(c.args, "r"):
		r.names[anyFile] = true
	case wraps(base):
		for i, a := range c.args {
			if a != "" && !strings.HasPrefix(a, "-") && !wraps(path.Base(a)) {
				r.reads(command{name: a, args: c.args[i+1:], words: c.words[i+1:]}, path.Base(a), taken)
				break
			}
		}
	}
}

// ignoreMessage ignores the words of a message, which are not file names, unless they contain a
// pattern, because bash expands it.
func (r *factReader) ignoreMessage(w *syntax.Word) {
	if !strings.ContainsAny(spelled(w), "*?[") {
		r.noFile[w] = true
	}
}

// hasFlag reports whether the options contain any of the letters, or an unknown word may.
func hasFlag(args []string, letters string) bool {
	for _, a := range args {
		if strings.HasPrefix(a, "--") {
			if strings.HasPrefix(a, "--recursive") || strings.HasPrefix(a, "--dereference-recursive") || a == "--archive" {
				return true
			}
			continue
		}
		if strings.HasPrefix(a, "-") && strings.ContainsAny(a, letters) {
			return true
		}
	}
	return false
}

// gitReadsTree reports whether a git command reads files of the work tree.
func gitReadsTree(args []string) bool {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-C" || a == "-c" || a == "--git-dir" || a == "--work-tree":
			i++
		case strings.HasPrefix(a, "-"):
		case a == "diff":
			return !slices.Contains(args, "--cached") && !slices.Contains(args, "--staged")
		default:
			return a == "" || gitTree[a]
		}
	}
	return false
}

var gitTree = script.Words("status stash add commit ls-files diff-files diff-index hash-object grep checkout restore switch merge rebase archive clean apply describe update-index blame")

// name records the last part of each path in a word, which may name a file that is read.
// Expansions become patterns. A word of expansions only has its name from another place, where
// it is recorded.
func (r *factReader) name(w *syntax.Word) {
	if r.noFile[w] {
		return
	}
	for _, token := range strings.FieldsFunc(braced().ReplaceAllString(spelled(w), anyFile), func(c rune) bool { return strings.ContainsRune(" \t\r\n\"';|&()<>=:,`", c) }) {
		tail := token[strings.LastIndexByte(token, '/')+1:]
		if strings.Trim(tail, "*") == "" && !(strings.HasSuffix(token, "*") && globbed(w)) {
			continue
		}
		if strings.ContainsAny(tail, "*?[") || strings.Contains(tail, ".") || strings.Contains(token, "/") {
			r.names[tail] = true
		}
	}
}

// braced matches brace expansions, which produce several words.
var braced = pattern.Lazy(`\{[^{}]*(,|\.\.)[^{}]*\}`)

// spelled returns a word's text with "*" for each of its expansions.
func spelled(w *syntax.Word) string {
	var b strings.Builder
	spell(&b, w.Parts, false)
	return b.String()
}

func spell(b *strings.Builder, parts []syntax.WordPart, quoted bool) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if quoted {
				b.WriteString(quoteMeta(p.Value))
			} else {
				b.WriteString(p.Value)
			}
		case *syntax.SglQuoted:
			b.WriteString(quoteMeta(p.Value))
		case *syntax.DblQuoted:
			spell(b, p.Parts, true)
		default:
			b.WriteByte('*')
		}
	}
}

// quoteMeta replaces quoted pattern characters, because bash does not expand them.
func quoteMeta(s string) string {
	return strings.Map(func(c rune) rune {
		if strings.ContainsRune("*?[\\{}", c) {
			return '_'
		}
		return c
	}, s)
}

// globbed reports whether a word contains an unquoted pattern character.
func globbed(w *syntax.Word) bool {
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok && strings.ContainsAny(l.Value, "*?[") {
			return true
		}
	}
	return false
}

func (r *factReader) visit(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.Lit:
		r.text(n.Value)
	case *syntax.SglQuoted:
		r.text(n.Value)
	case *syntax.CallExpr:
		r.assigns(n.Assigns)
		if len(n.Args) > 0 {
			r.call(commandOf(n.Args), r.taken[n])
		}
	case *syntax.BinaryCmd:
		if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
			r.take(n.X)
		}
	case *syntax.CmdSubst:
		for _, st := range n.Stmts {
			r.take(st)
		}
	case *syntax.DeclClause:
		r.declare(n)
	case *syntax.UnaryTest:
		if w, ok := n.X.(*syntax.Word); ok && !readsContent[n.Op] {
			r.noFile[w] = true
		}
	case *syntax.BinaryTest:
		if w, ok := n.Y.(*syntax.Word); ok && matchOps[n.Op] {
			r.noFile[w] = true // a pattern and no file name
		}
	case *syntax.CaseItem:
		for _, w := range n.Patterns {
			r.noFile[w] = true
		}
	case *syntax.ParamExp:
		r.parameter(n)
	case *syntax.Redirect:
		if n.Hdoc != nil {
			r.noFile[n.Hdoc] = true
		}
		r.facts.Opens = r.facts.Opens || (n.Op == syntax.RdrIn || n.Op == syntax.RdrInOut) && strings.Trim(base(spelled(n.Word)), "*?[]") == ""
	case *syntax.Word:
		r.name(n)
	}
}

// facts collects the facts of a statement outside its own blocks.
func (b *builder) facts(st *script.Statement) script.Facts {
	if st.Function != nil {
		return script.Facts{Words: []string{st.Function.Name}}
	}
	r := &factReader{words: map[string]bool{}, names: map[string]bool{}, noFile: map[*syntax.Word]bool{}, taken: map[syntax.Node]bool{}, shown: map[string]bool{}, sent: map[string]bool{}}
	b.own(st, func(n syntax.Node) {
		r.visit(n)
		if sig, ok := signatureOf(n); ok {
			st.Signatures = append(st.Signatures, sig)
		}
	})
	r.facts.Words = slices.Sorted(maps.Keys(r.words))
	r.facts.Names = slices.Sorted(maps.Keys(r.names))
	r.facts.Shown = slices.Sorted(maps.Keys(r.shown))
	r.facts.Exported = slices.Sorted(maps.Keys(r.sent))
	return r.facts
}

// own walks the nodes of a statement that belong to no inner statement, outer nodes first.
func (b *builder) own(st *script.Statement, visit func(syntax.Node)) {
	root := b.nodes[st]
	syntax.Walk(root, func(n syntax.Node) bool {
		if n == nil || n != root && b.hosts[n] {
			return false
		}
		visit(n)
		return true
	})
}
