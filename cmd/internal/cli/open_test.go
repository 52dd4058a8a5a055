package cli

import (
	"os/exec"
	"testing"
)

// TestQuoteArg has a shell read what is written.
func TestQuoteArg(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	for _, word := range []string{"my-hooks", "../my hooks", "it's", "a[b]", "~", "#x", "!x", "{a,b}", "a\nb", "é", "$HOME", "`x`", "", "a=b"} {
		out, err := exec.CommandContext(t.Context(), bash, "-c", "cd /; printf %s "+quoteArg(word)).Output()
		if err != nil || string(out) != word {
			t.Errorf("%q is written %s, which is %q: %v", word, quoteArg(word), out, err)
		}
	}
	if got := quoteArg("../my-hooks"); got != "../my-hooks" {
		t.Errorf("a plain word is written %s", got)
	}
}
