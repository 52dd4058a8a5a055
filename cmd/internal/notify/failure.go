package notify

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/printable"
)

// failure returns the lines of a failed case: expected and actual results, output of the hook,
// the client's reaction, the place of the case and its input, and the command to run it again.
func (h *human) failure(e session.CaseDone) []line {
	head := h.margin().with(piece{red, "FAIL "}, piece{bold, session.Label(e.Record)})
	indent := strings.Repeat(" ", h.margin().columns()+5)
	right := h.transition(e)
	if !h.o.Watch && e.Transition == session.First {
		right = nil
	}
	var lines []line
	if brief := head.with(piece{plain, "   " + brief(e.Verdict)}); h.fits(brief, right) {
		lines = h.spread(brief, right, len(indent))
	} else {
		lines = h.spread(head, right, len(indent))
		lines = append(lines, h.details(e, indent)...)
	}
	if more := strings.Join(e.Verdict.Remarks, "; "); more != "" && !(against(e, "stderr") && strings.Contains(e.Record.ActualStderr, more)) {
		lines = append(lines, h.block(text(indent), plain, h.near(more))...)
	}
	lines = append(lines, h.printed(e, indent)...)
	if strings.Trim(e.Effect, ": ") != "" {
		lines = append(lines, h.block(text(indent), plain, effect(e.Effect))...)
	}
	lines = append(lines, h.changes(e.Record.Changes, indent)...)
	lines = append(lines, h.fired(e, indent)...)
	if e.Rerun != "" {
		lines = append(lines, line{{plain, indent}, {whole, e.Rerun}})
	}
	if e.Sandbox != "" {
		lines = append(lines, line{{dim, indent + "kept: " + printable.Field(e.Sandbox)}})
	}
	return lines
}

// Failure returns the text that a view with these options prints about a failed case.
func Failure(e session.CaseDone, o Options) string {
	var b strings.Builder
	h := New(&b, o).(*human)
	h.print(h.failure(e)...)
	return b.String()
}

// effect returns a sentence about the client's reaction.
func effect(words string) string {
	if strings.HasPrefix(words, "the client") {
		return words
	}
	return "the client: " + words
}

// fits reports whether a failure fits on its first line.
func (h *human) fits(brief, right line) bool {
	if brief[len(brief)-1].text == "   " {
		return false
	}
	columns := h.width()
	if columns == 0 {
		columns = plainColumns
	}
	need := brief.columns()
	if len(right) > 0 {
		need += 2 + right.columns()
	}
	return need <= columns
}

// details returns separate lines for each mismatch.
func (h *human) details(e session.CaseDone, indent string) []line {
	v := e.Verdict
	if len(v.Mismatches) == 0 {
		return h.block(text(indent), plain, v.Note)
	}
	var lines []line
	seen := ""
	for _, m := range v.Mismatches {
		head := indent + where(v, m)
		if short := reason(m); !needsRoom(m) && printable.Width(printable.Text(short)) <= h.room(head) {
			lines = append(lines, text(head+short))
			continue
		}
		got, want := gotText(m, e.Record), wantText(m)
		if severalLines(got) && severalLines(want) {
			lines = append(lines, line{{plain, head + m.Field}, {dim, "  - want  + got"}})
			lines = append(lines, h.difference(got, want, indent+"  ")...)
			continue
		}
		lines = append(lines, text(head+m.Field))
		if again := head + m.Field + got; again != seen {
			lines, seen = append(lines, h.quote("got", got, indent+"  ")...), again
		}
		lines = append(lines, h.quote("want", want, indent+"  ")...)
	}
	return lines
}

// quote returns the lines of a text, as far as there is room.
func (h *human) quote(name, text, indent string) []line {
	if text == "" {
		return nil
	}
	var lines []line
	label := fmt.Sprintf("%-4s  ", name)
	for _, l := range excerpt(h.near(text), h.room(indent+label), h.all()) {
		lines = append(lines, line{{dim, indent + label}, {plain, l}})
		label = strings.Repeat(" ", len(label))
	}
	return lines
}

