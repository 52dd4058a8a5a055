package human

import (
	"maps"

	"hookwatch/cmd/internal/notify"
)

// shownEvents bounds the events of a block that are kept to be shown again.
const shownEvents = 500

// Recent is what was printed last that belongs together: a save or a run, and all
// that followed. It is kept as events, since printed rows are laid out for one width.
type recent struct {
	before human // the view before the first of the events
	events []notify.Event
}

// keep notes an event that may print something. A save, a list of problems, and a run
// without a save before it each begin a block.
func (h *human) keep(e notify.Event) {
	if !h.tty || !h.o.Watch {
		return
	}
	begins := false
	switch e := e.(type) {
	case notify.Started, notify.Problems:
		begins = true
	case notify.Changed:
		begins = !h.continues(e)
	case notify.RunStarted:
		begins = !h.told
	case notify.Warning, notify.CaseDone, notify.RunDone, notify.Transitions, notify.Help, notify.Look:
	default:
		return
	}
	if begins || h.recent == nil || len(h.recent.events) == shownEvents {
		h.recent = &recent{before: *h}
		h.recent.before.recent, h.recent.before.failing = nil, maps.Clone(h.failing)
	}
	h.recent.events = append(h.recent.events, e)
}

// reflow empties the screen and shows the last block again, laid out for the
// terminal's present width. What scrolled away stays as it is.
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
