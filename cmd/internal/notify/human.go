package notify

import (
	"io"
	"time"

	"hookwatch/suites"
)

// HumanOptions say what the writer of a human view is connected to and what the
// person wants to see.
type HumanOptions struct {
	Color   bool
	TTY     bool       // a terminal: one line is rewritten in place, long lines are cut
	Width   func() int // columns of the terminal, asked anew for every line; nil means 80
	Verbose bool       // show every case, not only those that need attention
	Watch   bool       // the session goes on after a run
	// Place tells a person where a case stands; nil means its position.
	Place func(at string, k suites.Key) string
	Now   func() time.Time // nil means time.Now; its location is the one that times are shown in
}

// NewHuman returns a view for people. On a terminal it keeps a status line at
// the bottom, and in a watching session ends its lines with CR LF, so that they
// stand right in a terminal whose keys are read raw. Elsewhere it writes plain
// lines without any control character. Close removes the status line and tells
// the first error that writing met; it does not close out.
func NewHuman(out io.Writer, o HumanOptions) View {
	if o.Now == nil {
		o.Now = time.Now
	}
	eol := "\n"
	if o.TTY && o.Watch {
		eol = "\r\n"
	}
	return &human{
		screen: &screen{out: out, color: o.Color, tty: o.TTY, eol: eol, cols: o.Width, now: o.Now},
		o:      o,
	}
}

type human struct {
	*screen
	o HumanOptions

	state    suites.State    // the present one
	running  bool            // a run is under way
	told     bool            // why the next run takes place was already said
	troubled bool            // the last problems shown are not mended yet
	failed   int             // so far, in this run
	said     bool            // this run has printed something
	causes   causes          // of this run's failures
	more     [2][]suites.Key // failures and resolved cases that only their IDs stand for
	shown    [2]int          // those that had lines of their own
}

func (h *human) Handle(e Event) {
	switch e := e.(type) {
	case Started:
		h.started(e)
	case Problems:
		h.problems(e)
	case Warning:
		h.print(h.block(line{{yellow, "warning: "}}, plain, e.Text)...)
	case Help:
		h.print(text(HelpText()))
	case Changed:
		h.changed(e)
	case RunStarted:
		h.runStarted(e)
	case CaseDone:
		h.caseDone(e)
	case RunDone:
		h.runDone(e)
	case Transitions: // every case has told its own
	}
}

func (h *human) Close() error {
	h.setLive(nil, true)
	return h.err
}

// idle makes the live line say how things stand and what a person can do.
func (h *human) idle() {
	if !h.o.Watch {
		h.setLive(nil, true)
		return
	}
	h.setLive(standing(h.state).with(piece{dim, "   " + HelpText()}), true)
}

// stamp begins a block of a watching session.
func (h *human) stamp(t time.Time) line {
	return line{{dim, clock(t, h.o.Now())}, {plain, "  "}}
}

// statusStyle is the colour of each kind of verdict.
var statusStyle = map[suites.Status]style{
	suites.Pass: green, suites.Fail: red, suites.Skip: yellow,
	suites.Unproven: yellow, suites.Aborted: red,
}
