package decide

import (
	"maps"
	"testing"
)

// TestAtRest: what was seen of files goes with them.
func TestAtRest(t *testing.T) {
	t.Parallel()
	a := &AtRest{rest: map[string]string{"a": "1"}, latest: map[string]string{"a": "", "b": "2"}}
	a.Rest()
	if want := map[string]string{"b": "2"}; !maps.Equal(a.rest, want) || len(a.latest) > 0 {
		t.Errorf("at rest %v, latest %v, want %v", a.rest, a.latest, want)
	}
	for _, tt := range []struct {
		name, was, now string
		same           bool
	}{{"another content", "2", "3", false}, {"and back", "3", "2", true}, {"gone", "2", "", false}} {
		if got := a.Same("b", tt.was, tt.now); got != tt.same {
			t.Errorf("%s: same %v, want %v", tt.name, got, tt.same)
		}
	}
}
