package human

import (
	"slices"
	"strings"

	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
	"hookwatch/suites/printable"
)

// fired tells where a case stands, and what it fired.
func (h *human) fired(e notify.CaseDone, indent string) []line {
	what := strings.TrimSpace(e.Record.InputSummary)
	at := e.At
	if h.o.Place != nil {
		at = h.o.Place(at, e.Record.Key())
	}
	if at != "" && what != "" {
		what = ": " + what
	}
	if what = at + what; what == "" {
		return nil
	}
	return []line{{{plain, indent}, {dim, "case  " + printable.Cut(what, h.room(indent+"case  "))}}}
}

// printed shows what the hook wrote in the step that is told, but for what was said
// of it already.
func (h *human) printed(e notify.CaseDone, indent string) []line {
	var lines []line
	for _, stream := range []struct{ name, text string }{{"stderr", e.Record.ActualStderr}, {"stdout", e.Record.ActualOutput}} {
		if strings.TrimSpace(stream.text) == "" || told(e, stream.name, stream.text) {
			continue
		}
		label := stream.name + "  "
		for _, l := range excerpt(h.near(stream.text), h.room(indent+label), h.all()) {
			lines = append(lines, line{{dim, indent + label}, {plain, l}})
			label = strings.Repeat(" ", len(label))
		}
	}
	return lines
}

// against reports whether a mismatch is one of the stream.
func against(e notify.CaseDone, stream string) bool {
	return slices.ContainsFunc(e.Verdict.Mismatches, func(m suites.Mismatch) bool { return m.Field == stream })
}

// told reports whether a mismatch shows the stream, or the note ends with all of it.
func told(e notify.CaseDone, stream, text string) bool {
	for _, m := range e.Verdict.Mismatches {
		if m.Field == stream || stream == "stdout" && (m.Field == "jq" || m.Field == "decision") && needsRoom(m) {
			return true
		}
	}
	return strings.Contains(e.Verdict.Note, strings.TrimSpace(text))
}
