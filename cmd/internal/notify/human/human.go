// Package human shows a session to people.
package human

import (
	"io"
	"strings"
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

// Options say what the writer of a human view is connected to and what the
// person wants to see.
type Options struct {
	Color   bool
	TTY     bool       // a terminal: one line is rewritten in place, long lines are cut
	Width   func() int // columns of the terminal, asked anew for every line; nil means 80
	Verbose bool       // show every case, not only those that need attention
	Watch   bool       // the session goes on after a run
	// Place tells a person where a case stands; nil means its position.
	Place func(at string, k suites.Key) string
	Show  func(k suites.Key) string // the command that shows a case
	ASCII bool                      // the terminal shows no other letters
	Now   func() time.Time          // nil means time.Now; its location is the one that times are shown in
}

type human struct {
	*screen
	o Options

	state      suites.State                   // the present one
	running    bool                           // a run is under way
	begun      time.Time                      // when it began
	rested     bool                           // nothing is left to be done until something is saved
	tracing    tracing                        // under way, while nothing else is
	save       save                           // the last one whose block was printed
	told       bool                           // why the next run takes place was already said
	troubled   bool                           // the last problems shown are not mended yet
	unreadable []suites.Problem               // those
	failed     int                            // so far, in this run
	said       bool                           // this run has printed something
	causes     causes                         // of this run's failures
	asked      asked                          // by keys
	root       string                         // of the project
	failing    map[suites.Key]notify.CaseDone // what is told of failures that still are
	more       [2][]suites.Key                // failures and resolved cases that only their IDs stand for
	shown      [2]int                         // those that had lines of their own
	recent     *recent                        // shown again when the terminal's size changes
}

// all reports whether output is shown whole.
func (h *human) all() bool { return h.o.Verbose || h.asked.whole }

// near is output with the paths of the project as they are told elsewhere: from its
// root. Shown whole it is as it was written.
func (h *human) near(text string) string {
	if h.root == "" || h.all() {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "file://"+h.root+"/", ""), h.root+"/", "")
}

// margin sets a run off from what it was about.
func (h *human) margin() line {
	if h.o.Watch {
		return text("  ")
	}
	return nil
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
