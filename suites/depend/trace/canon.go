package trace

import (
	"reflect"
	"strconv"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"hookwatch/suites/depend/script"
)

var (
	typePos     = reflect.TypeFor[syntax.Pos]()
	typeComment = reflect.TypeFor[[]syntax.Comment]()
	typeStmts   = reflect.TypeFor[[]*syntax.Stmt]()
	typeIf      = reflect.TypeFor[syntax.IfClause]()
	typeCase    = reflect.TypeFor[syntax.CaseClause]()
	typeCmd     = reflect.TypeFor[syntax.CmdSubst]()
	typeTest    = reflect.TypeFor[syntax.TestClause]()
	typeWords   = reflect.TypeFor[[]*syntax.Word]()
	typeWord    = reflect.TypeFor[*syntax.Word]()
	typeProc    = reflect.TypeFor[syntax.ProcSubst]()
)

// structure returns the hash of a syntax tree without the parts that do not reach the shell:
// positions, comments and white space between words.
func structure(n syntax.Node) uint64 { return hashOf(n, false, nil) }

// outer returns the hash of a statement without the statements in its blocks, which are hashed
// separately. The content of $( ) and <( ) is included.
func outer(n syntax.Node) uint64 { return hashOf(n, true, nil) }

// hashOf returns the hash of a syntax tree without some parts; nil is with all.
func hashOf(n syntax.Node, outer bool, without func(reflect.Value) bool) uint64 {
	c := canon{script.NewHash(), outer, without}
	c.value(reflect.ValueOf(n))
	return uint64(c.Hash)
}

// A canon computes the hash of a syntax tree.
type canon struct {
	script.Hash
	shell   bool
	without func(reflect.Value) bool // nil for none
}

func (c *canon) value(v reflect.Value) {
	if c.without != nil && c.without(v) {
		c.Text("?")
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			c.Text("-")
			return
		}
		c.value(v.Elem())
	case reflect.Slice:
		c.slice(v)
	case reflect.Struct:
		c.fields(v)
	case reflect.String:
		c.Number(uint64(v.Len()))
		c.Text(v.String())
	case reflect.Bool:
		c.Text(strconv.FormatBool(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		c.Number(uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		c.Number(v.Uint())
	default:
		panic("syntax tree holds a " + v.Type().String()) // a kind of field that no known version has
	}
}

func (c *canon) slice(v reflect.Value) {
	if v.Type() == typeStmts && c.shell {
		c.Text("#")
		return
	}
	c.Text("[")
	c.Number(uint64(v.Len()))
	for i := range v.Len() {
		c.value(v.Index(i))
	}
}

func (c *canon) fields(v reflect.Value) {
	p := planOf(v.Type())
	outer := c.shell
	if p.substitution {
		c.shell = false
	}
	c.Text(p.name)
	for _, i := range p.fields {
		if i == p.elsewhere && c.shell && blockOf(v) {
			continue
		}
		c.value(v.Field(i))
	}
	c.shell = outer
}

// blockOf reports whether a node's field that can be a block of its own is one.
func blockOf(v reflect.Value) bool {
	clause, ok := v.Addr().Interface().(*syntax.CaseClause)
	return !ok || divided(clause)
}

// A plan lists the fields of a type that are hashed.
type plan struct {
	name         string
	fields       []int
	elsewhere    int  // the field that can be a block of its own; -1 for none
	substitution bool // its content belongs to the statement around it
}

var plans sync.Map // reflect.Type -> *plan

func planOf(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	p := &plan{name: t.Name(), elsewhere: -1, substitution: t == typeCmd || t == typeProc}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type == typePos || f.Type == typeComment || !f.IsExported() {
			continue
		}
		if t == typeIf && f.Name == "Else" || t == typeCase && f.Name == "Items" {
			p.elsewhere = i
		}
		p.fields = append(p.fields, i)
	}
	plans.Store(t, p)
	return p
}

// WordKey returns the key of a word or a function's name.
func WordKey(word string) script.Key { return script.KeyOf(script.Mix(0, word)) }

// signatureOf returns the start of a command as bash reports it: its words as written, without white
// space, up to the first part that bash prints in another form. Redirections follow the words,
// so a signature is only a prefix.
// Nodes other than commands have none.
func signatureOf(n syntax.Node) (string, bool) {
	switch n := n.(type) {
	case *syntax.CallExpr:
		return callSignature(n), true
	case *syntax.DeclClause:
		return n.Variant.Value, true
	case *syntax.LetClause:
		return "let", true
	case *syntax.TestClause:
		return "[[", true
	case *syntax.ArithmCmd, *syntax.CStyleLoop:
		return "((", true
	case *syntax.ForClause:
		if n.Select {
			return "select", true
		}
		return "for", true
	case *syntax.CaseClause:
		return caseSignature(n), true
	case *syntax.Stmt:
		if n.Cmd == nil {
			return "", true // only redirections
		}
	}
	return "", false
}

func caseSignature(c *syntax.CaseClause) string {
	var b strings.Builder
	b.WriteString("case")
	if signWord(&b, c.Word.Parts) {
		b.WriteString("in")
	}
	return b.String()
}

func callSignature(c *syntax.CallExpr) string {
	var b strings.Builder
	for _, a := range c.Assigns {
		if a.Name == nil || a.Index != nil || a.Array != nil || a.Value == nil {
			if a.Name != nil {
				b.WriteString(a.Name.Value)
			}
			return b.String()
		}
		b.WriteString(a.Name.Value)
		if a.Append {
			b.WriteByte('+')
		}
		b.WriteByte('=')
		if !signWord(&b, a.Value.Parts) {
			return b.String()
		}
	}
	for _, w := range c.Args {
		if !signWord(&b, w.Parts) {
			break
		}
	}
	return b.String()
}

// signWord appends a word's text and reports whether bash prints all of it in the same form.
func signWord(b *strings.Builder, parts []syntax.WordPart) bool {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(squeeze(p.Value))
		case *syntax.SglQuoted:
			if p.Dollar {
				return false
			}
			b.WriteString("'" + squeeze(p.Value) + "'")
		case *syntax.DblQuoted:
			if p.Dollar {
				return false
			}
			b.WriteByte('"')
			if !signWord(b, p.Parts) {
				return false
			}
			b.WriteByte('"')
		case *syntax.ParamExp:
			if !p.Short || p.Param == nil {
				return false
			}
			b.WriteString("$" + p.Param.Value)
		default:
			return false
		}
	}
	return true
}

