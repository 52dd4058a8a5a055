package session

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hookwatch/config"
	"hookwatch/suites/discover"
)

// TestNamedClient checks that the client in live.client is visible in private places, even
// if it is a link.
func TestNamedClient(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "installed", "claude.exe")
	if err := os.Mkdir(filepath.Dir(program), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "claude")
	if err := os.Symlink(program, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	cfg := &config.Config{Root: dir}
	cfg.Live.Client = link
	if o := sandboxOptions(cfg, nil); !slices.Contains(o.Shown, filepath.Dir(program)) {
		t.Errorf("shown are %q", o.Shown)
	}
	cfg.Live.Client = "claude"
	if o := sandboxOptions(cfg, nil); len(o.Shown) != 1 {
		t.Errorf("shown are %q", o.Shown)
	}
}

// TestRelativeHome checks that a HOME that depends on the directory is none, because the sandbox hides
// HOME by its path.
func TestRelativeHome(t *testing.T) {
	t.Parallel()
	for home, want := range map[string]string{"/home/user": "/home/user", "..": "", ".": "", "home/user": "", "": ""} {
		if o := sandboxOptions(new(config.Config), []string{"HOME=" + home}); o.Home != want {
			t.Errorf("HOME=%s: hidden is %q, want %q", home, o.Home, want)
		}
	}
}

// TestNamedInHome checks that files which the user's own commands name are shown, and no file that a
// project's command names.
func TestNamedInHome(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range []string{"guards/a.sh", "guards/b.py", "guards/c.sh", "secret"} {
		if err := errors.Join(os.MkdirAll(filepath.Join(home, "guards"), 0o755), os.WriteFile(filepath.Join(home, name), nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	p := &Project{}
	p.Registered.Hooks = []discover.Hook{
		{Scope: discover.InUser, Command: `"$HOME"/guards/a.sh --all ~/absent ~`}, {Scope: discover.InUser, Command: "python3", Args: []string{"~/guards/b.py"}},
		{Scope: discover.InProject, Command: "cat ~/secret ~/guards/c.sh"},
	}
	want := []string{filepath.Join(home, "guards/a.sh"), filepath.Join(home, "guards/b.py")}
	if got := p.namedInHome(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
