package terminal

import (
	"io"
	"slices"
	"strings"
	"testing"
)

// endless is a reader of a key that is held down.
type endless struct{ io.Reader }

func (e endless) Read(b []byte) (int, error) {
	if n, err := e.Reader.Read(b); err == nil {
		return n, nil
	}
	return copy(b, "a"), nil
}

// TestEach checks that keys are delivered until press returns false or there are no more.
func TestEach(t *testing.T) {
	t.Parallel()
	var got []Key
	each(endless{strings.NewReader("xq")}, func(k Key) bool {
		got = append(got, k)
		return len(got) < 4
	})
	each(strings.NewReader("y"), func(k Key) bool { got = append(got, k); return true })
	if want := []Key{'x', 'q', 'a', 'a', 'y'}; !slices.Equal(got, want) {
		t.Errorf("keys %q, want %q", got, want)
	}
}

// TestDecoder checks that escape sequences of other keys give no letters, however they are split
// into reads.
func TestDecoder(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		reads []string
		want  []Key
	}{
		{[]string{"af"}, []Key{'a', 'f'}},
		{[]string{"\x1b[H\x1b[15~\x1b[1;5a\x1bOqa"}, []Key{'a'}},
		{[]string{"\x1b[15", ";2q", "f"}, []Key{'f'}},
		{[]string{"\x1b[A\x1b[B\x1bOA", "\x1b[1;5A"}, []Key{Up, Down, Up}},
		{[]string{"\x1ba\x1bq"}, nil},               // Alt and a letter
		{[]string{"\x1b", "q"}, []Key{Escape, 'q'}}, // ESC, then q
		{[]string{"\x7f\b\n\r"}, []Key{Backspace, Backspace, Enter, Enter}},
		{[]string{"\xc3", "\xbcx"}, []Key{'ü', 'x'}}, // a letter in two reads
		{[]string{"\xff\xff\xff\xffx"}, []Key{'x'}},
	} {
		var d decoder
		var got []Key
		for _, read := range tt.reads {
			got = append(got, d.keys([]byte(read))...)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q: keys %v, want %v", tt.reads, got, tt.want)
		}
	}
}

// FuzzDecoder checks that for any input, split in any way, no key is a control character except
// the named ones.
func FuzzDecoder(f *testing.F) {
	f.Add([]byte("\x1b[15;2q\xc3"), []byte("\xbc"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var d decoder
		if got := append(d.keys(a), d.keys(b)...); len(got) > len(a)+len(b) {
			t.Errorf("%q, %q: %v", a, b, got)
		}
	})
}
