package trace

import (
	"bytes"
	"encoding/base64"
	"errors"
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

// A Set is a sorted list of keys with three bytes each, so it can be compared, interned and
// searched directly. Its JSON form is base64.
type Set string

// NewSet returns the set of the keys.
func NewSet(keys map[script.Key]bool) Set {
	sorted := make([]script.Key, 0, len(keys))
	for k := range keys {
		sorted = append(sorted, k)
	}
	slices.Sort(sorted)
	var b strings.Builder
	for _, k := range sorted {
		b.Write([]byte{byte(k >> 16), byte(k >> 8), byte(k)})
	}
	return Set(b.String())
}

// Len returns the number of keys.
func (s Set) Len() int { return len(s) / script.KeyBytes }

func (s Set) at(i int) script.Key {
	return script.Key(s[i*script.KeyBytes])<<16 | script.Key(s[i*script.KeyBytes+1])<<8 | script.Key(s[i*script.KeyBytes+2])
}

// keys returns the keys in the set.
func (s Set) keys() map[script.Key]bool {
	keys := make(map[script.Key]bool, s.Len())
	for i := range s.Len() {
		keys[s.at(i)] = true
	}
	return keys
}

// Has reports whether the key is in the set.
func (s Set) Has(k script.Key) bool {
	low, high := 0, s.Len()
	for low < high {
		if mid := (low + high) / 2; s.at(mid) < k {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low < s.Len() && s.at(low) == k
}

// MarshalText encodes the set.
func (s Set) MarshalText() ([]byte, error) {
	return []byte(base64.RawStdEncoding.EncodeToString([]byte(s))), nil
}

// UnmarshalText decodes a set and rejects unsorted ones, because Has could not search them.
func (s *Set) UnmarshalText(text []byte) error {
	raw, err := base64.RawStdEncoding.DecodeString(string(text))
	if err != nil {
		return err
	}
	if len(raw)%script.KeyBytes != 0 {
		return fmt.Errorf("set of %d bytes: not a multiple of %d", len(raw), script.KeyBytes)
	}
	set := Set(raw)
	for i := 1; i < set.Len(); i++ {
		if set.at(i-1) >= set.at(i) {
			return fmt.Errorf("set is not sorted at key %d", i)
		}
	}
	*s = set
	return nil
}

// A builder builds the blocks of a script from its syntax tree.
type builder struct {
	script.Builder
	declared map[string]int       // number of definitions so far, by name
	hosts    map[syntax.Node]bool // nodes that have statements of their own
	nodes    map[*script.Statement]syntax.Node
	cases    map[*syntax.CaseItem]*syntax.CaseClause
	src      string
}

// block adds the statements of a list to a block.
func (b *builder) block(blk *script.Block, stmts []*syntax.Stmt) {
	blk.Function = b.Function
	for _, s := range stmts {
		st := b.add(blk, s)
		if decl, ok := definition(s); ok {
			b.define(st, decl)
			continue
		}
		b.Identify(st, outer(s))
		b.blocks(st, s.Cmd)
		st.Sure = sure(s)
	}
}

func (b *builder) add(blk *script.Block, n syntax.Node) *script.Statement {
	st := b.Add(blk, &script.Statement{Start: int(n.Pos().Line()), End: lastLine(n), Full: structure(n)})
	b.hosts[n], b.nodes[st] = true, n
	return st
}

// definition returns the function that a statement defines, and whether it does nothing else.
func definition(s *syntax.Stmt) (*syntax.FuncDecl, bool) {
	decl, ok := s.Cmd.(*syntax.FuncDecl)
	return decl, ok && decl.Name != nil && !s.Negated && !s.Background && !s.Coprocess && len(s.Redirs) == 0
}

// define adds a function and its body, which runs when the function is called.
func (b *builder) define(st *script.Statement, decl *syntax.FuncDecl) {
	name := decl.Name.Value
	f := &script.Function{Name: name, Key: WordKey(name), Start: st.Start, End: st.End, Shape: outer(decl.Body), Outer: b.Function}
	outer := b.Function
	b.Function, st.Function = f, f
	b.Script.Functions = append(b.Script.Functions, f)
	f.Body = &script.Block{Slot: "function", ID: script.Mix(0, "function", name, strconv.Itoa(b.declared[name]))}
	b.declared[name]++
	if group, ok := decl.Body.Cmd.(*syntax.Block); ok && len(decl.Body.Redirs) == 0 {
		b.block(f.Body, group.Stmts)
	} else {
		b.block(f.Body, []*syntax.Stmt{decl.Body})
	}
	b.Function = outer
}

// blocks adds the blocks of a statement's command, and those of the elements of a list or
// pipeline.
func (b *builder) blocks(st *script.Statement, cmd syntax.Command) {
	switch c := cmd.(type) {
	case *syntax.Block:
		b.nest(st, nil, "group", c.Stmts)
	case *syntax.Subshell:
		b.nest(st, nil, "subshell", c.Stmts)
	case *syntax.IfClause:
		b.branch(st, c)
	case *syntax.WhileClause:
		cond := b.nest(st, nil, "condition", c.Cond)
		b.nest(st, cond, "loop", c.Do)
	case *syntax.ForClause:
		b.nest(st, nil, "loop", c.Do)
	case *syntax.CaseClause:
		b.arms(st, c)
	case *syntax.BinaryCmd:
		b.blocks(st, c.X.Cmd)
		b.blocks(st, c.Y.Cmd)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			b.blocks(st, c.Stmt.Cmd)
		}
	case *syntax.CoprocClause:
		b.blocks(st, c.Stmt.Cmd)
	case *syntax.FuncDecl:
		b.Script.Odd = "it defines a function inside a list of commands"
	}
}

// arms adds the arms of a case as the statements of a block. Like statements, they are reached in
// order until one matches. If control can pass between them in another way, their bodies become
// blocks of the case itself, and their patterns a part of its text.
func (b *builder) arms(st *script.Statement, c *syntax.CaseClause) {
	if !divided(c) {
		for _, item := range c.Items {
			b.nest(st, nil, "item", item.Stmts)
		}
		return
	}
	blk := b.nest(st, nil, "arms", nil)
	for _, item := range c.Items {
		b.cases[item] = c
		arm := b.add(blk, item)
		arm.Arm, arm.Sure = true, true
		arm.Plain = !slices.ContainsFunc(item.Patterns, func(w *syntax.Word) bool { _, ok := plain(w.Parts); return !ok })
		b.Identify(arm, outer(item))
		b.nest(arm, nil, "item", item.Stmts)
	}
}

// divided reports whether the arms of a case are statements of their own: none falls through to
// the next one, and the shell itself runs no commands while it expands the patterns.
func divided(c *syntax.CaseClause) bool {
	for i, item := range c.Items {
		if item.Op != syntax.Break && i < len(c.Items)-1 {
			return false
		}
	}
	plain := true
	syntax.Walk(c, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			return false
		case *syntax.CmdSubst:
			plain = plain && !n.TempFile && !n.ReplyVar
		}
		return plain
	})
	return plain
}

