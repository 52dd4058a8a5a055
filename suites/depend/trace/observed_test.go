package trace

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// TestObserved checks which of the paths that processes use are inputs of a case.
func TestObserved(t *testing.T) {
	root, home := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("PATH", filepath.Join(home, "bin")+string(filepath.ListSeparator)+filepath.Join(root, "bin"))
	box := t.TempDir()
	for _, dir := range []string{"real", "docs"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("real", filepath.Join(root, "link")); err != nil {
		t.Skip("no symbolic links: ", err)
	}
	in := func(dir, name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	o := &suites.Outcome{Root: "/copy", Project: root, Sandbox: filepath.Join(box, "case"), Accesses: []suites.Access{
		{Path: root, Kind: suites.Looked | suites.Listed},
		{Path: home, Kind: suites.Looked},
		{Path: filepath.Dir(home), Kind: suites.Listed},
		{Path: in(root, "a.json"), Kind: suites.Read | suites.Data},
		{Path: in(root, "real/c"), Kind: suites.Read | suites.Data},
		{Path: in(root, "docs"), Kind: suites.Looked | suites.Listed},
		{Path: in(root, "made"), Kind: suites.Wrote},
		{Path: in(root, "none/b"), Kind: suites.Looked},
		{Path: in(root, "link/c"), Kind: suites.Read},
		{Path: in(root, "lib/__pycache__/x.pyc"), Kind: suites.Read},
		{Path: in(root, "node_modules/@s/p/lib/x.js"), Kind: suites.Read},
		{Path: in(root, "web/node_modules/q/y.js"), Kind: suites.Read},
		{Path: in(root, "web/node_modules/q/node_modules/r/z.js"), Kind: suites.Read},
		{Path: in(root, ".venv/lib/python3/site-packages/z/z.py"), Kind: suites.Read},
		{Path: in(root, "bin/tool"), Kind: suites.Looked | suites.Ran},
		{Path: in(home, ".config/rules"), Kind: suites.Looked},
		{Path: in(home, ".py/3/bin/python"), Kind: suites.Ran | suites.Read},
		{Path: in(home, ".py/3/lib/os.py"), Kind: suites.Read},
		{Path: in(home, ".py/3/lib/python3/site-packages/w/w.py"), Kind: suites.Read},
		{Path: in(home, ".cargo/bin/python"), Kind: suites.Looked},
		{Path: in(home, ".cargo/bin/jq"), Kind: suites.Looked},
		{Path: in(home, "bin/own"), Kind: suites.Ran},
		{Path: in(home, "bin/other"), Kind: suites.Looked},
		{Path: in(box, "tools/jaq"), Kind: suites.Ran},
		{Path: in(box, "case/made"), Kind: suites.Ran},
		{Path: in(home, "notes"), Kind: suites.Read},
		{Path: "/elsewhere/asked", Kind: suites.Looked},
		{Path: "/asked", Kind: suites.Looked},
		{Path: "/elsewhere/read", Kind: suites.Read},
	}}
	own := in(home, "bin/own")
	if err := os.MkdirAll(filepath.Dir(own), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(own, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range o.Accesses { // as the kernel names them
		o.Accesses[i].Path = filepath.Clean(o.Accesses[i].Path)
	}
	slash := filepath.ToSlash(home)
	want := &Observed{
		Paths: []string{
			"./", ".venv/lib/python3/site-packages/", slash + "/.cargo/bin/jq", slash + "/.py/3/lib/python3/site-packages/", slash + "/.config/rules", slash + "/notes",
			"/elsewhere/asked", "/elsewhere/read", "a.json", "bin/tool", "docs", "docs/", "link/c", "node_modules/@s/p/package.json",
			"none/b", "real/c", "web/node_modules/q/package.json",
			"web/node_modules/q/node_modules/r/package.json",
		},
		Programs: []suites.Tool{
			{Name: "jaq"}, {Name: "made"},
			{Name: "python", Path: in(home, ".py/3/bin/python")}, {Name: "other", Path: in(home, "bin/other")}, {Name: "own", Path: in(home, "bin/own"), Digest: disk.ProgramDigest(own)},
		},
	}
	sorted := cmp.Transformer("sorted", func(in []string) map[string]bool {
		set := map[string]bool{}
		for _, s := range in {
			set[s] = true
		}
		return set
	})
	got, uses := ObservedIn(o)
	if diff := cmp.Diff(want, got, sorted); diff != "" {
		t.Errorf("observed (-want +got):\n%s", diff)
	}
	for p, want := range map[string]bool{slash + "/notes": true, "a.json": false, "real/c": false, "link/c": false, "docs": false} {
		if kind := uses[p]; (kind&suites.Read != 0 && kind&(suites.Data|suites.Wrote) == 0) != want {
			t.Errorf("%s: opened by bash alone: %v", p, !want)
		}
	}
	o.Unobserved = "too many paths"
	if got, _ := ObservedIn(o); got != nil {
		t.Error("an incomplete record counts")
	}
}
