package session

import (
	"slices"
	"strings"
	"testing"
)

// TestReadEvents finds the longest list of events in a program, also across portions of it.
func TestReadEvents(t *testing.T) {
	t.Parallel()
	list := `["PreToolUse","Stop", 'FromTheFuture']`
	for name, tt := range map[string]struct {
		program string
		want    []string
	}{
		"nothing":          {"\x7fELF", nil},
		"another word":     {`x="PreToolUse"`, nil},
		"the longest":      {`["PreToolUse","Stop"]` + list + `["PreToolUse","Other"]`, []string{"PreToolUse", "Stop", "FromTheFuture"}},
		"between portions": {strings.Repeat("x", 4<<20+1<<16-20) + list, []string{"PreToolUse", "Stop", "FromTheFuture"}},
	} {
		if got, err := readEvents(strings.NewReader(tt.program)); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, %v, want %q", name, got, err, tt.want)
		}
	}
}
