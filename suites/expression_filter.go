package suites

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/itchyny/gojq"
)

// valueSize is the size of a value that is not a string, and of the header of a string.
// The size of a JSON document of n bytes is at most valueSize*n.
const valueSize = 8

// maxFactor keeps factors from overflowing. No larger one is cheap.
const maxFactor = 1 << 20

// filterFactor returns a bound for the cost of a filter, from its syntax. If s is the size
// of the input plus the length of the filter, evaluating it takes at most factor*s steps,
// and all values that exist during the evaluation together have at most that size. ok is
// false if the syntax does not prove that.
func filterFactor(source string) (factor int, ok bool) {
	if len(source) > MaxExpression || filterNesting(source) > maxFilterNesting {
		return 0, false
	}
	q, err := gojq.Parse(source)
	if err != nil {
		return 1, true // only the parser reports an error
	}
	m := filterMeter{}
	m.query(q, 1)
	return m.steps, !m.unbounded && m.steps <= maxFactor
}

// A filterMeter adds up the steps of a filter. It supports nodes whose outputs are parts of
// their input, constants, or of a size that it can compute. All others make the filter
// unbounded: definitions, variables, reduce, ranges, arithmetic except for sums, formats,
// and most builtins.
type filterMeter struct {
	steps     int
	unbounded bool
}

// A filterOutput is a bound for the results of a node: more than one value in a single
// evaluation if several is set, and values of the given size in all evaluations together.
type filterOutput struct {
	size    int
	several bool
}

func (m *filterMeter) refuse() filterOutput {
	m.unbounded = true
	return filterOutput{}
}

// spend adds steps. It makes the filter unbounded if there are too many, so that no sum
// overflows.
func (m *filterMeter) spend(steps int) {
	if m.steps += steps; steps > maxFactor || m.steps > maxFactor {
		m.unbounded = true
	}
}

// query meters a filter. size is the size of all inputs that it is evaluated on.
func (m *filterMeter) query(q *gojq.Query, size int) filterOutput {
	if m.spend(size); m.unbounded {
		return filterOutput{}
	}
	switch {
	case len(q.FuncDefs) > 0, len(q.Imports) > 0, q.Meta != nil, len(q.Patterns) > 0:
		return m.refuse()
	case q.Term != nil:
		return m.term(q.Term, size)
	case q.Left == nil || q.Right == nil:
		return m.refuse()
	}
	switch q.Op {
	case gojq.OpPipe:
		return m.pipe(q.Left, q.Right, size)
	case gojq.OpComma:
		left, right := m.query(q.Left, size), m.query(q.Right, size)
		return filterOutput{left.size + right.size, true}
	case gojq.OpAlt:
		left, right := m.query(q.Left, size), m.query(q.Right, size)
		return filterOutput{left.size + right.size, left.several || right.several}
	case gojq.OpEq, gojq.OpNe, gojq.OpGt, gojq.OpLt, gojq.OpGe, gojq.OpLe, gojq.OpAnd, gojq.OpOr:
		m.spend(m.single(q.Left, size) + m.single(q.Right, size))
		return filterOutput{size: size}
	case gojq.OpAdd:
		sum := m.single(q.Left, size) + m.single(q.Right, size)
		m.spend(sum)
		return filterOutput{size: sum}
	case gojq.OpSub: // of arrays: each element is compared with each
		length, constant := constantLength(q.Right)
		if !constant {
			return m.refuse()
		}
		left := m.single(q.Left, size)
		m.single(q.Right, size)
		m.spend(left * length)
		return filterOutput{size: left + size}
	default:
		return m.refuse()
	}
}

// single meters a filter that must return at most one value for each input, and returns
// the size of its results.
func (m *filterMeter) single(q *gojq.Query, size int) int {
	out := m.query(q, size)
	if out.several {
		m.refuse()
	}
	return out.size
}

// leafBuiltins are builtins that select values without nested values.
var leafBuiltins = []string{"strings", "scalars", "numbers", "booleans"}

