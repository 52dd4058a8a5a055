package suites_test

import (
	"testing"

	"hookwatch/suites"
)

// TestNewAccess checks that what a case does with its own files is no input.
func TestNewAccess(t *testing.T) {
	t.Parallel()
	const looked, read, listed, ran, wrote = suites.Looked, suites.Read, suites.Listed, suites.Ran, suites.Wrote
	created := suites.Use{Kind: wrote, Created: true}
	use := func(k suites.AccessKind) suites.Use { return suites.Use{Kind: k} }
	for _, tt := range []struct {
		uses  []suites.Use
		want  suites.AccessKind
		input bool
	}{
		{nil, 0, false},
		{[]suites.Use{use(read)}, read, true},
		{[]suites.Use{created, use(read), use(ran)}, wrote, false},
		{[]suites.Use{use(looked), created, use(read)}, looked | wrote, true},
		{[]suites.Use{use(wrote)}, wrote, false},
		{[]suites.Use{use(wrote), use(read)}, wrote | read, true}, // the write may have failed, or appended
		{[]suites.Use{use(listed), use(wrote), created}, listed | wrote, true},
	} {
		a := suites.NewAccess("/p", tt.uses)
		if a.Kind != tt.want || a.Input() != tt.input || a.Path != "/p" {
			t.Errorf("%v: %v, %v, want %v", tt.uses, a, a.Input(), tt.want)
		}
	}
	if got := (looked | ran).String(); got != "looked ran" {
		t.Errorf("prints %q", got)
	}
}
