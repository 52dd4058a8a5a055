package run_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
)

// TestMasksElsewhere checks that a masked file is masked by every path to it, and for every HOME.
func TestMasksElsewhere(t *testing.T) {
	dir := newPublicDir(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{
		"home/.ssh/id", "home/.ssh/a/b/c/d/e/deep", "home/.netrc", "home/keys/id", "data/key", "home/work/x", "own/.aws/credentials", "own/.netrc",
	} {
		write(t, at(name), secret)
	}
	for _, mode := range []string{"home/keys/id", "data/key"} {
		if err := os.Chmod(at(mode), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"../keys/id": "home/.ssh/inner", at("data/key"): "home/.ssh/a/b/c/d/far"} {
		if err := os.Symlink(from, at(to)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(at("home/.ssh/a/b/c/d/e/deep"), at("home/work/hard")); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(at("home/.netrc"), at("home/work/x.netrc")); err != nil {
		t.Fatal(err)
	}
	read := `for f in "$D"/home/keys/id "$D"/data/key "$D"/home/work/hard "$D"/home/work/x.netrc "$D"/own/.aws/credentials "$D"/own/.netrc "$D"/again/.ssh/id "$D"/again/.netrc "$D"/part/deep; do cat "$f" 2>/dev/null && echo " in $f"; done; true`
	for _, home := range []string{"home", "", "data"} {
		mountedHome := home == "home" && unix.Geteuid() == 0
		_, r := chosen(t, "namespaces", func(o *run.Options, i *sandbox.Options) {
			i.Home, i.OwnHome = "", at("own")
			if home != "" {
				i.Home = at(home)
			}
			if home == "" || home == "data" {
				i.OwnHome = at("home")
			}
		})
		if mountedHome { // during the session
			for _, d := range []string{"again", "part"} {
				if err := os.MkdirAll(at(d), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			mounted(t, at("home"), at("again"), "", unix.MS_BIND, "")
			mounted(t, at("home/.ssh/a/b/c/d/e"), at("part"), "", unix.MS_BIND, "")
		}
		c := doing(read)
		c.Env["D"] = dir
		o, err := r.Case(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		got := string(o.Last().Stdout)
		if home != "home" { // the other HOME is not the user's here
			got = strings.ReplaceAll(got, secret+" in "+at("own/.aws/credentials")+"\n", "")
			got = strings.ReplaceAll(got, secret+" in "+at("own/.netrc")+"\n", "")
		}
		if strings.Contains(got, secret) {
			t.Errorf("HOME %q: the hook read\n%s", home, got)
		}
		if err := r.Remove(o); err != nil {
			t.Error(err)
		}
	}
}
