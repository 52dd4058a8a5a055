package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// TestReportHostile checks that hostile names and texts of a project are shown on its page, and that a
// browser neither interprets nor hides them.
func TestReportHostile(t *testing.T) {
	t.Parallel()
	root := hostileProject(t)
	prepareRecords(t, root)
	if code, _, stderr := call(t, root, "", "report", "--static"); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	text, err := os.ReadFile(filepath.Join(root, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	if i := strings.IndexFunc(page, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
		t.Errorf("%q", page[max(0, i-80):i+10])
	}
	if n := strings.Count(page, "FORGED"); n < 10 || !strings.Contains(page, `\u202e`) {
		t.Errorf("hostile text is shown in %d places", n)
	}
	if len(page) > 1<<20 {
		t.Errorf("a page of %d bytes", len(page))
	}
}
