package main

import (
	"context"
	"reflect"
	"slices"
	"strconv"
)

// shrink returns the smallest project found that still shows a difference of a kind: first with what
// the difference is about alone, then without one part at a time, while clients are left to start. It
// returns false if the project itself does not show it again, because on a busy machine a hook may end
// late, or not before its timeout.
func shrink(ctx context.Context, o options, p project, d difference) (project, bool) {
	left := o.shrinks
	shows := func(smaller project) bool {
		if left == 0 || ctx.Err() != nil {
			return false
		}
		left--
		s, err := play(ctx, o, smaller)
		defer s.remove()
		if err != nil {
			return false
		}
		seen, err := s.observe()
		if err != nil {
			return false
		}
		all, err := s.compare(ctx, seen)
		return err == nil && slices.ContainsFunc(all, func(other difference) bool { return other.kind == d.kind && other.known == d.known })
	}
	if left > 0 && !shows(p) {
		return p, false
	}
	for _, step := range steps(p, d) {
		if smaller, changed := step(p); changed && shows(smaller) {
			p = smaller
		}
	}
	return p, true
}

// A reducing leaves out a part of a project, and reports whether there was one.
type reducing func(project) (project, bool)

// steps are the reductions that are tried, large ones first.
func steps(p project, d difference) (all []reducing) {
	about := func(e entry) bool { return slices.Contains(d.hooks, strconv.Itoa(e.N)) }
	all = append(all,
		func(p project) (project, bool) { // the call, the hooks and their files alone
			p.Entries = slices.DeleteFunc(slices.Clone(p.Entries), func(e entry) bool { return !about(e) })
			if d.turn < len(p.Calls) {
				p.Calls = p.Calls[d.turn : d.turn+1]
			}
			p.Files = slices.Clone(p.Files)
			for i := range p.Files {
				p.Files[i] = settings{Layer: p.Files[i].Layer}
			}
			return p, true
		},
		func(p project) (project, bool) { // the hooks alone
			n := len(p.Entries)
			p.Entries = slices.DeleteFunc(slices.Clone(p.Entries), func(e entry) bool { return !about(e) })
			return p, len(p.Entries) < n
		},
		func(p project) (project, bool) {
			if len(p.Calls) == 1 || d.turn >= len(p.Calls) {
				return p, false
			}
			p.Calls = p.Calls[d.turn : d.turn+1]
			return p, true
		})
	for i := range p.Files {
		all = append(all, func(p project) (project, bool) {
			f := p.Files[i]
			p.Files = slices.Clone(p.Files)
			p.Files[i] = settings{Layer: f.Layer}
			return p, !reflect.DeepEqual(f, p.Files[i])
		})
	}
	for _, e := range p.Entries {
		all = append(all, func(p project) (project, bool) {
			n := len(p.Entries)
			p.Entries = slices.DeleteFunc(slices.Clone(p.Entries), func(o entry) bool { return o.N == e.N && o.Layer == e.Layer && o.Matcher == e.Matcher })
			return p, len(p.Entries) < n
		})
	}
	return all
}