// difference returns the differing lines of two texts of several lines.
func (h *human) difference(got, want, indent string) []line {
	unified := diff.Diff("want", withNewline(want), "got", withNewline(got))
	if unified == nil { // they differ only in the last newline
		unified = diff.Diff("want", []byte(want), "got", []byte(got))
	}
	_, body, _ := strings.Cut(string(unified), "+++ got\n")
	var lines []line
	for _, l := range excerpt(h.near(body), h.room(indent), h.all()) {
		st := plain
		switch {
		case strings.HasPrefix(l, "-"):
			st = green
		case strings.HasPrefix(l, "+"):
			st = red
		case strings.HasPrefix(l, "@@"), strings.HasPrefix(l, "..."):
			st = dim
		}
		lines = append(lines, line{{plain, indent}, {st, l}})
	}
	return lines
}

func withNewline(s string) []byte { return []byte(strings.TrimSuffix(s, "\n") + "\n") }

// shortMismatch is the maximum width of a mismatch in brief.
const shortMismatch = 60

// brief describes all mismatches in a few words, or returns "" if one of them needs more room. A
// failure without mismatches is described by its note.
func brief(v suites.Verdict) string {
	if len(v.Mismatches) == 0 {
		return v.Note
	}
	parts := make([]string, len(v.Mismatches))
	for i, m := range v.Mismatches {
		if needsRoom(m) {
			return ""
		}
		parts[i] = where(v, m) + reason(m)
	}
	return strings.Join(parts, "; ")
}

// reason describes a mismatch. If a hook gave no result at all, the reason is the actual value.
func reason(m suites.Mismatch) string {
	switch m.Kind {
	case suites.InStart, suites.InGate, suites.InCheck, suites.InTime, suites.InMemory:
		return m.Got
	}
	return m.String()
}

func needsRoom(m suites.Mismatch) bool {
	s := reason(m)
	return len(s) > 4*shortMismatch || severalLines(s) || printable.Width(printable.Text(s)) > shortMismatch
}

func severalLines(s string) bool { return strings.Contains(strings.TrimSuffix(s, "\n"), "\n") }

// where returns the step of a mismatch if a later step than the first has a mismatch.
func where(v suites.Verdict, m suites.Mismatch) string {
	for _, o := range v.Mismatches {
		if o.Step > 0 {
			return step(m)
		}
	}
	return ""
}

func step(m suites.Mismatch) string { return fmt.Sprintf("step %d: ", m.Step+1) }

// gotText returns the actual text of a mismatch as the hook wrote it: unquoted, and complete from
// the record if the mismatch only has its beginning.
func gotText(m suites.Mismatch, r suites.Record) string {
	quoted, err := strconv.QuotedPrefix(m.Got)
	if err != nil {
		return m.Got
	}
	text, err := strconv.Unquote(quoted)
	rest := m.Got[len(quoted):]
	switch {
	case err != nil || rest != "" && !strings.HasPrefix(rest, "..."):
		return m.Got
	case rest == "":
		return text
	}
	for _, whole := range []string{r.ActualOutput, r.ActualStderr} {
		if strings.HasPrefix(whole, text) {
			return whole
		}
	}
	return text + "\n" + rest
}

// wantText returns the expected text of a mismatch, unquoted if that gives several lines.
func wantText(m suites.Mismatch) string {
	if text, err := strconv.Unquote(m.Want); err == nil && severalLines(text) {
		return text
	}
	return m.Want
}

// shownChanges is the maximum number of a failing case's changes shown.
const shownChanges = 6

// changes lists the changes that a failing case made to files.
func (h *human) changes(all []suites.Change, indent string) []line {
	var lines []line
	for i, c := range all {
		if i == shownChanges && len(all) > shownChanges+1 {
			return append(lines, line{{dim, fmt.Sprintf("%sand %d more files", indent, len(all)-i)}})
		}
		text := string(c.Kind) + " " + c.Path
		if c.Kind != suites.Deleted {
			text += " (" + bytesText(c.Size) + ")"
		}
		lines = append(lines, h.block(line{{plain, indent}}, dim, text)...)
	}
	return lines
}

func bytesText(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%d B", n)
	case n < 10_000_000:
		return fmt.Sprintf("%d KB", n/1000)
	default:
		return fmt.Sprintf("%d MB", n/1_000_000)
	}
}