// branch adds the blocks of an if or elif. The else part is one more block, which contains an
// elif as its only statement.
func (b *builder) branch(st *script.Statement, c *syntax.IfClause) {
	cond := b.nest(st, nil, "condition", c.Cond)
	b.nest(st, cond, "then", c.Then)
	switch {
	case c.Else == nil:
		b.nest(st, cond, "else", nil)
	case len(c.Else.Cond) == 0:
		b.nest(st, cond, "else", c.Else.Then)
	default:
		blk := b.nest(st, cond, "else", nil)
		blk.Slot = "elif"
		next := b.add(blk, c.Else)
		b.Identify(next, outer(c.Else))
		b.branch(next, c.Else)
		next.Sure = sureFirst(c.Else.Cond)
	}
}

func (b *builder) nest(st *script.Statement, after *script.Block, slot string, stmts []*syntax.Stmt) *script.Block {
	blk := b.Nest(st, slot)
	blk.After = after
	b.block(blk, stmts)
	return blk
}

// sure reports whether bash logs the statement whenever it is reached, before anything in it is
// expanded, redirected or run.
func sure(s *syntax.Stmt) bool {
	if s.Background || s.Coprocess {
		return false // may be killed before its event is logged
	}
	switch c := s.Cmd.(type) {
	case nil, *syntax.CallExpr, *syntax.DeclClause, *syntax.LetClause:
		return true // the trap runs before redirections
	case *syntax.TestClause, *syntax.ArithmCmd, *syntax.CaseClause:
		return len(s.Redirs) == 0 // a redirection can fail before the trap runs
	case *syntax.BinaryCmd:
		return sure(c.X)
	case *syntax.IfClause:
		return len(s.Redirs) == 0 && sureFirst(c.Cond)
	case *syntax.WhileClause:
		return len(s.Redirs) == 0 && sureFirst(c.Cond)
	case *syntax.Block:
		return len(s.Redirs) == 0 && sureFirst(c.Stmts)
	case *syntax.Subshell:
		return len(s.Redirs) == 0 && sureFirst(c.Stmts)
	default:
		return false // a loop over an empty list has no event
	}
}

