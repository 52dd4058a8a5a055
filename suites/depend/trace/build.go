package trace

import (
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// A builder makes the blocks of a script from its syntax tree.
type builder struct {
	script   *Script
	function *Function
	declared map[string]int       // definitions so far, by name
	hosts    map[syntax.Node]bool // nodes that have statements of their own
}

// block fills a block with the statements of a list.
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

// identify gives a statement its key: where its block is, what it says outside
// its own blocks, and which of several that say the same it is. What comes
// later in the block does not enter into it.
func (b *builder) identify(st *Statement, shell uint64, seen map[uint64]int) {
	st.Shell = shell
	id := mix(st.In.id, strconv.FormatUint(shell, 36), strconv.Itoa(seen[shell]))
	seen[shell]++
	st.Key = keyOf(id)
}

func (st *Statement) id() uint64 {
	return mix(st.In.id, strconv.FormatUint(st.Shell, 36), strconv.Itoa(int(st.Key)))
}

// definition is the function that a statement defines and does nothing else.
func definition(s *syntax.Stmt) (*syntax.FuncDecl, bool) {
	decl, ok := s.Cmd.(*syntax.FuncDecl)
	return decl, ok && decl.Name != nil && !s.Negated && !s.Background && !s.Coprocess && len(s.Redirs) == 0
}

// define adds a function's body, which runs when it is called.
func (b *builder) define(st *Statement, decl *syntax.FuncDecl) {
	name := decl.Name.Value
	f := &Function{Name: name, Start: st.Start, End: st.End, Shape: outer(decl.Body), Outer: b.function}
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

// blocks adds the blocks of a statement's command, those of a list's or
// pipeline's elements as well.
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
		for _, item := range c.Items {
			b.nest(st, nil, "item", item.Stmts)
		}
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

// branch adds the blocks of an if or elif. What stands behind else is one more
// block, which holds an elif as its only statement.
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

// sure reports whether bash announces the statement whenever it is reached:
// before anything in it is expanded, redirected or run.
func sure(s *syntax.Stmt) bool {
	if s.Background || s.Coprocess {
		return false // may be killed before it says anything
	}
	switch c := s.Cmd.(type) {
	case nil, *syntax.CallExpr, *syntax.DeclClause, *syntax.LetClause:
		return true // the trap runs before redirections
	case *syntax.TestClause, *syntax.ArithmCmd, *syntax.CaseClause:
		return len(s.Redirs) == 0 // a redirection that fails comes first
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
		return false // a loop over nothing is never announced
	}
}

func sureFirst(list []*syntax.Stmt) bool { return len(list) > 0 && sure(list[0]) }

// lastLine is the last line of a node, here-documents included.
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
