package notify

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/printable"
	"hookwatch/suites/verdict"
)

// handleKey carries out requests that the user made with keys.
func (h *human) handleKey(e session.Event) {
	switch e := e.(type) {
	case session.Help:
		lines := []line{{{bold, "keys"}}}
		for _, k := range session.Keys() {
			lines = append(lines, h.block(line{{plain, fmt.Sprintf("  %-7s", k.Key)}}, plain, k.Does)...)
		}
		lines = append(lines, h.block(nil, dim, "A save runs every case that it affects. The filter only limits which of them are shown; counts include all.")...)
		h.print(append(lines, nil)...)
	case session.Typing:
		h.asked.typing = &e
		h.status(nil, true)
	case session.Untyped:
		h.asked.typing = nil
		h.idle()
	case session.Filtered:
		h.showFilter(e.Filter)
	case session.OnlyFailures:
		h.asked.only = !h.asked.only
		h.answer(h.asked.only, "only failures are shown from now on (o: all cases)", "all cases are shown again (o: only failures)")
	case session.Whole:
		h.asked.whole = !h.asked.whole
		h.answer(h.asked.whole, "whole output from now on (v: its first and last lines)", "the first and last lines of output from now on (v: all)")
		if d, ok := h.failing[h.asked.at]; ok {
			h.print(h.failure(d, nil)...)
		}
	case session.ShowFailure:
		h.look(e)
	case session.Clear:
		h.clear()
	case session.Edit:
		h.edit(e)
	case session.Suspended:
		h.lend()
	case session.Resumed:
		h.take()
	}
}

func (h *human) answer(on bool, yes, no string) {
	if !on {
		yes = no
	}
	h.print(h.block(nil, dim, yes)...)
	if !h.running {
		h.idle()
	}
}

func (h *human) showFilter(f session.CaseFilter) {
	h.asked.typing = nil
	if f != h.asked.filter {
		h.asked.filter = f
		text := "the filter is removed"
		if f != (session.CaseFilter{}) {
			text = fmt.Sprintf("only cases with %q in their %s are shown (Esc: all)", f.Pattern, f.By)
		}
		h.print(h.block(nil, dim, text)...)
	}
	if !h.running {
		h.idle()
	}
}

// look shows another of the present failures.
func (h *human) look(e session.ShowFailure) {
	keys := slices.DeleteFunc(slices.Clone(e.Failed), func(k suites.Key) bool {
		d, ok := h.failing[k]
		return ok && !h.asked.lets(d)
	})
	if len(keys) == 0 {
		h.print(line{{dim, "no case fails"}})
		return
	}
	i := slices.Index(keys, h.asked.at)
	switch {
	case i < 0 && e.By > 0:
		i = 0
	case i < 0:
		i = len(keys) - 1
	default:
		i = (i + e.By + len(keys)) % len(keys)
	}
	k := keys[i]
	h.asked.at = k
	head := text(fmt.Sprintf("failure %d of %d", i+1, len(keys)))
	if d, ok := h.failing[k]; ok {
		h.print(append([]line{head}, h.failure(d, nil)...)...)
		return
	}
	lines := h.block(head.with(piece{plain, "  "}), plain, k.String()+" failed before this session; f runs it again")
	if h.o.Show != nil {
		lines = append(lines, line{{plain, "     "}, {whole, h.o.Show(k)}})
	}
	h.print(lines...)
}

// clear clears the screen, but not the scrollback.
func (h *human) clear() {
	if h.tty {
		h.write("\x1b[H\x1b[2J")
		h.forget()
		h.screen.shown = false
		h.setLive(h.live, true)
	}
}

// edit returns the place of the failure shown last, and lends the terminal.
func (h *human) edit(e session.Edit) {
	d, ok := h.failing[h.asked.at]
	switch {
	case !ok:
		h.print(h.block(nil, dim, "no failure was shown that could be opened (n shows one)")...)
		return
	case e.Case && h.o.Place != nil && h.o.Place(d.At, d.Record.Key()) != d.At:
		h.print(h.block(nil, dim, session.Label(d.Record)+" is built in: "+h.o.Place(d.At, d.Record.Key()))...)
		return
	case !e.Case && d.Script == "":
		h.print(h.block(nil, dim, "the hook is in the settings alone (E opens the case)")...)
		return
	case e.Case:
		*e.At = session.Place{File: filepath.Join(h.root, d.Defined.File), Line: d.Defined.Line}
	default:
		*e.At = session.Place{File: filepath.Join(h.root, filepath.FromSlash(d.Script)), Line: verdict.LineIn(d.Script, d.Record.ActualStderr)}
	}
	h.lend()
}

