package markers

import (
	"bytes"
	"io/fs"
	"os"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// FuzzRead reads arbitrary documents. Every marker must be in the text, at a reference,
// and reading again must return the same.
func FuzzRead(f *testing.F) {
	forms, err := os.ReadFile("testdata/forms/docs/specs/forms.md")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(forms)
	for _, s := range []string{
		"P01 [verify: a.sh §b, §c].", "| P01 | [verify: `a]`] |\n| - | - |\n", "- x\n  > P1-P9 [verify:\n  > a]",
		"All cases [verify: x]\n\n|P1|\n|-|\n|P2|", "**a** [verify: b]:\n\n|P1|\n|-|\n", "A = `b.md`\n\n\t[verify: \\] `", "a. [verify: b]\n[verify: c]",
		"[verify: a]:\nb\n\n- P1: c\n- [verify: d]:\n  - P2", "pm/P1–P9 e.g. M1. [VERIFY:]\n# D3\n\nD3 [verify: §D3]",
	} {
		f.Add([]byte(s))
	}
	known := formIDs()
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, ids := range []*IDs{nil, known} {
			d := Read("s.md", src, ids)
			if diff := cmp.Diff(d, Read("s.md", src, ids)); diff != "" {
				t.Fatalf("read twice, %q differs:\n%s", src, diff)
			}
			lines := bytes.Split(src, []byte("\n"))
			for _, m := range d.Markers {
				if m.Line < 1 || m.Line > len(lines) || m.Column < 1 || m.Column > utf8.RuneCount(lines[m.Line-1])+1 {
					t.Fatalf("%s is outside %q", m.At(), src)
				}
				for _, id := range m.IDs {
					if id == "" {
						t.Fatalf("%s has an empty ID in %q", m.At(), src)
					}
				}
			}
		}
	})
}

// FuzzResolve looks up arbitrary references in arbitrary files of each kind. A section
// that is found must be in the file, and looking it up again must return the same.
func FuzzResolve(f *testing.F) {
	for _, s := range []string{
		`{"a": [1, {"b": "\u00e9"}], "a": null}`, "[[1e9, -0]]", "f() { case x in a|b) ;; esac; }\n# -- x --\n",
		"# A\n**b:** c\n## D\n- **e**\n", "#!/bin/sh\nfunction a { cat <<E\nE\n}", "class A:\n  def b(self): pass\n", "\ufeff{}",
		"a:\n  - b: 1\n  \"c d\": |\n    x: y\n", "a.b = 1\n[[t]]\n\"k\" = 2\n[u.v]\n", "", "\n", "a\r\n# b\r\n",
	} {
		f.Add([]byte(s), "x", "a")
		f.Add([]byte(s), "x:2", "")
		f.Add([]byte(s), "x:a", "b §c")
		f.Add([]byte(s), "N", "a_b c")
	}
	f.Fuzz(func(t *testing.T, src []byte, source, section string) {
		last := newLineIndex(src).count()
		for _, file := range []string{"x.md", "x.json", "x.sh", "x.py", "x.yml", "x.toml", "x"} {
			read := func(p string) ([]byte, error) {
				if p != file {
					return nil, fs.ErrNotExist
				}
				return src, nil
			}
			for _, ref := range []Ref{{file, section}, {source, section}, {file + ":" + section, ""}} {
				resolve := func() Resolution {
					r := &Resolver{Read: read, Aliases: map[string]string{"N": file}, Known: func() []string { return []string{file} }}
					return r.Resolve(ref, nil)
				}
				res := resolve()
				if diff := cmp.Diff(res, resolve()); diff != "" {
					t.Fatalf("%q in %q differs:\n%s", ref, src, diff)
				}
				if res.Found && (res.File != file || res.Line < 1 || res.EndLine < res.Line || res.EndLine > last || res.Rule == "") {
					t.Fatalf("%q is %s:%d-%d (%s), of %d lines of %q", ref, res.File, res.Line, res.EndLine, res.Rule, last, src)
				}
				if !res.Found && res.Why == "" {
					t.Fatalf("%q is not found in %q without a reason", ref, src)
				}
			}
			for _, e := range newOutline(file, src).entries {
				if e.start < 0 || e.end < e.start || e.end > len(src) {
					t.Fatalf("%s: %s %q is at %d-%d of %d bytes", file, e.rule, e.name, e.start, e.end, len(src))
				}
			}
		}
	})
}
