package edit

import "hookwatch/suites/depend/trace"

// A guard holds for every trace of a run that reached a place. It is a choice
// of signs, any of which is enough.
type guard struct {
	all      string      // why it holds for every trace
	keys     []trace.Key // statements of the file
	function string      // a function that was entered, or is named by what was met
	dynamic  bool        // commands were run whose names are not known
}

func (g guard) or(h guard) guard {
	if g.all == "" {
		g.all = h.all
	}
	g.keys = append(g.keys[:len(g.keys):len(g.keys)], h.keys...)
	if g.function == "" {
		g.function = h.function
	}
	g.dynamic = g.dynamic || h.dynamic
	return g
}

// reach holds for every run that reached a statement: an event in it, and where
// it may be silent, also what holds for the place before it.
func reach(s *trace.Statement) guard {
	g := guard{keys: s.Keys(nil)}
	if s.Sure {
		return g
	}
	return g.or(behind(s.In, s.Index-1))
}

// before holds for every run that reached the place before the statement of
// that index. A run that gets there goes on with the next statement at once, so
// where that one is sure to be announced nothing else is needed.
func before(b *trace.Block, index int) guard {
	for _, s := range b.Statements[index:] {
		if s.Function != nil {
			continue
		}
		if s.Sure {
			return guard{keys: s.Keys(nil)}
		}
		break
	}
	return behind(b, index-1)
}

// behind holds for every run that got past the statement of that index: those
// that reached it, or where nothing runs before the place, entered the block.
func behind(b *trace.Block, index int) guard {
	for ; index >= 0; index-- {
		if s := b.Statements[index]; s.Function == nil {
			return reach(s)
		}
	}
	return entry(b)
}

// entry holds for every run that entered a block.
func entry(b *trace.Block) guard {
	switch {
	case b.After != nil && len(b.After.Statements) > 0:
		return behind(b.After, len(b.After.Statements)-1)
	case b.Of != nil:
		return reach(b.Of)
	case b.Function != nil:
		g := guard{function: b.Function.Name}
		for _, s := range b.Statements {
			g.keys = s.Keys(g.keys)
		}
		return g
	default:
		return guard{all: "it is the top of the file"}
	}
}
