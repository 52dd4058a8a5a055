package notify

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
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

func TestExcerpt(t *testing.T) {
	t.Parallel()
	if got := excerpt("a\nb\n", 80, false); strings.Join(got, "|") != "a|b" {
		t.Errorf("two lines give %q", got)
	}
	ten := strings.TrimSuffix(strings.Repeat("l\n", 10), "\n")
	if got := excerpt(ten, 80, false); len(got) != 10 || strings.Contains(strings.Join(got, ""), "...") {
		t.Errorf("ten lines give %q", got)
	}
	got := excerpt("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12", 80, false)
	if want := "1|2|3|4|5|6|... 3 lines left out ...|10|11|12"; strings.Join(got, "|") != want {
		t.Errorf("twelve lines give %q, want %q", strings.Join(got, "|"), want)
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in      string
		columns int
		want    string
	}{
		{"", 10, ""},
		{"one two three", 0, "one two three"},
		{"one two three", 7, "one two|three"},
		{"one\ttwo\n three", 8, "one two|three"},
		{"incomprehensible as it is", 5, "incomprehensible|as it|is"},
		{"日本 日本 日本", 9, "日本 日本|日本"},
	} {
		if got := strings.Join(Wrap(tt.in, tt.columns), "|"); got != tt.want {
			t.Errorf("wrap(%q, %d) = %q, want %q", tt.in, tt.columns, got, tt.want)
		}
	}
}

// FuzzShown checks that text shown in full or in part contains only printable characters, and
// that cut text fits its columns.
func FuzzShown(f *testing.F) {
	f.Add("\x1b[2J\x00\xff\u202e", 40)
	f.Add(strings.Repeat("日本\t", 40), 30)
	f.Fuzz(func(t *testing.T, in string, columns int) {
		columns = 25 + (columns&0xff)%100
		for _, shown := range append(excerpt(in, columns, false), printable.Text(in), printable.Prefix(printable.Text(in), columns)) {
			if !utf8.ValidString(shown) || strings.IndexFunc(shown, obeyed) >= 0 {
				t.Errorf("%q is shown as %q", in, shown)
			}
		}
		if got := printable.Prefix(printable.Text(in), columns); printable.Width(got) > columns || !strings.HasPrefix(printable.Text(in), got) {
			t.Errorf("prefix of %q in %d columns is %q", in, columns, got)
		}
	})
}

// savedOf returns the event for one of the files of a save, and the cases that it selects.
func savedOf(after time.Duration, path string, ids ...string) session.Changed {
	e := session.Changed{At: session.Time{Time: sceneTime.Add(after)}, Changes: []session.Change{{Path: path}}, State: stateBefore}
	for _, id := range ids {
		e.Selected = append(e.Selected, suites.Selection{Key: suites.Key{Suite: "s", ID: id}, Because: []string{path + ": it changed"}})
	}
	return e
}

// TestOneSave checks that files saved in sequence, as by a branch switch, are one block until
// something else is printed.
func TestOneSave(t *testing.T) {
	t.Parallel()
	first, second := savedOf(0, "a.sh", "A1", "A2"), savedOf(20*time.Millisecond, "b.sh", "A2", "B1")
	run := session.RunStarted{Cases: 2, Total: 118}
	r := recordOf("s", "A1", "n", false, "exit 0, want 2")
	failed := doneWith(r, 1, 2, suites.Mismatch{Kind: "exit", Field: "exit", Got: "0", Want: "2"})
	late := savedOf(sameSave+1, "b.sh", "A2", "B1")
	for _, tt := range []struct {
		name   string
		tty    bool
		events []session.Event
		blocks []string // the selection line of each block
	}{
		{"at once", true, []session.Event{first, run, second, run}, []string{"3 of 118 selected: A1 A2 B1"}},
		{"nothing depends on the first", true, []session.Event{savedOf(0, "README.md"), second, run}, []string{"2 of 118 selected: A2 B1"}},
		{"three", true, []session.Event{first, run, second, savedOf(30*time.Millisecond, "c.sh", "C1"), run}, []string{"4 of 118 selected: A1 A2 B1 C1"}},
		{"a failure between", true, []session.Event{first, run, failed, second}, []string{"2 of 118 selected: A1 A2", "2 of 118 selected: A2 B1"}},
		{"later", true, []session.Event{first, run, late}, []string{"2 of 118 selected: A1 A2", "2 of 118 selected: A2 B1"}},
		{"no terminal", false, []session.Event{first, run, second}, []string{"2 of 118 selected: A1 A2", "2 of 118 selected: A2 B1"}},
	} {
		for _, columns := range []int{40, 100} {
			m := newTerminal(t, columns)
			var plainly bytes.Buffer
			o := Options{Watch: true, TTY: tt.tty, Now: atNow, Width: func() int { return columns }}
			v := New(m, o)
			if !tt.tty {
				v = New(&plainly, o)
			}
			showTo(v, []session.Event{openingEvent()}, tt.events)
			if err := v.Close(); err != nil {
				t.Fatal(err)
			}
			shown := plainly.String()
			if tt.tty {
				shown = m.String()
			}
			var blocks []string
			for line := range strings.Lines(shown) {
				if strings.Contains(line, "selected: ") {
					blocks = append(blocks, strings.TrimSpace(line))
				}
			}
			if strings.Join(blocks, "\n") != strings.Join(tt.blocks, "\n") {
				t.Errorf("%s, %d columns: %q, want %q\n%s", tt.name, columns, blocks, tt.blocks, shown)
			}
			if n := strings.Count(shown, "\n"+clock(sceneTime.Time, sceneTime.Time)); n != len(tt.blocks) {
				t.Errorf("%s, %d columns: %d stamps\n%s", tt.name, columns, n, shown)
			}
		}
	}
}
