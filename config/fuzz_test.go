package config

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"hookwatch/suites/disk"
)

func FuzzLoad(f *testing.F) {
	f.Add(example)
	for _, m := range mistakes {
		f.Add([]byte(m.file))
	}
	for _, w := range weakening {
		f.Add([]byte(w.file))
	}
	f.Add([]byte("run: {jobs: many}\nrun: &a [*a]\n<<: {a: b}\n"))
	f.Add([]byte("gates: {a.b: skip, ? [x] : fail}\nhooks: [1, {}, ~]\n"))
	f.Add([]byte("specs: [\"~/x\", '/**', '{../a,b}/*', '\\.\\./x*']\nhooks: [\"a\\eb\"]\n"))
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		s := parseFile(FileName, data)
		for _, p := range s.Problems {
			if p.What == "" || p.At.Line < 0 || p.At.Line > strings.Count(string(data), "\n")+strings.Count(string(data), "\r")+2 {
				t.Errorf("problem without place or text: %+v", p)
			}
			if strings.ContainsFunc(p.What+p.Hint, unicode.IsControl) || len(p.What) > 2000 {
				t.Errorf("a terminal would obey it, or it floods: %q", p.Error())
			}
		}
		if len(s.Problems) > 0 {
			return
		}
		s.expandHome()
		c := &Config{Path: filepath.Join(root, FileName), Root: root}
		c.consent(s, root, LoadOptions{State: filepath.Join(root, "..", "state")}, func(string) bool { return false })
		if text := c.Notice(); (text == "") != (len(c.Asks) == 0) || strings.ContainsFunc(text, unicode.IsControl) || len(text) > 10_000 {
			t.Errorf("%d asks are told as %q", len(c.Asks), text)
		}
		none := newSource("")
		if err := c.merge(s, none, none); err != nil {
			t.Errorf("accepted, but cannot be merged: %v", err)
		}
		if !disk.Within(root, c.Root) || c.Run.Isolation == "none" || c.Run.Isolation == "copy" || len(c.Run.PassEnv)+len(c.Sandbox.Unmask) > 0 ||
			c.Live.Client != "" || c.Sandbox.Size > 256*MB || c.Sandbox.Processes > 1000 || c.Sandbox.Memory > 2*GiB {
			t.Errorf("nobody agreed, and in force are %+v", c)
		}
		for _, path := range slices.Concat(c.Hooks, c.Settings, c.Specs, c.Suites) {
			if path != Builtin && !disk.Within(c.Root, disk.Lead(c.Abs(fixed(path)))) {
				t.Errorf("nobody agreed, and %q is read", path)
			}
		}
	})
}
