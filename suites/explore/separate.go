package explore

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
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

// see keeps a sighting: one whose value is a part of the field rather than one whose value is not known.
func (g *goal) see(one sighting) {
	at := len(g.seen)
	if at == sightings {
		at = slices.IndexFunc(g.seen, func(s sighting) bool { return s.how == unknown && one.how != unknown })
	} else {
		g.seen = append(g.seen, one)
	}
	if at >= 0 {
		g.seen[at] = one
	}
}

// Separate returns inputs that the comparisons of one version of a hook accept and those of the other one do not:
// for a pattern "^git reset" where the other version has "git reset", "sudo git reset". Of a line that only one has,
// with comparisons that both have, they are those that some accept and others do not: for "p in name and
// name.startswith(p)", a name with p in its middle. Usual texts come first, and one input of each comparison before the
// second of any.
func (s *Search) Separate(other *Search, most int) (all []Input) {
	mine, theirs := s.without(other), other.without(s)
	known, told := map[Input]bool{}, map[string]bool{}
	var rows [][]Input
	// kind returns what a text shows, "" if nothing; each is told once of a sighting.
	row := func(goal Comparison, texts func(f Field) []string, kind func(string) string) {
		var row []Input
		for _, at := range s.goals[goal].seen {
			for _, t := range texts(at.field) {
				if plain := strings.Join(strings.Fields(t), " "); kind(plain) != "" {
					t = plain
				}
				beside := at.how == unknown && !at.field.IsPath() // what it is a part of, or was made from, may have to stay
				made := Input{at.from, at.field, variants(at.field, at.text, at.value, t, at.how, beside)[0]}
				of := kind(t)
				key := fmt.Sprint(at.from, at.field, of)
				if len(row) < textsOf && of != "" && !told[key] && !known[made] {
					known[made], told[key] = true, true
					row = append(row, made)
				}
			}
		}
		rows = append(rows, row)
	}
	for _, goal := range mine {
		row(goal, func(f Field) []string {
			texts := slices.Concat(s.Usual[f], spellings(f, goal.Texts(textsOf)))
			for _, its := range theirs {
				texts = append(texts, spellings(f, its.Texts(textsOf))...)
			}
			return texts
		}, func(text string) string {
			if accepted(mine, text) == accepted(theirs, text) {
				return ""
			}
			return text
		})
	}
	for _, line := range s.aimed() {
		for _, goal := range line {
			row(goal, func(f Field) []string {
				all := spellings(f, goal.Texts(1))
				if len(all) > 0 && !f.IsPath() {
					all = slices.Insert(all, 1, all[0]+" x")
				}
				return all
			}, func(text string) (which string) {
				for i, c := range line {
					if c.suits(text) {
						which += fmt.Sprint(c.Line, i)
					}
				}
				other := func(word string) bool { return !accepted(line, word) }
				if which != "" && slices.ContainsFunc(strings.Fields(text), other) {
					which += " and others" // for a condition on all words, or on any
				}
				return which
			})
		}
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

// aimed returns the goals at each line that the search is for, and at the next three, which may belong to it, of those
// with several.
func (s *Search) aimed() (lines [][]Comparison) {
	at := map[Comparison][]Comparison{} // by file and line
	for _, goal := range sorted(maps.Keys(s.goals)) {
		if s.Aims.before(goal.File, goal.Line) {
			key := Comparison{File: goal.File, Line: goal.Line}
			at[key] = append(at[key], goal)
		}
	}
	for _, key := range sorted(maps.Keys(at)) {
		if len(at[key]) > 1 {
			lines = append(lines, at[key])
		}
	}
	return lines
}

// without returns the goals whose pattern the other search did not see compared, in order.
func (s *Search) without(other *Search) (all []Comparison) {
	has := map[Comparison]bool{}
	for goal := range other.goals {
		has[Comparison{Op: goal.Op, Pattern: goal.Pattern}] = true
	}
	for _, goal := range sorted(maps.Keys(s.goals)) {
		if !has[Comparison{Op: goal.Op, Pattern: goal.Pattern}] {
			all = append(all, goal)
		}
	}
	return all
}

// sorted returns comparisons in the order of their places.
func sorted(goals iter.Seq[Comparison]) []Comparison {
	return slices.SortedFunc(goals, func(a, b Comparison) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Op, b.Op), cmp.Compare(a.Pattern, b.Pattern))
	})
}

func accepted(goals []Comparison, text string) bool {
	return slices.ContainsFunc(goals, func(c Comparison) bool { return c.Accepts(text) })
}

// spellings returns texts of a field, and then what a user would write around them.
func spellings(f Field, texts []string) (all []string) {
	all = slices.Clone(texts)
	for _, t := range texts {
		if f.IsPath() {
			all = append(all, "x"+t, t+"x", "x/"+t, t+"/x")
		} else {
			last := strings.LastIndexByte(t, ' ') + 1
			all = append(all, "sudo "+t, t+" x", t+"x", t+"/x", t+"; x", t+" | x", "x && "+t, "x "+t, t[:last]+"x"+t[last:])
		}
		all = append(all, strings.ToUpper(t), strings.ToLower(t))
	}
	return all
}
