package depend

import (
	"slices"
	"testing"
)

// TestNamesAfterExpansion checks that the rest of a path after a variable is the name of a file
// of the project, however the variable is written.
func TestNamesAfterExpansion(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`"$CLAUDE_PROJECT_DIR"/scripts/run.sh`,
		`"$CLAUDE_PROJECT_DIR/scripts/run.sh"`,
		`"${CLAUDE_PROJECT_DIR}"/scripts/run.sh`,
		`$CLAUDE_PROJECT_DIR/scripts/run.sh`,
		`"$(dirname "$0")"/scripts/run.sh`,
	} {
		if got := namesIn(text); !slices.Contains(got, "scripts/run.sh") {
			t.Errorf("%s names %q", text, got)
		}
	}
	if got := namesIn(`source "$CLAUDE_PROJECT_DIR/common"`); !slices.Contains(got, "./common") {
		t.Errorf("a bare name after an expansion is no path: %q", got)
	}
	if got := namesIn(`exec /usr/bin/env`); !slices.Contains(got, "/usr/bin/env") {
		t.Errorf("an absolute path lost its slash: %q", got)
	}
}
