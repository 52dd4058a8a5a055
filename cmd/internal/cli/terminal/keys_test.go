package terminal

import (
	"io"
	"strings"
	"testing"
)

// endless is a reader that a person leans on.
type endless struct{ io.Reader }

func (e endless) Read(b []byte) (int, error) {
	if n, err := e.Reader.Read(b); err == nil {
		return n, nil
	}
	return copy(b, "a"), nil
}

// TestReadKeys: keys arrive as commands until nobody listens, or there are no
// more.
func TestReadKeys(t *testing.T) {
	t.Parallel()
	ch, done, ended := make(chan byte), make(chan struct{}), make(chan struct{})
	go func() {
		readKeys(endless{strings.NewReader("xa\x1b[A\x1b[15~\x1bOqqf")}, known, ch, done)
		close(ended)
	}()
	for _, want := range []byte("aq") {
		if got := <-ch; got != want {
			t.Errorf("key %q, want %q", got, want)
		}
	}
	close(done)
	<-ended
	readKeys(strings.NewReader("x"), known, ch, make(chan struct{}))
}

// TestKeyboard: what a terminal sends for keys beyond letters is no command, in
// however many reads it comes.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		reads []string
		want  string
	}{
		{[]string{"af"}, "af"},
		{[]string{"\x1b[H\x1b[15~\x1b[1;5a\x1bOqa"}, "a"},
		{[]string{"\x1b[15", ";2q", "f"}, "f"},
		{[]string{"\x1ba\x1bq"}, ""}, // Alt and a letter
		{[]string{"\x1b", "q"}, "q"}, // ESC, then q
	} {
		var k keyboard
		var got []byte
		for _, read := range tt.reads {
			got = append(got, k.keys([]byte(read))...)
		}
		if string(got) != tt.want {
			t.Errorf("%q: keys %q, want %q", tt.reads, got, tt.want)
		}
	}
}

// known are the keys that mean something in these tests.
func known(key byte) (byte, bool) { return key, strings.IndexByte("afq", key) >= 0 }
