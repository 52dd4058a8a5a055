// Package desktop shows what is news as a notification of the desktop.
package desktop

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
	"hookwatch/suites/printable"
)

// Options say how a desktop view speaks.
type Options struct {
	Off  bool         // say nothing; so does a CI variable that is not empty
	Bell io.Writer    // gets a BEL where no notification service answers; nil for no bell
	TTY  bool         // Bell is a terminal; elsewhere no BEL is written
	Say  func(string) // told once, from a goroutine of the view's own, that there is no service; may be nil
}

const (
	// sendLimit is how long a notification service may take to answer. A
	// service that the bus has to start first needs a second or two.
	sendLimit = 5 * time.Second
	// queueWait and busWait are how long Close waits for what is under way and
	// for the connection to end: 2 s together.
	queueWait = 1500 * time.Millisecond
	busWait   = 500 * time.Millisecond
	// queued is how many notifications may wait; a further one is dropped.
	queued = 8
	// namedColumns is how much of a name a notification shows.
	namedColumns = 60
	// namedCases is how many cases a notification names.
	namedCases = 3
)

// New returns a view that turns each Transitions event into one desktop
// notification, or a bell where none can be shown, and ignores all others.
// Handle never waits for the notification service; Close waits for at most 2 s.
func New(o Options) notify.View {
	if o.Off || os.Getenv("CI") != "" {
		return notify.Multi()
	}
	send, hangUp := desktopService()
	return newView(o, send, hangUp)
}

func newView(o Options, send func(title, body string) error, hangUp func()) *desktop {
	d := &desktop{
		o: o, send: send, hangUp: hangUp,
		queue: make(chan notify.Transitions, queued), closing: make(chan struct{}),
		quit: make(chan struct{}), done: make(chan struct{}),
	}
	go d.work()
	return d
}

type desktop struct {
	o      Options
	send   func(title, body string) error
	hangUp func() // ends the connection, and with it a call that hangs

	queue   chan notify.Transitions
	closing chan struct{} // closed by Close: deliver what is queued and end
	quit    chan struct{} // closed when Close waits no longer
	done    chan struct{} // closed when the worker has ended
	once    sync.Once

	// The worker's own.
	under chan error // a call that outlasted sendLimit; nil when there is none
	used  bool       // a call was made
	said  bool
}

func (d *desktop) Handle(e notify.Event) {
	t, ok := e.(notify.Transitions)
	if !ok || len(t.Regressions)+len(t.Resolved) == 0 {
		return
	}
	select {
	case d.queue <- t:
	default: // the service hangs and the bell has rung: one more says nothing new
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

// work delivers one notification at a time, for as long as the view is open.
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
	if d.used && d.under == nil { // a call that hangs has lost its connection already
		d.endBus()
	}
}

// flush delivers what was queued when the view was closed.
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

// deliver sends one notification, and rings the bell where that fails. While
// an earlier call still hangs none is added to it; nor is one when Close waits
// no longer.
func (d *desktop) deliver(t notify.Transitions) {
	select {
	case <-d.quit:
		return
	default:
	}
	if d.under != nil {
		select {
		case <-d.under: //nolint:errcheck // it came too late for anybody to wait for
			d.under = nil
		default:
			d.ring(errNoAnswer)
			return
		}
	}
	d.used = true
	result := make(chan error, 1)
	go func() { result <- d.send(desktopTitle(t), desktopBody(t)) }()
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

// endBus closes the connection to the bus, which ends a call that hangs. The
// library takes a lock to do so, so this is not waited for without a limit.
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

// ring is what is left where no notification can be shown.
func (d *desktop) ring(why error) {
	if d.o.Bell != nil && d.o.TTY {
		_, _ = io.WriteString(d.o.Bell, "\a")
	}
	if d.said || d.o.Say == nil {
		return
	}
	d.said = true
	instead := "transitions are shown here only"
	if d.o.Bell != nil && d.o.TTY {
		instead = "the bell rings instead"
	}
	d.o.Say(fmt.Sprintf("no desktop notification (%v); %s", why, instead))
}

// desktopTitle names the project.
func desktopTitle(t notify.Transitions) string { return "hookwatch: " + inert(t.Project) }

// desktopBody tells what got worse, then what got better, each on a line.
func desktopBody(t notify.Transitions) string {
	var lines []string
	if len(t.Regressions) > 0 {
		lines = append(lines, "regression: "+named(t.Regressions))
	}
	if len(t.Resolved) > 0 {
		lines = append(lines, "resolved: "+named(t.Resolved))
	}
	return strings.Join(lines, "\n")
}

// markup are the signs that some notification services read as markup and
// others show as they are; there is no way to write them that suits both, and
// what a service says of itself is not always so. An address is no link without
// its colon and slashes.
var markup = strings.NewReplacer("<", "‹", ">", "›", "&", "+", "://", "∶∕∕", "www.", "www·")

// inert makes a name text that no notification service takes for anything else.
func inert(name string) string {
	return printable.Prefix(markup.Replace(printable.Field(name)), namedColumns)
}

// named lists the first cases, and how many there are more.
func named(records []suites.Record) string {
	var names []string
	for _, r := range records[:min(namedCases, len(records))] {
		names = append(names, inert(notify.Label(r)))
	}
	s := strings.Join(names, ", ")
	if more := len(records) - namedCases; more > 0 {
		s += fmt.Sprintf(" (+%d)", more)
	}
	return s
}
