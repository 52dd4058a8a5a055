package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
	"hookwatch/suites/catalog"
	"hookwatch/suites/record"
)

// TestInventory compares the inventory with the built-in suites.
func TestInventory(t *testing.T) {
	t.Parallel()
	all, err := catalog.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{}
	for _, s := range all {
		if slices.Contains(suites.BuiltinDefault, s.Name) {
			want[s.Agent] = len(s.Cases)
		}
	}
	if diff := cmp.Diff(want, inventory); diff != "" {
		t.Errorf("-suites +inventory\n%s", diff)
	}
}

// TestIncomplete checks that truncated and missing files are reported as incomplete.
func TestIncomplete(t *testing.T) {
	t.Parallel()
	run := func(files map[string]int) *record.Snapshot {
		t.Helper()
		dir := t.TempDir()
		for agent, n := range files {
			lines := strings.Repeat(`{"hook":"h","test_name":"t","pass":true,"note":""}`+"\n", n)
			if err := os.WriteFile(filepath.Join(dir, agent+"-20260220T154932Z.jsonl"), []byte(lines), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		r, err := record.OpenReader(record.Place{Base: dir, Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		s, err := r.Read()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	whole := run(map[string]int{"dep-agent": 29, "pm-agent": 32})
	for _, tt := range []struct {
		name  string
		files map[string]int
		want  []string
	}{
		{"whole", map[string]int{"dep-agent": 29, "pm-agent": 32, "other-agent": 3}, nil},
		{"short", map[string]int{"dep-agent": 28, "pm-agent": 30}, []string{
			"dep-agent: 28 records, want 29: 1 unknown failure", "pm-agent: 30 records, want 32: 2 unknown failures"}},
		{"gone", map[string]int{"dep-agent": 29}, []string{"pm-agent: no records, want 32: 32 unknown failures"}},
		{"empty", map[string]int{"dep-agent": 29, "pm-agent": 0}, []string{"pm-agent: no records, want 32: 32 unknown failures"}},
		{"too many", map[string]int{"dep-agent": 30, "pm-agent": 32}, []string{"dep-agent: 30 records, want 29: 1 too many"}},
	} {
		if got := Incomplete(run(tt.files), whole); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
