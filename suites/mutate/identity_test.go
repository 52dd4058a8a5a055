package mutate

import (
	"slices"
	"strings"
	"testing"
)

const twoFunctions = `#!/bin/bash
f() {
  echo one
  echo one
}
g() {
  h() { echo two; }
  h
}
f && g
`

func identities(t *testing.T, text, operator string) []string {
	t.Helper()
	s, err := NewSource("x.sh", []byte(text), 1)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, m := range subjects(s, operator) {
		list = append(list, m.ID.String())
	}
	return list
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		operator string
		want     []string
	}{
		{"delete", []string{
			"x.sh (top level) delete: delete f() { echo one echo one }",
			"x.sh f delete: delete echo one",
			"x.sh f delete: delete echo one (2)",
			"x.sh (top level) delete: delete g() { h() { echo two; } h }",
			"x.sh g delete: delete h() { echo two; }",
			"x.sh g delete: delete h",
			"x.sh (top level) delete: delete f && g",
		}},
		{"swap", []string{"x.sh (top level) swap: && to ||"}},
		{"constant", []string{"x.sh f constant: change one", "x.sh f constant: change one (2)", "x.sh h constant: change two"}},
		{"arm", nil},
	} {
		if got := identities(t, twoFunctions, test.operator); !slices.Equal(got, test.want) {
			t.Errorf("%s:\n%s\nwant\n%s", test.operator, strings.Join(got, "\n"), strings.Join(test.want, "\n"))
		}
	}
}

// An edit of one function leaves the mutants of the others what they were, and
// their order in a sample.
func TestIdentityOutlastsEdits(t *testing.T) {
	t.Parallel()
	edited := strings.Replace(twoFunctions, "f() {", "# a comment\ne() { :; }\nf() {\n  echo zero", 1)
	for _, operator := range Operators {
		now := identities(t, edited, operator)
		for _, id := range identities(t, twoFunctions, operator) {
			if !strings.Contains(id, " f() {") && !slices.Contains(now, id) {
				t.Errorf("%s is gone: %q", id, now)
			}
		}
	}
}

func TestSample(t *testing.T) {
	t.Parallel()
	draw := func(text string, seed uint64, want int) (list []string) {
		s, err := NewSource("x.sh", []byte(text), 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range sample(subjects(s, "delete"), seed, want) {
			list = append(list, m.ID.String())
		}
		return list
	}
	all := draw(twoFunctions, 1, 0)
	if len(all) != 7 {
		t.Fatalf("%d of 7", len(all))
	}
	if got := draw(twoFunctions, 1, 3); !slices.Equal(got, all[:3]) {
		t.Errorf("%q, want %q", got, all[:3])
	}
	if slices.Equal(all, draw(twoFunctions, 2, 0)) {
		t.Error("another seed draws the same order")
	}
	more := draw(twoFunctions+"i() { echo three; }\n", 1, 0)
	if rest := slices.DeleteFunc(more, func(id string) bool { return !slices.Contains(all, id) }); !slices.Equal(rest, all) {
		t.Errorf("another function changes the order:\n%q\n%q", rest, all)
	}
}

func TestSameTextCountsOnce(t *testing.T) {
	t.Parallel()
	s, err := NewSource("x.sh", []byte("#!/bin/bash\nexit 1\n"), 1)
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]bool{}
	if exits, constants := dropMade(subjects(s, "exit"), made), dropMade(subjects(s, "constant"), made); len(exits) != 1 || len(constants) != 0 {
		t.Errorf("%v, %v", exits, constants)
	}
}
