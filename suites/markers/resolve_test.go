package markers

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

var project = map[string]string{
	"docs/REF.md": `# Guide

Intro.

## Dependencies

**Required:**

- jq

**Optional (skipped when absent):** biome.

## D3: Python scope

### Phase 1: Format (silent)

Formats.

### Phase 2

Lints.

## D31: Other

## Hook-Specific

See Phase 9 of it. [verify: docs/REF.md
§D77]
`,
	"docs/specs/near.md":        "# Near\n",
	"docs/specs/twin.md":        "# Twin\n",
	"other/twin.md":             "# Twin\n",
	".claude/hooks/config.json": "{\n  \"package_managers\": {\n    \"python\": \"uv\",\n    \"js\": {\"on\": true}\n  },\n  \"on\": [1, {\"deep\": null}]\n}\n",
	".claude/hooks/lint.sh":     "#!/bin/bash\n# --- input parsing ---\nread_input() {\n  cat # all\n}\n\ncase \"$1\" in\n  *.xyz) exit 0 ;;\nesac\nrun_tool --unsafe now\n# it talks of code\necho it talks of code\ncat <<E\n# no comment\nE\n",
	".claude/hooks/check":       "#!/usr/bin/env bash\nmain() { :; }\n",
	".claude/hooks/broken.sh":   "if then {\n# ===== main loop =====\n",
	".claude/hooks/bad.json":    "{\"a\": }\nneedle here\n",
	".claude/hooks/guard.py":    "import re\n\nasync def guard_path(p):\n    return p\n",
	"../out.md":                 "# Out\n",
	"/out.md":                   "# Out\n",
	"taplo.toml":                "include = [\"**/*.toml\"]\n\n[formatting]\nreorder = true\n\n[[rule]]\nkeys = 1\n[[rule]]\nkeys = 2\n",
	"ci.yml":                    "name: x\non: push\njobs:\n  test:\n    # runs\n    steps:\n      - run: go test\n  lint:\n    steps:\n    - run: vet\n\"quoted key\": 1\n",
}