func sureFirst(list []*syntax.Stmt) bool { return len(list) > 0 && sure(list[0]) }

// lastLine returns the last line of a node, here-documents included.
func lastLine(n syntax.Node) int {
	last := int(n.End().Line())
	syntax.Walk(n, func(n syntax.Node) bool {
		if n != nil {
			last = max(last, int(n.End().Line()))
		}
		return true
	})
	return last
}

// bash traces the scripts of bash, and those of sh and dash that cases run with bash.
type bash struct{}

func (bash) Name() string { return "bash" }

// Recognises includes scripts of other shells, because the first line does not determine which
// program runs a hook.
func (bash) Recognises(file string, content []byte) bool {
	if shebang := script.Shebang(content); shebang != "" {
		return ShellOf(shebang) != ""
	}
	return path.Ext(file) == "" || shell.ByExtension(file) == "bash"
}

// Unseen implements Language.
func (bash) Unseen(shebang string, met *Met, t *Trace) string {
	if met != nil && met.Main {
		return ""
	}
	switch shell := ShellOf(shebang); {
	case shell != "" && shell != "bash":
		return "it may be run by " + shell + ", which is not traced"
	case shell == "" && t.Starts:
		return "a program that the case ran may run it by a shell that is not traced"
	}
	return ""
}

// Parse parses a bash script. Errors are those of the parser, with line and column.
func (bash) Parse(src []byte) (*script.Script, error) {
	if bytes.IndexByte(src, 0) >= 0 {
		return nil, errors.New("it holds a NUL byte")
	}
	file, err := parseFile(src)
	if err != nil {
		return nil, err
	}
	b := &builder{Builder: script.Build(src, "file"), declared: map[string]int{}, hosts: map[syntax.Node]bool{}, nodes: map[*script.Statement]syntax.Node{}, cases: map[*syntax.CaseItem]*syntax.CaseClause{}, src: string(src)}
	s := b.Script
	s.Structure = structure(file)
	for _, word := range revealed().FindAllString(string(src), -1) {
		s.Reveals = append(s.Reveals, strings.ReplaceAll(word, "{", ""))
	}
	slices.Sort(s.Reveals)
	s.Reveals = slices.Compact(s.Reveals)
	b.block(s.Body, file.Stmts)
	if slices.ContainsFunc(s.Functions, func(f *script.Function) bool {
		return slices.Contains([]string{"grep", "echo", "printf"}, f.Name)
	}) {
		s.Reveals = append(s.Reveals, redefined)
	}
	for _, st := range s.Statements {
		st.Facts = b.facts(st)
		if st.Function == nil {
			st.Comparisons, st.Rest = b.comparisons(st)
		}
		if st.Arm {
			st.Blocks[0].Lead = b.lead(st.Blocks[0])
		}
	}
	own := &ownReader{script: s}
	syntax.Walk(file, own.visit)
	if own.extGlob {
		s.Doubtful = []script.Property{{Why: "it has a new extended pattern, which bash may refuse to parse"}}
	}
	if bytes.IndexByte(src, '\r') >= 0 {
		s.Own = "it has carriage returns"
	}
	return s, nil
}

