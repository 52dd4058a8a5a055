package human

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"hookwatch/suites/printable"
)

// A piece of a line, and how it looks. Its text need not be clean.
type piece struct {
	style style
	text  string
}

type line []piece

func text(s string) line { return line{{plain, s}} }

// with is the line and more, leaving the line itself as it is.
func (l line) with(more ...piece) line { return append(l[:len(l):len(l)], more...) }

// columns is the width of the line as it will be shown.
func (l line) columns() int {
	n := 0
	for _, p := range l {
		n += printable.Width(printable.Text(p.text))
	}
	return n
}

// redraw is the least time between two rewritings of the live line.
const redraw = 50 * time.Millisecond

// A screen is the only way to the terminal: whatever text passes it has been
// cleaned, so that no hook, file name or note reaches the terminal raw. On a
// terminal the last line is live: rewritten in place, and always below the rest.
type screen struct {
	out   io.Writer
	color bool
	tty   bool
	eol   string
	cols  func() int
	now   func() time.Time

	live   line             // wanted as the last line; nil for none
	steady bool             // it stays for a while, so it is always drawn
	shown  bool             // it is on the terminal
	drawn  time.Time        // when it was last drawn
	err    error            // of the first write that failed
	ascii  bool             // the terminal shows no other letters
	prints int              // so often something was printed
	latest int              // rows of what was printed last
	held   *strings.Builder // what is to be written once the terminal is ours again; nil while it is
}

// width is the number of columns to lay out for; 0 when nothing limits them.
func (s *screen) width() int {
	if !s.tty {
		return 0
	}
	if s.cols != nil {
		if n := s.cols(); n > 0 {
			return max(n, 20)
		}
	}
	return 80
}

// plainColumns is where long output is cut when no terminal says so.
const plainColumns = 200

// room is the number of columns behind an indent.
func (s *screen) room(indent string) int {
	columns := s.width()
	if columns == 0 {
		columns = plainColumns
	}
	return max(columns-len(indent), 10)
}

// print shows lines for good, above the live line.
func (s *screen) print(lines ...line) { s.reprint(0, lines...) }

// reprint is print in place of the rows that were printed last.
func (s *screen) reprint(last int, lines ...line) {
	var b strings.Builder
	s.erase(&b)
	if last > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\x1b[J", last)
	}
	if len(lines) > 0 {
		s.prints, s.latest = s.prints+1, 0
	}
	for _, l := range lines {
		for _, row := range s.rows(l) {
			s.render(&b, row)
			b.WriteString(s.eol)
			s.latest++
		}
	}
	s.draw(&b)
	s.write(b.String())
}

// rows breaks a line where the terminal would, but sets what follows in: text
// that others wrote never begins a row, as a line of hookwatch's own does.
func (s *screen) rows(l line) []line {
	columns := s.width()
	if columns == 0 || slices.ContainsFunc(l, func(p piece) bool { return p.style == whole }) || l.columns() <= columns {
		return []line{l}
	}
	indent := 4
	if len(l) > 0 {
		indent += min(len(l[0].text)-len(strings.TrimLeft(l[0].text, " ")), columns/2)
	}
	var rows []line
	row, left := line(nil), columns
	for _, p := range l {
		for rest := printable.Text(p.text); rest != ""; {
			part := printable.Prefix(rest, left)
			if row, rest = append(row, piece{p.style, part}), rest[len(part):]; rest != "" {
				rows = append(rows, row)
				row, left = text(strings.Repeat(" ", indent)), columns-indent
				continue
			}
			left -= printable.Width(part)
		}
	}
	return append(rows, row)
}

// setLive changes the live line. One that is not steady, because the next
// change is near, is drawn only when the last drawing is long enough ago.
func (s *screen) setLive(l line, steady bool) {
	if !s.tty {
		return
	}
	s.live, s.steady = l, steady
	if s.held == nil && s.due() {
		var b strings.Builder
		s.erase(&b)
		s.draw(&b)
		s.write(b.String())
	}
}