func (m *filterMeter) pipe(left, right *gojq.Query, size int) filterOutput {
	if t := left.Term; t != nil && t.Type == gojq.TermTypeRecurse && len(t.SuffixList) == 0 {
		// All values together are larger than the input by its depth, but the leaves are not.
		first := right
		for first.Left != nil && first.Op == gojq.OpPipe {
			first = first.Left
		}
		if t := first.Term; t == nil || t.Type != gojq.TermTypeFunc || len(t.Func.Args) > 0 || !slices.Contains(leafBuiltins, t.Func.Name) {
			return m.refuse()
		}
		m.spend(size)
		return filterOutput{m.query(right, size).size, true}
	}
	out := m.query(left, size)
	end := m.query(right, out.size)
	return filterOutput{end.size, out.several || end.several}
}

func (m *filterMeter) term(t *gojq.Term, size int) filterOutput {
	out := m.head(t, size)
	for _, s := range t.SuffixList {
		switch {
		case s.Iter:
			out.several = true
		case s.Index != nil && !constantIndex(s.Index):
			return m.refuse()
		}
		m.spend(out.size)
	}
	return out
}

// plainNumber matches a number with few digits.
var plainNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{1,15}(\.[0-9]{1,15})?$`) })

// head meters a term without its suffixes.
func (m *filterMeter) head(t *gojq.Term, size int) filterOutput {
	switch t.Type {
	case gojq.TermTypeIdentity, gojq.TermTypeNull, gojq.TermTypeTrue, gojq.TermTypeFalse:
		return filterOutput{size: size}
	case gojq.TermTypeNumber:
		if !plainNumber().MatchString(t.Number) {
			return m.refuse()
		}
		return filterOutput{size: size}
	case gojq.TermTypeUnary:
		if u := t.Unary.Term; u.Type != gojq.TermTypeNumber || len(u.SuffixList) > 0 {
			return m.refuse()
		}
		return m.head(t.Unary.Term, size)
	case gojq.TermTypeString:
		return m.literal(t.Str, size)
	case gojq.TermTypeIndex:
		if !constantIndex(t.Index) {
			return m.refuse()
		}
		return filterOutput{size: size}
	case gojq.TermTypeQuery:
		return m.query(t.Query, size)
	case gojq.TermTypeArray:
		if t.Array.Query == nil {
			return filterOutput{size: size}
		}
		return filterOutput{size: size + m.query(t.Array.Query, size).size}
	case gojq.TermTypeObject:
		return m.object(t.Object, size)
	case gojq.TermTypeIf:
		return m.branches(t.If, size)
	case gojq.TermTypeTry:
		if t.Try.Catch != nil {
			return m.refuse()
		}
		return m.query(t.Try.Body, size)
	case gojq.TermTypeFunc:
		return m.call(t.Func, size)
	default:
		return m.refuse()
	}
}

// literal meters a text that is created once for each input. An input has at least
// valueSize.
func (m *filterMeter) literal(s *gojq.String, size int) filterOutput {
	if s == nil || len(s.Queries) > 0 {
		return m.refuse()
	}
	return filterOutput{size: size * (2 + len(s.Str)/valueSize)}
}

// constantIndex reports whether an index is a name, a number, or a slice of numbers.
func constantIndex(i *gojq.Index) bool {
	constant := func(q *gojq.Query) bool {
		_, ok := constantLength(q)
		return q == nil || ok
	}
	return (i.Str == nil || len(i.Str.Queries) == 0) && constant(i.Start) && constant(i.End)
}

func (m *filterMeter) object(o *gojq.Object, size int) filterOutput {
	out := filterOutput{size: size}
	for _, kv := range o.KeyVals {
		if kv.KeyQuery != nil || strings.HasPrefix(kv.Key, "$") {
			return m.refuse()
		}
		key := kv.KeyString
		if key == nil {
			key = &gojq.String{Str: kv.Key}
		}
		out.size += m.literal(key, size).size
		if kv.Val == nil {
			out.size += size // {a} is {a: .a}
		} else {
			out.size += m.single(kv.Val, size)
		}
		m.spend(out.size)
	}
	return out
}

func (m *filterMeter) branches(i *gojq.If, size int) filterOutput {
	m.single(i.Cond, size)
	out := m.query(i.Then, size)
	join := func(next filterOutput) { out = filterOutput{out.size + next.size, out.several || next.several} }
	for _, e := range i.Elif {
		m.single(e.Cond, size)
		join(m.query(e.Then, size))
	}
	if i.Else == nil {
		join(filterOutput{size: size})
	} else {
		join(m.query(i.Else, size))
	}
	return out
}

// partBuiltins are builtins without arguments that return their input, a part of it, a number, a
// boolean, or nothing.
var partBuiltins = strings.Fields("arrays ascii_downcase ascii_upcase booleans empty false first iterables last length not null nulls numbers objects scalars strings true utf8bytelength values")

// call meters a builtin. A name is always gojq's own, because definitions are refused.
func (m *filterMeter) call(f *gojq.Func, size int) filterOutput {
	if len(f.Args) == 0 {
		switch {
		case slices.Contains(partBuiltins, f.Name), f.Name == "any", f.Name == "all":
			m.spend(2 * size)
			return filterOutput{size: size}
		case f.Name == "type", f.Name == "keys":
			m.spend(2 * size) // sorted
			return filterOutput{size: 2 * size}
		}
		return m.refuse()
	}
	if len(f.Args) != 1 {
		return m.refuse()
	}
	arg := f.Args[0]
	switch f.Name {
	case "select":
		m.single(arg, size)
		return filterOutput{size: size}
	case "map":
		return filterOutput{size: size + m.query(arg, size).size}
	case "any", "all":
		m.query(arg, size)
		return filterOutput{size: size}
	}
	length, constant := constantLength(arg)
	if !constant {
		return m.refuse()
	}
	switch f.Name {
	case "has", "startswith", "endswith":
		m.spend(size)
	case "contains": // arrays: each element is compared with each
		m.spend(size * length)
	case "test":
		n, ok := patternSize(literalOf(arg))
		if !ok {
			return m.refuse()
		}
		m.spend(size * n)
	case "split":
		if literalOf(arg) == "" {
			return m.refuse() // each character becomes a value
		}
		m.spend(size * (valueSize + 1))
		return filterOutput{size: size * (valueSize + 1)}
	default:
		return m.refuse()
	}
	return filterOutput{size: size}
}

// literalOf returns the text of a constant string, or "" for other constants.
func literalOf(q *gojq.Query) string {
	if q.Term.Type == gojq.TermTypeString {
		return q.Term.Str.Str
	}
	return ""
}

// constantLength returns a bound for the size of a constant: null, a boolean, a number, a
// text, or a list of those.
func constantLength(q *gojq.Query) (length int, ok bool) {
	if q == nil || q.Term == nil || len(q.Term.SuffixList) > 0 || len(q.FuncDefs) > 0 || len(q.Imports) > 0 || q.Meta != nil {
		return 0, false
	}
	switch t := q.Term; t.Type {
	case gojq.TermTypeNull, gojq.TermTypeTrue, gojq.TermTypeFalse:
		return valueSize, true
	case gojq.TermTypeNumber:
		return valueSize, plainNumber().MatchString(t.Number)
	case gojq.TermTypeUnary:
		return valueSize, t.Unary.Term.Type == gojq.TermTypeNumber && plainNumber().MatchString(t.Unary.Term.Number) && len(t.Unary.Term.SuffixList) == 0
	case gojq.TermTypeString:
		return valueSize + len(t.Str.Str), len(t.Str.Queries) == 0
	case gojq.TermTypeArray:
		length, ok = listLength(t.Array.Query)
		return valueSize + length, ok
	default:
		return 0, false
	}
}

// listLength is like constantLength for a list of constants between commas.
func listLength(q *gojq.Query) (length int, ok bool) {
	if q == nil {
		return 0, true
	}
	if q.Left == nil || q.Op != gojq.OpComma || q.Right == nil || len(q.FuncDefs) > 0 {
		return constantLength(q)
	}
	left, first := listLength(q.Left)
	right, second := listLength(q.Right)
	return left + right, first && second
}
