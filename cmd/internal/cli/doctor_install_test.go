package cli

import "testing"

func TestToInstall(t *testing.T) {
	t.Parallel()
	missing := []string{"jaq", "no-such-tool", "claude"}
	want := "jaq by cargo install --locked jaq; no-such-tool; claude by npm install --global @anthropic-ai/claude-code"
	if got := toInstall(missing); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