// announces reports whether bash's text, squeezed and perhaps cut off, can belong to the
// command.
func announces(signature, text string, cut bool) bool {
	return strings.HasPrefix(text, signature) || cut && strings.HasPrefix(signature, text)
}

func squeeze(s string) string {
	return strings.Map(func(c rune) rune {
		switch c {
		case ' ', '\t', '\n', '\r', '\\':
			return -1
		}
		return c
	}, s)
}

// compare records the arms that a case compared, given one of its events. If an arm matches, the
// first command of its body is the next one that the process runs, and the later arms are not
// compared. No other command can follow the event and look like that one: it runs once for each
// event of the case, directly after it. In all other cases every arm counts as compared.
func (f *fileDecoder) compare(st *script.Statement, e *event, loose bool) {
	if loose || announcements(st, e) == 0 {
		f.hitArms(st)
		return
	}
	for next := range e.next {
		if arms := f.matched(st, e, next); arms != nil {
			f.hitAll(arms)
		} else {
			f.hitArms(st)
		}
	}
}

// matched returns the arms of a case up to the one that the next event proves to have matched, nil
// if there is no proof.
func (f *fileDecoder) matched(st *script.Statement, e, next *event) []*script.Statement {
	if next == nil || next.function != e.function || next.file != e.file || next.dir != e.dir {
		return nil
	}
	_, _, both := f.find(next)
	if len(both) != 1 || announcements(both[0], next) != 1 {
		return nil
	}
	for _, b := range st.Blocks {
		for i, arm := range b.Statements {
			if !arm.Arm {
				break
			}
			if l := arm.Blocks[0].Lead; l != nil && l.Statement == both[0] && announces(l.Signature, next.text, next.cut) {
				return b.Statements[:i+1]
			}
		}
	}
	return nil
}

// hitArms records all arms of the statement's own cases as compared.
func (f *fileDecoder) hitArms(st *script.Statement) {
	for _, b := range st.Blocks {
		if b.Slot == "arms" {
			f.hitAll(b.Statements)
		}
	}
}

// lead returns the first command of a block. There is none if the block is empty, or if the shell
// that enters it may run another command first, the same command again, or none.
func (b *builder) lead(blk *script.Block) *script.Lead {
	if len(blk.Statements) == 0 || blk.Statements[0].Function != nil {
		return nil
	}
	st := blk.Statements[0]
	s, ok := b.nodes[st].(*syntax.Stmt)
	for ok && !s.Background && !s.Coprocess {
		switch c := s.Cmd.(type) {
		case nil:
			sig, _ := signatureOf(s)
			return &script.Lead{Statement: st, Signature: sig}
		case *syntax.CallExpr, *syntax.DeclClause, *syntax.LetClause, *syntax.TestClause, *syntax.ArithmCmd, *syntax.CaseClause:
			sig, _ := signatureOf(c)
			return &script.Lead{Statement: st, Signature: sig}
		case *syntax.Block, *syntax.IfClause:
			if s == b.nodes[st] {
				return b.lead(st.Blocks[0])
			}
			return nil
		case *syntax.BinaryCmd:
			if c.Op != syntax.AndStmt && c.Op != syntax.OrStmt {
				return nil
			}
			s = c.X
		default:
			return nil
		}
	}
	return nil
}
