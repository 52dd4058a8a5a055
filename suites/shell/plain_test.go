package shell

import (
	"fmt"
	"testing"
)

// TestReadPlain checks the three kinds of text. The conditions of package client cover the rest.
func TestReadPlain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a=1; git 'x y' $a | (b)":                "{[[git x y 1] [b]] false []}",
		"git $(ls -l) $x":                        "{[] true [git ls]}",
		"git \"$x\"":                             "{[] true []}",
		"":                                       "{[] false []}",
		"git commit -m \"$(cat <<'E'\nm\nE\n)\"": "{[[git commit -m m]] false []}",
	} {
		if got := fmt.Sprint(ReadPlain(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func FuzzReadPlain(f *testing.F) {
	f.Add("x=$(a); git \"$x $(b)\" <<'E' > f\nE\n")
	f.Add("echo `a \\`b\\``; time -p x; coproc y; for i in $(z); do let a=1; done")
	f.Fuzz(func(t *testing.T, text string) {
		if p := ReadPlain(text); p.Unclear && len(p.Commands) > 0 {
			t.Errorf("%q is unclear and has %q", text, p.Commands)
		}
	})
}
