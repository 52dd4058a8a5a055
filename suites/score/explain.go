package score

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/depend/script"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/mutate"
)

// A Gap is the kind of reason why a mutant survived.
type Gap string

// The gaps.
const (
	Unexecuted Gap = "unexecuted" // no case executes it
	Same       Gap = "same"       // the cases that execute it behave as before
	Unchecked  Gap = "unchecked"  // something differs that the cases do not look at
	Loose      Gap = "loose"      // something differs, and what the cases expect of it still holds
)

// explain sets what would notice a survivor.
func (s *scoring) explain(f *Finding, jury []int) {
	base, looking := f.from, jury
	if seen := slices.DeleteFunc(slices.Clone(jury), func(i int) bool { return !s.panel.executes(i, f.File) }); len(seen) > 0 {
		looking = seen // the traces of the others are not complete
	}
	f.Executed = len(looking)
	executes := plural(len(looking), "case executes", "cases execute")
	if len(looking) > 0 && !s.panel.executes(looking[0], f.File) {
		executes = plural(len(looking), "case may execute", "cases may execute")
	}
	switch {
	case len(jury) == 0:
		f.Gap, f.Notice = Unexecuted, s.gaps[f.File].gap(f.Mutant)
		base = s.nearest(f.File)
	case len(f.differs) == 0:
		f.Gap = Same
		f.Notice = executes + " it and nothing changes: no case sends an input for which it matters, or it is equivalent"
		base = s.cases[looking[0]]
	default:
		f.Gap = Loose
		var parts []string
		for _, of := range fields {
			n := f.differs[of]
			if n == 0 {
				continue
			}
			looks := slices.ContainsFunc(looking, func(i int) bool { return looksAt(s.cases[i], of) })
			end := "and none looks at it"
			if looks {
				end = "and what they expect of it still holds"
			} else {
				f.Gap = Unchecked
			}
			parts = append(parts, fmt.Sprintf("%s changed in %d of them, %s", of, n, end))
		}
		f.Notice = executes + " it: " + strings.Join(parts, "; ")
	}
	if base != nil {
		f.Case = s.skeleton(f, base)
	}
}

func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// nearest returns a case that executes a file, or fires it.
func (s *scoring) nearest(file string) *suites.Case {
	for i, c := range s.cases {
		if s.panel.takesPart[i] && s.panel.executes(i, file) {
			return c
		}
	}
	return nil
}

// looksAt reports whether a case has an expectation of a field.
func looksAt(c *suites.Case, of field) bool {
	return slices.ContainsFunc(c.Steps, func(s suites.Step) bool {
		e := s.Expect
		switch of {
		case exitField:
			return e.Exit != nil || e.Decision != "" || e.Effect != ""
		case stdoutField:
			return !e.Stdout.IsZero() || e.JQ != "" || len(e.ModelSees) > 0
		case stderrField:
			return !e.Stderr.IsZero() || len(e.ModelSees) > 0
		default:
			return len(e.Files) > 0
		}
	})
}

// skeleton returns a case that notices a survivor, or from which such a case can be made.
func (s *scoring) skeleton(f *Finding, base *suites.Case) *suites.Case {
	c := *base
	c.Steps = slices.Clone(base.Steps)
	before, after := f.Diff()
	c.Summary = fmt.Sprintf("must notice line %d of %s, with %q instead of %q: %s", f.Line, f.File, after, before, f.Notice)
	c.Category, c.Control, c.Contradicts, c.Verify, c.Gates = "score", "", "", nil, slices.Clone(base.Gates)
	last := &c.Steps[len(c.Steps)-1]
	if f.from != nil && len(c.Steps) == 1 && f.expectation(&last.Expect) {
		return &c
	}
	switch todo := "TODO: an input that line " + fmt.Sprint(f.Line) + " is for"; {
	case last.Command != "":
		last.Command = todo
	case last.FilePath != "":
		last.FilePath = fmt.Sprintf("{project}/TODO-line-%d", f.Line)
	default:
		c.Summary = "TODO: " + c.Summary
	}
	return &c
}

// expectation adds what the hook prints or does now and does not on the mutant, as far as that is
// known.
func (f *Finding) expectation(e *suites.Expectation) (added bool) {
	for _, of := range fields {
		if f.differs[of] == 0 || f.was[of] == f.now[of] {
			continue
		}
		switch of {
		case exitField:
			if exit, err := strconv.Atoi(f.was[of]); err == nil {
				e.Exit, added = []int{exit}, true
			}
		case stdoutField:
			e.Stdout, added = differing(e.Stdout, f.was[of], f.now[of]), true
		case stderrField:
			e.Stderr, added = differing(e.Stderr, f.was[of], f.now[of]), true
		}
	}
	return added
}

