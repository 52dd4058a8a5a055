package notify

import (
	"fmt"
	"maps"

	"hookwatch/cmd/internal/session"
)

// idle shows on the live line the activity of hookwatch, the counts and the keys.
func (h *human) idle() {
	h.status(h.idleLine(), true)
}

func (h *human) idleLine() line {
	if !h.o.Watch {
		return nil
	}
	l := line(nil)
	if h.rested {
		l = line{{dim, "watching  "}}
	}
	l = l.with(standing(h.state)...)
	if f := h.asked.filter; f != (session.CaseFilter{}) {
		l = l.with(piece{yellow, fmt.Sprintf("  %s: %s", f.By, f.Pattern)})
	}
	if h.asked.only {
		l = l.with(piece{yellow, "  only failures"})
	}
	return l.with(piece{dim, " " + h.hints(h.width()-l.columns()-2)})
}

// status changes the last line, unless the user is typing there.
func (h *human) status(l line, steady bool) {
	if h.asked.typing != nil {
		l, steady = h.typed(), true
	}
	h.setLive(l, steady)
}

// saved ends the rest. The effect of the save is drawn once it is known, because the user waits
// for its tests.
func (h *human) saved() {
	h.rested, h.tracing = false, tracing{}
	if !h.running && h.asked.typing == nil {
		h.live = h.idleLine()
	}
}

// traced shows the progress of tracing on the live line.
func (h *human) traced(e session.Tracing) {
	now := h.o.Now()
	if h.tracing.since.IsZero() {
		h.tracing = tracing{since: now, first: e.Done}
	}
	l := text(fmt.Sprintf("tracing %d of %d", e.Done+1, e.Of))
	l = l.with(remaining(now.Sub(h.tracing.since), e.Done-h.tracing.first, e.Of-e.Done)...)
	h.status(l.with(piece{dim, ": what each case executes"}), false)
}

// shownEvents is the maximum number of events of a block that are kept to be shown again.
const shownEvents = 500

// A recent is the last printed block: a save or a run, and everything after it. It is kept as
// events because printed rows are laid out for one width.
type recent struct {
	before human // the view before the first of the events
	events []session.Event
}

// keep stores an event that may print something. A save, a list of problems, and a run without a
// save before it each start a block.
func (h *human) keep(e session.Event) {
	if !h.tty || !h.o.Watch {
		return
	}
	begins := false
	switch e := e.(type) {
	case session.Started, session.Problems:
		begins = true
	case session.Changed:
		begins = !h.continues(e)
	case session.RunStarted:
		begins = !h.told
	case session.Warning, session.CaseDone, session.RunDone, session.Transitions, session.Help, session.ShowFailure:
	default:
		return
	}
	if begins || h.recent == nil || len(h.recent.events) == shownEvents {
		h.recent = &recent{before: *h}
		h.recent.before.recent, h.recent.before.failing = nil, maps.Clone(h.failing)
	}
	h.recent.events = append(h.recent.events, e)
}

// reflow clears the screen and shows the last block again, laid out for the terminal's current
// width. Lines in the scrollback are unchanged.
func (h *human) reflow() {
	if !h.tty || h.held != nil {
		return
	}
	h.clear()
	if h.recent == nil {
		return
	}
	last, asked, live := *h.recent, h.asked, h.live
	rested := h.rested
	screen := h.screen
	*h = last.before
	h.screen, h.failing, h.asked = screen, maps.Clone(last.before.failing), asked
	h.asked.hidden = last.before.asked.hidden // counted again by the events
	for _, e := range last.events {
		h.show(e)
	}
	h.recent, h.rested = &last, rested
	h.setLive(live, true)
}
