// Package script describes a file as blocks of statements, in the same form for all languages. A
// statement is identified by its place in the syntax tree and its text and not by its line, so a key
// remains valid if other places of the file are edited.
package script

import (
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites"
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
	Quotes     bool         // errors show its lines, comments included
	Reveals    []string     // words in it by which code may see more of a comparison than its answer
	// Fixed are properties that decide how all of the file is run, such as an encoding, the same ones
	// in the same order for all files of a language.
	Fixed []Property
	// Doubtful are those that an interpreter may refuse.
	Doubtful []Property
	Bodies   map[int]*Function // functions of JavaScript by the places of their bodies
	Size     int               // bytes
	Units    []int32           // places in UTF-16 units by bytes; nil if they are the same
}

// A Property is one that statements do not show, and Why describes what it means that it changed.
type Property struct{ Value, Why string }

// Shebang returns the first line of a file if it names an interpreter, else "".
func Shebang(src []byte) string {
	if len(src) < 2 || string(src[:2]) != "#!" {
		return ""
	}
	if end := slices.Index(src, '\n'); end >= 0 {
		src = src[:end]
	}
	return string(src)
}

// Beyond returns the reason why statements cannot describe an edit, "" if they can.
func Beyond(old, new *Script) string {
	if old.Shebang != new.Shebang {
		return "the interpreter line changed"
	}
	for i, p := range new.Fixed {
		if p.Value != old.Fixed[i].Value {
			return p.Why
		}
	}
	for _, p := range new.Doubtful {
		if !slices.Contains(old.Doubtful, p) {
			return p.Why
		}
	}
	reasons := []string{old.Own, new.Own, old.Numbers, new.Numbers}
	if old.Structure != new.Structure {
		reasons = append(reasons, old.Odd, new.Odd)
	}
	for _, why := range reasons {
		if why != "" {
			return why
		}
	}
	return ""
}

// Unit returns the place of a byte in UTF-16 units.
func (s *Script) Unit(at int) int {
	if s.Units == nil {
		return at
	}
	return int(s.Units[at])
}

// OnlyDefines reports whether the script only defines functions.
func (s *Script) OnlyDefines() bool {
	return !slices.ContainsFunc(s.Body.Statements, func(st *Statement) bool { return st.Function == nil })
}

// A Block is a list of statements that run in sequence.
type Block struct {
	Statements []*Statement
	Of         *Statement // the enclosing statement; nil for a file and a function
	Function   *Function  // whose body it is or is in; nil at top level
	After      *Block     // the condition that is evaluated before it is entered; nil if there is none
	Slot       string     // its part of the statement, such as "then"
	Class      string     // whose body it is, in Python
	Declared   []string   // what its scope binds, each with its kind, sorted; nil if that is not known
	Lead       *Lead      // for an arm of "case", if one command is certainly the first that runs in it
	ID         uint64
}

// A Lead is the command that runs first whenever a block is entered, in the statement that it is part
// of.
type Lead struct {
	Statement *Statement
	Signature string
}

// A Statement is one element of a block: in bash, a whole list or pipeline with its substitutions and
// here-documents.
type Statement struct {
	Key        Key
	Start, End int    // first and last line, here-documents included
	From, To   int    // bytes; not in bash
	Shell      uint64 // hash of the text outside its blocks
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
	Signatures []string // the beginnings of its commands as bash reports them
	// Comparisons are those that it makes of variables outside its own blocks, and Rest is the hash of what else is there.
	Comparisons []Comparison
	Rest        uint64
}

// A Comparison is one that a statement makes of variables.
type Comparison interface {
	Text() string  // as it is written
	Event() string // by which the log names its evaluations
	// Answer evaluates it with the values of variables; nil is the value of one that is not set.
	Answer(values map[string]*string) Answer
}

// An Answer is that of a comparison.
type Answer int

// The answers. Unknown is that of a comparison of which more than the values decides.
const (
	Unknown Answer = iota
	Yes
	No
)

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
	Key        Key // in the record of functions that were entered
	Start, End int // lines
	Body       *Block
	Shape      uint64    // hash of the text around the statements of its body
	Outer      *Function // the function that contains the definition; nil if there is none
	// Scope is a hash of what entering the function does before its first statement, such as the
	// names that become local.
	Scope uint64
	// Recorded reports whether every call is recorded. If not, a reached call counts too.
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

// KeyBytes is the size of a key.
const KeyBytes = 3

// KeyOf returns the key for an identity.
func KeyOf(id uint64) Key { return Key((id ^ id>>24 ^ id>>48) & (1<<(8*KeyBytes) - 1)) }

// Mix derives an identity from the parent's and from the parts that distinguish it from its
// siblings.
func Mix(parent uint64, parts ...string) uint64 {
	h := NewHash()
	h.Number(parent)
	for _, p := range parts {
		h.Text(p)
	}
	return uint64(h)
}

// A Hash is a 64-bit FNV-1a hash.
type Hash uint64

const prime64 = 1099511628211

// NewHash returns the hash of nothing.
func NewHash() Hash { return 14695981039346656037 }

// Text adds a text.
func (h *Hash) Text(s string) {
	for i := range len(s) {
		*h = (*h ^ Hash(s[i])) * prime64
	}
	*h = (*h ^ 0xff) * prime64 // a separator, which no text ends with
}

// Number adds a number.
func (h *Hash) Number(n uint64) {
	for range 8 {
		*h = (*h ^ Hash(n&0xff)) * prime64
		n >>= 8
	}
}

// Words returns the set of the words of a text.
func Words(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// A Builder builds a script, one statement after the other.
type Builder struct {
	Script   *Script
	Function *Function // around the current statement; nil at top level
	seen     map[[2]uint64]int
}

// Build begins the script of a file. top is the identity of its top level.
func Build(src []byte, top string) Builder {
	s := &Script{Digest: suites.Digest(src), Shebang: Shebang(src), Size: len(src), Body: &Block{Slot: "file", ID: Mix(0, top)}}
	return Builder{Script: s, seen: map[[2]uint64]int{}}
}

// Add appends a statement to a block.
func (b *Builder) Add(in *Block, st *Statement) *Statement {
	st.In, st.Index = in, len(in.Statements)
	in.Statements = append(in.Statements, st)
	b.Script.Statements = append(b.Script.Statements, st)
	return st
}

// Identify sets the key of a statement. It depends on the block, the hash of the text outside the
// statement's own blocks and the number of equal statements before it, but not on later ones.
func (b *Builder) Identify(st *Statement, shell uint64) {
	st.Shell = shell
	at := [2]uint64{st.In.ID, shell}
	st.Key = KeyOf(Mix(st.In.ID, strconv.FormatUint(shell, 36), strconv.Itoa(b.seen[at])))
	b.seen[at]++
}

// Nest adds a block to a statement that has its key.
func (b *Builder) Nest(st *Statement, slot string) *Block {
	blk := &Block{Of: st, Slot: slot, ID: Mix(st.ID(), slot, strconv.Itoa(len(st.Blocks))), Function: b.Function}
	st.Blocks = append(st.Blocks, blk)
	return blk
}

// ID identifies the statement, to derive the identities of its blocks.
func (s *Statement) ID() uint64 {
	return Mix(s.In.ID, strconv.FormatUint(s.Shell, 36), strconv.Itoa(int(s.Key)))
}