// differing adds an expectation that the old text meets and the new one does not.
func differing(e *suites.TextExpectation, was, now string) *suites.TextExpectation {
	next := suites.TextExpectation{}
	if e != nil {
		next = *e
	}
	if was == "" {
		return &suites.TextExpectation{Empty: true}
	}
	line := func(of, not string) string {
		for l := range strings.Lines(of) {
			if l = strings.TrimSpace(l); l != "" && !strings.Contains(l, "{") && !strings.Contains(not, l) {
				return l
			}
		}
		return ""
	}
	if l := line(was, now); l != "" {
		next.Contains = append(slices.Clone(next.Contains), l)
	} else if l := line(now, was); l != "" {
		next.Absent = append(slices.Clone(next.Absent), l)
	}
	return &next
}

// A reachability finds why no case executes a place of a script.
type reachability struct {
	file   string
	text   []byte
	script *script.Script // nil if it has none
	traces []*trace.Trace
}

// gap returns why no case executes a mutant, in words.
func (r *reachability) gap(m mutate.Mutant) string {
	const unknown = "no case executes it"
	if r.script == nil {
		return unknown
	}
	for _, f := range r.script.Functions {
		if f.Start == m.Line && !r.isEntered(f) {
			return "no case calls " + f.Name
		}
	}
	st := r.at(m.Line)
	if st == nil || r.isReached(st) {
		st = r.at(1 + bytes.Count(r.text[:m.Change.To], []byte("\n")))
	}
	if st == nil || r.isReached(st) {
		return unknown
	}
	for b := st.In; ; b = b.Of.In {
		if f := b.Function; b.Of == nil && f != nil && !r.isEntered(f) {
			if slices.ContainsFunc(r.script.Functions, func(o *script.Function) bool { return o.Name == f.Name && r.isEntered(o) }) {
				return fmt.Sprintf("no case gets to line %d", st.Start) // a function without a name has that of the outer one
			}
			return "no case calls " + f.Name
		}
		if b.Of == nil || r.isReached(b.Of) {
			return r.before(st)
		}
		st = b.Of
	}
}

// before describes how to get to a statement whose block is part of a statement that is reached.
func (r *reachability) before(st *script.Statement) string {
	b := st.In
	for i := st.Index - 1; i >= 0; i-- {
		if last := b.Statements[i]; last.Function == nil && r.isReached(last) {
			return fmt.Sprintf("no case gets past line %d: %s", last.End, r.line(last.End))
		}
	}
	if b.Of == nil {
		return fmt.Sprintf("no case gets to line %d", st.Start)
	}
	at := b.Of.Start
	switch slot, _, _ := strings.Cut(b.Slot, " "); slot {
	case "then":
		return fmt.Sprintf("no case makes line %d true: %s", at, r.line(at))
	case "else", "elif":
		return fmt.Sprintf("no case makes line %d false: %s", at, r.line(at))
	case "loop":
		return fmt.Sprintf("no case enters the loop of line %d: %s", at, r.line(at))
	case "item", "case":
		if at = st.Start; at > 1 && !strings.Contains(r.line(at), ")") && slot == "item" || slot == "case" {
			at = max(1, at-1)
		}
		return fmt.Sprintf("no case sends a value for line %d: %s", at, r.line(at))
	default:
		return fmt.Sprintf("no case gets to line %d, in the %s of line %d: %s", st.Start, slot, at, r.line(at))
	}
}

// at returns the innermost statement on a line.
func (r *reachability) at(line int) (found *script.Statement) {
	for _, st := range r.script.Statements {
		if st.Start <= line && line <= st.End && st.Function == nil {
			found = st
		}
	}
	return found
}

// line returns the text of a line, shortened.
func (r *reachability) line(n int) string {
	const most = 80
	lines := strings.Split(string(r.text), "\n")
	text := strings.TrimSpace(lines[min(max(n, 1), len(lines))-1])
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return cmp.Or(text, "(empty)")
}

func (r *reachability) any(is func(m *trace.Met) bool) bool {
	return slices.ContainsFunc(r.traces, func(t *trace.Trace) bool {
		m := t.Files[r.file]
		return m != nil && (m.Whole != "" || m.Digest == r.script.Digest && is(m))
	})
}

// isReached reports whether a case executes a statement. Not every kind has an event of its own: one
// with a reached statement in it or behind it is reached, and one that need not have an event if the
// statement before it is.
func (r *reachability) isReached(st *script.Statement) bool {
	block := st.In.Statements
	if slices.ContainsFunc(block[st.Index:], r.isMet) {
		return true
	}
	return !st.Sure && st.Index > 0 && block[st.Index-1].Sure && r.isMet(block[st.Index-1])
}

// isMet reports whether a trace shows a statement, or one in its blocks.
func (r *reachability) isMet(st *script.Statement) bool {
	if st.Function != nil {
		return false
	}
	return r.any(func(m *trace.Met) bool { return m.Statements.Has(st.Key) }) ||
		slices.ContainsFunc(st.Blocks, func(b *script.Block) bool { return slices.ContainsFunc(b.Statements, r.isMet) })
}

func (r *reachability) isEntered(f *script.Function) bool {
	return r.any(func(m *trace.Met) bool { return m.Functions.Has(f.Key) })
}
