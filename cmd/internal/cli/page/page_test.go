package page

import (
	"bytes"
	"strings"
	"testing"
)

func TestWritef(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	Writef(&b, "%s|%d|%5.1f|%v|%q\n", "a\nb\x1b[m", 12, 1.25, []string{"\u202e"}, "\x9b")
	Writef(&b, "%s|%s\n", Output("    x\r"), "    x")
	Rowf(&b, "%s\t%s\n", strings.Repeat("n", 10_000), "\t")
	want := `a\nb\x1b[m|12|  1.2|[\u202e]|"\x9b"` + "\n" + `    x\r|  \x20\x20x` + "\n" + strings.Repeat("n", 184) + `... +9816 bytes` + "\t" + `\t` + "\n"
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
