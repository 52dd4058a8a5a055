package notify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/printable"
)

func (h *human) runStarted(e session.RunStarted) {
	h.print(h.others()...) // of a superseded run
	h.running, h.rested, h.failed, h.hasOutput = true, false, 0, false
	h.runStart, h.tracing = h.o.Now(), tracing{}
	h.shown = 0
	if h.o.Watch && !h.explained && !h.asked.only {
		what := "running all " + session.Count(e.Cases, "case")
		if !e.Full {
			what = fmt.Sprintf("running %d of %d", e.Cases, e.Total)
		}
		h.print(h.stamp(e.At.Time).with(piece{plain, what}))
	}
	h.explained = false
	h.progress(session.CaseDone{Of: e.Cases}, true)
}

// progress shows the progress of the run on the live line.
func (h *human) progress(e session.CaseDone, force bool) { h.status(h.underway(e.Done, e.Of), force) }

// underway returns how far the run is, and what failed.
func (h *human) underway(done, of int) line {
	l := text(fmt.Sprintf("running %d of %d", done, of))
	l = l.with(remaining(h.o.Now().Sub(h.runStart), done, of-done)...)
	if h.failed > 0 {
		l = l.with(piece{red, fmt.Sprintf("  %d failed", h.failed)})
	}
	if c := h.causes.headline(); c != "" {
		l = l.with(piece{red, "  " + printable.Field(c)})
	}
	return l
}

func (h *human) caseDone(e session.CaseDone) {
	var lines []line
	delete(h.failing, e.Record.Key())
	h.resolved = slices.DeleteFunc(h.resolved, func(o session.CaseDone) bool { return o.Record.Key() == e.Record.Key() })
	switch status := e.Verdict.Status; {
	case status == suites.Fail:
		h.failed++
		h.remember(e)
		if !h.asked.lets(e) {
			h.asked.hidden++
		} else if !h.joins(e) && h.hasOwnLines(e) {
			h.asked.at = e.Record.Key()
			lines = h.failure(e, nil)
		}
	case h.asked.only, !h.asked.lets(e):
	case h.o.Verbose:
		lines = h.caseLine(e)
	case e.Transition == session.Resolved && status == suites.Pass:
		h.resolved = append(h.resolved, e)
	}
	if lines != nil {
		h.hasOutput = true
		h.print(lines...)
	}
	h.progress(e, e.Done == e.Of)
}

// longCase is how long a case runs before the live line names it.
const longCase = 3 * time.Second

// held is how long failures are held back so that those with one cause are shown as one. The live line
// has the first cause at once.
const held = 3 * time.Second

// stillRunning shows the failures of a run that takes long, and what it waits for.
func (h *human) stillRunning(e session.Running) {
	if h.o.Now().Sub(h.runStart) < held {
		return
	}
	if lines := h.early(); lines != nil {
		h.hasOutput = true
		h.print(lines...)
	}
	if len(e.Cases) > 0 && e.Cases[0].For >= longCase {
		h.status(h.underway(e.Done, e.Of).with(piece{dim, fmt.Sprintf("  %s running for %s", printable.Name(e.Cases[0].ID), e.Cases[0].For.Round(time.Second))}), true)
	}
}

// Limits of the failures kept to be shown again: their number, and the bytes of each output.
const (
	rememberedCases  = 200
	rememberedOutput = 32 << 10
)

func (h *human) remember(e session.CaseDone) {
	if !h.o.Watch || len(h.failing) == rememberedCases {
		return
	}
	r := &e.Record
	r.ActualOutput = strings.Clone(r.ActualOutput[:min(len(r.ActualOutput), rememberedOutput)])
	r.ActualStderr = strings.Clone(r.ActualStderr[:min(len(r.ActualStderr), rememberedOutput)])
	h.failing[e.Record.Key()] = e
}

// A watching session shows the first wholeCases failures in full and the others by ID, because a
// hook that is broken in the middle of an edit fails all of its cases. The same applies to resolved
// cases.
const wholeCases = 5

// hasOwnLines reports whether a failure has its own lines; otherwise it records the case for others.
func (h *human) hasOwnLines(e session.CaseDone) bool {
	if h.spare() {
		h.shown++
		return true
	}
	h.more = append(h.more, e.Record.Key())
	return false
}

// spare reports whether one more failure may have its own lines.
func (h *human) spare() bool { return !h.o.Watch || h.o.Verbose || h.shown < wholeCases }

