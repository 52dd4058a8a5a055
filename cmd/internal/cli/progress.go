package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"hookwatch/cmd/internal/cli/terminal"
	"hookwatch/cmd/internal/session"
	"hookwatch/suites/printable"
)

// Times of the progress of a command.
const (
	redrawAfter   = 50 * time.Millisecond  // on a terminal
	plainAfter    = 5 * time.Second        // to the first status in a file or pipe, and between two of them
	resultsAfter  = 500 * time.Millisecond // to the first result: a shorter command only reports
	longRunning   = 3 * time.Second        // what runs for longer is named
	progressTicks = time.Second
)

// A progress shows what a command is doing on the stream for diagnostics: on a terminal on a line that
// is overwritten, elsewhere on a line of its own from time to time. It makes all text printable. A nil
// progress shows nothing.
type progress struct {
	out   io.Writer // not escaped, because control sequences are written to it
	tty   bool
	width func() int
	now   func() time.Time
	stop  func()

	mu      sync.Mutex
	status  string
	firings int
	running []*activity // in the order of their beginning
	results []string    // not written yet
	began   time.Time
	drawn   time.Time
	shown   bool // on the terminal's last line
}

// An activity is something that runs at the moment.
type activity struct {
	name  string
	since time.Time
}

// newProgress returns a progress that is redrawn until its end.
func newProgress(out io.Writer, width func() int) *progress {
	p := &progress{out: out, tty: terminal.Is(out), width: width, now: time.Now, began: time.Now()}
	ticker, done := time.NewTicker(progressTicks), make(chan struct{})
	p.stop = sync.OnceFunc(func() { ticker.Stop(); close(done) })
	go func() {
		for {
			select {
			case <-ticker.C:
				p.update(func() {}, true)
			case <-done:
				return
			}
		}
	}()
	return p
}

// show changes the status.
func (p *progress) show(format string, args ...any) {
	p.update(func() { p.status = fmt.Sprintf(format, args...) }, false)
}

// begin names a firing that runs until the returned function is called, with the number of its results.
func (p *progress) begin(name string) (ended func(results int)) {
	a := &activity{name, p.now()}
	p.update(func() { p.running = append(p.running, a) }, false)
	return func(results int) {
		p.update(func() {
			p.firings += results
			for i, other := range p.running {
				if other == a {
					p.running = append(p.running[:i:i], p.running[i+1:]...)
					return
				}
			}
		}, false)
	}
}

// result shows a line that stays, unless the command ends so soon that its report says it at once.
func (p *progress) result(text string) {
	p.update(func() { p.results = append(p.results, text) }, false)
}

// end removes the progress from the terminal.
func (p *progress) end() {
	if p == nil {
		return
	}
	p.stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.status, p.firings, p.running, p.results = "", 0, nil, nil
}

// update changes the progress and shows it if it is due.
func (p *progress) update(change func(), tick bool) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
	now := p.now()
	if !p.tty {
		p.plain(now)
		return
	}
	if len(p.results) > 0 && now.Sub(p.began) >= resultsAfter {
		p.erase()
		p.flush()
		tick = true
	}
	if line := p.line(now); line != "" && (tick || now.Sub(p.drawn) >= redrawAfter) {
		p.erase()
		writef(p.out, "%s\r", printable.Prefix(line, p.width()-1))
		p.shown, p.drawn = true, now
	}
}

// plain writes lines to a file.
func (p *progress) plain(now time.Time) {
	if now.Sub(p.began) >= resultsAfter {
		p.flush()
	}
	last := p.drawn
	if last.IsZero() {
		last = p.began
	}
	if now.Sub(last) < plainAfter {
		return
	}
	if line := p.line(now); line != "" {
		writef(p.out, "%s\n", line)
	}
	p.drawn = now
}

// line returns the status with the activity that runs longest, if it does for a while.
func (p *progress) line(now time.Time) string {
	line := p.status
	if p.firings > 0 {
		line = strings.TrimSpace(line + "  " + session.Count(p.firings, "firing"))
	}
	if len(p.running) > 0 {
		if first := p.running[0]; now.Sub(first.since) >= longRunning {
			running := fmt.Sprintf("%s running for %d s", printable.Cut(first.name, 60), int(now.Sub(first.since).Seconds()))
			if line != "" {
				running += "; "
			}
			line = running + line
		}
	}
	return printable.Field(line)
}

func (p *progress) flush() {
	for _, text := range p.results {
		writef(p.out, "%s\n", text)
	}
	p.results = nil
}

// erase empties the terminal's last line, if the progress is there.
func (p *progress) erase() {
	if p.shown {
		writef(p.out, "\r\x1b[K")
		p.shown = false
	}
}
