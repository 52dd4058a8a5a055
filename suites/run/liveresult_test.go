package run

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/live"
)

func TestUnplayable(t *testing.T) {
	t.Parallel()
	one := suites.Step{Env: map[string]string{"A": "1"}}
	for want, c := range map[string]suites.Case{
		"":          {Steps: []suites.Step{one, {}, one}},
		"variables": {Steps: []suites.Step{{}, one}},
		"age":       {Steps: []suites.Step{{}, {Fixtures: []suites.Fixture{{Age: time.Hour}}}}},
		"one step":  {Steps: []suites.Step{{Event: "PermissionDenied"}, {}}},
		"cwd":       {CaseEnv: &suites.CaseEnv{Cwd: "sub"}, Steps: []suites.Step{{}}},
	} {
		if got := unplayable(&c); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestStand checks which settings the client must be given, and how it names the hooks.
func TestStand(t *testing.T) {
	t.Parallel()
	hook := func(file, command string, scope discover.Scope) discover.Hook {
		return discover.Hook{Command: command, Scope: scope, Root: "/r", Source: suites.Position{File: file}, Entry: client.Entry{Command: command}}
	}
	plugin := hook("p/hooks/hooks.json", "${CLAUDE_PLUGIN_ROOT}/h.sh", discover.InPlugin)
	plugin.PluginRoot = "/r/p"
	all := []discover.Hook{
		hook(".claude/settings.json", "$CLAUDE_PROJECT_DIR/a.sh", discover.InProject),
		hook("more.json", "$CLAUDE_PROJECT_DIR/b.sh", discover.InProject),
		hook("settings.json", "/home/me/.claude/c.sh", discover.InHome),
		plugin,
	}
	for _, tt := range []struct {
		stand   Stand
		reload  bool
		entries string
		started string
	}{
		{Stand{Root: "/copy", Home: "/h"}, false, "$CLAUDE_PROJECT_DIR/b.sh /h/.claude/c.sh", "$CLAUDE_PROJECT_DIR/a.sh $CLAUDE_PROJECT_DIR/b.sh /h/.claude/c.sh /copy/p/h.sh"},
		{Stand{Root: "/r", Home: "/h"}, true, "$CLAUDE_PROJECT_DIR/a.sh $CLAUDE_PROJECT_DIR/b.sh /h/.claude/c.sh", ""},
		{Stand{Root: "/r", Home: "/h", Elsewhere: true}, false, "cd '/r' && /r/a.sh cd '/r' && /r/b.sh /h/.claude/c.sh", ""},
	} {
		entries, plugins := tt.stand.NotByItself(all, tt.reload)
		var commands []string
		for _, e := range entries {
			commands = append(commands, e.Command)
		}
		if got := strings.Join(commands, " "); got != tt.entries || len(plugins) != 1 {
			t.Errorf("%+v: commands %q and plugins %q, want %q", tt.stand, got, plugins, tt.entries)
		}
		if got := startedAs(tt.stand.StartedHooks(all)); tt.started != "" && got != tt.started {
			t.Errorf("%+v: started %q, want %q", tt.stand, got, tt.started)
		}
	}
}

func startedAs(hooks []discover.Hook) string {
	var all []string
	for _, names := range namesOf(hooks) {
		all = append(all, names[0])
	}
	return strings.Join(all, " ")
}

// TestPredicted checks that a contradiction is reported only if all hooks and their streams are
// known, and only if it is visible from outside.
func TestPredicted(t *testing.T) {
	t.Parallel()
	registered := []discover.Hook{{ID: "one", Command: "a.sh"}}
	const denied = `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"PreToolUse:Bash hook error: NO","is_error":true}]}}`
	const ran = `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}`
	for name, tt := range map[string]struct {
		exit    int
		answer  string
		more    bool // more hooks fired than are registered
		want    suites.Effect
		because string
	}{
		"as predicted":        {2, denied, false, "", ""},
		"otherwise":           {2, ran, false, suites.Denied, ""},
		"nothing to be seen":  {1, ran, false, "", ""},
		"it is not known who": {2, ran, true, "", ""},
	} {
		seen := live.Seen{Tested: "t1", Heard: []live.Heard{{Origin: live.Main, After: true}}}
		if tt.answer == denied {
			seen.Heard[0].Texts = []string{"hook error: NO"}
		}
		seen.Turn = live.Turn{Event: "PreToolUse", Value: "Bash", Main: []live.Reply{{Calls: []live.Call{{Tool: "Bash", Input: json.RawMessage(`{}`), Tested: true}}}}}
		fired := []string{"a"}
		if tt.more {
			fired = []string{"a", "b"}
		}
		for _, kind := range []live.Kind{live.HookStarted, live.HookEnded} {
			for _, id := range fired {
				h := live.HookLine{ID: id, Event: "PreToolUse", Name: "PreToolUse:Bash", Stderr: "NO", Exit: &tt.exit, Outcome: "success"}
				seen.Lines = append(seen.Lines, live.Line{Kind: kind, Hook: h})
			}
		}
		line, err := live.ReadLine([]byte(tt.answer))
		if err != nil {
			t.Fatal(err)
		}
		seen.Lines = append(seen.Lines, line)
		c := &suites.Case{Chain: true, Steps: []suites.Step{{Event: "PreToolUse"}}}
		r := result(Session{Version: "2.1.330", Seen: []live.Seen{seen}}, 0, registered, About{Case: c, Step: &c.Steps[0]})
		if r.Live.Predicted != tt.want {
			t.Errorf("%s: predicted %q, want %q; effect %s", name, r.Live.Predicted, tt.want, r.Effect)
		}
		if got := r.Live.Returned; len(got) != len(fired) || !tt.more && (got[0].Hook != "one" || len(got[0].ModelSees) != len(seen.Heard[0].Texts)) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestQuietEffect checks that only the output shows whether a client that proceeds used it.
func TestQuietEffect(t *testing.T) {
	t.Parallel()
	registered := []discover.Hook{{ID: "one", Command: "a.sh"}}
	c := &suites.Case{Chain: true, Steps: []suites.Step{{Event: "PostToolUse"}}}
	for stdout, want := range map[string]suites.Effect{
		`{"continue":true,"systemMessage":"done"}`: suites.Proceeds,
		`{"decison":"block"}`:                      suites.Ignored,
		"text":                                     suites.Ignored,
		"":                                         suites.Proceeds,
	} {
		exit := 0
		seen := live.Seen{Tested: "t1", Heard: []live.Heard{{Origin: live.Main, After: true}}, Turn: live.Turn{Event: "PostToolUse", Value: "Bash"}}
		for _, kind := range []live.Kind{live.HookStarted, live.HookEnded} {
			h := live.HookLine{ID: "a", Event: "PostToolUse", Name: "PostToolUse:Bash", Stdout: stdout, Exit: &exit, Outcome: "success"}
			seen.Lines = append(seen.Lines, live.Line{Kind: kind, Hook: h})
		}
		r := result(Session{Version: "2.1.330", Seen: []live.Seen{seen}}, 0, registered, About{Case: c, Step: &c.Steps[0]})
		if r.Effect != want || r.Live.Predicted != "" {
			t.Errorf("%s: %s, predicted %q", stdout, r.Effect, r.Live.Predicted)
		}
	}
}
