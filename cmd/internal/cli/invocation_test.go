package cli

import (
	"os/exec"
	"strings"
	"testing"
)

// TestQuote checks that a shell reads the original word.
func TestQuote(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	for _, word := range []string{"my-hooks", "../my hooks", "it's", "a[b]", "~", "#x", "!x", "{a,b}", "a\nb", "é", "$HOME", "`x`", "", "a=b", "=ls", "a!b", "!!", "$(touch /tmp/x)", "a;b", "-rf", "a\\"} {
		out, err := exec.CommandContext(t.Context(), bash, "-c", "cd /; printf %s "+quote(word)).Output()
		if strings.HasPrefix(word, "-") {
			word = "./" + word // a file name
		}
		if err != nil || string(out) != word {
			t.Errorf("%q is written %s, which is %q: %v", word, quote(word), out, err)
		}
	}
	if got := quote("../my-hooks"); got != "../my-hooks" {
		t.Errorf("a plain word is written %s", got)
	}
}

// TestQuoteInteractive checks that history expansion in an interactive shell has no effect.
func TestQuoteInteractive(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	for _, word := range []string{"a!b", "!!", "it's!x", "!echo"} {
		cmd := exec.CommandContext(t.Context(), bash, "--norc", "-o", "history", "-o", "histexpand")
		cmd.Stdin = strings.NewReader("echo gotcha >/dev/null\nprintf %s " + quote(word) + "\n")
		out, err := cmd.Output()
		if err != nil || string(out) != word {
			t.Errorf("%q is written %s, which is %q: %v", word, quote(word), out, err)
		}
	}
}