// parseFile turns a panic of the parser into an error, because a half-typed file must not end a
// session.
func parseFile(src []byte) (file *syntax.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the parser gave up: %v", r)
		}
	}()
	return shell.Parse(string(src), syntax.Variant(syntax.LangBash))
}

// ShellOf returns the shell that may run a script with this first line. It returns "" for other
// programs and for a bash that does not read BASH_ENV or prints the script. Scripts of sh or
// dash count because cases run them with bash.
func ShellOf(shebang string) string {
	words, direct := shell.Interpreter(shebang)
	if !direct || len(words) == 0 || !shell.ProgramOf(words[0]).ByBash {
		return ""
	}
	for _, option := range words[1:] {
		if strings.Contains(option, "posix") || strings.HasPrefix(option, "-") && strings.ContainsAny(option, "pvx") {
			return ""
		}
	}
	return path.Base(words[0])
}

// The files of a traced run, in a directory of their own.
const (
	startName = "start.bash"
	logName   = "log"
)

// textLimit is the number of characters of a command that are logged: enough to distinguish two
// commands on a line, and few enough for one write.
const textLimit = 160

// Start makes every bash that starts log each command before it expands or runs it, with a DEBUG trap that
// subshells, substitutions and functions inherit. The trap opens the log by path and keeps no descriptor,
// so it cannot collide with descriptors of the hook.
func (bash) Start(dir string, env []string) suites.Tracing {
	start := filepath.Join(dir, startName)
	content := startFile(filepath.Join(dir, logName), ValueOf(env, "BASH_ENV"))
	return suites.Tracing{Files: map[string]string{startName: content, logName: ""}, Logs: []string{logName}, Set: map[string]string{"BASH_ENV": Unexpanded(start)}}
}

// Unexpanded returns a path for a variable whose value bash expands as in double quotes.
func Unexpanded(path string) string {
	return strings.NewReplacer(`\`, `\\`, "$", `\$`, "`", "\\`").Replace(path)
}

// startFile returns the script that every bash reads first. Bash itself preserves $? and
// PIPESTATUS around the trap; $_ is preserved as the last argument, which the format discards.
// The trap must be one line because LINENO would be wrong otherwise. Its stderr is discarded so
// that "set -x" of the hook does not show it.
func startFile(log, theirs string) string {
	var b strings.Builder
	b.WriteString(Sourced(theirs))
	to := shell.Quote(log)
	fmt.Fprintf(&b, `builtin printf 'B\037%%s\037%%s\0' "$PWD" "$0" >>%s 2>/dev/null`+"\n", to)
	event := fmt.Sprintf(`builtin printf "E\037%%s\037%%s\037%%s\037%%s\037%%s\037%%s\0%%.0s" "${BASHPID-}" "$LINENO" "${FUNCNAME[0]-}" "${BASH_SOURCE[0]-}" "$PWD" "${BASH_COMMAND:0:%d}" "$__hookwatch_last" || :`, textLimit)
	trap := fmt.Sprintf(`{ __hookwatch_last=$_; %s; %s; } 2>/dev/null >>%s`, evaluationTrap(), event, to)
	fmt.Fprintf(&b, "set -T\ntrap %s DEBUG\n", shell.Quote(trap))
	return b.String()
}

// Sourced returns the command that reads the file which the hook's own BASH_ENV names. Bash expands
// that value as in double quotes.
func Sourced(theirs string) string {
	if theirs == "" {
		return ""
	}
	return fmt.Sprintf("[ ! -r %[1]s ] || . %[1]s\n", `"`+strings.ReplaceAll(theirs, `"`, `\"`)+`"`)
}

// ValueOf returns the value of a variable in an environment; "" if it is not set.
func ValueOf(env []string, name string) string {
	value := ""
	for _, kv := range env {
		if k, v, ok := strings.Cut(kv, "="); ok && k == name {
			value = v
		}
	}
	return value
}
