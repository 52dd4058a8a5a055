package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
)

const shardSuite = `suite: s
hook: hook.sh
event: PreToolUse
tool: Bash
cases:
  - {id: A1, name: stopped, command: stop, expect: {exit: 2}}
  - {id: A2, name: passes, command: go, control: A1, expect: {exit: 0}}
  - {id: A3, name: passes_too, command: go on, control: A1, expect: {exit: 0}}
  - {id: A4, name: fails, command: go, expect: {exit: 2}}
  - {id: A5, name: slow, command: wait, expect: {exit: 0}}
`

func shardProject(t *testing.T) string {
	t.Helper()
	return newProject(t, map[string]string{
		".hookwatch.yaml": "suites: [suite.yaml]\nverify: off\nhooks: [.]\nrun: {isolation: copy}\n", "suite.yaml": shardSuite,
		"hook.sh": "#!/bin/sh\ncase $(cat) in *stop*) exit 2 ;; esac\n",
	})
}

// TestShards checks that each case is in one shard, with its control, and that the merged shards
// are the full run: the same verdicts, records and exit code.
func TestShards(t *testing.T) {
	t.Parallel()
	verdicts := func(out string) map[string]suites.Status {
		t.Helper()
		var doc runDocument
		if err := json.Unmarshal([]byte(out), &doc); err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		all := map[string]suites.Status{}
		for _, r := range doc.Cases {
			all[r.ID] = r.Status()
		}
		return all
	}
	root := shardProject(t)
	once := []string{"--isolation", "copy", "--restored", "--once", "--format", "json"}
	code, out, stderr := call(t, root, "", once...)
	if code != 1 {
		t.Fatalf("exit %d: %s%s", code, out, stderr)
	}
	whole := verdicts(out)
	for _, n := range []int{1, 2, 3, 7} {
		var files []string
		union := map[string]suites.Status{}
		for i := 1; i <= n; i++ {
			machine := filepath.Join(t.TempDir(), "a project") // with the same records, as from a cache
			if err := os.CopyFS(machine, os.DirFS(root)); err != nil {
				t.Fatal(err)
			}
			code, out, stderr := call(t, machine, "", append(once, "--shard", fmt.Sprintf("%d/%d", i, n))...)
			if code > 1 {
				t.Fatalf("shard %d/%d: %s", i, n, stderr)
			}
			part := verdicts(out)
			for id, status := range part {
				if _, twice := union[id]; twice {
					t.Errorf("%s is in two of %d shards", id, n)
				}
				union[id] = status
			}
			if _, has := part["A2"]; has != (part["A1"] != "") {
				t.Errorf("shard %d/%d has %v: A2 without its control", i, n, part)
			}
			file := filepath.Join(t.TempDir(), "shard.json")
			if err := os.WriteFile(file, []byte(out), 0o644); err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		if d := cmp.Diff(whole, union); d != "" {
			t.Errorf("%d shards (-whole +union):\n%s", n, d)
		}
		elsewhere := shardProject(t)
		code, out, stderr := call(t, elsewhere, "", append([]string{"merge", "--format", "json"}, files...)...)
		if d := cmp.Diff(whole, verdicts(out)); code != 1 || d != "" {
			t.Errorf("%d shards merged: exit %d, %s (-whole +merged):\n%s", n, code, stderr, d)
		}
		if report := readText(t, filepath.Join(elsewhere, ".claude/tests/hooks/results/RESULTS.md")); !strings.Contains(report, "### `s/A4` fails") {
			t.Errorf("RESULTS.md does not have the failure:\n%s", report)
		}
		if code, out, stderr := call(t, elsewhere, "", "--isolation", "copy", "--once", "--changed"); code != 1 || !strings.Contains(stderr, "nothing changed: 1 case") {
			t.Errorf("after a merge nothing has changed: exit %d, %s%s", code, out, stderr)
		}
	}
}

// TestMergeRefuses checks that documents that are not one full run are refused.
func TestMergeRefuses(t *testing.T) {
	t.Parallel()
	doc := func(text string) string {
		file := filepath.Join(t.TempDir(), "shard.json")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	one := func(id string) string {
		return doc(`{"version": 1, "of": 5, "cases": [{"hook": "hook.sh", "test_name": "x", "suite": "s", "id": "` + id + `", "pass": true}]}`)
	}
	for name, tt := range map[string]struct {
		files []string
		code  int
		want  string
	}{
		"nothing":       {nil, Usage, "merge needs the documents"},
		"no file":       {[]string{filepath.Join(t.TempDir(), "none.json")}, Usage, "no such file"},
		"no JSON":       {[]string{doc("PASS")}, Usage, "is not what hookwatch --once --format json prints"},
		"another":       {[]string{doc(`{"version": 1, "hooks": []}`)}, Usage, "is not what hookwatch --once --format json prints"},
		"unknown case":  {[]string{one("B1")}, Usage, "s/B1 is no case of"},
		"twice":         {[]string{one("A1"), one("A1")}, Usage, "s/A1 is in "},
		"missing cases": {[]string{one("A1")}, Aborted, "4 of 5 cases are in no shard: s/A2, s/A3, s/A4, s/A5"},
	} {
		if code, _, stderr := call(t, shardProject(t), "", append([]string{"merge"}, tt.files...)...); code != tt.code || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: exit %d, %s", name, code, stderr)
		}
	}
	for _, text := range []string{"0/2", "3/2", "1", "a/b", "1/1001"} {
		if code, _, stderr := call(t, shardProject(t), "", "--once", "--shard", text); code != Usage || !strings.Contains(stderr, "such as 2/4") {
			t.Errorf("--shard %s: exit %d, %s", text, code, stderr)
		}
	}
}

// TestMergePreflight checks that a merged run ends early where the full run would have: a check of a
// required tool failed, in whichever shard it was.
func TestMergePreflight(t *testing.T) {
	t.Parallel()
	requires := func() string {
		root := shardProject(t)
		suite := shardSuite + "  - {id: A6, name: tool, check: {tool: hookwatch-no-such-tool, need: required}}\n"
		if err := os.WriteFile(filepath.Join(root, "suite.yaml"), []byte(suite), 0o644); err != nil {
			t.Fatal(err)
		}
		return root
	}
	if code, _, stderr := call(t, requires(), "", "--isolation", "copy", "--once"); code != Aborted || !strings.Contains(stderr, "A6 hookwatch-no-such-tool absent") {
		t.Fatalf("a full run: exit %d, %s", code, stderr)
	}
	files := []string{"merge"}
	for i := 1; i <= 2; i++ {
		code, out, stderr := call(t, requires(), "", "--isolation", "copy", "--once", "--format", "json", "--shard", fmt.Sprintf("%d/2", i))
		if code > 1 {
			t.Fatalf("shard %d: exit %d, %s", i, code, stderr)
		}
		file := filepath.Join(t.TempDir(), "shard.json")
		if err := os.WriteFile(file, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	if code, _, stderr := call(t, requires(), "", files...); code != Aborted || !strings.Contains(stderr, "A6 hookwatch-no-such-tool absent") {
		t.Errorf("merged: exit %d, %s", code, stderr)
	}
}
