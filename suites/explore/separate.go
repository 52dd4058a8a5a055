package explore

import (
	"cmp"
	"slices"
	"strings"
)

// A sighting is a firing in which a goal was compared with the text of a field, or with a part of it.
type sighting struct {
	from  int
	field Field
	text  string
	value string
	how   relation
}

// sightings is the maximum number kept of a goal.
const sightings = 3

// Separate returns inputs that the comparisons of one version of a hook accept and those of the other one do not:
// for a pattern "^git reset" where the other version has "git reset", "sudo git reset". Usual texts come first, and
// one input of each pattern before the second of any.
func (s *Search) Separate(other *Search, most int) (all []Input) {
	mine, theirs := s.without(other), other.without(s)
	separates := func(text string) bool { return accepted(mine, text) != accepted(theirs, text) }
	known := map[Input]bool{}
	var rows [][]Input
	for _, goal := range mine {
		var row []Input
		for _, at := range s.goals[goal].seen {
			texts := slices.Concat(s.Usual[at.field], spellings(goal.Texts(textsOf)))
			for _, its := range theirs {
				texts = append(texts, spellings(its.Texts(textsOf))...)
			}
			for _, t := range texts {
				if plain := strings.Join(strings.Fields(t), " "); separates(plain) {
					t = plain
				}
				made := Input{at.from, at.field, variants(at.field, at.text, at.value, t, at.how, false)[0]}
				if separates(t) && len(row) < textsOf && !known[made] {
					known[made] = true
					row = append(row, made)
				}
			}
		}
		rows = append(rows, row)
	}
	for i := range textsOf {
		for _, row := range rows {
			if i < len(row) && len(all) < most {
				all = append(all, row[i])
			}
		}
	}
	return all
}

// without returns the goals whose pattern the other search did not see compared, in order.
func (s *Search) without(other *Search) (all []Comparison) {
	has := map[Comparison]bool{}
	for goal := range other.goals {
		has[Comparison{Op: goal.Op, Pattern: goal.Pattern}] = true
	}
	for goal := range s.goals {
		if !has[Comparison{Op: goal.Op, Pattern: goal.Pattern}] {
			all = append(all, goal)
		}
	}
	slices.SortFunc(all, func(a, b Comparison) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Op, b.Op), cmp.Compare(a.Pattern, b.Pattern))
	})
	return all
}

func accepted(goals []Comparison, text string) bool {
	return slices.ContainsFunc(goals, func(c Comparison) bool { return c.Accepts(text) })
}

// spellings returns texts, and then what a user would write around them.
func spellings(texts []string) (all []string) {
	all = slices.Clone(texts)
	for _, t := range texts {
		last := strings.LastIndexByte(t, ' ') + 1
		all = append(all, "sudo "+t, t+" x", t+"x", t+"/x", t+"; x", t+" | x", "x && "+t, "x "+t, t[:last]+"x"+t[last:])
	}
	return all
}
