package notify

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/printable"
)

// DesktopOptions configures a desktop view.
type DesktopOptions struct {
	Off    bool         // no notifications; a CI variable that is not empty has the same effect
	Bell   io.Writer    // receives a BEL if no notification service answers; nil means no bell
	TTY    bool         // Bell is a terminal; otherwise no BEL is written
	Notice func(string) // called once, from a goroutine of the view, if there is no service; may be nil
}

const (
	// sendLimit is the maximum time for the answer of a notification service. A service that
	// the bus must start first needs a second or two.
	sendLimit = 5 * time.Second
	// queueWait and busWait are how long Close waits for the queue and for the end of the
	// connection: 2 s together.
	queueWait = 1500 * time.Millisecond
	busWait   = 500 * time.Millisecond
	// queued is the maximum number of waiting notifications; others are dropped.
	queued = 8
	// namedColumns is the maximum width of a name in a notification.
	namedColumns = 60
	// namedCases is the maximum number of cases in a notification.
	namedCases = 3
)

// NewDesktop returns a view that turns each Transitions event into one desktop notification, or a
// bell if none can be shown, and ignores all others. Handle never waits for the
// notification service; Close waits for at most 2 s.
func NewDesktop(o DesktopOptions) session.View {
	if o.Off || os.Getenv("CI") != "" {
		return session.Multi()
	}
	send, hangUp := desktopService()
	return newView(o, send, hangUp)
}

var (
	errNoAnswer = errors.New("the notification service does not answer")
	errNoBus    = errors.New("no D-Bus session: DBUS_SESSION_BUS_ADDRESS is not set")
)

func newView(o DesktopOptions, send func(notification) error, hangUp func()) *desktop {
	d := &desktop{
		o: o, send: send, hangUp: hangUp,
		queue: make(chan session.Transitions, queued), closing: make(chan struct{}),
		quit: make(chan struct{}), done: make(chan struct{}),
	}
	go d.work()
	return d
}

// A notification is what a service shows instead of its predecessor.
type notification struct {
	title, body string
	urgent      bool // something broke; otherwise all of it is resolved
}

type desktop struct {
	o      DesktopOptions
	send   func(notification) error
	hangUp func() // ends the connection, and with it a hanging call

	queue   chan session.Transitions
	closing chan struct{} // closed by Close: deliver the queue and end
	quit    chan struct{} // closed when Close stops waiting
	done    chan struct{} // closed when the worker has ended
	once    sync.Once

	// Used only by the worker.
	under   chan error                   // a call that exceeded sendLimit, or nil
	used    bool                         // a call was made
	broken  map[suites.Key]suites.Record // announced and not resolved
	noticed bool
}

func (d *desktop) Handle(e session.Event) {
	t, ok := e.(session.Transitions)
	if !ok || len(t.Regressions)+len(t.Resolved) == 0 {
		return
	}
	select {
	case d.queue <- t:
	default: // the service hangs and the bell has rung, so another one would add nothing
	}
}

func (d *desktop) Close() error {
	d.once.Do(func() {
		close(d.closing)
		timer := time.NewTimer(queueWait)
		defer timer.Stop()
		select {
		case <-d.done:
		case <-timer.C:
			close(d.quit)
			<-d.done
		}
	})
	return nil
}

// work delivers one notification at a time until the view is closed.
func (d *desktop) work() {
	defer close(d.done)
	for open := true; open; {
		select {
		case t := <-d.queue:
			d.deliver(t)
		case <-d.closing:
			open = false
		}
	}
	d.flush()
	if d.used && d.under == nil { // the connection of a hanging call is already closed
		d.endBus()
	}
}

// flush delivers the rest of the queue after the view was closed.
func (d *desktop) flush() {
	for {
		select {
		case t := <-d.queue:
			d.deliver(t)
		default:
			return
		}
	}
}

