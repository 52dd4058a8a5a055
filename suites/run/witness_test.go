package run

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestBeforeSearched checks that shims are inserted between whole directories, after those of the
// case, or not at all.
func TestBeforeSearched(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ path, searched, want string }{
		{"/bin", "/bin", "W:/bin"},
		{"/usr/bin:/bin", "/bin", "/usr/bin:W:/bin"},
		{"/usr/bin:/bin", "/usr/bin:/bin", "W:/usr/bin:/bin"},
		{"/usr/bin:/usr/bin:/bin", "/usr/bin:/bin", "/usr/bin:W:/usr/bin:/bin"},
		{"/t/bin:/farm:/bin:/more", "/farm:/bin", "/t/bin:W:/farm:/bin:/more"},
		{"/usr/bin", "/bin", ""},
		{"/bin/more", "/bin", ""},
		{"/bin", "/bin:/usr/bin", ""},
		{"/bin", "", ""},
		{"", "/bin", ""},
	} {
		got, ok := beforeSearched(listed(tt.path), listed(tt.searched), "W")
		if got != listed(tt.want) || ok != (tt.want != "") {
			t.Errorf("%s in %s: %s, %v, want %s", tt.searched, tt.path, got, ok, tt.want)
		}
	}
}

// listed returns a search path in the format of this system.
func listed(path string) string {
	return strings.ReplaceAll(path, ":", string(filepath.ListSeparator))
}
