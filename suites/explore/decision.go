package explore

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites/depend/script"
	"hookwatch/suites/pattern"
)

// A Decision is a statement by which a hook tells the client to stop, ask, rewrite or add something.
type Decision struct {
	File      string // as the caller named it
	Line      int
	Statement string // its first line

	// Either is set if the statement decides by a value, so that only its effect shows whether it did.
	Either bool

	last     int
	column   int // of Python, from 0
	from     int // of Node, in UTF-16 units
	language string
	name     string // of bash, the first word of the command
}

// String returns the place, such as guard.sh:12.
func (d Decision) String() string { return fmt.Sprintf("%s:%d", path.Base(d.File), d.Line) }

// EventOf returns the event that a decision of the script names in its output; "" if it names none.
func (c *Course) EventOf(d Decision) string {
	if m := eventName().FindStringSubmatch(c.text(d.Line, d.last)); m != nil {
		return m[1]
	}
	return ""
}

// Exits reports whether the statement ends the process with exit code 2.
func (d Decision) Exits() bool { return exits().MatchString(d.Statement) }

var (
	eventName     = pattern.Lazy(`hookEventName\\?["']?\s*:\s*\\?["'](\w+)`)
	exits         = pattern.Lazy(`\bexit\w*[ (]+2\b|SystemExit\(2\)`)
	deciding      = pattern.Lazy(`"continue\\?" *: *[Ff]alse|["'\\](?:deny|block|ask)\b|permissionDecision|additionalContext|updatedInput|systemMessage`)
	decidingShell = pattern.Lazy(`^(?:exit|return) 2$`)
	byValue       = pattern.Lazy(`\(\s*2 if\b|return 2 if\b|\? *2 *:|: *2 *\)`)
	constant      = pattern.Lazy(`^(?:const |let |var )?[\w.]+\s*(?::[^=]+)?=\s*["'][^"']*["'];?$`)
	decidingCode  = pattern.Lazy(`\bexit\w*[ (]+2\b|\bexitCode\s*=\s*2\b|\breturn 2\b|SystemExit\(2\)`)
)

// Decisions returns the decisions of the script, in order: each statement that holds one, and each call of
// a function that does, so that a function deny called in seven places is seven decisions. elsewhere are
// the names of such functions in other scripts.
func (c *Course) Decisions(elsewhere ...string) (all []Decision) {
	if c.language == "bash" {
		return shellDecisions(c.file, []byte(c.src), elsewhere)
	}
	functions := append(c.Deciding(), elsewhere...)
	inside := func(s *script.Statement) bool { // a function that is called where it is decided
		for f := s.In.Function; f != nil; f = f.Outer {
			if slices.Contains(functions, f.Name) && called(c.script, f, c.text) {
				return true
			}
		}
		return false
	}
	calls := callOf(functions)
	for _, s := range c.script.Statements {
		if s.Function != nil || s.Arm || hasStatements(s) || inside(s) {
			continue
		}
		t := c.text(s.Start, s.End)
		if len(s.Blocks) == 0 && s.To > s.From && s.From < len(c.src) {
			t = c.src[s.From:min(s.To, len(c.src))]
		}
		if !decidesIn(t) && (calls == nil || !calls.MatchString(t)) {
			continue
		}
		if documents(t) || constant().MatchString(strings.TrimSpace(t)) {
			continue
		}
		all = append(all, Decision{
			File: c.file, Line: s.Start, Statement: c.cut(s).Text, Either: byValue().MatchString(t),
			last: s.End, language: c.language, column: c.column(s), from: c.script.Unit(s.From),
		})
	}
	return all
}

// Deciding returns the names of the script's functions that decide.
func (c *Course) Deciding() (names []string) {
	for _, s := range c.script.Statements {
		t := c.text(s.Start, s.End)
		if s.Function != nil || hasStatements(s) || documents(t) || !decidesIn(t) {
			continue
		}
		for f := s.In.Function; f != nil; f = f.Outer {
			if f.Name != "main" && !slices.Contains(names, f.Name) && !returnsOnly(c.text(f.Start, f.End)) {
				names = append(names, f.Name)
			}
		}
	}
	return names
}

// documents reports whether a statement is only a text.
func documents(statement string) bool {
	text := strings.TrimLeft(statement, "rRuUbB \t")
	return strings.HasPrefix(text, `"`) || strings.HasPrefix(text, "'")
}

// decidesIn reports whether code decides.
func decidesIn(code string) bool {
	return deciding().MatchString(code) || decidingCode().MatchString(code)
}

// returnsOnly reports whether a function only passes a decision to its caller.
func returnsOnly(text string) bool { return strings.Contains(text, "return 2") }

// called reports whether a statement outside a function calls it.
func called(s *script.Script, f *script.Function, text func(int, int) string) bool {
	calls := callOf([]string{f.Name})
	return slices.ContainsFunc(s.Statements, func(st *script.Statement) bool {
		return st.Function == nil && (st.Start < f.Start || st.Start > f.End) && calls.MatchString(text(st.Start, st.End))
	})
}

func callOf(functions []string) *regexp.Regexp {
	if len(functions) == 0 {
		return nil
	}
	quoted := make([]string, len(functions))
	for i, f := range functions {
		quoted[i] = regexp.QuoteMeta(f)
	}
	return regexp.MustCompile(`(?:^|[\s;&|({!])(?:` + strings.Join(quoted, "|") + `)\s*\(`)
}

// hasStatements reports whether a statement has others in it, which are decisions in its place.
func hasStatements(s *script.Statement) bool {
	return slices.ContainsFunc(s.Blocks, func(b *script.Block) bool { return len(b.Statements) > 0 })
}

// text returns the lines of the script, numbered from 1, without those of comments.
func (c *Course) text(from, to int) string {
	lines := slices.Clone(c.lines[max(from-1, 0):min(to, len(c.lines))])
	for i, l := range lines {
		if l = strings.TrimSpace(l); strings.HasPrefix(l, "#") || strings.HasPrefix(l, "//") {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

// column returns the column at which a statement begins, from 0.
func (c *Course) column(s *script.Statement) int {
	return s.From - strings.LastIndexByte(c.src[:s.From], '\n') - 1
}

// Runs reports whether a firing was seen to run any statement of a file.
func (r *Record) Runs(file string) bool {
	return slices.ContainsFunc(r.statements(), func(p place) bool { return Same(p.file, file) })
}

// Same reports whether an interpreter's name of a file may be that of a script, whose path begins at the
// project: one ends in the other.
func Same(file, script string) bool {
	rooted := func(p string) string {
		p = "/" + strings.TrimPrefix(path.Clean(p), "/")
		for strings.HasPrefix(p, "/../") {
			p = p[len("/.."):]
		}
		return p
	}
	a, b := rooted(file), rooted(script)
	return file != "" && (strings.HasSuffix(a, b) || strings.HasSuffix(b, a))
}

// Reached reports whether a firing came to a decision.
func (r *Record) Reached(d Decision) bool {
	switch d.language {
	case "bash":
		return r.decides(d)
	case "python":
		for p := range r.began {
			if p.line == d.Line && p.column == d.column && Same(p.file, d.File) {
				return true
			}
		}
	default:
		for _, c := range r.covered {
			if Same(c.file, d.File) && ran(c.spans, d.from) {
				return true
			}
		}
	}
	return false
}
