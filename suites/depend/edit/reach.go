package edit

import "hookwatch/suites/depend/trace"

// A guard is true for every trace of a run that reached a place. It is a disjunction: any one of
// its conditions is enough.
type guard struct {
	all      string      // why it is true for every trace
	keys     []trace.Key // statements of the file
	function string      // a function that was entered, or whose name is in a reached statement
	entered  []trace.Key // functions of the file that were entered
	dynamic  bool        // commands with unknown names ran
}

func (g guard) or(h guard) guard {
	if g.all == "" {
		g.all = h.all
	}
	g.keys = append(g.keys[:len(g.keys):len(g.keys)], h.keys...)
	g.entered = append(g.entered[:len(g.entered):len(g.entered)], h.entered...)
	if g.function == "" {
		g.function = h.function
	}
	g.dynamic = g.dynamic || h.dynamic
	return g
}

// reach returns a guard for every run that reached a statement: an event in it, and, if the
// statement may run without an event, the guard of the place before it.
func reach(s *trace.Statement) guard {
	g := guard{keys: s.Keys(nil)}
	if s.Sure {
		return g
	}
	return g.or(behind(s.In, s.Index-1))
}

// before returns a guard for every run that reached the place before the statement with this
// index. If that statement is sure to cause an event, the event is enough, because such a run
// continues with it at once.
func before(b *trace.Block, index int) guard {
	for _, s := range b.Statements[index:] {
		if s.Function != nil || s.Binds != nil { // see behind
			continue
		}
		if s.Sure {
			return guard{keys: s.Keys(nil)}
		}
		break
	}
	return behind(b, index-1)
}

// behind returns a guard for every run that got past the statement with this index: it reached
// that statement, or, if no statement runs before the place, it entered the block. Statements that
// only bind names do not count: a trace may lack one that was added since, because it did not affect
// the case.
func behind(b *trace.Block, index int) guard {
	for ; index >= 0; index-- {
		if s := b.Statements[index]; s.Function == nil && s.Binds == nil {
			return reach(s)
		}
	}
	return entry(b)
}

// entry returns a guard for every run that entered a block.
func entry(b *trace.Block) guard {
	switch {
	case b.After != nil && len(b.After.Statements) > 0:
		return behind(b.After, len(b.After.Statements)-1)
	case b.Of != nil:
		return reach(b.Of)
	case b.Function != nil:
		g := guard{function: b.Function.Name}
		if b.Function.Recorded {
			g = guard{entered: []trace.Key{b.Function.Key}}
		}
		for _, s := range b.Statements {
			g.keys = s.Keys(g.keys)
		}
		return g
	default:
		return guard{all: "it is the top of the file"}
	}
}
