package notify

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/printable"
)

// sharedNote is the maximum number of cases with the same note that have separate lines.
const sharedNote = 3

// lists returns the reasons of all cases that did not run or that prove nothing. A watching
// session omits skipped cases, because they are the same after every save.
func (h *human) lists(records []suites.Record) []line {
	if h.o.Verbose { // every case has had its line
		return nil
	}
	kinds := []suites.Status{suites.Aborted, suites.Unproven}
	if !h.o.Watch {
		kinds = append(kinds, suites.Skip)
	}
	var lines []line
	for _, k := range kinds {
		lines = append(lines, h.list(records, k)...)
	}
	return lines
}

// list returns one line for each case of a status, or for each note shared by more than
// sharedNote of them.
func (h *human) list(records []suites.Record, status suites.Status) []line {
	byNote := map[string][]suites.Record{}
	for _, r := range records {
		if r.Status() == status {
			byNote[r.Note] = append(byNote[r.Note], r)
		}
	}
	var lines []line
	for _, r := range records {
		same := byNote[r.Note]
		if r.Status() != status || same == nil {
			continue
		}
		if len(same) <= sharedNote {
			lines = append(lines, h.noted(status, session.Label(r), r.Note)...)
			continue
		}
		lines = append(lines, h.group(status, same)...)
		delete(byNote, r.Note)
	}
	return lines
}

// group returns the note that several cases share, and their IDs.
func (h *human) group(status suites.Status, same []suites.Record) []line {
	keys := make([]suites.Key, len(same))
	for i, r := range same {
		keys[i] = r.Key()
		if r.ID == "" {
			keys[i].ID = r.TestName
		}
	}
	lines := h.noted(status, session.Count(len(same), "case"), same[0].Note)
	return append(lines, h.idLines(h.margin().with(piece{plain, "     "}), keys)...)
}

func (h *human) noted(status suites.Status, what, note string) []line {
	head := h.margin().with(
		piece{statusStyle[status], strings.ToUpper(string(status))},
		piece{plain, fmt.Sprintf(" %s   ", what)})
	return h.block(head, plain, bareNote(status, note))
}

// bareNote returns a note without the parts that its line already shows.
func bareNote(s suites.Status, note string) string { return withoutStandIns(s.Detail(note)) }

// withoutStandIns removes the stand-ins, because the end of every run lists them for all its
// cases.
func withoutStandIns(note string) string {
	parts := strings.Split(note, "; ")
	parts = slices.DeleteFunc(parts, func(p string) bool { return strings.HasPrefix(p, "stand-in: ") })
	return strings.Join(parts, "; ")
}

func millis(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }

// fired returns the place of a case, and its input.
func (h *human) fired(e session.CaseDone, indent string) []line {
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

// printed returns the output of the hook in the step shown, except output that was already shown.
func (h *human) printed(e session.CaseDone, indent string) []line {
	var lines []line
	for _, stream := range []struct{ name, text string }{{"stderr", e.Record.ActualStderr}, {"stdout", e.Record.ActualOutput}} {
		if strings.TrimSpace(stream.text) == "" || alreadyShown(e, stream.name, stream.text) {
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

// against reports whether a mismatch is about the stream.
func against(e session.CaseDone, stream string) bool {
	return slices.ContainsFunc(e.Verdict.Mismatches, func(m suites.Mismatch) bool { return string(m.Kind) == stream })
}

// alreadyShown reports whether a mismatch already shows the stream, or the note contains it.
func alreadyShown(e session.CaseDone, stream, text string) bool {
	for _, m := range e.Verdict.Mismatches {
		if string(m.Kind) == stream || stream == "stdout" && (m.Kind == suites.InJQ || m.Kind == suites.InDecision) && needsRoom(m) {
			return true
		}
	}
	return strings.Contains(e.Verdict.Note, strings.TrimSpace(text))
}
