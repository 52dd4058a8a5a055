//go:build unix

package session

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
			if err != nil || !slices.Equal(slices.Collect(maps.Keys(offered)), []string{"absent"}) || offered["absent"] != jsonTool {
				t.Fatalf("%s: offered %v, %v", name, offered, err)
			}
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
	if offered, with, err := offerStandIns([]string{"there"}, t.TempDir(), env); err != nil || len(offered) > 0 || strings.Join(with, " ") != strings.Join(env, " ") {
		t.Errorf("nothing is absent: offered %v, environment %v, %v", offered, with, err)
	}
}
