package notify

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"hookwatch/suites/printable"
)

// A terminal interprets the few controls that a screen may use and no others; it wraps at its
// last column like real ones.
type terminal struct {
	t        testing.TB
	columns  int
	cooked   bool // the kernel translates LF to CR LF; not in raw mode
	rows     [][]rune
	row, col int
	wraps    int
	erasures int
}

func newTerminal(t testing.TB, columns int) *terminal {
	return &terminal{t: t, columns: columns, rows: [][]rune{nil}}
}

func (m *terminal) Write(p []byte) (int, error) {
	for rest := string(p); rest != ""; {
		switch r, size := utf8.DecodeRuneInString(rest); {
		case strings.HasPrefix(rest, "\x1b["):
			rest = m.sequence(rest[2:])
		case r == '\r':
			m.col, rest = 0, rest[size:]
		case r == '\n':
			m.down()
			if rest = rest[size:]; m.cooked {
				m.col = 0
			}
		case obeyed(r):
			m.t.Fatalf("the terminal gets %q in %q", r, p)
		default:
			m.put(r)
			rest = rest[size:]
		}
	}
	return len(p), nil
}

// sequence interprets a control sequence and returns the rest.
func (m *terminal) sequence(s string) string {
	end := strings.IndexFunc(s, func(r rune) bool { return r >= '@' })
	switch {
	case end == 0 && s[0] == 'K':
		m.rows[m.row] = m.rows[m.row][:min(m.col, len(m.rows[m.row]))]
		m.erasures++
	case end == 0 && s[0] == 'J':
		m.rows = append(m.rows[:m.row:m.row], m.rows[m.row][:min(m.col, len(m.rows[m.row]))])
	case end == 0 && s[0] == 'H':
		m.row, m.col = 0, 0
	case end == 1 && s[:2] == "2J":
		m.rows = [][]rune{nil}
	case end > 0 && s[end] == 'A':
		n, err := strconv.Atoi(s[:end])
		if err != nil || n > m.row {
			m.t.Fatalf("%d rows up from row %d, %v", n, m.row, err)
		}
		m.row -= n
	case end >= 0 && s[end] == 'm':
		if !knownStyle(s[:end]) {
			m.t.Fatalf("unknown style %q", s[:end])
		}
	default:
		m.t.Fatalf("unknown control sequence in %q", s)
	}
	return s[end+1:]
}

func knownStyle(parameters string) bool {
	for _, known := range sgr {
		if known == parameters {
			return true
		}
	}
	return false
}

func (m *terminal) down() {
	m.row++
	if m.row == len(m.rows) {
		m.rows = append(m.rows, nil)
	}
}

func (m *terminal) put(r rune) {
	if m.col+printable.Width(string(r)) > m.columns {
		m.down()
		m.col = 0
		m.wraps++
	}
	row := m.rows[m.row]
	for len(row) <= m.col {
		row = append(row, ' ')
	}
	row[m.col] = r
	m.rows[m.row] = row
	m.col += printable.Width(string(r))
}

// String returns the displayed text.
func (m *terminal) String() string {
	var b strings.Builder
	for _, row := range m.rows {
		fmt.Fprintln(&b, strings.TrimRight(string(row), " "))
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