// supersede prints the remaining failures of the run that a save ends, above the block of the
// save. It omits cases that the save selects, because their verdicts are about earlier files and
// they run again.
func (h *human) supersede(selected []suites.Selection) {
	if len(selected) == 0 {
		return // the run continues
	}
	again := make(map[suites.Key]bool, len(selected))
	for _, s := range selected {
		again[s.Key] = true
	}
	h.causes.all = slices.DeleteFunc(h.causes.all, func(s *shared) bool {
		if !s.printed && !again[s.first.Record.Key()] {
			return false
		}
		return !slices.ContainsFunc(s.more, func(m member) bool { return !again[m.key] })
	})
	h.more = slices.DeleteFunc(h.more, func(k suites.Key) bool { return again[k] })
	h.resolved = slices.DeleteFunc(h.resolved, func(e session.CaseDone) bool { return again[e.Record.Key()] })
	h.print(h.others()...)
}

// others returns the cases without their own lines, once.
func (h *human) others() []line {
	lines := h.causeLines()
	if len(h.more) > 0 {
		lines = append(lines, h.idLines(h.margin().with(piece{red, "FAIL "}, piece{plain, fmt.Sprintf("%d more: ", len(h.more))}), h.more)...)
	}
	if n := h.asked.hidden; n > 0 {
		lines = append(lines, h.margin().with(piece{red, "FAIL "}, piece{plain, fmt.Sprintf("%d more, which the filter keeps back (Esc: all)", n)}))
	}
	h.more, h.asked.hidden = nil, 0
	return append(lines, h.resolvedLines()...)
}

// resolvedLines returns the resolved cases in the order of the project's cases, once.
func (h *human) resolvedLines() (lines []line) {
	slices.SortFunc(h.resolved, func(a, b session.CaseDone) int { return cmp.Compare(a.Order, b.Order) })
	var more []suites.Key
	for i, e := range h.resolved {
		if i < wholeCases || !h.o.Watch {
			lines = append(lines, h.caseLine(e)...)
		} else {
			more = append(more, e.Record.Key())
		}
	}
	h.resolved = nil
	if len(more) > 0 {
		lines = append(lines, h.idLines(h.margin().with(piece{green, "PASS "}, piece{plain, fmt.Sprintf("%d more resolved: ", len(more))}), more)...)
	}
	return lines
}

// caseLine returns the line of a case that did not fail.
func (h *human) caseLine(e session.CaseDone) []line {
	status := e.Verdict.Status
	left := h.margin().with(
		piece{statusStyle[status], strings.ToUpper(string(status))},
		piece{plain, " " + session.Label(e.Record)})
	if h.o.Verbose {
		left = left.with(piece{dim, "   " + span(time.Duration(e.Record.DurationMS)*time.Millisecond)})
	}
	if note := bareNote(e.Verdict.Status, e.Verdict.Note); note != "" {
		return h.block(left.with(piece{plain, "   "}), plain, note)
	}
	return h.spread(left, h.transition(e), h.margin().columns()+5)
}

func (h *human) runDone(e session.RunDone) {
	h.setLive(nil, true)
	h.running, h.state = false, e.State
	if h.asked.only && e.Tally.Failed+e.Tally.Aborted == 0 && e.Aborted == "" {
		h.resolved = nil
		h.idle()
		return
	}
	lists := append(h.others(), h.lists(e.Records)...)
	if h.hasOutput && len(lists) > 0 && !h.o.Watch {
		h.print(nil)
	}
	h.print(lists...)
	if h.o.Watch {
		h.print(append(h.watchSummary(e), nil)...)
	} else {
		if h.hasOutput || len(lists) > 0 {
			h.print(nil)
		}
		h.print(h.summary(e)...)
	}
	h.idle()
}

// summary returns the lines at the end of a run without a watching session.
func (h *human) summary(e session.RunDone) []line {
	lines := h.remarks(e)
	l := tally(e.Tally, true).with(piece{plain,
		fmt.Sprintf("  of %d in %s", e.Tally.Total(), span(e.Duration))})
	partial := share(e, "   ")
	if e.Tally.Total() == 0 && partial != nil && e.Aborted == "" {
		l = text(fmt.Sprintf("0 of %d cases selected", e.State.Total()))
	} else {
		l = l.with(partial...)
	}
	if h.o.Verbose {
		l = l.with(piece{dim, "   hooks ran for " + span(e.HookTime)})
	}
	lines = append(lines, h.fold(l)...)
	if partial != nil {
		lines = append(lines, h.fold(text("all cases  ").with(standing(e.State)...))...)
	}
	return lines
}

// share returns the number of cases in the run, unless it had all of the project's cases.
func share(e session.RunDone, gap string) []piece {
	if e.Tally.Total() == e.State.Total() {
		return nil
	}
	return []piece{{dim, fmt.Sprintf("%sselected %d of %d", gap, e.Tally.Total(), e.State.Total())}}
}

// remarks returns notes needed to interpret the counts.
func (h *human) remarks(e session.RunDone) []line {
	var lines []line
	if e.Aborted != "" {
		lines = h.block(h.margin().with(piece{red, "aborted: "}), plain, e.Aborted)
	}
	if len(e.StandIns) > 0 {
		lines = append(lines, h.block(h.margin().with(piece{yellow, "stand-ins: "}), plain, strings.Join(e.StandIns, ", "))...)
	}
	return lines
}

