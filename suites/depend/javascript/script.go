package javascript

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf16"

	"hookwatch/suites/depend/script"
)

// Script divides a file into statements.
func Script(src []byte, typed bool) (*script.Script, error) {
	u := unitsOf(src)
	switch {
	case bytes.IndexByte(src, 0) >= 0:
		return nil, errors.New("it holds a NUL byte")
	case typed && u != nil:
		return nil, errors.New("it is TypeScript with characters other than ASCII, whose places may change when types are stripped")
	}
	p, err := Parse(string(src), typed)
	if err != nil {
		var problem *Problem
		if errors.As(err, &problem) {
			return nil, fmt.Errorf("line %d: %s", 1+strings.Count(string(src[:problem.At]), "\n"), problem.What)
		}
		return nil, err
	}
	b := &builder{Builder: script.Build(src, "file"), meanings: p.meanings()}
	for i := range len(src) {
		if src[i] == '\n' {
			b.lines = append(b.lines, i)
		}
	}
	s := b.Script
	s.Quotes, s.Units, s.Bodies = true, u, map[int]*script.Function{}
	s.Fixed, s.Doubtful = p.properties()
	s.Structure = b.block(s.Body, p.Body)
	if strings.Contains(string(src), "sourceMappingURL=") {
		s.Own = "it names a source map"
	}
	return s, nil
}

// properties returns what Node checks before it runs any code of a file.
func (p *Program) properties() (fixed, doubtful []script.Property) {
	fixed = []script.Property{
		{Value: strings.Join(p.Strict, "\n"), Why: "its directives changed"},
		{Value: fmt.Sprint(p.Module), Why: "it changed between script and module"},
		{Value: strings.Join(p.Exports, "\n"), Why: "its exports changed"},
	}
	if p.Returns || p.Awaits || p.Sloppy {
		doubtful = append(doubtful, script.Property{Why: "it has new code that a module or strict code cannot have"})
	}
	for _, name := range p.Imports {
		doubtful = append(doubtful, script.Property{Value: name, Why: "it imports " + name})
	}
	for _, r := range p.Regexps {
		doubtful = append(doubtful, script.Property{Value: r, Why: "it has a new regular expression that Node may refuse"})
	}
	return fixed, doubtful
}

// unitsOf returns the places of bytes in UTF-16 units, nil for ASCII.
func unitsOf(src []byte) []int32 {
	if !slices.ContainsFunc(src, func(b byte) bool { return b >= 0x80 }) {
		return nil
	}
	u := make([]int32, len(src)+1)
	n := int32(0)
	for i, r := range string(src) {
		u[i] = n
		n += int32(utf16.RuneLen(r))
	}
	u[len(src)] = n
	return u
}

type builder struct {
	script.Builder
	lines    []int // offsets of the line ends
	meanings map[*Statement]*meaning
}

func (b *builder) line(offset int) int { return 1 + sort.SearchInts(b.lines, offset) }

// block adds the statements of a block, and returns a hash of all of it.
func (b *builder) block(blk *script.Block, of *Block) uint64 {
	blk.Function, blk.Declared = b.Function, of.Declared
	full := script.NewHash()
	full.Text(of.Slot)
	for _, d := range of.Declared {
		full.Text(d)
	}
	for _, s := range of.Statements {
		full.Number(b.statement(blk, s))
	}
	return uint64(full)
}

func (b *builder) statement(blk *script.Block, s *Statement) uint64 {
	m := b.meanings[s]
	st := b.Add(blk, &script.Statement{
		Start: b.line(s.From), End: b.line(max(s.To-1, s.From)), From: s.From, To: s.To, Sure: true, Binds: m.defines, Facts: m.Facts,
	})
	if m.self != "" {
		b.Script.Own = m.self
	}
	shell := script.NewHash()
	for _, t := range s.Tokens {
		shell.Number(uint64(t.Kind))
		shell.Text(t.Text)
	}
	b.Identify(st, uint64(shell))
	full := script.NewHash()
	full.Number(st.Shell)
	for i, inner := range s.Blocks {
		blk := b.Nest(st, inner.Slot)
		if inner.Slot == "function" {
			full.Number(b.body(st, b.name(s, i), blk, inner))
		} else {
			full.Number(b.block(blk, inner))
		}
	}
	st.Full = uint64(full)
	return st.Full
}

// body adds the body of a function with this name, "" if it has none.
func (b *builder) body(st *script.Statement, name string, blk *script.Block, of *Block) uint64 {
	outer := b.Function
	fn := &script.Function{Name: name, Key: script.KeyOf(script.Mix(blk.ID, "function")), Start: st.Start, End: b.line(of.At), Body: blk, Outer: outer, Recorded: true}
	if n := len(of.Statements); n > 0 {
		fn.End = b.line(of.Statements[n-1].To)
	}
	blk.Of = nil
	if name != "" {
		b.Script.Functions = append(b.Script.Functions, fn)
	} else if outer != nil {
		fn.Name = outer.Name
	}
	b.Script.Bodies[of.At] = fn
	b.Function = fn
	defer func() { b.Function = outer }()
	return b.block(blk, of)
}

// name returns the name of the function whose body is the i-th block of a statement, "" if it has
// none.
func (b *builder) name(s *Statement, i int) string {
	if s.Function != "" {
		return s.Function
	}
	mark := -1
	for j, t := range s.Tokens {
		if t.Kind == Mark {
			if i == 0 {
				mark = j
				break
			}
			i--
		}
	}
	depth := 0
	for j := mark - 1; j > 0; j-- {
		t, before := s.Tokens[j], s.Tokens[j-1]
		depth -= nesting(t.Text)
		method := nesting(t.Text) > 0 && !before.among("function", "async") // or a named function
		switch {
		case depth < 0, depth == 0 && t.Kind == Mark:
			return ""
		case depth == 0 && before.Kind == Name && (method || t.among("=", ":")):
			return before.Text
		}
	}
	return ""
}