func (s *screen) due() bool { return s.steady || s.now().Sub(s.drawn) >= redraw }

// lend leaves the terminal to another program: what is to be shown waits.
func (s *screen) lend() {
	if s.held != nil {
		return
	}
	var b strings.Builder
	s.erase(&b)
	s.write(b.String())
	s.held = new(strings.Builder)
	s.forget()
}

// forget says that what was printed last is not where the cursor is any more.
func (s *screen) forget() { s.prints++ }

// take shows what has waited.
func (s *screen) take() {
	if s.held == nil {
		return
	}
	waited := s.held.String()
	s.held, s.steady = nil, true
	s.write(waited)
	s.setLive(s.live, true)
}

// erase removes the live line from the terminal.
func (s *screen) erase(b *strings.Builder) {
	if s.shown {
		b.WriteString("\r\x1b[K")
		s.shown = false
	}
}

// draw shows the live line, cut so that it never wraps, and leaves the cursor
// at its start: what another program writes then covers it.
func (s *screen) draw(b *strings.Builder) {
	if s.live == nil || s.held != nil || !s.due() {
		return
	}
	s.render(b, s.live.cut(s.width()-1))
	b.WriteString("\r")
	s.shown, s.drawn = true, s.now()
}

// cut drops what does not fit the columns.
func (l line) cut(columns int) line {
	var out line
	for _, p := range l {
		t := printable.Text(p.text)
		n := printable.Width(t)
		if n > columns {
			return append(out, piece{p.style, printable.Prefix(t, columns)})
		}
		out, columns = append(out, piece{p.style, t}), columns-n
	}
	return out
}

func (s *screen) render(b *strings.Builder, l line) {
	for _, p := range l {
		shown := printable.Text(p.text)
		if s.ascii {
			shown = inASCII(shown)
		}
		if s.color {
			shown = p.style.paint(shown)
		}
		b.WriteString(shown)
	}
}

// inASCII has a question mark for each letter that a terminal of another age does not
// show, so that nothing becomes wider.
func inASCII(text string) string {
	return strings.Map(func(r rune) rune {
		if r > '~' {
			return '?'
		}
		return r
	}, text)
}

func (s *screen) write(text string) {
	if text == "" {
		return
	}
	if s.held != nil {
		s.held.WriteString(text)
		return
	}
	if _, err := io.WriteString(s.out, text); err != nil && s.err == nil {
		s.err = err
	}
}

// spread sets right against the right edge of the line that left begins, or,
// where both do not fit, on a line of its own at the indent.
func (s *screen) spread(left, right line, indent int) []line {
	if len(right) == 0 {
		return []line{left}
	}
	columns := s.width()
	gap := columns - left.columns() - right.columns()
	switch {
	case columns == 0:
		gap = 3
	case gap < 2:
		return []line{left, text(strings.Repeat(" ", indent)).with(right...)}
	}
	return []line{left.with(piece{plain, strings.Repeat(" ", gap)}).with(right...)}
}

// block lays prose out behind a head of its own, continued below the head's end.
func (s *screen) block(head line, st style, prose string) []line {
	indent := head.columns()
	columns := s.width()
	if columns > 0 {
		columns = max(columns-indent, 10)
	}
	var out []line
	for i, w := range wrap(prose, columns) {
		if i > 0 {
			head = text(strings.Repeat(" ", indent))
		}
		out = append(out, head.with(piece{st, w}))
	}
	if out == nil {
		return []line{head}
	}
	return out
}

// fold breaks a line that is too wide before the pieces that begin with a space.
func (s *screen) fold(l line) []line {
	columns := s.width()
	lines := []line{nil}
	for _, p := range l {
		last := &lines[len(lines)-1]
		if columns > 0 && len(*last) > 0 && strings.HasPrefix(p.text, " ") && last.with(p).columns() > columns {
			lines = append(lines, nil)
			last = &lines[len(lines)-1]
		}
		*last = last.with(p)
	}
	return lines
}
