package explore

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites/depend/script"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/pattern"
)

// A Decision is a statement by which a hook tells the client to stop, ask, rewrite or add something.
type Decision struct {
	File      string // as the caller named it
	Line      int
	Statement string // its first line
	Condition string // the first line of the statement around it; "" if there is none
	At        int    // the line of the condition
	After     int    // the line of a statement before it that always ends the script or the function; 0 without one

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

var (
	deciding      = pattern.Lazy(`"continue\\?" *: *[Ff]alse|["'\\](?:deny|block|ask)\b|permissionDecision|additionalContext|updatedInput|systemMessage`)
	decidingShell = pattern.Lazy(`^(?:exit|return) 2$`)
	byValue       = pattern.Lazy(`\(\s*2 if\b|return 2 if\b|\? *2 *:|: *2 *\)`)
	constant      = pattern.Lazy(`^(?:const |let |var )?[\w.]+\s*(?::[^=]+)?=\s*["'][^"']*["'];?$`)
	decidingCode  = pattern.Lazy(`\bexit\w*[ (]+2\b|\bexitCode\s*=\s*2\b|\breturn 2\b|SystemExit\(2\)`)
)

// Decisions returns the decisions of a script, in order: each statement that holds one, and each call of
// a function that does, so that a function deny called in seven places is seven decisions. It returns
// nil for scripts that do not parse or are in a language whose statements are not observed.
func Decisions(file string, src []byte) (all []Decision) {
	language := trace.LanguageOf(file, src)
	switch {
	case language == nil:
		return nil
	case language.Name() == "bash":
		return shellDecisions(file, src)
	}
	parsed, err := language.Parse(src)
	if err != nil {
		return nil
	}
	lines := strings.Split(string(src), "\n")
	text := func(from, to int) string {
		return strings.Join(uncommented(lines[max(from-1, 0):min(to, len(lines))]), "\n")
	}
	var functions []string
	for _, f := range parsed.Functions {
		if t := text(f.Start, f.End); f.Name != "main" && decidesIn(t) && !returnsOnly(t) {
			functions = append(functions, f.Name)
		}
	}
	inside := func(s *script.Statement) bool { // a function that is called where it is decided
		for f := s.In.Function; f != nil; f = f.Outer {
			if slices.Contains(functions, f.Name) && called(parsed, f, text) {
				return true
			}
		}
		return false
	}
	calls := callOf(functions)
	for _, s := range parsed.Statements {
		if s.Function != nil || s.Arm || hasStatements(s) || inside(s) {
			continue
		}
		t := text(s.Start, s.End)
		if len(s.Blocks) == 0 && s.To > s.From && s.From < len(src) {
			t = string(src[s.From:min(s.To, len(src))])
		}
		if !decidesIn(t) && (calls == nil || !calls.MatchString(t)) {
			continue
		}
		if first := strings.TrimLeft(t, "rRuUbB "); strings.HasPrefix(first, `"`) || strings.HasPrefix(first, "'") {
			continue // a text that documents
		}
		if constant().MatchString(strings.TrimSpace(t)) {
			continue
		}
		d := Decision{File: file, Line: s.Start, Statement: strings.TrimSpace(lines[min(s.Start, len(lines))-1]), last: s.End, language: language.Name(), Either: byValue().MatchString(t)}
		if s.From > 0 {
			d.column = s.From - (strings.LastIndexByte(string(src[:s.From]), '\n') + 1)
			d.from = parsed.Unit(s.From)
		}
		if of := s.In.Of; of != nil {
			d.Condition, d.At = strings.TrimSpace(lines[min(of.Start, len(lines))-1]), of.Start
		}
		for in := s; in != nil && d.After == 0; in = in.In.Of {
			for _, before := range in.In.Statements[:in.Index] {
				if before.Function == nil && !in.Arm && len(before.Blocks) == 0 && ends().MatchString(strings.TrimSpace(text(before.Start, before.End))) {
					d.After = before.Start
				}
			}
		}
		all = append(all, d)
	}
	return all
}

// ends matches statements of Python and JavaScript after which nothing of a block runs.
var ends = pattern.Lazy(`^(?:return(?:\s+[^&|]*)?|(?:sys\.|os\._)?exit\([^()]*\)|raise\b.*|process\.exit\([^()]*\));?$`)

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
	return regexp.MustCompile(`(?:^|[\s;&|({!])(?:` + strings.Join(quoted, "|") + `)(?:[\s(;]|$)`)
}

// hasStatements reports whether a statement has others in it, which are decisions in its place.
func hasStatements(s *script.Statement) bool {
	return slices.ContainsFunc(s.Blocks, func(b *script.Block) bool { return len(b.Statements) > 0 })
}

func uncommented(lines []string) []string {
	out := slices.Clone(lines)
	for i, l := range out {
		if l = strings.TrimSpace(l); strings.HasPrefix(l, "#") || strings.HasPrefix(l, "//") {
			out[i] = ""
		}
	}
	return out
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
