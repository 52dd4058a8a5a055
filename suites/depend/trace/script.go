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
	"hookwatch/suites/shell"
)

// A Script is a file as blocks of statements.
type Script struct {
	Digest     string
	Structure  uint64 // equal for files that differ only in comments and white space
	Body       *Block
	Statements []*Statement // all of them, in source order
	Functions  []*Function  // all definitions, in source order
	Shebang    string       // the first line if it names an interpreter
	Own        string       // why the file's own text or lines matter; "" if they do not
	Numbers    string       // why its line numbers matter; "" if they do not
	Odd        string       // why its blocks do not show which code runs; "" if they do
	ExtGlobs   bool         // has patterns that bash cannot parse without extglob
	Returns    bool         // has carriage returns
	Head       string       // other parts that determine how it is run, such as an encoding
	Warns      string       // parts of which its language warns when it compiles them
	Newer      bool         // has syntax that interpreters in use may not know
	Quotes     bool         // errors show its lines, comments included
	Compiled   Compiled     // of JavaScript
	units      units
	size       int               // bytes; in JavaScript
	bodies     map[int]*Function // functions of JavaScript by the place of their bodies
}

// defines reports whether the script only defines functions.
func (s *Script) defines() bool {
	return !slices.ContainsFunc(s.Body.Statements, func(st *Statement) bool { return st.Function == nil })
}

// A Block is a list of statements that run in sequence.
type Block struct {
	Statements []*Statement
	Of         *Statement // the enclosing statement; nil for a file and a function
	Function   *Function  // whose body it is or is in; nil at top level
	After      *Block     // the condition that is evaluated before it is entered; nil if there is none
	Slot       string     // its part of the statement, such as "then"
	class      string     // whose body it is, in Python
	Declared   []string   // what its scope binds, each with its kind, sorted; nil if that is not known
	id         uint64
}

// A Statement is one element of a block: a whole list or pipeline with its substitutions and
// here-documents.
type Statement struct {
	Key        Key
	Start, End int // first and last line, here-documents included
	Shell      uint64
	Full       uint64
	Blocks     []*Block // also the body of a function, with Of nil, that it defines among other things
	In         *Block
	Index      int       // in its block
	Function   *Function // that it only defines; nil for statements that run
	Arm        bool      // an arm of "case", which is reached when its patterns are compared
	Plain      bool      // such an arm whose patterns are without expansions
	// Binds are the names that the statement defines without any other effect, in a scope in which
	// nothing uses them without naming them; nil for other statements. Facts.Words lacks them.
	Binds      []string
	Risky      bool // such a statement that may fail when it is new
	Sure       bool // whenever it is reached, there is an event
	Facts      Facts
	from, to   int // bytes; in JavaScript
	node       syntax.Node
	signatures []signature
	text       bool // a literal that may be documentation
	future     bool // changes how the file is compiled
}

// Keys appends the keys of a statement and of all statements in its blocks to keys.
func (s *Statement) Keys(keys []Key) []Key {
	if s.Function != nil {
		return keys
	}
	keys = append(keys, s.Key)
	for _, b := range s.Blocks {
		for _, inner := range b.Statements {
			keys = inner.Keys(keys)
		}
	}
	return keys
}

// A Function is one definition.
type Function struct {
	Name       string
	Key        Key // in Met.Functions
	Start, End int // lines
	Body       *Block
	Shape      uint64    // hash of the text around the statements of its body
	Outer      *Function // the function that contains the definition; nil if there is none
	// Scope is a hash of what entering the function does before its first statement, such as the
	// names that become local.
	Scope uint64
	// Recorded reports whether Met.Functions has every function that was entered. If not, a
	// reached call counts too.
	Recorded bool
}

// Facts are the properties of a statement outside its own blocks. Those of all reached
// statements determine how far the trace of a case can be trusted.
type Facts struct {
	Words   []string // in commands, arguments and strings
	Names   []string // of files that it uses other than by sourcing or running them
	Dynamic bool     // runs commands whose names are in no file
	Opaque  string   // why it may run a script that is not traced
	Ends    string   // why events may be missing after it ran
	Shows   bool     // prints or exports the text of functions, which may be any
	Shown   []string // functions whose text it prints
	// Exported lists functions whose text it adds to the environment, and Environment reports
	// whether it may read the whole environment, or start a shell unseen that does.
	Exported    []string
	Environment bool
	Starts      bool   // runs a program that may start shells itself
	Interprets  bool   // runs a program in another language
	Status      bool   // uses the status of the previous command
	Hides       string // a language that it may run without a trace
	Text        bool   // may show the text or the lines of files
	Lines       bool   // may use the lines of code, as a stack trace does
	Opens       bool   // makes bash open a file for reading of which nothing in the name is literal
}

