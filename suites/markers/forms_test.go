package markers

import (
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// To update the golden file: go test ./suites/markers -run TestForms -update
var update = flag.Bool("update", false, "write testdata/forms.golden anew")

// formIDs are the cases of the project in testdata/forms.
func formIDs() *IDs {
	ids := []string{}
	for prefix, n := range map[string]int{"M": 36, "P": 12, "Q": 4} {
		for i := range n {
			id := fmt.Sprintf("%s%02d", prefix, i+1)
			ids = append(ids, id)
		}
	}
	return NewIDs(ids)
}

// onDisk returns a Resolver for a directory.
func onDisk(dir string, known ...string) *Resolver {
	return &Resolver{
		Read:  func(p string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, filepath.FromSlash(p))) },
		Known: func() []string { return known },
	}
}

// TestForms reads a document with every form of a marker.
func TestForms(t *testing.T) {
	t.Parallel()
	const dir, spec, golden = "testdata/forms", "docs/specs/forms.md", "testdata/forms.golden"
	src, err := os.ReadFile(path.Join(dir, spec))
	if err != nil {
		t.Fatal(err)
	}
	doc := Read(spec, src, formIDs())
	r := onDisk(dir, "hooks/lint.sh", "a/twin.md", "b/twin.md", "docs/GUIDE.md")
	var got strings.Builder
	for _, m := range doc.Markers {
		fmt.Fprintf(&got, "%d:%d %s [%s]", m.Line, m.Column, m.Ref, strings.Join(m.IDs, " "))
		if m.SuiteWide {
			got.WriteString(" suite-wide")
		}
		fmt.Fprintf(&got, "\n\t-> %s\n\t%q\n", describe(r.Resolve(m.Ref, doc)), m.Claim)
	}
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
