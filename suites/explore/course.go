package explore

import (
	"maps"
	"slices"
	"strings"

	"hookwatch/suites/depend/script"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/pattern"
)

// A Course is the way that the firings of a hook took through one of its scripts.
type Course struct {
	file     string
	language string
	src      string
	lines    []string
	script   *script.Script
	ran      map[*script.Statement]bool
	left     map[*script.Statement]*leaving
}

// A leaving is how firings left a statement that has blocks.
type leaving struct{ ways, tools map[string]bool }

// CourseOf returns the course of a script; nil if its statements are not observed.
func CourseOf(file string, src []byte) *Course {
	language := trace.LanguageOf(file, src)
	if language == nil {
		return nil
	}
	parsed, err := language.Parse(src)
	if err != nil {
		return nil
	}
	return &Course{file, language.Name(), string(src), strings.Split(string(src), "\n"), parsed, map[*script.Statement]bool{}, map[*script.Statement]*leaving{}}
}

// Take adds a firing for a tool.
func (c *Course) Take(tool string, r *Record) {
	now := c.runs(r)
	for s := range now {
		c.ran[s] = true
		if len(s.Blocks) == 0 {
			continue
		}
		way := now.way(s.In.Statements[s.Index+1:])
		for _, b := range s.Blocks {
			way += now.way(b.Statements)
		}
		if c.left[s] == nil {
			c.left[s] = &leaving{map[string]bool{}, map[string]bool{}}
		}
		c.left[s].ways[way], c.left[s].tools[tool] = true, true
	}
}

// Lines returns the lines at which the statements begin that a firing ran.
func (c *Course) Lines(r *Record) map[int]bool {
	lines := map[int]bool{}
	for s := range c.runs(r) {
		lines[s.Start] = true
	}
	return lines
}

// runs returns the statements that a firing ran.
func (c *Course) runs(r *Record) begun {
	lines, places := map[int]bool{}, map[place]bool{}
	var spans []span
	for _, p := range r.statements() {
		if p.word != counted && Same(p.file, c.file) {
			lines[p.line], places[place{line: p.line, column: p.column}] = true, true
		}
	}
	for _, of := range r.covered {
		if Same(of.file, c.file) {
			spans = of.spans
		}
	}
	now := begun{}
	for _, s := range c.script.Statements {
		began := false
		switch {
		case s.Function != nil:
		case spans != nil: // V8 may count what follows something that ended
			began = ran(spans, c.script.Unit(s.From)) && now.comesTo(s)
		case s.To > 0: // which statements of bash do not have
			began = places[place{line: s.Start, column: c.column(s)}]
		default:
			for line := s.Start; line <= s.End && !began; line++ {
				began = lines[line]
			}
		}
		if began {
			now[s] = true
		}
	}
	return now
}

// begun are the statements that a firing ran.
type begun map[*script.Statement]bool

// comesTo reports whether the statement around another one ran, and those before it.
func (b begun) comesTo(s *script.Statement) bool {
	missed := func(before *script.Statement) bool { return before.Function == nil && !b[before] }
	return (s.In.Of == nil || b[s.In.Of]) && (s.Arm || !slices.ContainsFunc(s.In.Statements[:s.Index], missed))
}

// way returns "+" if the first of some statements ran.
func (b begun) way(of []*script.Statement) string {
	i := slices.IndexFunc(of, func(s *script.Statement) bool { return s.Function == nil })
	if i >= 0 && b[of[i]] {
		return "+"
	}
	return "-"
}

// A Cut is the statement at which all firings left the way to another one.
type Cut struct {
	Line  int
	Text  string // its first line
	Ends  bool   // it let none go on, so that it is not the condition of the other one
	Plain bool   // it always does, as exit 0
}

// Cut returns where the firings left the way to a line; false if they did not come near it.
func (c *Course) Cut(line int) (Cut, bool) {
	s, ends := c.leftAt(line)
	if s == nil {
		return Cut{}, false
	}
	cut := c.cut(s)
	cut.Ends, cut.Plain = ends, ends && len(s.Blocks) == 0 && endsBlock().MatchString(cut.Text)
	return cut, true
}

