package printable

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain §D3 日本 é":           "plain §D3 日本 é",
		"\x1b[31mred\x1b]0;t\a":    `\x1b[31mred\x1b]0;t\x07`,
		"a\tb\r\n":                 `a\tb\r\n`,
		"\x9b31m":                  `\x9b31m`, // not UTF-8
		"\u009b31m":                `\u009b31m`,
		"safe\u202etxt.exe\u200b":  `safe\u202etxt.exe\u200b`,
		"\xff\x00\x7f":             `\xff\x00\x7f`,
		"\U000e0041 tag":           `\U000e0041 tag`,
		`back\slash`:               `back\slash`,
		"replaced \ufffd as it is": "replaced \ufffd as it is",
	} {
		got := Text(in)
		if got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
		if again := Text(got); again != got {
			t.Errorf("Text(%q) changes to %q", got, again)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		raw     string
		columns int
		want    string
	}{
		{"short", 10, "short"},
		{"exactly 10", 10, "exactly 10"},
		{strings.Repeat("x", 100), 30, strings.Repeat("x", 16) + "... +84 bytes"},
		{strings.Repeat("日", 100), 30, strings.Repeat("日", 8) + "... +276 bytes"},
		{strings.Repeat("\x00", 100), 30, strings.Repeat(`\x00`, 4) + "... +96 bytes"},
		{strings.Repeat("y", 50), 1, "y... +49 bytes"}, // something is always shown
	} {
		if got := Cut(tt.raw, tt.columns); got != tt.want {
			t.Errorf("Cut(%.10q..., %d) = %q, want %q", tt.raw, tt.columns, got, tt.want)
		}
	}
}

// TestHides contains characters that hide, reorder or pile up text although Unicode calls them
// printable.
func TestHides(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a\u202eb\u2066c\u2069d\u200e\u061c": `a\u202eb\u2066c\u2069d\u200e\u061c`,
		"a\u2028b\u2029c\u0085":              `a\u2028b\u2029c\u0085`,
		"x\u3164y\u115f\uffa0\u2800\u034f":   `x\u3164y\u115f\uffa0\u2800\u034f`,
		"a\ufe0fb\ufe00\U000e0101":           `a\ufe0fb\ufe00\U000e0101`, // bytes hidden in variations
		"\u2764\ufe0f 1\ufe0f\u20e3":         "\u2764\ufe0f 1\ufe0f\u20e3",
		"\u2764\ufe0f\ufe0f":                 "\u2764\ufe0f" + `\ufe0f`,
		"e\u0301 \u0e17\u0e35\u0e48":         "e\u0301 \u0e17\u0e35\u0e48",
		"\u0301x":                            `\u0301x`, // it would be drawn over the text before
		"Z" + strings.Repeat("\u0335", 6):    "Z" + strings.Repeat("\u0335", 4) + `\u0335` + "\u0335",
		"\u1112\u1161\u11ab":                 "\u1112\u1161\u11ab",
		"a\ud7c9":                            `a\ud7c9`, // not assigned
	} {
		if got := Text(in); got != want {
			t.Errorf("Text(%+q) = %+q, want %+q", in, got, want)
		}
	}
}

func TestField(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 10_000)
	for _, tt := range []struct{ got, want string }{
		{Field("a  b"), "a  b"},
		{Field("x" + strings.Repeat(" ", 4) + "PASS 500"), `x  \x20\x20PASS 500`},
		{Field("a\nPASS 500"), `a\nPASS 500`},
		{Name(long), long[:MaxName-len("... +10000 bytes")] + "... +9916 bytes"},
		{Cell("short"), "short"},
		{Name(strings.Repeat("\x1b", 40)), strings.Repeat(`\x1b`, 21) + "... +19 bytes"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
	if n := Width(Field(long)); n > MaxField {
		t.Errorf("a field of %d columns", n)
	}
}

func TestWriter(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"two\nlines\tof é\n":        "two\nlines\tof é\n",
		"\x1b[31mred\r\n\x9b2J\a":   `\x1b[31mred\r` + "\n" + `\x9b2J\x07`,
		"\x1b]52;c;Y3VybA==\x1b\\x": `\x1b]52;c;Y3VybA==\x1b\x`,
	} {
		var out bytes.Buffer
		if n, err := NewWriter(&out).Write([]byte(in)); n != len(in) || err != nil || out.String() != want {
			t.Errorf("%q is written %q, want %q (%d, %v)", in, out.String(), want, n, err)
		}
	}
}

// TestWriterIsFile checks that callers can still find out whether a stream is a terminal.
func TestWriterIsFile(t *testing.T) {
	t.Parallel()
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if w, ok := NewWriter(f).(interface{ Fd() uintptr }); !ok || w.Fd() != f.Fd() {
		t.Error("a file behind the writer is not known")
	}
	if _, ok := NewWriter(new(bytes.Buffer)).(interface{ Fd() uintptr }); ok {
		t.Error("a buffer is taken for a file")
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestWriterErrors(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"plain", "\x1b"} {
		if n, err := NewWriter(brokenPipe{}).Write([]byte(text)); n != 0 || !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
}

// inert returns the first character of a text that a terminal would interpret or hide, "" if there
// is none. Its list is independent of the package.
func inert(text string, more ...rune) string {
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") {
			return "no UTF-8"
		}
		if slices.Contains(more, r) || r == 0xfe0e || r == 0xfe0f {
			continue
		}
		if !unicode.IsPrint(r) || unicode.In(r, unicode.C, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point) {
			return fmt.Sprintf("%U", r)
		}
	}
	return ""
}

// FuzzText checks that any text is shown inert and within its columns, and that showing it again
// changes nothing.
func FuzzText(f *testing.F) {
	f.Add("\x1b[2J\x00\xff\u202e", 40)
	f.Add(strings.Repeat("日本\t", 40), 30)
	f.Add("e\u0301\u0301\u0301\u0301\u0301 \ufe0f1\ufe0f    x", 10)
	f.Fuzz(func(t *testing.T, in string, columns int) {
		columns = 25 + (columns&0xff)%100
		for _, shown := range []string{Text(in), Field(in), Cell(in), Name(in), Cut(in, columns)} {
			if what := inert(shown); what != "" {
				t.Errorf("%q is shown as %q, with %s", in, shown, what)
			}
			if again := Text(shown); again != shown {
				t.Errorf("%q is shown as %q, and that as %q", in, shown, again)
			}
		}
		if Cut(in, 1<<30) != Text(in) {
			t.Errorf("%q uncut is %q", in, Cut(in, 1<<30))
		}
		var out bytes.Buffer
		_, _ = NewWriter(&out).Write([]byte(in))
		if what := inert(out.String(), '\n', '\t'); what != "" {
			t.Errorf("%q is written %q, with %s", in, out.String(), what)
		}
	})
}

// FuzzJSONWriter checks that values do not change, and that the output is inert.
func FuzzJSONWriter(f *testing.F) {
	f.Add("\u009b31m \u202e \U000e0041 \x7f é 日本 \u2028")
	f.Fuzz(func(t *testing.T, in string) {
		var plain, out bytes.Buffer
		for _, w := range []io.Writer{&plain, NewJSONWriter(&out)} {
			enc := json.NewEncoder(w)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			if err := enc.Encode(map[string]any{in: in}); err != nil {
				t.Fatal(err)
			}
		}
		var want, got any
		if err := json.Unmarshal(plain.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out.Bytes(), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q is %q, want %q (%v)", out.String(), got, want, err)
		}
		if what := inert(out.String(), '\n'); what != "" {
			t.Errorf("%q is written %q, with %s", in, out.String(), what)
		}
	})
}
