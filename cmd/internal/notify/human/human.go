// Package human shows a session to people.
package human

import (
	"io"
	"time"

	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
)

// New returns a view for people. On a terminal it keeps a status line at
// the bottom, and in a watching session ends its lines with CR LF, so that they
// stand right in a terminal whose keys are read raw. Elsewhere it writes plain
// lines without any control character. Close removes the status line and tells
// the first error that writing met; it does not close out.
func New(out io.Writer, o Options) notify.View {
	if o.Now == nil {
		o.Now = time.Now
	}
	eol := "\n"
	if o.TTY && o.Watch {
		eol = "\r\n"
	}
	return &human{
		screen:  &screen{out: out, color: o.Color, tty: o.TTY, eol: eol, cols: o.Width, now: o.Now, ascii: o.ASCII},
		o:       o,
		failing: map[suites.Key]notify.CaseDone{},
	}
}

func (h *human) Handle(e notify.Event) {
	h.keep(e)
	h.show(e)
}

func (h *human) show(e notify.Event) {
	switch e := e.(type) {
	case notify.Resized:
		h.reflow()
	case notify.Started:
		h.started(e)
	case notify.Problems:
		h.problems(e)
	case notify.Warning:
		h.print(h.block(line{{yellow, "warning: "}}, plain, e.Text)...)
	case notify.Changed:
		h.superseded(e.Selected)
		h.changed(e)
	case notify.RunStarted:
		h.runStarted(e)
	case notify.CaseDone:
		h.caseDone(e)
	case notify.RunDone:
		h.runDone(e)
	case notify.Saved:
		h.saved()
	case notify.Tracing:
		h.traced(e)
	case notify.Rested:
		h.rested, h.tracing = true, tracing{}
		h.forget()
		h.idle()
	case notify.Transitions:
		h.gone(e)
	default:
		h.keyed(e)
	}
}

func (h *human) Close() error {
	h.setLive(nil, true)
	return h.err
}
