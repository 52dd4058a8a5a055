package human

import (
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"hookwatch/cmd/internal/notify"
	"hookwatch/suites/printable"
)

// failure is all that is said of a case that failed: what was expected against
// what was got, what the hook printed, what the client would do, what was fired and
// where that stands, and how to run it again.
func (h *human) failure(e notify.CaseDone) []line {
	head := h.margin().with(piece{red, "FAIL "}, piece{bold, notify.Label(e.Record)})
	indent := strings.Repeat(" ", h.margin().columns()+5)
	right := h.transition(e)
	if !h.o.Watch && e.Transition == notify.New {
		right = nil
	}
	var lines []line
	if brief := head.with(piece{plain, "   " + brief(e.Verdict)}); h.fits(brief, right) {
		lines = h.spread(brief, right, len(indent))
	} else {
		lines = h.spread(head, right, len(indent))
		lines = append(lines, h.details(e, indent)...)
	}
	if more := remark(e.Verdict); more != "" && !(against(e, "stderr") && strings.Contains(e.Record.ActualStderr, more)) {
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

// effect makes a sentence about the client of what it would do.
func effect(words string) string {
	if strings.HasPrefix(words, "the client") {
		return words
	}
	return "the client: " + words
}

// fits tells whether a failure can be told on its first line.
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

// details gives each mismatch lines of its own.
func (h *human) details(e notify.CaseDone, indent string) []line {
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

// quote shows a text as it was, as far as there is room.
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

// difference shows two texts of several lines as the lines that differ.
func (h *human) difference(got, want, indent string) []line {
	unified := diff.Diff("want", withNewline(want), "got", withNewline(got))
	if unified == nil { // they differ in the last newline only
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
