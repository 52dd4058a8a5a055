package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"hookwatch/suites"
	"hookwatch/suites/catalog"
	"hookwatch/suites/client"
)

// TestFor checks that, whatever the names of hooks, the first suite loads without problems and
// fires each of them with a call that its matcher accepts.
func TestFor(t *testing.T) {
	t.Parallel()
	hooks := []firstHook{
		{Script: ".claude/hooks/guard.sh", Event: "PreToolUse", Passing: "Bash", Registered: ".claude/hooks/guard.sh", Verify: ".claude/hooks/guard.sh"},
		{Script: ".claude/hooks/guard.sh", Event: "PostToolUse", Passing: "Edit", Registered: ".claude/hooks/guard.sh", Verify: ".claude/hooks/guard.sh"},
		{Script: ".claude/hooks/stop-it.sh", Event: "Stop", Passing: "", Registered: ".claude/hooks/stop-it.sh", Verify: ".claude/hooks/stop-it.sh"},
		{Script: ".claude/hooks/all.v2.py", Event: "PreToolUse", Passing: "Bash", Registered: ".claude/hooks/all.v2.py", Verify: ".claude/hooks/all.v2.py"},
		{Script: ".claude/hooks/star.sh", Event: "PreToolUse", Passing: "Bash", Registered: ".claude/hooks/star.sh", Verify: ".claude/hooks/star.sh"},
		{Script: ".claude/hooks/read.sh", Event: "PreToolUse", Passing: "Read", Registered: ".claude/hooks/read.sh", Verify: ".claude/hooks/read.sh"},
		{Script: ".claude/hooks/write.sh", Event: "PreToolUse", Passing: "Write", Registered: ".claude/hooks/write.sh", Verify: ".claude/hooks/write.sh"},
		{Script: `.claude/hooks/it's "quoted".sh`, Event: "SessionStart", Passing: "startup", Registered: `.claude/hooks/it's "quoted".sh`, Verify: `.claude/hooks/it's "quoted".sh`},
		{Script: `.claude/hooks/back\slash.sh`, Event: "Stop", Passing: "", Registered: `.claude/hooks/back\slash.sh`, Verify: `.claude/hooks/back\slash.sh`},
		{Script: ".claude/hooks/ünïcode ✓.sh", Event: "Stop", Passing: "", Registered: ".claude/hooks/ünïcode ✓.sh", Verify: ".claude/hooks/ünïcode ✓.sh"},
		{Script: ".claude/hooks/.hidden", Event: "Stop", Passing: "", Registered: ".claude/hooks/.hidden", Verify: ".claude/hooks/.hidden"},
		{Script: "a.b.c/x.tar.gz", Event: "Stop", Passing: "", Registered: "a.b.c/x.tar.gz", Verify: "a.b.c/x.tar.gz"},
		{Script: ".claude/hooks/100%.sh", Event: "Stop", Passing: "", Registered: ".claude/hooks/100%.sh", Verify: ".claude/hooks/100%.sh"},
		{Script: "odd: #1, [x] {y}/a.sh", Event: "Stop", Passing: "", Registered: "odd: #1, [x] {y}/a.sh", Verify: "odd: #1, [x] {y}/a.sh"},
	}
	suite, problems := catalog.Load("first.yaml", suiteOfHooks(hooks))
	if problems = append(problems, catalog.Check([]suites.Suite{suite})...); len(problems) > 0 {
		t.Fatalf("%v\n%s", problems, suiteOfHooks(hooks))
	}
	if len(suite.Cases) != len(hooks) || suite.Name != "first" {
		t.Fatalf("suite %s of %d cases", suite.Name, len(suite.Cases))
	}
	tools := []string{"Bash", "Edit", "", "Bash", "Bash", "Read", "Write"}
	for i, h := range hooks {
		c := &suite.Cases[i]
		st := c.Steps[0]
		if c.Registered != h.Script || st.Event != h.Event || len(c.Verify) != 1 || c.Verify[0] != h.Script {
			t.Errorf("%s: registered %q, event %s, verify %q", c.ID, c.Registered, st.Event, c.Verify)
		}
		if !st.Expect.Sound {
			t.Errorf("%s expects %+v", c.ID, st.Expect)
		}
		if i < len(tools) && st.Tool != tools[i] {
			t.Errorf("%s: tool %q for matcher %q, want %q", c.ID, st.Tool, h.Passing, tools[i])
		}
		if (st.FilePath != "") != (len(st.Fixtures) > 0) || st.Tool == "Bash" && st.Command == "" {
			t.Errorf("%s: command %q, file %q, fixtures %v", c.ID, st.Command, st.FilePath, st.Fixtures)
		}
	}
}

// FuzzFirstSuite checks that the first suite loads whatever is registered, and that a tool is what the
// matcher says.
func FuzzFirstSuite(f *testing.F) {
	for _, passing := range []string{"Bash", "Bsh", "\x01", "nl\ny", "a\u0085b", "x\u2028y", "\ufeffz", "\x1b[2J", "a: b # c", "{tmp}", "\xff"} {
		f.Add("PreToolUse", passing, "hooks/a.sh")
		f.Add("SessionStart", passing, "")
		f.Add("Stop", "", "hooks/"+passing)
	}
	f.Fuzz(func(t *testing.T, event, passing, script string) {
		registered := firstHook{Script: script, Event: event, Passing: passing, Registered: "Stop-a-1", Verify: ".claude/settings.json"}
		loose := firstHook{Script: script, Event: event, Passing: passing, Verify: script}
		hooks, not := writable([]firstHook{registered, loose})
		if len(hooks)+len(not) != 2 {
			t.Fatalf("%+v, and not %q", hooks, not)
		}
		if len(hooks) == 0 {
			return
		}
		suite, problems := catalog.Load("first.yaml", suiteOfHooks(hooks))
		if len(problems) > 0 {
			t.Fatalf("%v\n%s", problems, suiteOfHooks(hooks))
		}
		known, _ := client.EventByName(suite.Cases[0].Steps[0].Event)
		if tool := suite.Cases[0].Steps[0].Tool; known.Tool && utf8.ValidString(passing) && tool != passing {
			t.Errorf("tool %q, want %q", tool, passing)
		}
	})
}

// TestFirstSuiteOfOddMatchers checks that a tool which no case may name is in the payload.
func TestFirstSuiteOfOddMatchers(t *testing.T) {
	t.Parallel()
	for passing, want := range map[string]string{
		"Bash": "tool: Bash\n", "mcp__a\x01__b": `tool: "mcp__a\x01__b"`, "nl\ny": `payload: {tool_name: "nl\ny", tool_input: {}}`, "Bsh": `payload: {tool_name: "Bsh", tool_input: {}}`,
	} {
		hooks, not := writable([]firstHook{{Script: "a.sh", Event: "PreToolUse", Passing: passing, Registered: "a.sh", Verify: "a.sh"}})
		if text := string(suiteOfHooks(hooks)); len(not) > 0 || !strings.Contains(text, want) {
			t.Errorf("%q: %q\n%s", passing, not, text)
		}
	}
	if _, not := writable([]firstHook{{Script: "a\nb.sh", Event: "Stop", Verify: "a\nb.sh"}}); len(not) != 1 {
		t.Errorf("a name of two lines: %q", not)
	}
}
