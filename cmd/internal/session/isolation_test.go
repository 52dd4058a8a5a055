package session

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hookwatch/config"
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
	if o := SandboxOptions(cfg, nil); !slices.Contains(o.Shown, filepath.Dir(program)) {
		t.Errorf("shown are %q", o.Shown)
	}
	cfg.Live.Client = "claude"
	if o := SandboxOptions(cfg, nil); len(o.Shown) != 1 {
		t.Errorf("shown are %q", o.Shown)
	}
}
