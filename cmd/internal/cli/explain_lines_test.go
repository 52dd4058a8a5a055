package cli

import (
	"bufio"
	"io"
	"strings"
	"testing"
)

func TestReadLine(t *testing.T) {
	t.Parallel()
	lines := bufio.NewReaderSize(strings.NewReader("a\n\n"+strings.Repeat("b", 100)+"\nc"), 16)
	for _, want := range []string{"a\n", "\n", strings.Repeat("b", 100) + "\n", "c"} {
		if got, err := readLine(lines); string(got) != want || err != nil {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	if _, err := readLine(lines); err != io.EOF {
		t.Errorf("%v, want the end", err)
	}
}
