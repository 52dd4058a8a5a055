package trace

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/depend/javascript"
)

// Compiled is what Node checks before it runs any code of a file.
type Compiled struct {
	Directives string
	Module     bool
	Exports    string
	Strict     bool // it has code that is not allowed everywhere
	Imports    []string
	Regexps    []string // not known to be valid
}

// parseNode divides JavaScript into statements.
func parseNode(src []byte, typed bool) (*Script, error) {
	parse := javascript.Parse
	if typed {
		parse = javascript.ParseTypeScript
	}
	p, err := parse(string(src), false)
	if err != nil {
		var problem *javascript.Problem
		if errors.As(err, &problem) {
			return nil, fmt.Errorf("line %d: %s", 1+strings.Count(string(src[:problem.At]), "\n"), problem.What)
		}
		return nil, err
	}
	s := &Script{Digest: suites.Digest(src), Shebang: shebangOf(src), Quotes: true, units: unitsOf(src), size: len(src), bodies: map[int]*Function{}}
	s.Compiled = Compiled{
		Directives: strings.Join(p.Strict, "\n"), Module: p.Module, Exports: strings.Join(p.Exports, "\n"),
		Strict: p.Returns || p.Awaits || p.Sloppy, Imports: p.Imports, Regexps: p.Regexps,
	}
	b := &nodeBuilder{script: s, src: string(src), meanings: p.Meanings()}
	for i := range len(src) {
		if src[i] == '\n' {
			b.lines = append(b.lines, i)
		}
	}
	s.Body = &Block{Slot: "file", Declared: p.Body.Declared, id: mix(0, "file")}
	s.Structure = b.block(s.Body, p.Body)
	if strings.Contains(string(src), "sourceMappingURL=") {
		s.Own = "it names a source map"
	}
	return s, nil
}

type nodeBuilder struct {
	script   *Script
	src      string
	lines    []int // offsets of the line ends
	meanings map[*javascript.Statement]*javascript.Meaning
	function *Function
}

func (b *nodeBuilder) line(offset int) int { return 1 + sort.SearchInts(b.lines, offset) }

// block adds the statements of a block, and returns a hash of all of it.
func (b *nodeBuilder) block(blk *Block, of *javascript.Block) uint64 {
	blk.Function = b.function
	full := canon{hash: offset64}
	full.put(of.Slot)
	for _, d := range of.Declared {
		full.put(d)
	}
	seen := map[uint64]int{}
	for _, s := range of.Statements {
		full.number(b.statement(blk, s, seen))
	}
	return full.hash
}

func (b *nodeBuilder) statement(blk *Block, s *javascript.Statement, seen map[uint64]int) uint64 {
	m := b.meanings[s]
	st := &Statement{
		In: blk, Index: len(blk.Statements), Start: b.line(s.From), End: b.line(max(s.To-1, s.From)), Sure: true,
		Binds: m.Defines, Facts: Facts{
			Words: m.Words, Names: m.Names, Dynamic: m.Dynamic != "", Ends: m.Untrace, Opaque: m.Unseen,
			Starts: m.Starts, Interprets: m.Starts, Environment: m.Starts, Lines: m.Lines,
		},
		from: s.From, to: s.To,
	}
	if m.Self != "" {
		b.script.Own = m.Self
	}
	blk.Statements = append(blk.Statements, st)
	b.script.Statements = append(b.script.Statements, st)
	shell := canon{hash: offset64}
	for _, t := range s.Tokens {
		shell.number(uint64(t.Kind))
		shell.put(t.Text)
	}
	st.Shell = shell.hash
	id := mix(blk.id, strconv.FormatUint(st.Shell, 36), strconv.Itoa(seen[st.Shell]))
	seen[st.Shell]++
	st.Key = keyOf(id)
	full := canon{hash: offset64}
	full.number(st.Shell)
	for i, inner := range s.Blocks {
		full.number(b.inner(st, s, inner, i))
	}
	st.Full = full.hash
	return st.Full
}

// inner adds a block of a statement.
func (b *nodeBuilder) inner(st *Statement, s *javascript.Statement, of *javascript.Block, i int) uint64 {
	blk := &Block{Of: st, Slot: of.Slot, Declared: of.Declared, id: mix(st.id(), of.Slot, strconv.Itoa(i))}
	st.Blocks = append(st.Blocks, blk)
	if of.Slot != "function" {
		return b.block(blk, of)
	}
	fn := &Function{Name: b.name(s, i), Key: keyOf(mix(blk.id, "function")), Start: st.Start, End: b.line(of.At), Body: blk, Outer: b.function, Recorded: true}
	if n := len(of.Statements); n > 0 {
		fn.End = b.line(of.Statements[n-1].To)
	}
	blk.Of = nil
	if fn.Name != "" {
		b.script.Functions = append(b.script.Functions, fn)
	} else if b.function != nil {
		fn.Name = b.function.Name
	}
	b.script.bodies[of.At] = fn
	outer := b.function
	b.function = fn
	full := b.block(blk, of)
	b.function = outer
	return full
}

// name returns the name of the function whose body is the i-th block of a statement, "" if it has
// none.
func (b *nodeBuilder) name(s *javascript.Statement, i int) string {
	if s.Function != "" {
		return s.Function
	}
	mark := -1
	for j, t := range s.Tokens {
		if t.Kind == javascript.Mark {
			if i == 0 {
				mark = j
				break
			}
			i--
		}
	}
	depth := 0
	for j := mark - 1; j > 0; j-- {
		t := s.Tokens[j]
		if t.Kind == javascript.Punctuator {
			switch t.Text {
			case ")", "]", "}":
				depth++
				continue
			case "(", "[", "{":
				if depth--; depth < 0 {
					return ""
				}
				if depth == 0 && s.Tokens[j-1].Kind == javascript.Name && s.Tokens[j-1].Text != "function" && s.Tokens[j-1].Text != "async" {
					return s.Tokens[j-1].Text // a method or a named function
				}
				continue
			case "=", ":":
				if depth == 0 && s.Tokens[j-1].Kind == javascript.Name {
					return s.Tokens[j-1].Text
				}
			}
		}
		if depth == 0 && t.Kind == javascript.Mark {
			return ""
		}
	}
	return ""
}
