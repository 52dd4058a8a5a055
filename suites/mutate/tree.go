package mutate

import (
	"math/rand/v2"
	"regexp"
	"strings"

	"hookwatch/suites/depend/script"
)

// A statement is a place that operators edit.
type statement struct {
	From, To int  // bytes
	apart    bool // some of its text is elsewhere, as a here-document is: nothing can be put behind it
}

// A tree is a script as lists of statements that run in sequence.
type tree struct {
	parsed
	random *rand.Rand
	lists  [][]statement
	all    []statement
	// lines reports whether a statement needs a line of its own with the indentation of its block, as
	// in Python. Otherwise end is enough.
	lines bool
	end   string
}

func newTree(file string, text []byte, seed uint64) (tree, error) {
	p, err := parseScript(file, text)
	return tree{parsed: p, random: rand.New(rand.NewPCG(seed, 0))}, err
}

func (t *tree) list(statements []statement) {
	t.lists = append(t.lists, statements)
	t.all = append(t.all, statements...)
}

// add adds a block and those below it. What is not in a block of its own counts as part of the
// statement around it: an "elif", the expression that is the body of an arrow function, and in Python
// what follows a colon on its line.
func (t *tree) add(b *script.Block) {
	if len(b.Statements) > 0 && b.Slot != "elif" {
		first := b.Statements[0]
		_, starts := t.indent(statement{From: first.From})
		if arrow := b.Slot == "function" && t.script.Bodies[first.From] != nil; !arrow && (starts || !t.lines) {
			var list []statement
			for _, st := range b.Statements {
				list = append(list, statement{From: st.From, To: st.To})
			}
			t.list(list)
		}
	}
	for _, st := range b.Statements {
		for _, inner := range st.Blocks {
			t.add(inner)
		}
	}
}

func (t *tree) textOf(st statement) string { return t.at(st.From, st.To) }

// indent returns what precedes a statement on its line, and whether that is only white space.
func (t *tree) indent(st statement) (indent string, starts bool) {
	indent = string(t.text[strings.LastIndexByte(string(t.text[:st.From]), '\n')+1 : st.From])
	return indent, strings.TrimSpace(indent) == ""
}

// put adds a piece of code before a statement if it can be there.
func (t *tree) put(list []Change, st statement, piece, what string) []Change {
	indent, starts := t.indent(st)
	switch {
	case !t.lines:
		piece += " "
	case starts:
		piece = strings.ReplaceAll(piece+"\n", "\n", "\n"+indent)
	default:
		return list
	}
	return append(list, Change{st.From, st.From, piece, what})
}

// deletions replace each statement, the only one of a list by another text.
func (t *tree) deletions(with, only string) (list []Change) {
	for _, block := range t.lists {
		text := with
		if len(block) == 1 {
			text = only
		}
		for _, st := range block {
			if !st.apart {
				list = append(list, Change{st.From, st.To, text, "delete " + short(t.textOf(st))})
			}
		}
	}
	return list
}

// prints add a statement that prints, on either stream.
func (t *tree) prints(stdout, stderr string) (list []Change) {
	for _, st := range t.all {
		before := " before " + short(t.textOf(st))
		list = t.put(list, st, stdout, "print on stdout"+before)
		list = t.put(list, st, stderr, "print on stderr"+before)
	}
	return list
}

// insertions add one of the pieces before each statement and at the end of each block.
func (t *tree) insertions(pieces ...string) (list []Change) {
	for _, block := range t.lists {
		for i, st := range block {
			indent, starts := t.indent(st)
			if t.lines && !starts {
				continue
			}
			piece := pieces[t.random.IntN(len(pieces))]
			list = t.put(list, st, piece, "insert "+short(piece))
			if i < len(block)-1 || st.apart {
				continue
			}
			behind := t.end + "\n" + piece + "\n"
			if t.lines {
				behind = strings.ReplaceAll("\n"+piece, "\n", "\n"+indent)
			}
			list = append(list, Change{st.To, st.To, behind, "append " + short(piece)})
		}
	}
	return list
}

func (t *tree) reorders() (list []Change) {
	for _, block := range t.lists {
		for i := 1; i < len(block); i++ {
			a, b := block[i-1], block[i]
			exchanged := t.textOf(b) + t.end + "\n" + t.textOf(a) + t.end
			if t.lines {
				indent, starts := t.indent(b)
				if _, also := t.indent(a); !starts || !also {
					continue
				}
				exchanged = t.textOf(b) + "\n" + indent + t.textOf(a)
			}
			list = append(list, Change{a.From, b.To, exchanged, "exchange " + short(t.textOf(a)) + " and " + short(t.textOf(b))})
		}
	}
	return list
}

// insertBefore adds a piece in front of statements that begin a line.
func (t *tree) insertBefore(piece, what string) (list []Change) {
	for _, st := range t.all {
		if indent, _ := t.indent(st); lineStart(t.text, st.From) {
			list = append(list, Change{st.From, st.From, piece + indent, what})
		}
	}
	return list
}

// rename returns the changes that rename a definition, alone and wherever its name occurs.
func (t *tree) rename(from, to int, suffix string) []Change {
	name := t.at(from, to)
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
	return []Change{
		{from, to, name + suffix, "rename the definition of " + name},
		{0, len(t.text), string(word.ReplaceAll(t.text, []byte(name+suffix))), "rename " + name},
	}
}
