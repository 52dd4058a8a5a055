package sandbox

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

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
	if _, _, err := place.Open(false); err != nil {
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
	if _, _, err := place.Open(true); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{fixture: false, changed: true, dead: false} {
		if _, err := os.Lstat(path); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", path, err == nil, want)
		}
	}
}
