package trace

import (
	"mvdan.cc/sh/v3/syntax"
)

// A Script is a bash file as blocks of statements.
type Script struct {
	Digest     string
	Structure  uint64 // equal for files that differ in comments and white space only
	Body       *Block
	Statements []*Statement // all of them, in the order of the text
	Functions  []*Function  // all definitions, in the order of the text
	Shebang    string       // the first line, when it names an interpreter
	Own        string       // why the file's own text or lines matter; "" when they do not
	Numbers    string       // why its line numbers matter; "" when they do not
	Odd        string       // why its blocks do not tell what runs; "" when they do
	ExtGlobs   bool         // has patterns that bash refuses to parse without extglob
}

// A Block is a list of statements that run one after the other.
type Block struct {
	Statements []*Statement
	Of         *Statement // that it is part of; nil for a file and a function
	Function   *Function  // whose body it is in; nil at top level
	After      *Block     // the condition that is evaluated before it is entered; nil when there is none
	Slot       string     // which part of the statement
	id         uint64
}

// A Statement is one element of a block: a whole list or pipeline with all
// that stands in its substitutions and here-documents.
type Statement struct {
	Key        Key
	Start, End int // first and last line, here-documents included
	Shell      uint64
	Full       uint64
	Blocks     []*Block
	In         *Block
	Index      int       // in its block
	Function   *Function // that it defines; nil for what runs
	Sure       bool      // whenever it is reached, an event tells so
	Facts      Facts
	node       syntax.Node
	signatures []signature
}

// Keys appends to keys those of a statement and of all that is in its blocks.
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
	Start, End int // lines
	Body       *Block
	Shape      uint64    // of what surrounds the statements of its body
	Outer      *Function // in which it is defined; nil when it is in none
}

// Facts are what a statement says outside its own blocks. Those of all
// statements that a case met say what its trace can be trusted for.
type Facts struct {
	Words   []string // in commands, arguments and strings
	Names   []string // of files that it uses otherwise than by sourcing or running them
	Dynamic bool     // runs commands whose names stand in no file
	Opaque  string   // why it may run a script that is not traced
	Ends    string   // why events may be missing once it ran
	Shows   bool     // prints or passes on the text of functions, which may be any
	Shown   []string // functions whose text it prints
	// Exported are functions whose text is in the environment from then on, and
	// Environment tells that it may look at all of that, or start a shell unseen
	// that does.
	Exported    []string
	Environment bool
	Starts      bool // runs a program that may start shells of its own
	Interprets  bool // runs a program in another language
	Status      bool // looks at the status of the command before it
}
