package doctor

import (
	"strings"
	"testing"
)

func TestToInstall(t *testing.T) {
	t.Parallel()
	for want, missing := range map[string][]string{
		"": {"no-such-tool"},
		"  install jaq: cargo install --locked jaq\n  install claude: npm install --global @anthropic-ai/claude-code": {"jaq", "no-such-tool", "claude"},
	} {
		if got := strings.Join(ToInstall(missing), "\n"); got != want {
			t.Errorf("%v: %q, want %q", missing, got, want)
		}
	}
}
