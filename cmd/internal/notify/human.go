// Package notify shows a session to users, on a terminal and as desktop notifications.
package notify

import (
	"fmt"
	"io"
	"maps"
	"strings"
	"time"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/printable"
)

// New returns a view for users. On a terminal it keeps a status line at the bottom, and in a
// watching session ends its lines with CR LF, because keys are then read in raw mode on some
// systems. Elsewhere it writes plain lines without control characters. Close removes the status
// line and returns the first write error; it does not close out.
func New(out io.Writer, o Options) session.View {
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
		failing: map[suites.Key]session.CaseDone{},
	}
}

func (h *human) Handle(e session.Event) {
	h.keep(e)
	h.show(e)
}

func (h *human) show(e session.Event) {
	switch e := e.(type) {
	case session.Resized:
		h.reflow()
	case session.Started:
		h.showStart(e)
	case session.Problems:
		h.problems(e)
	case session.Warning:
		h.print(h.block(line{{yellow, "warning: "}}, plain, e.Text)...)
	case session.Changed:
		h.supersede(e.Selected)
		h.showChange(e)
	case session.RunStarted:
		h.runStarted(e)
	case session.CaseDone:
		h.caseDone(e)
	case session.Running:
		h.stillRunning(e)
	case session.RunDone:
		h.runDone(e)
	case session.Saved: // its effect is drawn once it is known, because the user waits for the tests
		h.rested, h.tracing = false, tracing{}
		if !h.running && h.asked.typing == nil {
			h.live = h.idleLine()
		}
	case session.Tracing:
		h.showTracing(e)
	case session.Rested:
		h.rested, h.tracing = true, tracing{}
		h.forget()
		h.idle()
	case session.Transitions: // all others were shown with their cases
		for _, r := range e.Resolved {
			if r.Reason == suites.RegistrationGone {
				delete(h.failing, r.Key())
				h.print(h.margin().with(piece{green, "resolved "}, piece{plain, session.Label(r)}, piece{dim, "  " + r.Note}))
			}
		}
	case session.Proved:
		h.showProof(e)
	default:
		h.handleKey(e)
	}
}

func (h *human) Close() error {
	h.setLive(nil, true)
	return h.err
}

// Options describe the output of a human view and the preferences of the user.
type Options struct {
	Color   bool
	TTY     bool       // a terminal: one line is rewritten in place, long lines are cut
	Width   func() int // columns of the terminal, queried for every line; nil means 80
	Verbose bool       // show every case, not only those that need attention
	Watch   bool       // the session continues after a run
	// Place returns the text for the position of a case; nil means the position itself.
	Place func(at string, k suites.Key) string
	Show  func(k suites.Key) string // the command that shows a case
	ASCII bool                      // the terminal shows only ASCII
	Now   func() time.Time          // nil means time.Now; times are shown in its location
}

type human struct {
	*screen
	o Options

	state      suites.State                    // current counts
	running    bool                            // a run is in progress
	runStart   time.Time                       // start of the run
	rested     bool                            // nothing is left to do until the next save
	tracing    tracing                         // in progress, while nothing else is
	save       save                            // the last one whose block was printed
	explained  bool                            // the reason for the next run was already shown
	troubled   bool                            // the last problems shown are not solved yet
	unreadable []suites.Problem                // these problems
	failed     int                             // so far, in this run
	hasOutput  bool                            // this run has printed something
	causes     causes                          // of this run's failures
	asked      asked                           // set by keys
	root       string                          // of the project
	failing    map[suites.Key]session.CaseDone // current failures, to be shown again
	more       []suites.Key                    // failures of which only the IDs are shown
	resolved   []session.CaseDone              // of the run, to be shown at its end
	shown      int                             // number of those shown with their own lines
	recent     *recent                         // shown again when the terminal's size changes
}

// all reports whether output is shown completely.
func (h *human) all() bool { return h.o.Verbose || h.asked.whole }

// near returns output with the project's paths relative to its root, as they are shown elsewhere.
// Complete output is unchanged.
func (h *human) near(text string) string {
	if h.root == "" || h.all() {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "file://"+h.root+"/", ""), h.root+"/", "")
}

// margin indents a run below the change that started it.
func (h *human) margin() line {
	if h.o.Watch {
		return text("  ")
	}
	return nil
}

// stamp returns the start of a block in a watching session.
func (h *human) stamp(t time.Time) line {
	return line{{dim, clock(t, h.o.Now())}, {plain, "  "}}
}

// statusStyle is the colour of each status.
var statusStyle = map[suites.Status]style{
	suites.Pass: green, suites.Fail: red, suites.Skip: yellow,
	suites.Unproven: yellow, suites.Aborted: red,
}

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
	if h.troubled {
		l = l.with(piece{red, "invalid: " + h.unreadable[0].At.String() + "  "})
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
		l, steady = h.typingLine(), true
	}
	h.setLive(l, steady)
}

