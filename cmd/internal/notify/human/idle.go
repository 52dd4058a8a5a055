package human

import (
	"fmt"

	"hookwatch/cmd/internal/notify"
)

// idle makes the live line say what hookwatch is about, how things stand and what
// a person can do.
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
	if f := h.asked.filter; f != (notify.Filter{}) {
		l = l.with(piece{yellow, fmt.Sprintf("  %s: %s", f.By, f.Pattern)})
	}
	if h.asked.only {
		l = l.with(piece{yellow, "  only failures"})
	}
	return l.with(piece{dim, " " + h.hints(h.width()-l.columns()-2)})
}

// status changes the last line, unless a person is typing there.
func (h *human) status(l line, steady bool) {
	if h.asked.typing != nil {
		l, steady = h.typed(), true
	}
	h.setLive(l, steady)
}

// saved ends the rest. What is to be said of the save is drawn when it is known:
// its tests are what a person waits for.
func (h *human) saved() {
	h.rested, h.tracing = false, tracing{}
	if !h.running && h.asked.typing == nil {
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
	h.status(l.with(piece{dim, ": what each case executes"}), false)
}