func resolver(files map[string]string) *Resolver {
	return &Resolver{
		Read: func(p string) ([]byte, error) {
			if s, ok := files[p]; ok {
				return []byte(s), nil
			}
			return nil, &fs.PathError{Op: "open", Path: p, Err: fs.ErrNotExist}
		},
		Known: func() []string {
			return []string{".claude/hooks/lint.sh", ".claude/hooks/guard.py", "docs/specs/twin.md", "other/twin.md"}
		},
		Aliases: map[string]string{"REF": "docs/REF.md"},
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	doc := &Document{Path: "docs/specs/spec.md", Aliases: map[string]string{"CFG": ".claude/hooks/config.json"}}
	tests := []struct{ source, section, want string }{
		{"docs/REF.md", "Dependencies", "docs/REF.md:5-12 heading"},
		{"docs/REF.md", "dependencies §Optional", "docs/REF.md:11-12 label start"},
		{"docs/REF.md", "D3", "docs/REF.md:13-22 heading start"},
		{"docs/REF.md", "D3 §Phase 2", "docs/REF.md:19-22 heading"},
		{"docs/REF.md", "Phase 1 Format", "docs/REF.md:15-18 heading start"},
		{"docs/REF.md", "D31 §Phase 2", `docs/REF.md has no section "Phase 2" below "D31: Other"; nearest: "Phase 2", "Phase 1: Format (silent)"`},
		{"docs/REF.md", "Hook", "docs/REF.md:25-25 text"},
		{"docs/REF.md", "D77", `docs/REF.md has no section "D77"; nearest: "D31: Other", "D3: Python scope"`}, // its own marker
		{"docs/REF.md", "Phase 9 of", "docs/REF.md:27-27 text"},
		{"docs/REF.md", "Dependences", `docs/REF.md has no section "Dependences"; nearest: "Dependencies"`},
		{"docs/REF.md", "", "docs/REF.md:1-28 file"},
		{"REF", "D3", "docs/REF.md:13-22 alias, heading start"},
		{"../REF.md", "D3", "docs/REF.md:13-22 relative, heading start"},
		{"near.md", "Near", "docs/specs/near.md:1-1 relative, heading"},
		{"twin.md", "Twin", "docs/specs/twin.md:1-1 relative, heading"},
		{"../../../out.md", "", `no file "../../../out.md"`},
		{"/out.md", "", `no file "/out.md"`},
		{"unresolved", "", "says itself that it is unresolved (name its source)"},
		{"lint.sh", "read_input", ".claude/hooks/lint.sh:3-5 basename, function"},
		{"lint.sh", "read_input `cat` path", ".claude/hooks/lint.sh:3-5 basename, function and words"},
		{"lint.sh", "read_input() §all", ".claude/hooks/lint.sh:4-4 basename, text"},
		{"lint.sh:read_input", "", ".claude/hooks/lint.sh:3-5 basename, symbol, function"},
		{"lint.sh", "input parsing", ".claude/hooks/lint.sh:2-2 basename, comment"},
		{"lint.sh", "*.xyz", ".claude/hooks/lint.sh:8-8 basename, pattern"},
		{"lint.sh", "run_tool unsafe", ".claude/hooks/lint.sh:10-10 basename, text"},
		{"lint.sh", "unsafe run_tool", ".claude/hooks/lint.sh:10-10 basename, words"},
		{"lint.sh:7", "", ".claude/hooks/lint.sh:7-7 basename, line"},
		{"lint.sh:7-9", "", ".claude/hooks/lint.sh:7-9 basename, line"},
		{"lint.sh#L2", "", ".claude/hooks/lint.sh:2-2 basename, line"},
		{"lint.sh", "no comment", ".claude/hooks/lint.sh:14-14 basename, text"},
		{"lint.sh:99", "", ".claude/hooks/lint.sh has 15 lines"},
		{"lint.sh:7", "read_input", ".claude/hooks/lint.sh:7-7 basename, line"},
		{"lint.sh:7", "gone", `.claude/hooks/lint.sh has no section "gone"`},
		{"CFG:package_managers.python", "", ".claude/hooks/config.json:3-3 alias, symbol, key"},
		{"CFG:2", "", ".claude/hooks/config.json:2-2 alias, line"},
		{"nothing.sh:12", "", `no file "nothing.sh"`},
		{".claude/hooks/check:main", "", ".claude/hooks/check:2-2 symbol, function"},
		{".claude/hooks/check", "main", ".claude/hooks/check:2-2 function"},
		{".claude/hooks/broken.sh", "main loop", ".claude/hooks/broken.sh:2-2 comment"},
		{"CFG", "package_managers.python", ".claude/hooks/config.json:3-3 alias, key"},
		{"CFG", "python", ".claude/hooks/config.json:3-3 alias, key end"},
		{"CFG", "package_managers §js §on", ".claude/hooks/config.json:4-4 alias, key"},
		{"CFG", "js", ".claude/hooks/config.json:4-4 alias, key end"},
		{"CFG", "on", ".claude/hooks/config.json:6-6 alias, key"},
		{"CFG", "on.1.deep", ".claude/hooks/config.json:6-6 alias, key"},
		{".claude/hooks/bad.json", "needle here", ".claude/hooks/bad.json:2-2 text"},
		{"guard.py", "guard_path", ".claude/hooks/guard.py:3-3 basename, function"},
		{"guard.py:guard_path", "", ".claude/hooks/guard.py:3-3 basename, symbol, function"},
		{"taplo.toml", "include", "taplo.toml:1-1 key"},
		{"taplo.toml", "include pattern", "taplo.toml:1-1 key and words"},
		{"taplo.toml", "rule.1.keys", "taplo.toml:9-9 key"},
		{"taplo.toml", "rule.0", "taplo.toml:6-7 key"},
		{"taplo.toml", "formatting §reorder", "taplo.toml:4-4 key"},
		{"taplo.toml", "keys", `taplo.toml has 2 keys "keys" (write the whole path: rule.0.keys, rule.1.keys)`},
		{"ci.yml", "jobs.test", "ci.yml:4-7 key"},
		{"ci.yml", "test §steps", "ci.yml:6-7 key"},
		{"ci.yml", "on push", "ci.yml:2-2 key and words"},
		{"ci.yml", "jobs.lint.steps.run", "ci.yml:10-10 key"},
		{"ci.yml", "quoted key", "ci.yml:11-11 key"},
		{"lint.sh", "run_tool in a mode", ".claude/hooks/lint.sh:10-10 basename, text and words"},
		{"lint.sh", "tool in a mode", ".claude/hooks/lint.sh has no section \"tool in a mode\""},
		{"lint.sh", "talks of", ".claude/hooks/lint.sh:12-12 basename, text"},
	}
	r := resolver(project)
	for _, tt := range tests {
		refs := splitRefs(strings.TrimSuffix(tt.source+" §"+tt.section, " §"), doc.Aliases)
		if got := describe(r.Resolve(refs[0].Ref, doc)); got != tt.want {
			t.Errorf("%s §%s = %s, want %s", tt.source, tt.section, got, tt.want)
		}
	}
}

func describe(res Resolution) string {
	if !res.Found {
		return res.Why
	}
	return fmt.Sprintf("%s:%d-%d %s", res.File, res.Line, res.EndLine, res.Rule)
}

func TestResolveAmbiguous(t *testing.T) {
	t.Parallel()
	r := resolver(project)
	res := r.Resolve(Ref{Source: "twin.md"}, nil)
	if res.Found || len(res.Candidates) != 2 || !strings.Contains(res.Why, "write the path") {
		t.Errorf("bare basename of two files: %+v", res)
	}
	files := map[string]string{"c.json": `{"a": {"on": 1}, "b": {"on": 2}}`}
	res = resolver(files).Resolve(Ref{"c.json", "on"}, nil)
	if res.Found || res.File != "c.json" || !strings.Contains(res.Why, "a.on") {
		t.Errorf("key that occurs twice: %+v", res)
	}
	if res = r.Resolve(Ref{Section: "Near"}, &Document{Path: "docs/specs/near.md"}); !res.Found || res.File != "docs/specs/near.md" {
		t.Errorf("section of the document itself: %+v", res)
	}
}

func sectionDigest(r *Resolver, file, section string) string {
	return r.Resolve(Ref{file, section}, nil).Digest
}

// TestSectionDigest edits a file and checks which sections change.
func TestSectionDigest(t *testing.T) {
	t.Parallel()
	sections := map[string][]string{
		"docs/REF.md":               {"Dependencies", "Optional", "D3", "Phase 2", "D31"},
		".claude/hooks/config.json": {"package_managers", "python", "js", "on.1"},
		".claude/hooks/lint.sh":     {"read_input"},
	}
	tests := []struct{ name, file, old, new, changed string }{
		{"text of a section", "docs/REF.md", "Lints.", "Lints all.", "D3 Phase 2"},
		{"label", "docs/REF.md", "biome", "biome2", "Dependencies Optional"},
		{"outside", "docs/REF.md", "Intro.", "Other.", ""},
		{"blank lines and line ends", "docs/REF.md", "\n## D31", "  \n\n\n## D31", ""},
		{"a new heading ends it", "docs/REF.md", "Lints.", "Lints.\n\n### Phase 3", "D3"},
		{"value", ".claude/hooks/config.json", `"uv"`, `"off"`, "package_managers python"},
		{"order and white space", ".claude/hooks/config.json", `"python": "uv",
    "js": {"on": true}`, `"js": { "on":true }, "python":"uv"`, ""},
		{"array item", ".claude/hooks/config.json", "null", "0", "on.1"},
		{"comment and indentation", ".claude/hooks/lint.sh", "  cat # all", "\tcat   # none", ""},
		{"command", ".claude/hooks/lint.sh", "cat", "tac", "read_input"},
		{"outside the function", ".claude/hooks/lint.sh", "--unsafe", "--safe", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before, after := resolver(project), resolver(map[string]string{
				tt.file: strings.Replace(project[tt.file], tt.old, tt.new, 1),
			})
			var changed []string
			for _, s := range sections[tt.file] {
				a, b := sectionDigest(before, tt.file, s), sectionDigest(after, tt.file, s)
				if a == "" || b == "" {
					t.Fatalf("section %q is not there: %q, %q", s, a, b)
				}
				if a != b {
					changed = append(changed, s)
				}
			}
			if got := strings.Join(changed, " "); got != tt.changed {
				t.Errorf("changed %q, want %q", got, tt.changed)
			}
		})
	}
}