// showTracing shows the progress of tracing on the live line.
func (h *human) showTracing(e session.Tracing) {
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
		begins = !h.explained
	case session.Warning, session.CaseDone, session.Running, session.RunDone, session.Transitions, session.Help, session.ShowFailure:
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

// span formats a duration for users: "5 ms", "0.74 s", "4.1 s", "2 min 05 s", "1 h 02 min". It
// rounds first, so that no part ever shows 60.
func span(d time.Duration) string {
	if d < 0 {
		d = 0
	}
	switch ms, ds := d.Round(time.Millisecond), d.Round(100*time.Millisecond); {
	case ms < 100*time.Millisecond:
		return fmt.Sprintf("%d ms", ms.Milliseconds())
	case d.Round(10*time.Millisecond) < time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case ds < time.Minute:
		return fmt.Sprintf("%.1f s", ds.Seconds())
	}
	if s := d.Round(time.Second); s < time.Hour {
		return fmt.Sprintf("%d min %02d s", s/time.Minute, s%time.Minute/time.Second)
	}
	m := d.Round(time.Minute)
	return fmt.Sprintf("%d h %02d min", m/time.Hour, m%time.Hour/time.Minute)
}

// clock formats the time of day of an event, in the time zone of now.
func clock(t, now time.Time) string { return t.In(now.Location()).Format("15:04:05") }

// moment formats a time that may be long past: with the date unless it was today.
func moment(t, now time.Time) string {
	t = t.In(now.Location())
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format("15:04")
	}
	return t.Format("2006-01-02 15:04")
}

// formatAge formats the time since an event: "just now", "2 min ago".
func formatAge(t, now time.Time) string {
	switch d := now.Sub(t); {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	default:
		return session.Count(int(d/(24*time.Hour)), "day") + " ago"
	}
}

// excerptLines is the maximum number of lines in an excerpt.
const excerptLines = 10

// excerpt splits text into rows that fit the columns. If it has more than excerptLines lines and
// all is not set, it returns the first and last ones and the number of lines between.
func excerpt(text string, columns int, all bool) []string {
	text = strings.TrimSuffix(text, "\n")
	lines := strings.Split(text, "\n")
	if len(lines) > excerptLines && !all {
		const last = 3
		const first = excerptLines - 1 - last
		gap := fmt.Sprintf("... %d lines left out ...", len(lines)-first-last)
		lines = append(append(lines[:first:first], gap), lines[len(lines)-last:]...)
	}
	var rows []string
	most := foldedRows
	if all {
		most = mostRows
	}
	for _, l := range lines {
		rows = append(rows, fold(l, columns, most)...)
	}
	return rows
}

// Maximum number of rows for one line of a text, in an excerpt and in the whole text.
const (
	foldedRows = 4
	mostRows   = 1000
)

// fold splits a line into rows that fit the columns, because its end may show the cause. A line
// that is far too long is cut.
func fold(raw string, columns, most int) (rows []string) {
	rest := printable.Cut(raw, most*columns)
	for printable.Width(rest) > columns {
		part := printable.Prefix(rest, columns)
		if part == "" {
			break
		}
		rows, rest = append(rows, part), rest[len(part):]
	}
	return append(rows, rest)
}

// proseLimit is the maximum number of bytes of prose shown.
const proseLimit = 4000

// Wrap breaks prose at white space into printable lines of at most the columns; a longer word has
// its own line. Zero columns means one line.
func Wrap(text string, columns int) []string {
	more := ""
	if len(text) > proseLimit {
		text, more = strings.ToValidUTF8(text[:proseLimit], ""), fmt.Sprintf(" ... +%d bytes", len(text)-proseLimit)
	}
	var lines []string
	used := 0
	for _, w := range strings.Fields(text + more) {
		w = printable.Field(w)
		if n := printable.Width(w); lines == nil || columns > 0 && used+1+n > columns {
			lines, used = append(lines, w), n
		} else {
			lines[len(lines)-1] += " " + w
			used += 1 + n
		}
	}
	return lines
}

// A style is the appearance of text on a terminal with colour.
type style int

const (
	plain style = iota
	bold
	dim
	red
	green
	yellow
	whole // plain, and never broken, because the user may copy it
)

// sgr holds each style's SGR parameters. It replaces lipgloss, because that adds 0.22 ms of
// package initialisation to every start of the program, including re-executed ones, and inside
// tmux its initialisation runs "tmux info", which takes a second if tmux takes a second to
// answer.
var sgr = [...]string{bold: "1", dim: "2", red: "1;31", green: "32", yellow: "33"}

// paint wraps text, which must be printable, in the style's sequences.
func (s style) paint(text string) string {
	if s == plain || s == whole || text == "" {
		return text
	}
	return "\x1b[" + sgr[s] + "m" + text + "\x1b[m"
}
