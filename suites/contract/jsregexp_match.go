package contract

import "slices"

// maxSteps bounds the work of one match: a pattern that backtracks for longer
// would hold up the client as well, and is taken not to match.
const maxSteps = 100_000

// A jsRun is one attempt to match.
type jsRun struct {
	text     []rune
	captures [][2]int // start and end by group; {-1, -1} while unset
	steps    int
}

// A jsNode matches at a position and hands the position after it to next. It is
// true when next was, for any of the ways in which the node can match.
type jsNode func(run *jsRun, at int, next func(int) bool) bool

// matches reports whether the pattern matches anywhere in value.
func (p *jsPattern) matches(value string) bool {
	run := &jsRun{text: []rune(value), captures: make([][2]int, p.groups)}
	for start := range len(run.text) + 1 {
		run.unset(0, p.groups)
		if p.body(run, start, func(int) bool { return true }) {
			return true
		}
	}
	return false
}

func (r *jsRun) unset(from, to int) {
	for i := from; i < to; i++ {
		r.captures[i] = [2]int{-1, -1}
	}
}

// tired counts a step and reports whether there have been too many.
func (r *jsRun) tired() bool {
	r.steps++
	return r.steps > maxSteps
}

func jsRune(holds func(rune) bool) jsNode {
	return func(run *jsRun, at int, next func(int) bool) bool {
		return at < len(run.text) && holds(run.text[at]) && !run.tired() && next(at+1)
	}
}

func jsAt(holds func(text []rune, at int) bool) jsNode {
	return func(run *jsRun, at int, next func(int) bool) bool {
		return holds(run.text, at) && !run.tired() && next(at)
	}
}

func jsEither(alternatives []jsNode) jsNode {
	return func(run *jsRun, at int, next func(int) bool) bool {
		return slices.ContainsFunc(alternatives, func(one jsNode) bool { return one(run, at, next) })
	}
}

func jsSequence(terms []jsNode) jsNode {
	if len(terms) == 0 {
		return func(run *jsRun, at int, next func(int) bool) bool { return !run.tired() && next(at) }
	}
	first, rest := terms[0], jsNode(nil)
	if len(terms) == 1 {
		return first
	}
	rest = jsSequence(terms[1:])
	return func(run *jsRun, at int, next func(int) bool) bool {
		return first(run, at, func(after int) bool { return rest(run, after, next) })
	}
}

// jsRepeat repeats body, whose groups are those from index from up to to. Its
// captures start afresh each time; a repetition beyond the least number that
// matches nothing is not tried again.
func jsRepeat(body jsNode, low, high int, greedy bool, from, to int) jsNode {
	var again func(run *jsRun, at, done int, next func(int) bool) bool
	again = func(run *jsRun, at, done int, next func(int) bool) bool {
		if run.tired() {
			return false
		}
		once := func() bool {
			if done >= high {
				return false
			}
			kept := slices.Clone(run.captures[from:to])
			run.unset(from, to)
			matched := body(run, at, func(after int) bool {
				if after == at && done >= low {
					return false
				}
				return again(run, after, done+1, next)
			})
			if !matched {
				copy(run.captures[from:to], kept)
			}
			return matched
		}
		switch {
		case done < low:
			return once()
		case greedy:
			return once() || next(at)
		default:
			return next(at) || once()
		}
	}
	return func(run *jsRun, at int, next func(int) bool) bool { return again(run, at, 0, next) }
}

func jsCapture(body jsNode, index int) jsNode {
	return func(run *jsRun, at int, next func(int) bool) bool {
		return body(run, at, func(after int) bool {
			kept := run.captures[index]
			run.captures[index] = [2]int{at, after}
			if next(after) {
				return true
			}
			run.captures[index] = kept
			return false
		})
	}
}

// jsReference matches what a group captured; one that is unset matches nothing.
func jsReference(index int) jsNode {
	return func(run *jsRun, at int, next func(int) bool) bool {
		span := run.captures[index]
		if span[0] < 0 {
			return !run.tired() && next(at)
		}
		captured := run.text[span[0]:span[1]]
		end := at + len(captured)
		return end <= len(run.text) && slices.Equal(run.text[at:end], captured) && !run.tired() && next(end)
	}
}

func jsAhead(body jsNode, wanted bool) jsNode {
	return func(run *jsRun, at int, next func(int) bool) bool {
		found := body(run, at, func(int) bool { return true })
		return found == wanted && !run.tired() && next(at)
	}
}

func jsBehind(body jsNode, wanted bool) jsNode {
	return func(run *jsRun, at int, next func(int) bool) bool {
		found := false
		for start := at; start >= 0 && !found; start-- {
			found = body(run, start, func(end int) bool { return end == at })
		}
		return found == wanted && !run.tired() && next(at)
	}
}
