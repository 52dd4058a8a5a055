package record

import (
	"strings"
	"testing"
)

func TestSafeNames(t *testing.T) {
	t.Parallel()
	for _, odd := range []string{"", ".", "..", ".a", "a.", "con", "COM1.x", "~", "a:b", strings.Repeat("é", 100)} {
		if name := safeName(odd); len(name) != 65 || name[0] != '~' {
			t.Errorf("%q is called %q", odd, name)
		}
	}
	for plain, want := range map[string]string{"P01": "P01", "a b/c": "a%20b%2Fc", "pm-more": "pm-more", "a.b": "a.b"} {
		if got := safeName(plain); got != want {
			t.Errorf("%q is called %q, want %q", plain, got, want)
		}
	}
}
