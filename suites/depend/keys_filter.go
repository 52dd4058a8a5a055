package depend

import (
	"fmt"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// FilterKeys returns the paths of its input that a jq filter can read: those it outputs,
// compares or passes to a function. It returns an error if the filter cannot be parsed.
func FilterKeys(filter string) ([]KeyPath, error) {
	q, err := gojq.Parse(filter)
	if err != nil {
		return nil, fmt.Errorf("filter: %w", err)
	}
	r := &filterReader{read: map[string]KeyPath{}}
	r.use(r.query(q, input))
	return r.paths(), nil
}

// A place is the origin of a value: a path of the input, or made by the filter from values it
// read before.
type place struct {
	path KeyPath
	made bool
}

var input, made = place{}, place{made: true}

type filterReader struct {
	read  map[string]KeyPath
	steps int
}

// maxSteps limits the number of parts of a filter that are followed, because a pipe after a
// comma doubles them. Beyond it, the filter counts as reading everything.
const maxSteps = 10_000

// use records that the whole values at the places are read.
func (r *filterReader) use(places []place) {
	for _, p := range places {
		if !p.made {
			r.read[p.path.String()] = p.path
		}
	}
}

func (r *filterReader) all() { r.use([]place{input}) }

// paths returns the read paths without those below another one.
func (r *filterReader) paths() []KeyPath {
	var list []KeyPath
	for _, p := range r.read {
		covered := false
		for _, q := range r.read {
			covered = covered || len(q) < len(p) && q.Touches(p)
		}
		if !covered {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b KeyPath) int { return strings.Compare(a.String(), b.String()) })
	return list
}

// query follows a value through a filter and returns the origins of its outputs.
func (r *filterReader) query(q *gojq.Query, at place) []place {
	if q == nil {
		return []place{at}
	}
	if r.steps++; r.steps > maxSteps {
		r.all()
		return []place{made}
	}
	if len(q.FuncDefs) > 0 || len(q.Imports) > 0 || q.Meta != nil {
		r.all() // arguments of definitions are not followed
	}
	switch {
	case q.Term != nil:
		return r.term(q.Term, at)
	case q.Left == nil:
		return []place{at}
	case len(q.Patterns) > 0:
		r.use(r.query(q.Left, at))
		return r.query(q.Right, at)
	case q.Op == gojq.OpPipe:
		var out []place
		for _, p := range r.query(q.Left, at) {
			out = append(out, r.query(q.Right, p)...)
		}
		return out
	case q.Op == gojq.OpComma:
		return append(r.query(q.Left, at), r.query(q.Right, at)...)
	case q.Op == gojq.OpAlt: // it reads whether the left value exists
		left := r.query(q.Left, at)
		r.use(left)
		return append(left, r.query(q.Right, at)...)
	default: // operators, including assignments
		r.use([]place{at}[:assigns(q.Op)])
		r.use(r.query(q.Left, at))
		r.use(r.query(q.Right, at))
		return []place{made}
	}
}

// assigns returns 1 for an operator that outputs its whole input, modified, and 0 for others.
func assigns(op gojq.Operator) int {
	switch op {
	case gojq.OpAssign, gojq.OpModify, gojq.OpUpdateAdd, gojq.OpUpdateSub, gojq.OpUpdateMul, gojq.OpUpdateDiv, gojq.OpUpdateMod, gojq.OpUpdateAlt:
		return 1
	default:
		return 0
	}
}

func (r *filterReader) term(t *gojq.Term, at place) []place {
	places := r.head(t, at)
	for _, s := range t.SuffixList {
		switch {
		case s.Iter:
			r.use(places)
		case s.Index != nil:
			places = r.index(s.Index, places, at)
		}
	}
	return places
}

// head follows a term without its suffixes.
func (r *filterReader) head(t *gojq.Term, at place) []place {
	switch t.Type {
	case gojq.TermTypeIdentity:
		return []place{at}
	case gojq.TermTypeIndex:
		return r.index(t.Index, []place{at}, at)
	case gojq.TermTypeFunc:
		return r.function(t.Func, at)
	case gojq.TermTypeQuery:
		return r.query(t.Query, at)
	case gojq.TermTypeIf:
		return r.branches(t.If, at)
	case gojq.TermTypeTry:
		out := r.query(t.Try.Body, at)
		r.use(out)
		if t.Try.Catch != nil {
			r.use(r.query(t.Try.Catch, made))
		}
		return out
	case gojq.TermTypeNull, gojq.TermTypeTrue, gojq.TermTypeFalse, gojq.TermTypeNumber:
		return []place{made}
	case gojq.TermTypeString, gojq.TermTypeFormat:
		if t.Str == nil {
			r.use([]place{at})
		}
		r.text(t.Str, at)
		return []place{made}
	case gojq.TermTypeArray:
		if t.Array.Query != nil {
			r.use(r.query(t.Array.Query, at))
		}
		return []place{made}
	case gojq.TermTypeObject:
		if len(t.Object.KeyVals) == 0 {
			return []place{made}
		}
		r.use([]place{at})
		return []place{made}
	case gojq.TermTypeUnary:
		r.use(r.term(t.Unary.Term, at))
		return []place{made}
	default: // recursion, reduce, labels: all of their input
		r.use([]place{at})
		return []place{at}
	}
}

// function follows the few functions that output their input; any other reads it.
func (r *filterReader) function(f *gojq.Func, at place) []place {
	switch {
	case f.Name == "empty" || f.Name == "not" && at.made:
		return nil
	case f.Name == "select" && len(f.Args) == 1:
		r.use(r.query(f.Args[0], at))
		return []place{at}
	case f.Name == "strings" || f.Name == "values" || f.Name == "objects" || f.Name == "arrays" || f.Name == "scalars":
		return []place{at}
	case strings.HasPrefix(f.Name, "$"):
		return []place{made} // its value was read when it was bound
	case f.Name == "map" && len(f.Args) == 1:
		r.use(r.query(f.Args[0], at))
		return []place{made}
	}
	if f.Name == "input" || f.Name == "inputs" || f.Name == "getpath" || f.Name == "path" || f.Name == "paths" {
		r.all()
	}
	r.use([]place{at})
	for _, a := range f.Args {
		r.use(r.query(a, at))
	}
	return []place{made}
}

func (r *filterReader) branches(i *gojq.If, at place) []place {
	r.use(r.query(i.Cond, at))
	out := r.query(i.Then, at)
	for _, e := range i.Elif {
		r.use(r.query(e.Cond, at))
		out = append(out, r.query(e.Then, at)...)
	}
	return append(out, r.query(i.Else, at)...)
}

// index follows ".name" and `."name"`. Any other index reads the whole value and keeps its
// place.
func (r *filterReader) index(i *gojq.Index, places []place, at place) []place {
	key, ok := keyOf(i)
	r.text(i.Str, at)
	for _, q := range []*gojq.Query{i.Start, i.End} {
		if q == nil {
			continue
		}
		r.use(r.query(q, at))
	}
	out := slices.Clone(places)
	for n, p := range out {
		switch {
		case p.made:
		case ok:
			out[n].path = append(slices.Clip(p.path), key)
		default:
			r.use([]place{p})
		}
	}
	return out
}

// keyOf returns the literal key of an index.
func keyOf(i *gojq.Index) (string, bool) {
	s := i.Str
	if q := i.Start; s == nil && q != nil && !i.IsSlice && q.Term != nil && q.Term.Type == gojq.TermTypeString && len(q.Term.SuffixList) == 0 {
		s = q.Term.Str
	}
	if s != nil {
		return s.Str, s.Queries == nil
	}
	return i.Name, i.Name != ""
}

func (r *filterReader) text(s *gojq.String, at place) {
	if s == nil {
		return
	}
	for _, q := range s.Queries {
		r.use(r.query(q, at))
	}
}
