package trace

import "mvdan.cc/sh/v3/syntax"

// compare records the arms that a case compared, given one of its events. If an arm matches, the
// first command of its body is the next one that the process runs, and the later arms are not
// compared. No other command can follow the event and look like that one: it runs once for each
// event of the case, directly after it. In all other cases every arm counts as compared.
func (f *fileDecoder) compare(st *Statement, e *event, loose bool) {
	if loose || !st.announced(e) {
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
func (f *fileDecoder) matched(st *Statement, e, next *event) []*Statement {
	if next == nil || next.function != e.function || next.file != e.file || next.dir != e.dir {
		return nil
	}
	_, _, both := f.find(next)
	if len(both) != 1 || both[0].announcements(next) != 1 {
		return nil
	}
	for _, b := range st.Blocks {
		for i, arm := range b.Statements {
			if !arm.Arm {
				break
			}
			if l, ok := arm.Blocks[0].lead(); ok && l.statement == both[0] && l.signature.announces(next.text, next.cut) {
				return b.Statements[:i+1]
			}
		}
	}
	return nil
}

// hitArms records all arms of the statement's own cases as compared.
func (f *fileDecoder) hitArms(st *Statement) {
	for _, b := range st.Blocks {
		if b.Slot == "arms" {
			f.hitAll(b.Statements)
		}
	}
}

// A lead is the command that runs first whenever a block is entered, in the statement that
// it is part of.
type lead struct {
	statement *Statement
	signature signature
}

// lead returns the first command of a block. There is none if the block is empty, or if the shell
// that enters it may run another command first, the same command again, or none.
func (b *Block) lead() (lead, bool) {
	if len(b.Statements) == 0 || b.Statements[0].Function != nil {
		return lead{}, false
	}
	st := b.Statements[0]
	s, ok := st.node.(*syntax.Stmt)
	for ok && !s.Background && !s.Coprocess {
		switch c := s.Cmd.(type) {
		case nil:
			sig, _ := signatureOf(s)
			return lead{st, sig}, true
		case *syntax.CallExpr, *syntax.DeclClause, *syntax.LetClause, *syntax.TestClause, *syntax.ArithmCmd, *syntax.CaseClause:
			sig, _ := signatureOf(c)
			return lead{st, sig}, true
		case *syntax.Block, *syntax.IfClause:
			if s == st.node {
				return st.Blocks[0].lead()
			}
			return lead{}, false
		case *syntax.BinaryCmd:
			if c.Op != syntax.AndStmt && c.Op != syntax.OrStmt {
				return lead{}, false
			}
			s = c.X
		default:
			return lead{}, false
		}
	}
	return lead{}, false
}
