package prove

import (
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
)

// turned decodes accesses such as "0o a", of step 0.
func turned(text string) (o suites.Outcome) {
	for _, f := range strings.Split(text, ", ") {
		uses, path, _ := strings.Cut(f, " ")
		o.Turns = append(o.Turns, suites.Turn{Step: int(uses[0] - '0'), Uses: uses[1:], Path: path})
	}
	return o
}

// TestShared checks which files two processes have in common.
func TestShared(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"0od a, 0w a, 1od a, 1w a":               {"a"},
		"0od a, 1od a":                           nil, // no one changes it
		"0od a, 0w a, 1od b, 1w b":               nil,
		"0aw /tmp, 0a /tmp, 1aw /tmp":            nil, // mkdir -p of what is there
		"0ac lock, 0aw lock, 1ac lock, 1aw lock": {"lock"},
		"0c a, 1od a":                            {"a"},
		"0odw x/__pycache__/m, 1od x/__pycache__/m, 0c x/__pycache__/m": nil,
	} {
		if got := shared(turned(text)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestPoints checks where a process may be interrupted.
func TestPoints(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text            string
		windows, others []int
	}{
		{"0od a, 0w a", []int{2}, nil},
		{"0w a, 0od a", nil, []int{2}},
		{"0a lock, 0c lock, 0od a, 0w a, 0aw lock", []int{2, 4, 5}, []int{3}},
		{"0od a, 0w own, 0w a", []int{3}, nil}, // own is not in common
		{"0a a, 0a a, 0a a", nil, nil},
	} {
		windows, others := points(turned(tt.text).Turns, []string{"a", "lock"})
		if !slices.Equal(windows, tt.windows) || !slices.Equal(others, tt.others) {
			t.Errorf("%s: %v, %v, want %v, %v", tt.text, windows, others, tt.windows, tt.others)
		}
	}
}

// TestUnordered checks which texts say the same, and which do not.
func TestUnordered(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"2026-11-29T14:03:09Z begin\n2026-11-29T14:03:10+01:00 end\n", "2026-11-30 04:03:19.123 end\n2026-11-29T14:03:09Z begin", true},
		{`{"n":2,"files":["a","b"]}`, `{"files": ["b", "a"], "n": 2}`, true},
		{`{"n":2}`, `{"n":1}`, false},
		{"at 1795965124.5", "at 1795965125", true},
		{"1", "2", false},
		{"a\na\n", "a\n", false},
		{"", "", true},
	} {
		if same := unordered(tt.a) == unordered(tt.b); same != tt.same {
			t.Errorf("%q and %q: the same %t, want %t", tt.a, tt.b, same, tt.same)
		}
	}
}

// TestDiffers checks that only a result of no order counts, and only what is the same in two runs of one.
func TestDiffers(t *testing.T) {
	t.Parallel()
	outcome := func(first, second suites.Effect, file, printed string) suites.Outcome {
		return suites.Outcome{Results: []suites.Result{{Effect: first, Stdout: []byte(printed)}, {Effect: second, Files: map[string][]byte{"f": []byte(file)}}}}
	}
	ab, ba := outcome(suites.Proceeds, suites.Denied, "1", "a"), outcome(suites.Denied, suites.Proceeds, "2", "a")
	for _, tt := range []struct {
		o, again suites.Outcome
		want     string
	}{
		{ab, ab, ""},
		{ba, ab, ""},
		{outcome(suites.Proceeds, suites.Denied, "2", "a"), ab, ""}, // of each part alone
		{outcome(suites.Proceeds, suites.Proceeds, "1", "a"), ab, "effects"},
		{outcome(suites.Proceeds, suites.Denied, "3", "a"), ab, "f"},
		{outcome(suites.Proceeds, suites.Denied, "3", "a"), outcome(suites.Proceeds, suites.Denied, "4", "a"), ""},
		{outcome(suites.Proceeds, suites.Denied, "1", "b"), ab, "answers"},
		{outcome(suites.Proceeds, suites.Denied, "1", "b"), outcome(suites.Proceeds, suites.Denied, "1", "c"), ""},
	} {
		if got := differs(suites.Turns{Paths: []string{"f"}}, tt.o, ab, ba, tt.again); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.o.Results, got, tt.want)
		}
	}
}