// asked holds the preferences that the user has set with keys.
type asked struct {
	filter session.CaseFilter
	typing *session.Typing // being typed
	only   bool            // show only failures
	whole  bool            // with all of their output
	at     suites.Key      // of the failure shown last
	hidden int             // failures of this run hidden by the filter
}

// lets reports whether a case is shown.
func (a asked) lets(e session.CaseDone) bool {
	return a.filter == session.CaseFilter{} || a.filter.Lets(e.Record.Key(), e.Record.TestName, e.Record.Hook, e.At)
}

// typingLine returns the line on which a filter is typed.
func (h *human) typingLine() line {
	t := h.asked.typing
	return line{{bold, "filter by " + string(t.By) + ": " + t.Pattern + "_"},
		{dim, "   " + session.Count(t.Cases, "case") + "   Enter runs them, Esc leaves"}}
}

// hints returns as many keys as fit.
func (h *human) hints(columns int) string {
	var b strings.Builder
	for _, k := range session.Keys() {
		hint := "  " + k.Key + " " + k.Short
		if k.Short == "" || b.Len()+len(hint) > columns {
			continue
		}
		b.WriteString(hint)
	}
	return b.String()
}

// sharedNote is the maximum number of cases with the same note that have separate lines, except those
// that prove nothing.
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
			byNote[sharedText(r)] = append(byNote[sharedText(r)], r)
		}
	}
	var lines []line
	for _, r := range records {
		text := sharedText(r)
		same := byNote[text]
		if r.Status() != status || same == nil {
			continue
		}
		if len(same) <= sharedNote && status != suites.Unproven {
			lines = append(lines, h.statusLines(status, session.Label(r), r.Note)...)
			continue
		}
		lines = append(lines, h.group(status, same, text)...)
		delete(byNote, text)
	}
	return lines
}

// notCaught is said once of all cases whose controls fail, because each control has its own lines.
const notCaught = "their controls fail, so that they prove nothing"

// sharedText returns the note that a case may share with others.
func sharedText(r suites.Record) string {
	if r.Status() == suites.Unproven && strings.HasPrefix(r.Status().Detail(r.Note), "control ") {
		return notCaught
	}
	return r.Note
}

// group returns the note that several cases share, and their IDs.
func (h *human) group(status suites.Status, same []suites.Record, text string) []line {
	keys := make([]suites.Key, len(same))
	for i, r := range same {
		keys[i] = r.Key()
		if r.ID == "" {
			keys[i].ID = r.TestName
		}
	}
	if len(same) == 1 {
		return h.statusLines(status, session.Label(same[0]), same[0].Note)
	}
	lines := h.statusLines(status, session.Count(len(same), "case"), text)
	return append(lines, h.idLines(h.margin().with(piece{plain, "     "}), keys)...)
}

func (h *human) statusLines(status suites.Status, what, note string) []line {
	head := h.margin().with(
		piece{statusStyle[status], strings.ToUpper(string(status))},
		piece{plain, fmt.Sprintf(" %s   ", what)})
	return h.block(head, plain, bareNote(status, note))
}

// bareNote returns a note without the parts that its line already shows, and without the stand-ins,
// which the end of every run lists for all its cases.
func bareNote(s suites.Status, note string) string {
	parts := strings.Split(s.Detail(note), "; ")
	parts = slices.DeleteFunc(parts, func(p string) bool { return strings.HasPrefix(p, "stand-in: ") })
	return strings.Join(parts, "; ")
}

// inputLines returns the place of a case, and its input.
func (h *human) inputLines(e session.CaseDone, indent string) []line {
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

// outputLines returns the output of the hook in the step shown, except output that was already shown.
func (h *human) outputLines(e session.CaseDone, indent string) []line {
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

// hasMismatch reports whether a mismatch is about the stream.
func hasMismatch(e session.CaseDone, stream string) bool {
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
