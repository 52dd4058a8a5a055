package depend

import (
	"fmt"
	"path"
	"strings"
)

// origins are what the scripts of one hook, taken together, say about where
// names of files come from. A variable that two scripts set has both values.
type origins struct {
	opaque   bool // a script is not understood, or sets variables unseen
	moved    bool // a script leaves the directory it was started in
	assigned map[string][]operand
	mentions map[string][]operand // by basename
	rooted   map[string]bool      // what was found out about variables
}

func (t *tracer) origins() *origins {
	o := &origins{assigned: map[string][]operand{}, mentions: map[string][]operand{}, rooted: map[string]bool{}}
	for _, s := range t.scripts {
		o.opaque = o.opaque || s.opaque != "" || s.computed != "" || s.evals
		for v, values := range s.assigned {
			o.assigned[v] = append(o.assigned[v], values...)
		}
		for _, m := range s.mentions {
			base := path.Base(m.name)
			o.mentions[base] = append(o.mentions[base], m.operand)
		}
	}
	for _, s := range t.scripts {
		for _, m := range s.moves {
			o.moved = o.moved || !m.literal && !o.isRooted(m.variable)
		}
	}
	return o
}

// via tells which cases see a data file: a name that always follows the
// project's variable is not seen by a case with a project of its own.
func (o *origins) via(base string) via {
	if o.opaque || strings.ContainsFunc(base, func(r rune) bool { return !isNameRune(r) }) {
		return always
	}
	v := viaProject
	for _, m := range o.mentions[base] {
		switch {
		case m.literal && !o.moved:
			v = min(v, viaCwd)
		case !o.isRooted(m.variable):
			return always
		}
	}
	return v
}

// isRooted reports whether a variable is the project's directory, or a path
// below it, wherever it is set.
func (o *origins) isRooted(v string) bool {
	if v == "" {
		return false
	}
	if known, ok := o.rooted[v]; ok {
		return known
	}
	values := o.assigned[v]
	o.rooted[v] = v == projectVariable // while its own value is looked at
	rooted := v == projectVariable || len(values) > 0
	for _, value := range values {
		rooted = rooted && o.isRooted(value.variable)
	}
	o.rooted[v] = rooted
	return rooted
}

// runsListed adds every file of the hook directories when a variable is run
// as a command and may hold a name that no text spells out.
func (t *tracer) runsListed(o *origins) {
	listed := map[string]bool{}
	for _, s := range t.scripts {
		for v := range s.listed {
			listed[v] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for v, values := range o.assigned {
			for _, value := range values {
				for _, used := range value.uses {
					if listed[used] && !listed[v] {
						listed[v], grown = true, true
					}
				}
			}
		}
	}
	for p, s := range t.scripts {
		for v, line := range s.run {
			if listed[v] {
				o.opaque = true
				t.addAll(p, fmt.Sprintf("it runs $%s, which is read from elsewhere, on line %d", v, line))
				return
			}
		}
	}
}
