package cli

import (
	"strings"
	"testing"
	"time"
)

// TestProgressInFile checks that a file gets plain lines from time to time, and none if the command
// ends before.
func TestProgressInFile(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	now := time.Unix(0, 0)
	p := newProgress(&out, func() int { return 80 })
	p.stop() // the test ticks itself
	p.now, p.began = func() time.Time { return now }, now
	after := func(d time.Duration, want string) {
		t.Helper()
		now = now.Add(d)
		p.update(func() {}, true)
		if got := out.String(); got != want {
			t.Errorf("after %s: %q, want %q", now.Sub(p.began), got, want)
		}
		out.Reset()
	}
	p.show("%d of 2", 0)
	ended := p.begin("a\nb")
	p.result("x  stops y")
	after(resultsAfter-time.Millisecond, "")
	after(time.Millisecond, "x  stops y\n")
	after(plainAfter-resultsAfter-time.Millisecond, "")
	after(time.Millisecond, `a\nb running for 5 s; 0 of 2`+"\n")
	p.show("%d of 2", 1)
	p.result("z  proceeds")
	after(plainAfter/2, "z  proceeds\n")
	after(plainAfter/2, `a\nb running for 10 s; 1 of 2`+"\n")
	ended(3)
	after(plainAfter, "1 of 2  3 firings\n")
	p.end()
	after(time.Hour, "")

	var none *progress
	none.show("x")
	none.result("x")
	none.end()
}
