//go:build unix

package session

import (
	"os"
	"path/filepath"
	"testing"

	"hookwatch/suites/process"
)

// TestStandIns checks that stand-ins for absent tools are at the end of the search path.
func TestStandIns(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "there"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + bin, "OTHER=1"}
	for name, temp := range map[string]string{"nothing runs": "", "cases run": t.TempDir()} {
		for range 2 { // like a reload
			offered, with, err := offerStandIns([]string{"there", "absent"}, temp, env)
			if err != nil {
				t.Fatal(name, err)
			}
			equal(t, name+": offered", map[string]string{"absent": jsonTool}, offered)
			want := bin
			if temp != "" {
				want += ":" + filepath.Join(temp, "stand-ins")
			}
			if got := process.Getenv(with, "PATH"); got != want || process.Getenv(with, "OTHER") != "1" {
				t.Errorf("%s: the environment is %v", name, with)
			}
			if _, err := process.LookPath("absent", "/", with); (err == nil) != (temp != "") {
				t.Errorf("%s: found %v", name, err == nil)
			}
		}
	}
	offered, with, err := offerStandIns([]string{"there"}, t.TempDir(), env)
	if err != nil || len(offered) > 0 {
		t.Errorf("nothing is absent: offered %v, %v", offered, err)
	}
	equal(t, "environment if nothing is absent", env, with)
}
