package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// marked is a project with markers in a document and in a suite, each with one that does not
// resolve.
func marked(t *testing.T, policy string) string {
	t.Helper()
	return newProject(t, map[string]string{
		".hookwatch.yaml": "suites: [suite.yaml]\nhooks: [hooks]\nspecs: [docs/*.md]\nverify: " + policy + "\nresults: {dir: results}\nnotify: {desktop: false}\n",
		"hooks/h.sh":      "#!/bin/bash\ncheck() { :; }\n",
		"docs/spec.md":    "# Spec\n\n## D1: one\n\nB1 and M77 are \x1b[verify: §D1, §D9].\nAll else [verify: HOOK §check].\n\nHOOK = `hooks/h.sh`\n",
		"suite.yaml": `suite: s
hook: hooks/h.sh
event: Stop
cases:
  - {id: B1, name: one, summary: blocks, expect: {exit: 0}, verify: [hooks/h.sh §check, docs/spec.md §D8]}
`,
	})
}

func TestVerifyJSON(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"strict", "warn", "off"} { // which apply to runs
		code, out, stderr := call(t, marked(t, policy), "", "verify", "--format", "json")
		if code != 1 {
			t.Fatalf("%s: exit %d, %s", policy, code, stderr)
		}
		var doc verifyDocument
		d := json.NewDecoder(strings.NewReader(out))
		d.DisallowUnknownFields()
		if err := d.Decode(&doc); err != nil || doc.Version != 1 || len(doc.Markers) != 5 {
			t.Fatalf("%s: %v, %+v", policy, err, doc)
		}
		first, gone, other, own := doc.Markers[0], doc.Markers[1], doc.Markers[2], doc.Markers[3]
		if first.Spec != "docs/spec.md" || first.Line != 5 || first.Source != "" || first.Section != "D1" || !slices.Equal(first.IDs, []string{"B1", "M77"}) ||
			!strings.HasPrefix(first.Claim, "B1 and M77 are") || !first.Resolved || first.At != "docs/spec.md:3" || first.Rule != "itself, heading start" {
			t.Errorf("%s: %+v", policy, first)
		}
		if gone.Resolved || gone.At != "" || gone.Rule != "" || gone.Section != "D9" {
			t.Errorf("%s: one that leads nowhere: %+v", policy, gone)
		}
		if other.IDs == nil || len(other.IDs) != 0 || other.At != "hooks/h.sh:2" || other.Rule != "alias, function" || other.Source != "HOOK" {
			t.Errorf("%s: one of no case: %+v", policy, other)
		}
		if own.Spec != "suite.yaml" || own.Line != 5 || !slices.Equal(own.IDs, []string{"B1"}) || own.Claim != "one: blocks" || !own.Resolved {
			t.Errorf("%s: one of a case: %+v", policy, own)
		}
		for _, want := range []string{"docs/spec.md:5  §D9 -> unresolved: docs/spec.md has no section \"D9\"; nearest: ", "suite.yaml:5", "names M77, which no suite has", "3 resolved, 2 not"} {
			if !strings.Contains(stderr, want) {
				t.Errorf("%s: stderr %s lacks %q", policy, stderr, want)
			}
		}
	}
}

// TestVerifyKeys checks that the names in the document are the documented ones.
func TestVerifyKeys(t *testing.T) {
	t.Parallel()
	_, out, _ := call(t, marked(t, "warn"), "", "verify", "--format", "jsonl")
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != 5 {
		t.Fatalf("%d lines: %s", len(lines), out)
	}
	for _, line := range lines {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"spec", "line", "source", "section", "ids", "claim", "resolved", "at", "rule"} {
			if _, ok := m[key]; !ok {
				t.Errorf("no %s in %s", key, line)
			}
			delete(m, key)
		}
		if len(m) > 0 {
			t.Errorf("more than is documented: %v", m)
		}
	}
}

func TestVerifyHuman(t *testing.T) {
	t.Parallel()
	code, out, stderr := call(t, marked(t, "warn"), "", "verify", "docs/spec.md")
	for _, want := range []string{
		"docs/spec.md:5  §D1 -> docs/spec.md:3 (itself, heading start)  B1 M77\n",
		"docs/spec.md:6  HOOK §check -> hooks/h.sh:2 (alias, function)\n",
		"3 markers in docs/spec.md and no suite: 2 resolved, 1 not\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%s lacks %q", out, want)
		}
	}
	if code != 1 || strings.Contains(out, "suite.yaml") || !strings.Contains(stderr, "docs/spec.md:5 names M77, which no suite has") {
		t.Errorf("exit %d, %s%s", code, out, stderr)
	}
	if code, out, stderr = call(t, marked(t, "warn"), "", "verify", "docs/none.md"); code != 2 || out != "" || !strings.Contains(stderr, `nearest: "docs/spec.md"`) {
		t.Errorf("a document that is not there: exit %d, %s%s", code, out, stderr)
	}
	if code, _, stderr = call(t, marked(t, "warn"), "", "verify", "--suite", "none"); code != 2 || !strings.Contains(stderr, "no such suite") {
		t.Errorf("a suite that is not there: exit %d, %s", code, stderr)
	}
}

// TestVerifyNothing covers a project without markers, and one without cases.
func TestVerifyNothing(t *testing.T) {
	t.Parallel()
	root := newProject(t, map[string]string{".hookwatch.yaml": "suites: [s/*.yaml]\nspecs: [docs/*.md]\n", "docs/a.md": "No `[verify: a.md]` here.\n"})
	code, out, stderr := call(t, root, "", "verify")
	if want := "no markers: looked for [verify: source §section] in docs/a.md and no suite, of docs/*.md, s/*.yaml\n"; code != 0 || out != want || stderr != "" {
		t.Errorf("exit %d, %s%s, want %s", code, out, stderr, want)
	}
	code, out, stderr = call(t, root, "", "verify", "--format", "json")
	if code != 0 || !strings.Contains(out, `"markers": []`) || !strings.HasPrefix(stderr, "no markers") {
		t.Errorf("exit %d, %s%s", code, out, stderr)
	}
}
