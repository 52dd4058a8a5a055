package sandbox

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// tree creates files in a new directory without symbolic links in its path.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := disk.Real(t.TempDir())
	for name, content := range files {
		write(t, filepath.Join(dir, name), content)
	}
	return dir
}

func TestViews(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"home/p/.git/HEAD":           "ref: refs/heads/main\n",
		"home/p/part/x":              "",
		"home/plain/x":               "",
		"main/.git/objects/x":        "",
		"main/.git/refs/x":           "",
		"main/.git/worktrees/w/HEAD": "",
		"w/x":                        "",
	})
	write(t, filepath.Join(dir, "main/.git/worktrees/w/commondir"), "../..\n")
	write(t, filepath.Join(dir, "main/.git/worktrees/w/gitdir"), filepath.Join(dir, "w/.git")+"\n")
	write(t, filepath.Join(dir, "w/.git"), "gitdir: "+filepath.Join(dir, "main/.git/worktrees/w")+"\n")
	if err := os.Symlink(filepath.Join(dir, "home/p"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	one := []mount{{At: "/", Kind: "ext4"}}
	tests := []struct {
		name, root, home string
		mounts           []mount
		want             []string
	}{
		{"repository in HOME", "home/p", "home", one, []string{"home"}},
		{"directory of a repository", "home/p/part", "", one, []string{"home/p"}},
		{"by a link", "link", "", one, []string{"home/p"}},
		{"next to HOME", "home/plain", "w", one, []string{"w", "home/plain"}},
		{"linked work tree", "w", "", one, []string{"w", "main/.git"}},
		{"a file system of its own in HOME", "home/p", "home", []mount{{At: "/", Kind: "ext4"}, {At: filepath.Join(dir, "home/p"), Kind: "ext4"}}, []string{"home", "home/p"}},
		{"a mount in the project", "home/p", "", []mount{{At: "/", Kind: "ext4"}, {At: filepath.Join(dir, "home/p/part"), Kind: "ext4"}}, []string{"home/p", "home/p/part"}},
		{"no HOME of that name", "home/p", "nowhere", one, []string{"home/p"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := Options{Root: filepath.Join(dir, tt.root)}
			if tt.home != "" {
				o.Home = filepath.Join(dir, tt.home)
			}
			var got []string
			for _, v := range o.views(tt.mounts, o.rules().Homes()) {
				got = append(got, strings.TrimPrefix(v, dir+"/"))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error("-want +got\n" + diff)
			}
		})
	}
	if got := (Options{Root: "/", Home: "/"}).views(one, nil); len(got) != 0 {
		t.Errorf("views of everything: %v", got)
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"same": "a", "rewritten": "a", "changed": "a", "same size": "a", "gone": "a", "mode": "a",
		"dir/gone too": "a", "kept/x": "a", "becomes": "a", "large": strings.Repeat("x", digestAtMost+1),
	})
	if err := os.Symlink("same", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	before := takeSnapshot(dir)
	for name, content := range map[string]string{"rewritten": "a", "changed": "abc", "same size": "b", "new/deep/file": "12345", "large": strings.Repeat("y", digestAtMost+1)} {
		write(t, filepath.Join(dir, name), content)
	}
	for _, err := range []error{
		os.Remove(filepath.Join(dir, "gone")), os.RemoveAll(filepath.Join(dir, "dir")), os.Mkdir(filepath.Join(dir, "empty"), 0o755),
		os.Chmod(filepath.Join(dir, "mode"), 0o600), os.Remove(filepath.Join(dir, "link")), os.Symlink("changed", filepath.Join(dir, "link")),
		os.Remove(filepath.Join(dir, "becomes")), os.Mkdir(filepath.Join(dir, "becomes"), 0o755),
		os.Chtimes(filepath.Join(dir, "same"), time.Unix(1, 0), time.Unix(1, 0)),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := []suites.Change{
		{Kind: suites.Changed, Path: "changed", Size: 3},
		{Kind: suites.Deleted, Path: "dir/gone too"},
		{Kind: suites.Created, Path: "empty/"},
		{Kind: suites.Deleted, Path: "gone"},
		{Kind: suites.Changed, Path: "large", Size: digestAtMost + 1},
		{Kind: suites.Changed, Path: "link", Size: 7},
		{Kind: suites.Changed, Path: "mode", Size: 1},
		{Kind: suites.Created, Path: "new/deep/file", Size: 5},
		{Kind: suites.Changed, Path: "same size", Size: 1},
	}
	got := slices.DeleteFunc(diff(before, takeSnapshot(dir)), func(c suites.Change) bool { return strings.HasPrefix(c.Path, "becomes") })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("-want +got\n" + diff)
	}
	if d := diff(before, before); len(d) != 0 {
		t.Errorf("nothing changed, but %v is reported", d)
	}
}

const counters = `Ip: Forwarding DefaultTTL OutNoRoutes
Ip: 1 64 2
Tcp: ActiveOpens AttemptFails
Tcp: 3 3
Udp: InDatagrams NoPorts
Udp: 0 1
`

func TestNetworkTried(t *testing.T) {
	t.Parallel()
	got := strings.Join(networkTried(counters), "\n")
	for _, want := range []string{"wanted the network: 2 times", "loopback, where nothing listens for it: 3 times", "name server"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	if quiet := networkTried(strings.NewReplacer("2", "0", "3", "0", "1", "0").Replace(counters)); len(quiet) != 0 {
		t.Errorf("nothing was tried: %v", quiet)
	}
}

func FuzzParseCounters(f *testing.F) {
	f.Add(counters)
	f.Add("Ip:\nIp: 1 2\n")
	f.Fuzz(func(t *testing.T, text string) {
		for name := range parseCounters(text) {
			if !strings.Contains(name, ".") {
				t.Errorf("a counter named %q", name)
			}
		}
	})
}

func TestTooMuch(t *testing.T) {
	t.Parallel()
	files := map[string]int64{"a": 5, "b": 10, "c": 3, "d": 10}
	for bound, want := range map[int64]string{0: "", 28: "", 27: "b", 18: "b", 17: "b d", 1: "a b c d"} {
		var out []string
		for _, name := range []string{"a", "b", "c", "d"} {
			if tooMuch(files, bound)[name] {
				out = append(out, name)
			}
		}
		if got := strings.Join(out, " "); got != want {
			t.Errorf("bound %d leaves out %q, want %q", bound, got, want)
		}
	}
}

func TestCopy(t *testing.T) {
	t.Parallel()
	dir, to := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(
		os.MkdirAll(in("a"), 0o755), os.MkdirAll(in("skipped"), 0o755),
		os.WriteFile(in("a/b"), []byte("1"), 0o644), os.WriteFile(in("skipped/x"), []byte("2"), 0o644), os.WriteFile(in("script"), []byte("3"), 0o644),
		os.Symlink("../nowhere", in("a/link")), os.Chmod(in("script"), 0o755), os.Mkdir(in("closed"), 0o555),
	); err != nil {
		t.Fatal(err)
	}
	if err := (&copier{Skip: func(rel string) bool { return rel == "skipped" }}).Tree(dir, to); err != nil {
		t.Fatal(err)
	}
	want, got := takeSnapshot(dir), takeSnapshot(to)
	delete(want, "skipped")
	delete(want, "skipped/x")
	if changes := diff(want, got); len(changes) > 0 || len(got) != len(want) {
		t.Errorf("%v", changes)
	}
	for _, name := range []string{"a/b", "script"} {
		was, err := os.Stat(in(name))
		is, errCopy := os.Stat(filepath.Join(to, name))
		if err != nil || errCopy != nil || !is.ModTime().Equal(was.ModTime()) {
			t.Errorf("%s: %v, %v", name, err, errCopy)
		}
	}
	if err := remove(to); err != nil {
		t.Error(err)
	}
}

// TestTempOfTheKilled checks that the next start removes the files that a killed process placed in
// the project.
func TestTempOfTheKilled(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	fixture, changed := filepath.Join(top, "fixture"), filepath.Join(top, "changed")
	place := Place{filepath.Join(top, "place")}
	if _, err := place.Open(); err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(place.dir, "run-999999999-1")
	if err := os.Mkdir(dead, 0o700); err != nil {
		t.Fatal(err)
	}
	note := ""
	for _, path := range []string{fixture, changed} {
		note += fmt.Sprintf(`{"path":%q,"sha256":"%x","size":1}`+"\n", path, sha256.Sum256([]byte("x")))
	}
	for path, content := range map[string]string{filepath.Join(dead, "s-A1-1.placed"): note + `{"path":"/to`, fixture: "x", changed: "y"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := place.Open(); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{fixture: false, changed: true, dead: false} {
		if _, err := os.Lstat(path); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", path, err == nil, want)
		}
	}
}
