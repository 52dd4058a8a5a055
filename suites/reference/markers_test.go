package reference_test

import (
	"io/fs"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/catalog"
	"hookwatch/suites/markers"
	"hookwatch/suites/reference"
)

// projectResolver resolves markers in the starter project.
func projectResolver() (*markers.Resolver, map[string][]byte) {
	files := map[string][]byte{}
	for _, f := range reference.Linters.Files() {
		files[f.Path] = f.Content
	}
	return &markers.Resolver{Read: func(path string) ([]byte, error) {
		if content, ok := files[path]; ok {
			return content, nil
		}
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}}, files
}

// Every built-in case whose hook the starter project has names what authorises
// it, and the project has that. A function counts only as one: a script that
// cannot be parsed still has its names in comments and calls.
func TestMarkersResolve(t *testing.T) {
	t.Parallel()
	all, err := catalog.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	r, files := projectResolver()
	seen := 0
	for i := range all {
		for j := range all[i].Cases {
			c := &all[i].Cases[j]
			if _, has := files[c.Hook]; !has && !checksHere(&all[i], c, files) {
				continue
			}
			seen++
			checkMarkers(t, r, c)
		}
	}
	if seen < 450 {
		t.Errorf("only %d cases were looked at", seen)
	}
}

// checksHere reports whether a case checks a project such as this one.
func checksHere(s *suites.Suite, c *suites.Case, files map[string][]byte) bool {
	for _, file := range s.AppliesTo {
		if _, has := files[file]; !has {
			return false
		}
	}
	return c.Check != nil
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
			identifier := !strings.ContainsAny(ref.Section, " .")
			switch {
			case !res.Found:
				t.Errorf("%s: %s: %s §%s: %s", c.At, c.ID, ref.Source, ref.Section, res.Why)
			case strings.HasSuffix(res.File, ".sh") && identifier && res.Rule != markers.ByFunction:
				t.Errorf("%s: %s: %s §%s is found as %s, want a function", c.At, c.ID, ref.Source, ref.Section, res.Rule)
			}
		}
	}
}
