package check

import (
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
)

// TestForEvent checks that effect and remedy of a finding are those of the hook's event.
func TestForEvent(t *testing.T) {
	t.Parallel()
	at := suites.Position{File: "settings.json", Line: 1}
	for _, tt := range []struct{ rule, event, effect, not, remedy string }{
		{"unquoted-path", "PreToolUse", "the call proceeds", "", ""},
		{"unquoted-path", "SessionStart", "the session starts as if", "call", ""},
		{"script-missing", "PreToolUse", "every call is denied", "", ""},
		{"script-missing", "PostToolUse", "the model is shown the error", "denied", ""},
		{"script-missing", "Stop", "the turn ends", "exits with 2", ""},
		{"syntax-error", "Stop", "every stop is held up", "call", ""},
		{"syntax-error", "SessionEnd", "the session ends", "exit code 2", ""},
		{string(client.TimedOut), "PreToolUse", "the call proceeds", "", "onFailure"},
		{string(client.TimedOut), "Stop", "the turn ends", "tool", ""},
		{string(client.TimedOut), "SessionStart", "the session starts", "tool", ""},
	} {
		f := FindingOf(tt.rule, "h", at, "x").forEvent(tt.event)
		if !strings.Contains(f.Effect, tt.effect) || tt.not != "" && strings.Contains(f.Effect, tt.not) {
			t.Errorf("%s at %s: effect %q", tt.rule, tt.event, f.Effect)
		}
		if strings.Contains(f.Remedy, "onFailure") != (tt.remedy != "") {
			t.Errorf("%s at %s: remedy %q", tt.rule, tt.event, f.Remedy)
		}
	}
	for _, r := range client.Rules() {
		for _, part := range []string{"{proceeds}", "{exit 2}", "{or no}", "{onFailure}"} {
			if strings.Contains(r.Client+r.Remedy, part) {
				t.Errorf("%s: %s is not replaced", r.ID, part)
			}
		}
	}
}

// TestMergeEvents checks that one cause at two events is one finding, with an effect valid for
// both.
func TestMergeEvents(t *testing.T) {
	t.Parallel()
	at := suites.Position{File: "settings.json", Line: 1}
	got := MergeFindings([]Finding{FindingOf("unquoted-path", "a", at, "x").forEvent("PreToolUse"), FindingOf("unquoted-path", "b", at, "x").forEvent("Stop")})
	if len(got) != 1 || len(got[0].Hooks) != 2 || !strings.Contains(got[0].Effect, "the client goes on") {
		t.Errorf("%+v", got)
	}
}

// TestLost checks that the effect of a missing script is that of its interpreter's exit code.
func TestLost(t *testing.T) {
	t.Parallel()
	for event, want := range map[string]string{"PreToolUse": "every call is denied", "PostToolUse": "the model is shown the error every time", "UserPromptSubmit": "every prompt is blocked"} {
		if f := lost(discover.Hook{Event: event, Command: "python3 gone.py"}, "gone.py"); !strings.Contains(f.Effect, want) {
			t.Errorf("%s: %s", event, f.Effect)
		}
	}
	if f := lost(discover.Hook{Event: "Stop", Command: "python3 gone.py"}, "gone.py"); strings.Contains(f.Effect, "denied") || strings.Contains(f.Effect, "held up") {
		t.Errorf("Stop: %s", f.Effect)
	}
}

// TestUncovered checks that a guard leaves out a tool similar to those it lists, unless the same
// command is registered for that one as well.
func TestUncovered(t *testing.T) {
	guard := func(matcher, command string) discover.Hook {
		return discover.Hook{ID: matcher, Event: "PreToolUse", Matcher: matcher, Command: command, Type: "command", Entry: client.Entry{Type: "command"}}
	}
	for name, tt := range map[string]struct {
		hooks []discover.Hook
		want  int
	}{
		"left out":                       {[]discover.Hook{guard("Bash", "a")}, 1},
		"by another command":             {[]discover.Hook{guard("Bash", "a"), guard("PowerShell", "b")}, 2},
		"under another matcher":          {[]discover.Hook{guard("Bash", "a"), guard("PowerShell", "a")}, 0},
		"one that lists none of them":    {[]discover.Hook{guard("Read", "a"), guard("Bash|PowerShell", "a")}, 0},
		"one of three under another one": {[]discover.Hook{guard("Edit|Write", "a"), guard("NotebookEdit", "a")}, 0},
	} {
		if got := find(tt.hooks, "uncovered-tool", "dead-matcher", "old-tool"); len(got) != tt.want {
			t.Errorf("%s: %d findings, want %d", name, len(got), tt.want)
		}
	}
}

