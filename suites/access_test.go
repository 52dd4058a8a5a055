package suites_test

import (
	"slices"
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

// TestWithoutLibraries checks that only the standard library of a Python that ran is dropped.
func TestWithoutLibraries(t *testing.T) {
	t.Parallel()
	var all, want []suites.Access
	for _, tt := range []struct {
		path string
		kind suites.AccessKind
		keep bool
	}{
		{"/home/u/py/bin/python3", suites.Ran, true},
		{"/home/u/py/bin/python3.11", suites.Looked | suites.Ran, true},
		{"/home/u/py/lib/python3.11/os.py", suites.Read, false},
		{"/home/u/py/lib/python3.11/json", suites.Looked | suites.Listed, false},
		{"/home/u/py/lib/python3.11/site-packages", suites.Listed, true},
		{"/home/u/py/lib/python3.11/site-packages/rules.py", suites.Read, true},
		{"/home/u/py/lib/python3.11/__pycache__/os.pyc", suites.Read | suites.Wrote, true},
		{"/home/u/py/lib/python3.12/os.py", suites.Read, true}, // did not run
		{"/home/u/py/lib/x", suites.Read, true},
		{"/home/u/bin/guard", suites.Ran, true},
		{"/home/u/lib/guard/rules", suites.Read, true},
	} {
		all = append(all, suites.Access{Path: tt.path, Kind: tt.kind})
		if tt.keep {
			want = append(want, all[len(all)-1])
		}
	}
	if got := suites.WithoutLibraries(all); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
