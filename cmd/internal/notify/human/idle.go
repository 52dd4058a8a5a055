package human

import (
	"fmt"

	"hookwatch/cmd/internal/notify"
)

// idle makes the live line say what hookwatch is about, how things stand and what
// a person can do.
func (h *human) idle() {
	h.setLive(h.idleLine(), true)
}

func (h *human) idleLine() line {
	if !h.o.Watch {
		return nil
	}
	l := line(nil)
	if h.rested {
		l = line{{dim, "watching  "}}
	}
	return l.with(standing(h.state)...).with(piece{dim, "   " + notify.HelpText()})
}

// saved ends the rest. What is to be said of the save is drawn when it is known:
// its tests are what a person waits for.
func (h *human) saved() {
	h.rested, h.tracing = false, tracing{}
	if !h.running {
		h.live = h.idleLine()
	}
}

// traced makes the live line say how far they are.
func (h *human) traced(e notify.Tracing) {
	now := h.o.Now()
	if h.tracing.since.IsZero() {
		h.tracing = tracing{since: now, first: e.Done}
	}
	l := text(fmt.Sprintf("tracing %d of %d", e.Done+1, e.Of))
	l = l.with(remaining(now.Sub(h.tracing.since), e.Done-h.tracing.first, e.Of-e.Done)...)
	h.setLive(l.with(piece{dim, ": what each case executes"}), false)
}
