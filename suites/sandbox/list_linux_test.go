package sandbox

import (
	"strings"
	"testing"
)

func TestHere(t *testing.T) {
	t.Parallel()
	all := listMounts()
	if i := mountOf(all, "/proc/self"); i < 0 || all[i].Kind != "proc" {
		t.Errorf("/proc/self lies on %d of %v", i, all)
	}
	if mountOf(all, "/") < 0 {
		t.Error("no mount at /")
	}
}

func FuzzUnescape(f *testing.F) {
	for _, s := range []string{"", `a\040b`, `\\`, `\777`, `a\04`, `\011\012\134`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := unescape(s)
		if !strings.Contains(s, `\`) && got != s {
			t.Errorf("%q became %q", s, got)
		}
		if len(got) > len(s) {
			t.Errorf("%q grew to %q", s, got)
		}
	})
}

func TestUnescape(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{`/a\040b`: "/a b", `/tab\011x`: "/tab\tx", `/back\134slash`: `/back\slash`, `/odd\9`: `/odd\9`} {
		if got := unescape(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}
