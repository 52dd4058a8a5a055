package run_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hookwatch/suites"
	"hookwatch/suites/run"
)

// noting is a linter that records its arguments in a file next to itself.
const noting = "#!/bin/sh\necho \"$*\" >>\"$(dirname \"$0\")/asked\"\necho biome 2.0\n"

// TestVersionApart checks that a program of the project is asked for its version in a sandbox,
// however it is found, and a program of the machine outside, once.
func TestVersionApart(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"namespaces", "copy"} {
		for name, tt := range map[string]struct {
			path   string // of the tool in the project; "" if it is the machine's
			places []string
			inPath string // a directory of the project; "link" leads to it
			want   string // recorded next to the tool
		}{
			"a place":                {path: "node_modules/.bin/biome", places: []string{"node_modules/.bin/biome"}},
			"in PATH":                {path: "bin/biome", inPath: "bin"},
			"in PATH through a link": {path: "bin/biome", inPath: "link"},
			"of the machine":         {want: "--version\n"},
		} {
			p, bin := newProject(t), t.TempDir()
			tool := filepath.Join(bin, "biome")
			if tt.path != "" {
				tool = filepath.Join(p.root, tt.path)
			}
			write(t, tool, noting)
			if err := os.Chmod(tool, 0o755); err != nil {
				t.Fatal(err)
			}
			switch tt.inPath {
			case "bin":
				bin = filepath.Dir(tool)
			case "link":
				bin = filepath.Join(t.TempDir(), "link")
				if err := os.Symlink(filepath.Dir(tool), bin); err != nil {
					t.Fatal(err)
				}
			}
			p.write("hook.sh", "#!/bin/bash\nexit 0\n", 0o755)
			gates := []suites.Gate{{Tool: "biome", MinVersion: "3.0", Places: tt.places}}
			c := &suites.Case{Suite: "s", ID: "A", Hook: "hook.sh", Gates: gates, Steps: []suites.Step{{Event: "Stop"}}}
			r := p.inMode(mode, bin)
			for range 2 {
				if v := judged(t, r, c); v.Note != "version_skip: biome 2.0 < 3.0" {
					t.Errorf("%s, %s: %+v", mode, name, v)
				}
			}
			if asked, _ := os.ReadFile(filepath.Join(filepath.Dir(tool), "asked")); string(asked) != tt.want {
				t.Errorf("%s, %s: the tool did in its directory: %q, want %q", mode, name, asked, tt.want)
			}
			if left, err := os.ReadDir(p.temp); err != nil || len(left) > 0 {
				t.Errorf("%s, %s: left %v, %v", mode, name, left, err)
			}
		}
	}
}

// TestVersionOfCalls checks that recording the calls of the project's own program does not start it
// in the project either.
func TestVersionOfCalls(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"namespaces", "copy"} {
		p := newProject(t)
		for _, tool := range []string{"biome", "jaq"} {
			p.write("node_modules/.bin/"+tool, noting, 0o755)
		}
		p.write("hook.sh", "#!/bin/bash\n./node_modules/.bin/biome lint\n", 0o755)
		c := &suites.Case{Suite: "s", ID: "A", Hook: "hook.sh", Steps: []suites.Step{{Event: "Stop"}}}
		got, err := p.inMode(mode, t.TempDir()).Calls(t.Context(), c, []suites.Gate{
			{Tool: "biome", Places: []string{"node_modules/.bin/biome"}}, {Tool: "jaq", Places: []string{"node_modules/.bin/jaq"}},
		})
		want := []suites.ToolCall{{Tool: "jaq", Version: "2.0"}, {Tool: "biome", Version: "2.0"}}
		if d := cmp.Diff(want, got, cmpopts.IgnoreFields(suites.ToolCall{}, "Args", "Exit", "Stdout", "Stderr")); d != "" || err != nil {
			t.Errorf("%s: calls (-want +got), %v:\n%s", mode, err, d)
		}
		if asked, err := os.ReadFile(p.root + "/node_modules/.bin/asked"); err == nil {
			t.Errorf("%s: the project's tools did: %s", mode, asked)
		}
	}
}

// TestVersionOfNone checks that no version is reported if a sandbox cannot be created.
func TestVersionOfNone(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("node_modules/.bin/biome", noting, 0o755)
	p.write("hook.sh", "#!/bin/bash\nexit 0\n", 0o755)
	r := run.New(run.Options{Root: p.root, Temp: filepath.Join(p.temp, "none"), Isolation: direct("copy", p.root), Env: []string{"PATH=" + os.Getenv("PATH")}})
	t.Cleanup(r.Close)
	c := &suites.Case{Suite: "s", ID: "A", Hook: "hook.sh", Steps: []suites.Step{{Event: "Stop"}}, Gates: []suites.Gate{{Tool: "biome", MinVersion: "1.0", Places: []string{"node_modules/.bin/biome"}}}}
	if o, err := r.Case(t.Context(), c); err == nil {
		t.Errorf("%+v", o)
	}
}