// TestServers checks that a matcher that lists mcp__ or a server gets a matcher that accepts their
// tools, and that its other names still match.
func TestServers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ matcher, what, effect string }{
		{"Bash|mcp__", "mcp__ names no server: mcp__.* takes the tools of all servers", "the other names of the matcher are not affected"},
		{"Bash|mcp__github", "mcp__github names a server: its tools are mcp__github__.*", "the other names of the matcher are not affected"},
		{"mcp__", "mcp__.* takes", "the hook never runs"},
		{"Bash|mcp__.*", "", ""},
	} {
		h := discover.Hook{ID: "h", Event: "PreToolUse", Matcher: tt.matcher}
		dead := find([]discover.Hook{h}, "dead-matcher")
		if tt.what == "" && len(dead) > 0 || tt.what != "" && (len(dead) != 1 || !strings.Contains(dead[0].What, tt.what) || !strings.Contains(dead[0].Effect, tt.effect)) {
			t.Errorf("%s: %+v", tt.matcher, dead)
		}
	}
}

// TestPluginServers checks that a matcher for a plugin's own MCP server names the plugin.
func TestPluginServers(t *testing.T) {
	t.Parallel()
	for matcher, want := range map[string]suites.Severity{
		"mcp__linear__create": suites.Error, "mcp__linear__.*": suites.Error, "mcp__plugin_p_linear__create": "", "mcp__.*linear.*": "", "mcp__other__x": "",
	} {
		h := discover.Hook{ID: "h", Event: "PreToolUse", Matcher: matcher, Plugin: "p", Servers: []string{"linear"}}
		var got suites.Severity
		for _, f := range find([]discover.Hook{h}, "dead-matcher", "old-tool", "uncovered-tool", "empty-alternative") {
			if got = f.Severity; !strings.Contains(f.What, "mcp__plugin_p_linear__") {
				t.Errorf("%s: %s", matcher, f.What)
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", matcher, got, want)
		}
	}
}

// TestNewer checks that an event of the installed client is no error.
func TestNewer(t *testing.T) {
	t.Parallel()
	_, problems := client.ParseSettings("s.json", []byte(`{"hooks":{"FromTheFuture":[],"stop":[]}}`))
	read, _ := client.ParseSettings("s.json", []byte(`{"hooks":{"FromTheFuture":[],"stop":[]}}`))
	if len(problems) > 0 || len(read.Ignored) != 2 || !NamesUnknownEvent(read.Ignored[0]) {
		t.Fatalf("%v %v", problems, read.Ignored)
	}
	for _, tt := range []struct {
		newer []string
		want  []suites.Severity
	}{{nil, []suites.Severity{suites.Error, suites.Error}}, {[]string{"FromTheFuture"}, []suites.Severity{suites.Error, suites.Info}}} {
		var got []suites.Severity
		for _, f := range (Tree{Registered: discover.Registered{Ignored: read.Ignored}, Newer: tt.newer}).judge(entryRules) {
			got = append(got, f.Severity)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.newer, got, tt.want)
		}
	}
}

func TestNotPortable(t *testing.T) {
	for code, want := range map[string]string{
		"sed -i '' -E 's/a/b/' x":                                  "sed -i '', which is the form of macOS",
		`sed -i "" -e s/a/b/ x`:                                    "sed -i '', which is the form of macOS",
		"sed -i 's/a/b/' x":                                        "sed -i without a suffix",
		"sed -i -e s/a/b/ x":                                       "sed -i without a suffix",
		"sed -E -i s/a/b/ x":                                       "sed -i without a suffix",
		"sed -i.bak s/a/b/ x && rm x.bak":                          "",
		"sed -i '' s/a/b/ x 2>/dev/null || sed -i s/a/b/ x":        "",
		"case $OSTYPE in darwin*) sed -i '' s/a/b/ x ;; esac":      "",
		"date -j -f %s 1 2>/dev/null || date -d @1":                "",
		"date -d yesterday || exit 0":                              "date -d",
		"grep -oP 'a' x":                                           "grep -oP",
		"timeout 5 x":                                              "timeout 5",
		"tac x":                                                    "tac",
		"a=1\ndate -j -f %s 1 || date -d @1\ndate --date=@1 +%s\n": "date --date",
	} {
		got := ""
		for _, f := range judgePortability(site{script: "x.sh", code: code}) {
			got = strings.TrimPrefix(f.What, "x.sh uses ")
			if linux := strings.Contains(f.Effect, "Linux"); linux != strings.Contains(want, "macOS") {
				t.Errorf("%s: %s", code, f.Effect)
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}

// find returns what rules find in hooks, and findIn in a tree.
func find(hooks []discover.Hook, ids ...string) []Finding {
	return findIn(Tree{Registered: discover.Registered{Hooks: hooks}}, ids...)
}

func findIn(t Tree, ids ...string) (all []Finding) {
	for _, r := range rules {
		if slices.Contains(ids, r.id) {
			all = append(all, t.judge([]rule{r})...)
		}
	}
	return all
}

// whats returns the evidence of findings.
func whats(findings []Finding) (out []string) {
	for _, f := range findings {
		out = append(out, f.What)
	}
	return out
}