// deliver sends one notification, and rings the bell if that fails. It sends none while an
// earlier call hangs, or after Close has stopped waiting.
func (d *desktop) deliver(t session.Transitions) {
	select {
	case <-d.quit:
		return
	default:
	}
	if d.under != nil {
		select {
		case <-d.under: //nolint:errcheck // too late, no one waits for it
			d.under = nil
		default:
			d.ring(errNoAnswer)
			return
		}
	}
	d.used = true
	rest := d.rest(t)
	n := notification{"hookwatch: " + inert(t.Project), desktopBody(t, rest), len(t.Regressions)+len(rest) > 0}
	result := make(chan error, 1)
	go func() {
		result <- d.send(n)
	}()
	timer := time.NewTimer(sendLimit)
	defer timer.Stop()
	select {
	case err := <-result:
		if err != nil {
			d.ring(err)
		}
	case <-timer.C:
		d.under = result
		d.ring(errNoAnswer)
		d.endBus()
	case <-d.quit:
	}
}

// rest returns the cases that were announced before and still fail, because a notification replaces its
// predecessor.
func (d *desktop) rest(t session.Transitions) (rest []suites.Record) {
	if d.broken == nil {
		d.broken = make(map[suites.Key]suites.Record)
	}
	for _, r := range slices.Concat(t.Regressions, t.Resolved) {
		delete(d.broken, r.Key())
	}
	for _, k := range slices.SortedFunc(maps.Keys(d.broken), suites.Key.Compare) {
		rest = append(rest, d.broken[k])
	}
	for _, r := range t.Regressions {
		d.broken[r.Key()] = r
	}
	return rest
}

// endBus closes the connection to the bus, which ends a hanging call. It waits for a
// limited time, because the library takes a lock to do so.
func (d *desktop) endBus() {
	ended := make(chan struct{})
	go func() { d.hangUp(); close(ended) }()
	timer := time.NewTimer(busWait)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
	}
}

// ring rings the bell, and reports once why there is no notification.
func (d *desktop) ring(why error) {
	if d.o.Bell != nil && d.o.TTY {
		_, _ = io.WriteString(d.o.Bell, "\a")
	}
	if d.noticed || d.o.Notice == nil {
		return
	}
	d.noticed = true
	instead := "transitions are shown here only"
	if d.o.Bell != nil && d.o.TTY {
		instead = "the bell rings instead"
	}
	d.o.Notice(fmt.Sprintf("no desktop notification (%v); %s", why, instead))
}

// desktopBody returns one line about regressions, with the hook and the reason of the first, one about
// resolved cases, and one about the rest, which still fails.
func desktopBody(t session.Transitions, rest []suites.Record) string {
	var lines []string
	if len(t.Regressions) > 0 {
		lines = append(lines, "regression"+describeHooks(t.Regressions)+": "+nameCases(t.Regressions))
	}
	if len(t.Resolved) > 0 {
		lines = append(lines, "resolved: "+nameCases(t.Resolved))
	}
	if len(rest) > 0 {
		lines = append(lines, "still failing: "+nameCases(rest))
	}
	return strings.Join(lines, "\n")
}

// markup replaces signs that some notification services interpret as markup and others
// show verbatim. No escape works for both, and the capabilities that a service reports are
// not always right. Without its colon and slashes an address does not become a link.
var markup = strings.NewReplacer("<", "‹", ">", "›", "&", "+", "://", "∶∕∕", "www.", "www·")

// inert returns a name as text that no notification service interprets.
func inert(name string) string {
	return printable.Prefix(markup.Replace(printable.Field(name)), namedColumns)
}

// describeHooks returns the hook of the first case and why it failed, and the number of the other hooks.
func describeHooks(records []suites.Record) string {
	first := records[0]
	if first.Hook == "" {
		return ""
	}
	text := " of " + inert(path.Base(first.Hook))
	if first.Note != "" {
		text += " (" + inert(first.Note) + ")"
	}
	others := map[string]bool{}
	for _, r := range records {
		if r.Hook != "" && r.Hook != first.Hook {
			others[r.Hook] = true
		}
	}
	if len(others) > 0 {
		text += " and " + session.Count(len(others), "more hook")
	}
	return text
}

// nameCases lists the first cases, and the number of the others.
func nameCases(records []suites.Record) string {
	var names []string
	for _, r := range records[:min(namedCases, len(records))] {
		names = append(names, inert(session.Label(r)))
	}
	s := strings.Join(names, ", ")
	if more := len(records) - namedCases; more > 0 {
		s += fmt.Sprintf(" (+%d)", more)
	}
	return s
}