func TestSectionDigestOfPlaces(t *testing.T) {
	t.Parallel()
	r := resolver(project)
	for _, ref := range []Ref{
		{".claude/hooks/lint.sh", "input parsing"}, // a comment has no content of its own
		{"docs/REF.md", "Phase 9 of"}, {"docs/REF.md", "nothing"}, {"missing.md", "x"},
	} {
		if d := r.Resolve(ref, nil).Digest; d != "" {
			t.Errorf("%s has digest %q, want the whole file to count", ref, d)
		}
	}
	twice := map[string]string{"a.sh": "f() { a; }\nf() { b; }\n"}
	one := sectionDigest(resolver(twice), "a.sh", "f")
	twice["a.sh"] = "f() { a; }\nf() { c; }\n"
	if other := sectionDigest(resolver(twice), "a.sh", "f"); one == "" || other == one {
		t.Error("an edit of a function's second definition leaves its digest")
	}
}

func TestResolveReadsAgain(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a.md": "# A\n\n# B\n"}
	r := resolver(files)
	if res := r.Resolve(Ref{"a.md", "B"}, nil); res.Line != 3 {
		t.Fatalf("line %d", res.Line)
	}
	files["a.md"] = "# B\n"
	if res := r.Resolve(Ref{"a.md", "B"}, nil); res.Line != 1 {
		t.Errorf("after an edit line %d, want 1", res.Line)
	}
	r.Read = func(string) ([]byte, error) { return nil, errors.New("a.md: it is a directory") }
	if res := r.Resolve(Ref{"a.md", "B"}, nil); res.Found {
		t.Errorf("an unreadable file resolves: %+v", res)
	}
}
