package depend

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// TestWorld checks that nothing is read of files that cases have no access to, however a hook or a
// link of the project names them, and that such files are inputs that do not change.
func TestWorld(t *testing.T) {
	t.Parallel()
	const text = "#!/bin/sh\nsecrettool --now\n. ./next.sh\n"
	for name, tt := range map[string]struct{ hook, link, to string }{
		"sourced":                     {"#!/bin/sh\nif false; then . PRIVATE/token.sh; fi\n", "", ""},
		"run by a shell":              {"#!/bin/sh\nbash PRIVATE/token.sh\n", "", ""},
		"in Python":                   {"#!/usr/bin/env python3\nexec(open(\"PRIVATE/token.sh\").read())\n", "", ""},
		"in Node":                     {"#!/usr/bin/env node\nrequire('PRIVATE/m.js')\n", "", ""},
		"a link":                      {"#!/bin/sh\n. hooks/lib.sh\n", "hooks/lib.sh", "PRIVATE/token.sh"},
		"a link to a directory":       {"#!/bin/sh\n. hooks/lib/token.sh\n", "hooks/lib", "PRIVATE"},
		"a link to a link":            {"#!/bin/sh\n. hooks/lib.sh\n", "hooks/lib.sh", "PRIVATE/link.sh"},
		"a link in a private place":   {"#!/bin/sh\n. PRIVATE/visible.sh\n", "", ""},
		"the configuration is a link": {"#!/bin/sh\n", "hooks/config.json", "PRIVATE/token.json"},
	} {
		root, private, elsewhere := t.TempDir(), t.TempDir(), t.TempDir()
		at := strings.NewReplacer("PRIVATE", private)
		write(t, root, map[string]string{"hooks/h.sh": at.Replace(tt.hook)})
		write(t, private, map[string]string{"token.sh": text, "m.js": "require('child_process').spawn('secrettool')", "next.sh": text, "token.json": "{}"})
		write(t, elsewhere, map[string]string{"visible.sh": text})
		links := map[string]string{filepath.Join(private, "link.sh"): "next.sh", filepath.Join(private, "visible.sh"): filepath.Join(elsewhere, "visible.sh")}
		if tt.link != "" {
			links[filepath.Join(root, tt.link)] = at.Replace(tt.to)
		}
		for link, to := range links {
			if err := os.Symlink(to, link); err != nil {
				t.Fatal(err)
			}
		}
		world := func(path string) disk.Reason {
			if disk.Within(private, path) {
				return disk.Absent
			}
			return 0
		}
		g := New(Project{Root: root, HookDirs: []string{"hooks"}, Reader: disk.Reader{World: world}})
		c := &suites.Case{Suite: "s", ID: "A", Hook: "hooks/h.sh"}
		before := g.Inputs(c)
		if tools := g.Tools(c.Hook); slices.Contains(tools, "secrettool") {
			t.Errorf("%s: tools %v", name, tools)
		}
		for _, in := range before {
			if disk.Within(private, in.Path) && in.Digest != "" {
				t.Errorf("%s: %+v", name, in)
			}
		}
		if list, _ := json.Marshal(before); tt.link != "" && strings.Contains(string(list), "next.sh") {
			t.Errorf("%s: the inputs name where a link of the private place leads: %s", name, list)
		}
		write(t, private, map[string]string{"token.sh": "changed\n", "m.js": "changed\n", "next.sh": "changed\n", "token.json": "changed\n"})
		if now := New(Project{Root: root, HookDirs: []string{"hooks"}, Reader: disk.Reader{World: world}}).Inputs(c); len(Changed(before, now)) > 0 {
			t.Errorf("%s: a change of a private file changes %+v", name, Changed(before, now))
		}
	}
}