// leftAt returns the statement at which the firings left the way to a line, and whether it let none go on; nil if they
// did not come near it.
func (c *Course) leftAt(line int) (at *script.Statement, ends bool) {
	var way []*script.Statement // from the line outwards
	for _, s := range c.script.Statements {
		if s.Function == nil && s.Start <= line && line <= s.End {
			way = []*script.Statement{s}
		}
	}
	for len(way) > 0 && way[len(way)-1].In.Of != nil {
		way = append(way, way[len(way)-1].In.Of)
	}
	for _, s := range slices.Backward(way) {
		if c.ran[s] {
			continue
		}
		for _, before := range slices.Backward(s.In.Statements[:s.Index]) {
			if c.ran[before] && !s.Arm {
				return before, true
			}
		}
		return s.In.Of, false
	}
	if len(way) == 0 {
		return nil, false
	}
	return way[0], false
}

// Lines are lines of a file, the last one included.
type Lines struct {
	File     string
	From, To int
}

func (l Lines) contain(p place) bool {
	return l.From <= p.line && p.line <= l.To && Same(p.file, l.File)
}

// Awaited returns the lines whose comparisons tell whether a firing comes to a line that none came to: the condition or
// statement at which all left the way to it, and the functions of these courses that it calls.
func (c *Course) Awaited(line int, courses ...*Course) (all []Lines) {
	const condition = 3 // lines that one before a block may go on
	cut, near := c.Cut(line)
	if !near || cut.Plain {
		return nil
	}
	to := cut.Line + condition
	if s, _ := c.leftAt(line); len(s.Blocks) == 0 {
		to = s.End
	}
	all = []Lines{{c.file, cut.Line, to}}
	return append(all, functionsIn(cut.Text, courses)...)
}

// functionsIn returns the functions of courses that a text names, and those that they name.
func functionsIn(text string, courses []*Course) (all []Lines) {
	done := map[*script.Function]bool{}
	for text != "" {
		names := map[string]bool{}
		for _, name := range identifier().FindAllString(text, -1) {
			names[name] = true
		}
		text = ""
		for _, c := range courses {
			for _, f := range c.script.Functions {
				if names[f.Name] && !done[f] {
					done[f] = true
					all = append(all, Lines{c.file, f.Start, f.End})
					text += strings.Join(c.lines[f.Start-1:f.End], "\n") + "\n"
				}
			}
		}
	}
	return all
}

var identifier = pattern.Lazy(`[A-Za-z_]\w*`)

func (c *Course) cut(s *script.Statement) Cut {
	return Cut{Line: s.Start, Text: strings.TrimSpace(c.lines[min(s.Start, len(c.lines))-1])}
}

// endsBlock matches statements after which nothing of a block runs.
var endsBlock = pattern.Lazy(`^(?:return(?:\s+[^&|]*)?|(?:exit|sys\.exit|os\._exit|process\.exit)\b[^&|]*|raise\b.*);?$`)

// A Condition is one that only asks for tools and that all firings left in the same way.
type Condition struct {
	Cut
	Asked []string // the texts that it compares with
	Sent  []string // the tools for which it was evaluated
}

// Constant returns the conditions that only ask for tools and that all firings left in the same way.
func (c *Course) Constant() (all []Condition) {
	for _, s := range c.script.Statements {
		if left := c.left[s]; left != nil && len(left.ways) == 1 {
			cut := c.cut(s)
			if asked := asksFor(cut.Text); len(asked) > 0 {
				all = append(all, Condition{cut, asked, slices.Sorted(maps.Keys(left.tools))})
			}
		}
	}
	return all
}

// asksFor returns the texts with which a condition compares something; none if it has other parts.
func asksFor(condition string) (texts []string) {
	for _, part := range joints().Split(condition, -1) {
		m := comparedWith().FindStringSubmatch(part)
		switch {
		case m != nil:
			texts = append(texts, m[1])
		case strings.TrimSpace(part) != "":
			return nil
		}
	}
	return texts
}

var (
	joints       = pattern.Lazy(`&&|\|\||\b(?:and|or)\b|(?:;.*|\{|:)\s*$`)
	comparedWith = pattern.Lazy(`^[^=!]*?[!=]=?=?\s*["'](\w+)["'][\s\])]*(?:return\b.*)?$`)
)
