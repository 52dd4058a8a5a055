package notify

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"hookwatch/suites/printable"
)

// A piece is a part of a line with its style. Its text need not be printable.
type piece struct {
	style style
	text  string
}

type line []piece

func text(s string) line { return line{{plain, s}} }

// with returns the line followed by more, without changing the line itself.
func (l line) with(more ...piece) line { return append(l[:len(l):len(l)], more...) }

// columns returns the width of the line as displayed.
func (l line) columns() int {
	n := 0
	for _, p := range l {
		n += printable.Width(printable.Text(p.text))
	}
	return n
}

// redraw is the minimum time between two updates of the live line.
const redraw = 50 * time.Millisecond

// A screen is the only writer to the terminal: it makes all text printable, so that no hook, file
// name or note reaches the terminal raw. On a terminal the last line is live: updated in place,
// and always below the rest.
type screen struct {
	out   io.Writer
	color bool
	tty   bool
	eol   string
	cols  func() int
	now   func() time.Time

	live   line             // wanted as the last line; nil for none
	steady bool             // it remains for a while, so it is always drawn
	shown  bool             // it is on the terminal
	drawn  time.Time        // time of the last drawing
	err    error            // of the first write that failed
	ascii  bool             // the terminal shows only ASCII
	prints int              // number of prints
	latest int              // rows of the last print
	held   *strings.Builder // output to write once the terminal is returned; nil if no other program uses it
}

// width returns the number of columns for the layout, or 0 if there is no limit.
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

// plainColumns is the width at which long output is cut without a terminal.
const plainColumns = 200

// room returns the number of columns after an indent.
func (s *screen) room(indent string) int {
	columns := s.width()
	columns = cmp.Or(columns, plainColumns)
	return max(columns-len(indent), 10)
}

// print prints lines permanently, above the live line.
func (s *screen) print(lines ...line) { s.reprint(0, lines...) }

// reprint replaces the given number of last rows by lines.
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

// rows breaks a line that is wider than the terminal. Continuation rows are indented, so that
// text from elsewhere never starts a row like a line of hookwatch itself.
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

// setLive changes the live line. If it is not steady, because the next change is near, it is
// drawn only if the last drawing is long enough ago.
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

// lend leaves the terminal to another program: output is held back.
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

// forget records that the cursor is no longer below the last print.
func (s *screen) forget() { s.prints++ }

// take writes the held output.
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

// draw draws the live line, cut so that it never wraps, and leaves the cursor at its start, so
// that output of another program overwrites it.
func (s *screen) draw(b *strings.Builder) {
	if s.live == nil || s.held != nil || !s.due() {
		return
	}
	s.render(b, s.live.cut(s.width()-1))
	b.WriteString("\r")
	s.shown, s.drawn = true, s.now()
}

// cut removes the part that does not fit the columns.
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

// inASCII replaces each character after '~' by a question mark, which keeps the number of
// characters.
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

// spread aligns right with the right edge on the line of left or, if they do not fit, puts it on
// a line of its own at the indent.
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

// block wraps prose after a head, with continuation lines indented to the end of the head.
func (s *screen) block(head line, st style, prose string) []line {
	indent := head.columns()
	columns := s.width()
	if columns > 0 {
		columns = max(columns-indent, 10)
	}
	var out []line
	for i, w := range Wrap(prose, columns) {
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

// fold breaks a line that is too wide before pieces that start with a space.
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