// watchSummary returns the lines at the end of a run in a watching session: its result, and on
// the right the current counts of the project.
func (h *human) watchSummary(e session.RunDone) []line {
	parts := []string{}
	add := func(n int, word string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, word))
		}
	}
	add(e.Tally.Failed, "failed")
	add(e.Tally.Aborted, "aborted")
	add(e.Tally.Passed, "passed")
	add(e.Tally.Skipped, "skipped")
	add(e.Tally.Unproven, "unproven")
	st := green
	if e.Tally.Failed+e.Tally.Aborted > 0 {
		st = red
	}
	what := "nothing ran"
	if len(parts) > 0 {
		what = strings.Join(parts, ", ") + " in " + span(e.Duration)
	}
	left := h.margin().with(piece{st, what}).with(share(e, "  ")...)
	lines := h.remarks(e)
	for _, l := range h.spread(left, standing(e.State), 2) {
		lines = append(lines, h.fold(l)...)
	}
	return lines
}

// tracing is the progress of traced runs.
type tracing struct {
	since time.Time
	first int // number done at that time
}

// long is the duration after which an estimate of the remaining time is shown.
const long = 2 * time.Second

// remaining returns an estimate of the time until all is done, based on the completed part.
func remaining(took time.Duration, done, more int) line {
	if took < long || done == 0 || more == 0 {
		return nil
	}
	return line{{dim, "  about " + span(took/time.Duration(done)*time.Duration(more)) + " left"}}
}

// standing formats the counts of all cases.
func standing(s suites.State) line {
	l := tally(s.Tally, false)
	if s.NotRun > 0 {
		l = l.with(piece{dim, fmt.Sprintf("  NOT RUN %d", s.NotRun)})
	}
	return l
}

// tally formats the counts. With zeros it includes all statuses except aborted even if they are
// 0, so that the sum can be checked.
func tally(t suites.Tally, zeros bool) line {
	l := line{{green, fmt.Sprintf("PASS %d", t.Passed)}}
	add := func(n int, zeros bool, s suites.Status) {
		if n == 0 && !zeros {
			return
		}
		st := statusStyle[s]
		if n == 0 {
			st = plain
		}
		l = l.with(piece{st, fmt.Sprintf("  %s %d", strings.ToUpper(string(s)), n)})
	}
	add(t.Failed, zeros, suites.Fail)
	add(t.Skipped, zeros, suites.Skip)
	add(t.Unproven, zeros, suites.Unproven)
	add(t.Aborted, false, suites.Aborted)
	return l
}

// showProof prints a text about a guard: what it is about, and then the details.
func (h *human) showProof(e session.Proved) {
	first, rest, _ := strings.Cut(strings.TrimRight(e.Text, "\n"), "\n")
	head := h.margin()
	switch e.Transition {
	case session.Regression:
		head = head.with(piece{red, "regression "})
	case session.Resolved:
		head = head.with(piece{green, "resolved "})
	}
	lines := h.block(head, plain, first)
	for text := range strings.SplitSeq(rest, "\n") {
		if text != "" {
			lines = append(lines, h.block(line{{plain, "     "}}, dim, text)...)
		}
	}
	h.print(lines...)
	if !h.running {
		h.idle()
	}
}

// transition describes the difference from the previous verdict.
func (h *human) transition(e session.CaseDone) line {
	at := ""
	if !e.Since.IsZero() {
		at = moment(e.Since.Time, h.o.Now())
	}
	switch e.Transition {
	case session.Regression:
		return line{{red, strings.TrimSuffix("regression, passed at "+at, ", passed at ")}}
	case session.Resolved:
		return line{{green, strings.TrimSuffix("resolved, failed at "+at, ", failed at ")}}
	case session.Edited:
		return line{{dim, "the case itself changed"}}
	case session.Explained:
		return line{{dim, "explained: " + strings.Join(e.Tools, ", ") + " changed"}}
	case session.First:
		if !h.o.Watch { // all are
			return nil
		}
		return line{{dim, "new"}}
	case session.Same:
	}
	if e.Verdict.Status == suites.Fail {
		return line{{dim, "failed before"}}
	}
	return nil
}

// caseNames returns the IDs of cases, with the suite if several of them share an ID.
func caseNames(keys []suites.Key) []string {
	suite := map[string]string{}
	shared := map[string]bool{}
	for _, k := range keys {
		if s, ok := suite[k.ID]; ok && s != k.Suite {
			shared[k.ID] = true
		}
		suite[k.ID] = k.Suite
	}
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.ID
		if shared[k.ID] {
			names[i] = k.String()
		}
	}
	return names
}
