package catalog

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
	"hookwatch/suites/client"
)

// TestBuiltinNames checks that the names for configurations are those of the files.
func TestBuiltinNames(t *testing.T) {
	t.Parallel()
	if files, names := builtinNames(), suites.BuiltinNames(); !slices.Equal(files, names) {
		t.Errorf("files are %q, names %q", files, names)
	}
}

func loadFull(t *testing.T) suites.Suite {
	t.Helper()
	data, err := os.ReadFile("testdata/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, problems := Load("full.yaml", data)
	for _, p := range append(problems, Check([]suites.Suite{s})...) {
		t.Error(p)
	}
	return s
}

const contract = "docs/spec.md §Contract"

// fullBase contains the values that the suite of testdata/full.yaml sets for all cases.
func fullBase(id, name string, line int) suites.Case {
	return suites.Case{Suite: "full", Agent: "full-agent", ID: id, Name: name, Category: "block", Layer: suites.Direct,
		Hook: ".claude/hooks/guard.sh", Timeout: 20 * time.Second, Verify: []string{contract},
		Env: map[string]string{"HOOK_LOG": "1", "HOOK_SKIP": "0"},
		At:  suites.Position{File: "full.yaml", Line: line, Column: 5}}
}

// fullCases is the content of testdata/full.yaml, without digests.
func fullCases() []suites.Case {
	text := func(s string) *string { return &s }
	exit := func(codes ...int) []int { return codes }
	f1 := fullBase("F01", "pip_blocked", 12)
	f1.Summary, f1.Verify = "pip install x && true", []string{contract, "docs/spec.md §D1"}
	f1.Steps = []suites.Step{{Event: "PreToolUse", Tool: "Bash", Command: "pip install x && true", Expect: suites.Expectation{
		Exit: exit(0), Decision: "block", Effect: suites.Denied,
		Stdout: &suites.TextExpectation{Contains: []string{"[hook:block]"}, Matches: []string{`\bpip\b`}, Absent: []string{"uv"}},
		Stderr: &suites.TextExpectation{Empty: true},
		JQ:     `.hookSpecificOutput.permissionDecision == "deny"`, ModelSees: []string{"pip"},
	}}}
	f2 := fullBase("F02", "write_seen", 18)
	f2.Summary, f2.Category, f2.Layer, f2.Serial, f2.Timeout = "a file of Python", "allow", suites.Live, true, 5*time.Minute
	f2.Env = map[string]string{"HOOK_LOG": "1", "HOOK_SKIP": "1"}
	f2.Project = &suites.ProjectOverride{Files: map[string]string{".claude/hooks/config.json": "{}"}}
	f2.Control, f2.Contradicts = "F01", "docs/old.md §Writes"
	f2.CaseEnv = &suites.CaseEnv{AbsentTools: []string{"uv"}, Programs: []suites.Program{{Name: "sleep"}, {Name: "date", Stdout: "1", Stderr: " 2", Exit: 3}, {Name: "npm", Script: `echo "$1"`}}}
	f2.Gates = []suites.Gate{{Tool: "shellcheck", Policy: suites.GateSkip}, {Tool: "biome", Policy: suites.GateFail, MinVersion: "2.3.11"}}
	f2.Steps = []suites.Step{{Event: "PostToolUse", Tool: "Write", FilePath: "{tmp}/x.py", Delegate: []suites.Answer{
		{Tool: "Edit", Input: json.RawMessage(`{"file_path":"{tmp}/x.py","new_string":"b","old_string":"a"}`), Delay: time.Second}, {Text: "done"},
	},
		Fixtures: []suites.Fixture{{Path: "{tmp}/bin/uv", Content: "#!/bin/sh\n", Mode: 0o755, Age: 36 * time.Hour},
			{Path: ".test-status", Content: "fail|2|{now-2m}", Fill: true}},
		Expect: suites.Expectation{Files: []suites.FileExpectation{
			{Path: "{tmp}/x.py", Text: suites.TextExpectation{Contains: []string{"a"}, Matches: []string{"b"}, Absent: []string{"c"}}},
			{Path: "{tmp}/y", Absent: true},
		}}}}
	f3 := fullBase("F03", "full_payload", 39)
	f3.Summary = "/a&b"
	f3.Steps = []suites.Step{{Event: "PostToolUse", Tool: "Edit", Expect: suites.Expectation{Exit: exit(2)},
		Payload: json.RawMessage(`{"hook_event_name":"PostToolUse","tool_input":{"file_path":"/a&b","list":[1.5,null,true],"n":9007199254740993},"tool_name":"Edit"}`)}}
	f4 := fullBase("F04", "steps_in_a_repository", 44)
	f4.Summary, f4.Control = "git commit", "full/F01"
	f4.Repo = &suites.Repo{Branch: "main", Commit: map[string]string{"a.txt": "one"}, Stage: map[string]string{"a.txt": "two"},
		Modify: map[string]string{"b/c.txt": "three"}, Delete: []string{"d.txt"}}
	f4.CaseEnv = &suites.CaseEnv{Server: []suites.Route{{Method: "POST", Path: "/v1/**", Contains: "hello", Status: 200, Reply: `{"ok": true}`}, {Status: 503}}}
	f4.Steps = []suites.Step{
		{Event: "PreToolUse", Tool: "Bash", Command: "git commit", Expect: suites.Expectation{Exit: exit(0)}},
		{Event: "Stop", Tool: "Edit", Hook: ".claude/hooks/stop.sh", Env: map[string]string{"AGAIN": "1"}, Stdin: text(""), Args: []string{"-v", ""}, Expect: suites.Expectation{Exit: exit(2, 3)}},
		{Event: "Stop", Tool: "Bash", Registered: "/stop.sh", Expect: suites.Expectation{Exit: exit(0)}},
	}
	f5 := fullBase("F05", "chained", 54)
	f5.Summary, f5.Hook, f5.Chain = "Stop", "", true
	f5.Steps = []suites.Step{{Event: "Stop", Tool: "Bash", Expect: suites.Expectation{Effect: suites.Proceeds}}}
	row := func(id, name, command string, line, code int) suites.Case {
		c := fullBase(id, name, line)
		c.Summary, c.CaseEnv = command, &suites.CaseEnv{Unset: []string{"HOME", "TERM"}, Cwd: "sub"}
		c.Repo = &suites.Repo{Worktree: "side", Merge: map[string]string{"a.txt": "theirs"}}
		c.Steps = []suites.Step{{Event: "PreToolUse", Tool: "Bash", Command: command, Expect: suites.Expectation{Exit: exit(code)}}}
		c.At.Column = 9
		return c
	}
	return []suites.Case{f1, f2, f3, f4, f5, row("F06-a", "of_a_table_a", "ls -l", 68, 0), row("F06-b", "own_name", "ls", 69, 2)}
}

func TestLoadFull(t *testing.T) {
	t.Parallel()
	got := loadFull(t)
	want := suites.Suite{Name: "full", Agent: "full-agent", At: suites.Position{File: "full.yaml", Line: 2, Column: 1},
		Cases: fullCases()}
	for i := range got.Cases {
		if len(got.Cases[i].Digest) != 12 {
			t.Errorf("%s: digest %q", got.Cases[i].ID, got.Cases[i].Digest)
		}
		got.Cases[i].Digest = ""
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestBuiltin(t *testing.T) {
	t.Parallel()
	all, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range Check(all) {
		t.Error(p)
	}
	var names []string
	cases := make(map[suites.Key]*suites.Case)
	for _, s := range all {
		names = append(names, s.Name)
		for i := range s.Cases {
			cases[s.Cases[i].Key()] = &s.Cases[i]
		}
		if !s.Builtin {
			t.Errorf("%s is not marked as built in", s.Name)
		}
	}
	if diff := cmp.Diff(builtinNames(), names); diff != "" || len(names) == 0 {
		t.Errorf("names: -files +suites\n%s", diff)
	}
	for _, s := range all {
		family, _ := suites.InFamily(s.Name)
		for i := range s.Cases {
			c := &s.Cases[i]
			control := cases[c.ControlKey()]
			if other, ok := suites.InFamily(c.ControlKey().Suite); ok && other != family {
				t.Errorf("%s/%s: control in another family", s.Name, c.ID)
			}
			if control != nil && control.Suite != c.Suite && control.Hook != c.Hook {
				t.Errorf("%s/%s: control of another hook: it would not be read", s.Name, c.ID)
			}
			if hooks := HooksOf(s.Name); hooks != nil && !slices.Contains(hooks, c.Hook) {
				t.Errorf("%s/%s: %s is not among the hooks of the suite: %q", s.Name, c.ID, c.Hook, hooks)
			}
		}
	}
	if few := HooksOf("pm"); !slices.Contains(few, ".claude/hooks/enforce_package_managers.sh") {
		t.Errorf("the hooks of pm are %q", few)
	}
	for list, want := range map[string]string{
		"pm": "pm pm-more", "pm-more,dep": "dep pm pm-more", "guardrails-lint": "guardrails-lint", "ml,pm": "ml ml-more pm pm-more",
	} {
		few, err := BuiltinFor(strings.Split(list, ","))
		var got []string
		for _, s := range few {
			got = append(got, s.Name)
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("for %s: %q, want %q; %v", list, got, want, err)
		}
	}
	all[0].Name = "changed"
	if again, _ := Builtin(); again[0].Name != names[0] {
		t.Error("a caller can change what others get")
	}
}

func TestAliases(t *testing.T) {
	t.Parallel()
	s, problems := Load("a.yaml", []byte(`suite: a
hook: h.sh
event: Stop
cases:
  - &one {id: A1, name: first, env: {X: "1"}, expect: &ok {exit: 0}}
  - {<<: *one, id: A2}
  - {<<: [{id: A3, name: third, expect: *ok}, *one], env: {}}
`))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var got []string
	for _, c := range s.Cases {
		got = append(got, c.ID+" "+c.Name+" "+c.Env["X"])
	}
	if diff := cmp.Diff([]string{"A1 first 1", "A2 first 1", "A3 third "}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestEmptyCommand checks that an empty command is sent as such, beside the fields of a payload.
func TestEmptyCommand(t *testing.T) {
	t.Parallel()
	s := loadText(t, "suite: s\nhook: h.sh\nevent: PreToolUse\ntool: Bash\ncases:\n"+
		"  - {id: A, name: a, command: '', payload: {x: 1, tool_input: {timeout: 5}}, expect: {exit: [0, 1]}}\n"+
		"  - {id: B, name: b, steps: [{command: '', expect: {exit: 0}}]}\n")
	for i, want := range []string{`{"tool_input":{"command":"","timeout":5},"x":1}`, `{"tool_input":{"command":""}}`} {
		if got := string(s.Cases[i].Steps[0].Payload); got != want {
			t.Errorf("%s: %s, want %s", s.Cases[i].ID, got, want)
		}
	}
	checkWritten(t, s)
}

// TestSuiteDefaults checks that the values of a suite apply to each case independently.
func TestSuiteDefaults(t *testing.T) {
	t.Parallel()
	// Seventeen leave spare capacity that cases must not share.
	s, problems := Load("d.yaml", []byte(`suite: d
hook: h.sh
event: Stop
project: {files: {a: b}}
verify: [`+strings.Repeat("a §1, ", 17)+`]
cases:
  - {id: A, name: a, expect: {exit: 0}, verify: [a §4]}
  - {id: B, name: b, expect: {exit: 0}, verify: [a §5], repo: {branch: main}}
`))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	a, b := s.Cases[0], s.Cases[1]
	if a.Project == nil || b.Project != nil || b.Repo == nil {
		t.Errorf("the project reaches A: %v, and B, which has a repository: %v", a.Project, b.Project)
	}
	if len(a.Verify) != 18 || a.Verify[17] != "a §4" || b.Verify[0] != "a §1" || b.Verify[17] != "a §5" {
		t.Errorf("verify: %q and %q", a.Verify, b.Verify)
	}
}

// TestSchemaEvents checks that the schema of suite files allows every event of the client.
func TestSchemaEvents(t *testing.T) {
	t.Parallel()
	var schema struct {
		Defs struct {
			Event struct{ Enum []string }
		} `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, event := range client.Events() {
		names = append(names, event.Name)
	}
	if diff := cmp.Diff(names, schema.Defs.Event.Enum); diff != "" {
		t.Errorf("events of suite.schema.json (-client +schema):\n%s", diff)
	}
}
