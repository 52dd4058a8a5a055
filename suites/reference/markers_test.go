package reference_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/catalog"
	"hookwatch/suites/markers"
	"hookwatch/suites/reference"
)

// projectResolver returns a resolver of markers in a starter project.
func projectResolver(s reference.Starter) (*markers.Resolver, map[string][]byte) {
	files := map[string][]byte{}
	for _, f := range s.Files() {
		files[f.Path] = f.Content
	}
	return &markers.Resolver{Read: func(path string) ([]byte, error) {
		if content, ok := files[path]; ok {
			return content, nil
		}
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}}, files
}

// Every case whose hook a starter project has, built in or its own, has a marker that the
// project contains. A function counts only as a definition, because a script that cannot be
// parsed still has its name in comments and calls.
func TestMarkersResolve(t *testing.T) {
	t.Parallel()
	builtin, err := catalog.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	least := map[string]int{"linters": 450}
	for _, s := range reference.Starters() {
		r, files := projectResolver(s)
		seen := 0
		all := append(slices.Clone(builtin), own(t, s)...)
		for i := range all {
			for j := range all[i].Cases {
				c := &all[i].Cases[j]
				if _, has := files[c.Hook]; !has && all[i].Builtin && !checksHere(&all[i], c, files) {
					continue
				}
				seen++
				checkMarkers(t, r, c)
			}
		}
		if seen < max(12, least[s.Name]) {
			t.Errorf("%s: only %d cases were looked at", s.Name, seen)
		}
	}
}

// own returns the suites in a starter project.
func own(t *testing.T, s reference.Starter) []suites.Suite {
	t.Helper()
	var all []suites.Suite
	for _, f := range s.Files() {
		if !strings.HasPrefix(f.Path, ".claude/tests/hooks/suites/") {
			continue
		}
		suite, problems := catalog.Load(f.Path, f.Content)
		for _, p := range problems {
			t.Error(p)
		}
		all = append(all, suite)
	}
	return all
}

// checksHere reports whether a case checks a project such as this one.
func checksHere(s *suites.Suite, c *suites.Case, files map[string][]byte) bool {
	for _, file := range s.AppliesTo {
		if _, has := files[file]; !has {
			return false
		}
	}
	return len(s.AppliesTo) > 0 && (c.Check != nil || c.Chain)
}

func checkMarkers(t *testing.T, r *markers.Resolver, c *suites.Case) {
	t.Helper()
	if len(c.Verify) == 0 {
		t.Errorf("%s: %s has no marker", c.At, c.ID)
	}
	for _, text := range c.Verify {
		refs, err := markers.ParseRef(text)
		if err != nil {
			t.Errorf("%s: %s: %v", c.At, c.ID, err)
		}
		for _, ref := range refs {
			res := r.Resolve(ref, nil)
			identifier := ref.Section != "" && !strings.ContainsAny(ref.Section, " .")
			switch {
			case !res.Found:
				t.Errorf("%s: %s: %s §%s: %s", c.At, c.ID, ref.Source, ref.Section, res.Why)
			case strings.HasSuffix(res.File, ".sh") && identifier && res.Rule != markers.ByFunction:
				t.Errorf("%s: %s: %s §%s is found as %s, want a function", c.At, c.ID, ref.Source, ref.Section, res.Rule)
			}
		}
	}
}
