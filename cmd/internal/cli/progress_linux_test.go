package cli

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"

	"hookwatch/cmd/internal/cli/terminal/testdata/terminaltest"
)

// A console is a pseudo-terminal whose output is drawn on a screen.
type console struct {
	t      *testing.T
	master *os.File
	slave  *os.File
	screen *vt.Emulator
}

const consoleColumns, consoleRows = 60, 8

func newConsole(t *testing.T) *console {
	t.Helper()
	master, slave := terminaltest.Open(t, consoleColumns, consoleRows)
	return &console{t, master, slave, vt.NewEmulator(consoleColumns, consoleRows)}
}

// rows draws everything that was written, and returns the rows of the screen with text.
func (c *console) rows() []string {
	c.t.Helper()
	const end = "\x1b]0;drawn\a" // a title, which the screen does not show
	if _, err := c.slave.WriteString(end); err != nil {
		c.t.Fatal(err)
	}
	var all strings.Builder
	for b := make([]byte, 4096); !strings.Contains(all.String(), end); {
		n, err := c.master.Read(b)
		if err != nil {
			c.t.Fatal(err)
		}
		all.Write(b[:n])
	}
	if _, err := c.screen.Write([]byte(all.String())); err != nil {
		c.t.Fatal(err)
	}
	var rows []string
	for row := range strings.Lines(c.screen.String()) {
		if row = strings.TrimRight(row, " \r\n"); row != "" {
			rows = append(rows, row)
		}
	}
	return rows
}

// TestProseColumns checks that prose is as wide as a terminal, and not broken elsewhere.
func TestProseColumns(t *testing.T) {
	if got := proseColumns(newConsole(t).slave); got != consoleColumns {
		t.Errorf("%d columns on a terminal of %d", got, consoleColumns)
	}
	if got := proseColumns(new(strings.Builder)); got != 0 {
		t.Errorf("%d columns elsewhere, want any number", got)
	}
}

// TestProgressOnTerminal checks what a user sees on a real terminal while a command works: one line
// that is overwritten, results above it, and nothing that a hook's name could draw.
func TestProgressOnTerminal(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	a := newApp(Streams{Out: c.slave, Err: c.slave})
	if n := columns(a.Err); n != consoleColumns {
		t.Errorf("%d columns", n)
	}
	now := time.Unix(0, 0)
	p := newProgress(a.raw.Err, func() int { return columns(a.Err) })
	p.stop() // the test ticks itself
	p.now, p.began = func() time.Time { return now }, now
	after := func(d time.Duration, want ...string) {
		t.Helper()
		now = now.Add(d)
		p.update(func() {}, true)
		if got := c.rows(); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("after %s the screen is %q, want %q", now.Sub(p.began), got, want)
		}
	}
	p.show("firing hooks: %d of %d", 0, 4)
	end := p.begin("guard\x1b[2J.sh")
	after(0, "firing hooks: 0 of 4")
	p.result("first.sh  stops git push")
	after(100*time.Millisecond, "firing hooks: 0 of 4")
	after(time.Second, "first.sh  stops git push", "firing hooks: 0 of 4")
	after(11*time.Second, "first.sh  stops git push", `guard\x1b[2J.sh running for 12 s; firing hooks: 0 of 4`)
	end(0)
	p.begin("next.sh")
	p.show("%s", strings.Repeat("wide ", 30))
	p.result("second.sh  \r\x1b[Aproceeds")
	after(time.Second, "first.sh  stops git push", `second.sh  \r\x1b[Aproceeds`, strings.TrimRight(strings.Repeat("wide ", 30)[:consoleColumns-1], " "))
	p.end()
	writef(a.Out, "1 error\n")
	if got, want := c.rows(), []string{"first.sh  stops git push", `second.sh  \r\x1b[Aproceeds`, "1 error"}; strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("in the end the screen is %q, want %q", got, want)
	}
}