// A Key identifies a statement or a word by 24 bits of a hash. If two share a key, both count as
// reached, which selects too many cases and never too few.
type Key uint32

const keyBytes = 3

// A Set is a sorted list of keys with three bytes each, so it can be compared, interned and
// searched directly. Its JSON form is base64.
type Set string

// NewSet returns the set of the keys.
func NewSet(keys map[Key]bool) Set {
	sorted := make([]Key, 0, len(keys))
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
func (s Set) Len() int { return len(s) / keyBytes }

func (s Set) at(i int) Key {
	return Key(s[i*keyBytes])<<16 | Key(s[i*keyBytes+1])<<8 | Key(s[i*keyBytes+2])
}

// Has reports whether the key is in the set.
func (s Set) Has(k Key) bool {
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
	if len(raw)%keyBytes != 0 {
		return fmt.Errorf("set of %d bytes: not a multiple of %d", len(raw), keyBytes)
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
	script   *Script
	function *Function
	declared map[string]int       // number of definitions so far, by name
	hosts    map[syntax.Node]bool // nodes that have statements of their own
}

// block adds the statements of a list to a block.
func (b *builder) block(blk *Block, stmts []*syntax.Stmt) {
	blk.Function = b.function
	seen := map[uint64]int{}
	for _, s := range stmts {
		st := &Statement{node: s, In: blk, Index: len(blk.Statements), Full: structure(s)}
		b.add(st)
		if decl, ok := definition(s); ok {
			b.define(st, decl)
			continue
		}
		b.identify(st, outer(s), seen)
		b.blocks(st, s.Cmd)
		st.Sure = sure(s)
	}
}

func (b *builder) add(st *Statement) {
	b.hosts[st.node] = true
	st.Start, st.End = int(st.node.Pos().Line()), lastLine(st.node)
	st.In.Statements = append(st.In.Statements, st)
	b.script.Statements = append(b.script.Statements, st)
}

// identify sets the key of a statement. It depends on the block, the text outside its own blocks
// and the number of equal statements before it, but not on later statements of the block.
func (b *builder) identify(st *Statement, shell uint64, seen map[uint64]int) {
	st.Shell = shell
	id := mix(st.In.id, strconv.FormatUint(shell, 36), strconv.Itoa(seen[shell]))
	seen[shell]++
	st.Key = keyOf(id)
}

func (st *Statement) id() uint64 {
	return mix(st.In.id, strconv.FormatUint(st.Shell, 36), strconv.Itoa(int(st.Key)))
}

// definition returns the function that a statement defines, and whether it does nothing else.
func definition(s *syntax.Stmt) (*syntax.FuncDecl, bool) {
	decl, ok := s.Cmd.(*syntax.FuncDecl)
	return decl, ok && decl.Name != nil && !s.Negated && !s.Background && !s.Coprocess && len(s.Redirs) == 0
}

// define adds a function and its body, which runs when the function is called.
func (b *builder) define(st *Statement, decl *syntax.FuncDecl) {
	name := decl.Name.Value
	f := &Function{Name: name, Key: WordKey(name), Start: st.Start, End: st.End, Shape: outer(decl.Body), Outer: b.function}
	outer := b.function
	b.function, st.Function = f, f
	b.script.Functions = append(b.script.Functions, f)
	f.Body = &Block{Slot: "function", id: mix(0, "function", name, strconv.Itoa(b.declared[name]))}
	b.declared[name]++
	if group, ok := decl.Body.Cmd.(*syntax.Block); ok && len(decl.Body.Redirs) == 0 {
		b.block(f.Body, group.Stmts)
	} else {
		b.block(f.Body, []*syntax.Stmt{decl.Body})
	}
	b.function = outer
}

// blocks adds the blocks of a statement's command, and those of the elements of a list or
// pipeline.
func (b *builder) blocks(st *Statement, cmd syntax.Command) {
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
		b.script.Odd = "it defines a function inside a list of commands"
	}
}

// arms adds the arms of a case as the statements of a block. Like statements, they are reached in
// order until one matches. If control can pass between them in another way, their bodies become
// blocks of the case itself, and their patterns a part of its text.
func (b *builder) arms(st *Statement, c *syntax.CaseClause) {
	if !divided(c) {
		for _, item := range c.Items {
			b.nest(st, nil, "item", item.Stmts)
		}
		return
	}
	blk := b.nest(st, nil, "arms", nil)
	seen := map[uint64]int{}
	for _, item := range c.Items {
		arm := &Statement{node: item, In: blk, Index: len(blk.Statements), Full: structure(item), Arm: true, Sure: true}
		arm.Plain = !slices.ContainsFunc(item.Patterns, func(w *syntax.Word) bool { _, ok := plain(w.Parts); return !ok })
		b.add(arm)
		b.identify(arm, outer(item), seen)
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
func (b *builder) branch(st *Statement, c *syntax.IfClause) {
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
		next := &Statement{node: c.Else, In: blk, Full: structure(c.Else)}
		b.add(next)
		b.identify(next, outer(c.Else), map[uint64]int{})
		b.branch(next, c.Else)
		next.Sure = sureFirst(c.Else.Cond)
	}
}

func (b *builder) nest(st *Statement, after *Block, slot string, stmts []*syntax.Stmt) *Block {
	blk := &Block{Of: st, After: after, Slot: slot, id: mix(st.id(), slot, strconv.Itoa(len(st.Blocks)))}
	st.Blocks = append(st.Blocks, blk)
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
	if shebang := shebangOf(content); shebang != "" {
		return ShellOf(shebang) != ""
	}
	return path.Ext(file) == "" || shell.ByExtension(file) == "bash"
}

// Beyond implements Language.
func (bash) Beyond(old, new *Script) string {
	switch {
	case old.Returns || new.Returns:
		return "it has carriage returns"
	case old.Structure != new.Structure && new.ExtGlobs && !old.ExtGlobs:
		return "it has a new extended pattern, which bash may refuse to parse"
	}
	return ""
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
func (bash) Parse(src []byte) (*Script, error) {
	if bytes.IndexByte(src, 0) >= 0 {
		return nil, errors.New("it holds a NUL byte")
	}
	file, err := parseFile(src)
	if err != nil {
		return nil, err
	}
	s := &Script{Digest: suites.Digest(src), Structure: structure(file), Shebang: shebangOf(src), Returns: bytes.IndexByte(src, '\r') >= 0}
	b := &builder{script: s, declared: map[string]int{}, hosts: map[syntax.Node]bool{}}
	s.Body = &Block{Slot: "file", id: mix(0, "file")}
	b.block(s.Body, file.Stmts)
	for _, st := range s.Statements {
		st.Facts = b.facts(st)
	}
	syntax.Walk(file, (&ownReader{script: s}).visit)
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

func shebangOf(src []byte) string {
	line, _, _ := bytes.Cut(src, []byte("\n"))
	if !bytes.HasPrefix(line, []byte("#!")) {
		return ""
	}
	return string(line)
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
	content := startFile(filepath.Join(dir, logName), valueOf(env, "BASH_ENV"))
	return suites.Tracing{Files: map[string]string{startName: content, logName: ""}, Logs: []string{logName}, Set: map[string]string{"BASH_ENV": unexpanded(start)}}
}

// unexpanded returns a path for a variable whose value bash expands as in double quotes.
func unexpanded(path string) string {
	return strings.NewReplacer(`\`, `\\`, "$", `\$`, "`", "\\`").Replace(path)
}

// startFile returns the script that every bash reads first. Bash itself preserves $? and
// PIPESTATUS around the trap; $_ is preserved as the last argument, which the format discards.
// The trap must be one line because LINENO would be wrong otherwise. Its stderr is discarded so
// that "set -x" of the hook does not show it.
func startFile(log, theirs string) string {
	var b strings.Builder
	if theirs != "" {
		fmt.Fprintf(&b, "[ ! -r %[1]s ] || . %[1]s\n", shell.Quote(theirs))
	}
	to := shell.Quote(log)
	fmt.Fprintf(&b, `builtin printf 'B\037%%s\037%%s\0' "$PWD" "$0" >>%s 2>/dev/null`+"\n", to)
	trap := fmt.Sprintf(`{ builtin printf "E\037%%s\037%%s\037%%s\037%%s\037%%s\037%%s\0%%.0s" "${BASHPID-}" "$LINENO" "${FUNCNAME[0]-}" "${BASH_SOURCE[0]-}" "$PWD" "${BASH_COMMAND:0:%d}" "$_" || :; } 2>/dev/null >>%s`, textLimit, to)
	fmt.Fprintf(&b, "set -T\ntrap %s DEBUG\n", shell.Quote(trap))
	return b.String()
}

func valueOf(env []string, name string) string {
	value := ""
	for _, kv := range env {
		if k, v, ok := strings.Cut(kv, "="); ok && k == name {
			value = v
		}
	}
	return value
}
