package depend

import (
	"fmt"
	"path"
	"strings"

	"hookwatch/suites/depend/scripts"
)

// origins are what the scripts of one hook, taken together, say about where
// names of files come from. A variable that two scripts set has both values.
type origins struct {
	opaque   bool // a script is not understood, or sets variables unseen
	moved    bool // a script leaves the directory it was started in
	assigned map[string][]scripts.Operand
	mentions map[string][]scripts.Operand // by basename
	rooted   map[string]bool              // what was found out about variables
}

func (t *tracer) origins() *origins {
	o := &origins{assigned: map[string][]scripts.Operand{}, mentions: map[string][]scripts.Operand{}, rooted: map[string]bool{}}
	for _, s := range t.scripts {
		o.opaque = o.opaque || s.Opaque != "" || s.Computed != "" || s.Evals
		for v, values := range s.Assigned {
			o.assigned[v] = append(o.assigned[v], values...)
		}
		for _, m := range s.Mentions {
			base := path.Base(m.Name)
			o.mentions[base] = append(o.mentions[base], m.Operand)
		}
	}
	for _, s := range t.scripts {
		for _, m := range s.Moves {
			o.moved = o.moved || !m.Literal && !o.isRooted(m.Variable)
		}
	}
	return o
}

// via tells which cases see a data file: a name that always follows the
// project's variable is not seen by a case with a project of its own.
func (o *origins) via(base string) via {
	if o.opaque || strings.ContainsFunc(base, func(r rune) bool { return !scripts.IsNameRune(r) }) {
		return always
	}
	v := viaProject
	for _, m := range o.mentions[base] {
		switch {
		case m.Literal && !o.moved:
			v = min(v, viaCwd)
		case !o.isRooted(m.Variable):
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
		rooted = rooted && o.isRooted(value.Variable)
	}
	o.rooted[v] = rooted
	return rooted
}

// runsListed adds every file of the hook directories when a variable is run
// as a command and may hold a name that no text spells out.
func (t *tracer) runsListed(o *origins) {
	listed := map[string]bool{}
	for _, s := range t.scripts {
		for v := range s.Listed {
			listed[v] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for v, values := range o.assigned {
			for _, value := range values {
				for _, used := range value.Uses {
					if listed[used] && !listed[v] {
						listed[v], grown = true, true
					}
				}
			}
		}
	}
	for p, s := range t.scripts {
		for v, line := range s.Run {
			if listed[v] {
				o.opaque = true
				t.addAll(p, fmt.Sprintf("it runs $%s, which is read from elsewhere, on line %d", v, line))
				return
			}
		}
	}
}
