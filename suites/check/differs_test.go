package check

import (
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/discover"
)

// namedClients returns clients by their names.
func namedClients(names ...string) (all []clients.Client) {
	for _, name := range names {
		c, _ := clients.ByName(name)
		all = append(all, c)
	}
	return all
}

// TestCompared checks in which results two clients are said to differ, with the severity, and what to do about it.
func TestCompared(t *testing.T) {
	t.Parallel()
	const (
		exit2   = "write the reason to stderr and exit with 2"
		forms   = "give each client the text in the form"
		exit0   = "let the hook exit with 0"
		block   = `print {"decision": "block", "reason": "..."} and exit with 0`
		allow   = `print "permissionDecision": "allow" next to updatedInput`
		asks    = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"r"}}`
		context = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"x"}}`
	)
	prompt := firing{event: "UserPromptSubmit", prompt: "p"}
	for name, tt := range map[string]struct {
		others string // the clients beside Claude Code
		hook   discover.Hook
		all    []fired
		want   []string // each finding, and the beginning of its remedy
	}{
		"the same denial":           {"codex gemini", running("x"), []fired{rm.with(denies)}, nil},
		"nothing":                   {"codex gemini", running("x"), []fired{rm.with(passes)}, nil},
		"another failure":           {"codex gemini", running("x"), []fired{rm.with(said(1, "", "no"))}, nil},
		"a question":                {"codex", running("x"), []fired{rm.with(said(0, asks, ""))}, []string{"warning client-differs: Codex lets it run: permissionDecision ask, which it does not support <- rm -rf /", exit2}},
		"a question, twice":         {"codex", running("x"), []fired{rm.with(said(0, asks, "")), echo.with(said(0, asks, ""))}, []string{"warning client-differs: Codex lets it run: permissionDecision ask, which it does not support <- rm -rf /", exit2}},
		"a question and a rewrite":  {"codex", running("x"), []fired{rm.with(said(0, asks, "")), echo.with(rewriting("true"))}, []string{"warning client-differs: Codex lets it run: permissionDecision ask, which it does not support <- rm -rf /", exit2, "info client-differs: Codex lets it run: updatedInput without permissionDecision allow <- echo hello", allow}},
		"without a program":         {"codex", running("x"), []fired{without("jq", "", said(0, asks, ""))}, nil},
		"a rewrite":                 {"codex", running("x"), []fired{rm.with(rewriting("true"))}, []string{"info client-differs: Codex lets it run: updatedInput without permissionDecision allow <- rm -rf /", allow}},
		"context":                   {"gemini", running("x"), []fired{rm.with(said(0, context, ""))}, []string{"info client-differs: Gemini CLI lets it run: nothing in its JSON concerns the action <- rm -rf /", forms}},
		"an unmeasured effect":      {"cursor", running("x"), []fired{rm.with(said(3, "", "no"))}, nil},
		"a prompt that is stopped":  {"codex", only("UserPromptSubmit", ""), []fired{prompt.with(as("UserPromptSubmit", suites.Result{Exit: 2, Stderr: []byte("no")}))}, nil},
		"an event that it does not": {"gemini", only("TaskCreated", ""), []fired{firing{event: "TaskCreated"}.with(as("TaskCreated", suites.Result{Exit: 2, Stderr: []byte("no")}))}, nil},
		"of Codex, let through":     {"", discover.Hook{Client: "codex", Event: "PreToolUse", Matcher: "Bash"}, []fired{rm.with(suites.Result{Effect: suites.Proceeds, EffectReason: "because", Stdout: []byte(asks)}), echo.with(suites.Result{Effect: suites.Ignored, EffectReason: "b", Stdout: []byte(asks)})}, []string{"warning client-differs: Codex lets it run: because <- rm -rf /", exit2}},
		"of Codex, stopped":         {"", discover.Hook{Client: "codex", Event: "PreToolUse", Matcher: "Bash"}, []fired{rm.with(denies)}, nil},
		"of Codex, unknown":         {"", discover.Hook{Client: "codex", Event: "PreToolUse", Matcher: "Bash"}, []fired{rm.with(suites.Result{Stdout: []byte(asks)})}, nil},
		"of Codex, harmless":        {"", discover.Hook{Client: "codex", Event: "PreToolUse", Matcher: "Bash"}, []fired{rm.with(passes)}, nil},
	} {
		r := judged{hook: tt.hook}.results()
		r.others = namedClients(strings.Fields(tt.others)...)
		j := &judgement{of: r.subject}
		for _, f := range tt.all {
			j.compare(f)
		}
		var got []string
		for _, f := range j.findings {
			if got = append(got, show(f), f.Remedy); !strings.HasPrefix(f.Effect, "Claude Code") {
				t.Errorf("%s: %s", name, f.Effect)
			}
		}
		if !slices.EqualFunc(got, tt.want, strings.HasPrefix) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	for _, tt := range []struct {
		event        string
		ours, theirs suites.Effect
		want         string
	}{
		{"PreToolUse", suites.Proceeds, suites.Denied, exit0},
		{"PreToolUse", suites.Denied, suites.Proceeds, exit2},
		{"PreToolUse", suites.Asked, suites.Denied, exit2},
		{"PreToolUse", suites.Proceeds, suites.ContextAdded, forms},
		{"PreToolUse", suites.Denied, suites.ContextAdded, exit2},
		{"PostToolUse", suites.ContextAdded, suites.Proceeds, forms},
		{"PostToolUse", suites.ShownToModel, suites.Proceeds, block},
		{"Stop", suites.AnotherTurn, suites.Proceeds, block},
		{"Stop", suites.Proceeds, suites.SessionEnds, exit0},
	} {
		event := subject{hook: only(tt.event, "")}.about()
		if got := remedyFor(event, tt.ours, tt.theirs); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s, %s and %s: %s, want %s", tt.event, tt.ours, tt.theirs, got, tt.want)
		}
	}
}

// TestCourse checks which effects are the same for an action.
func TestCourse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b suites.Effect
		want bool
	}{
		{suites.Denied, suites.Asked, false}, {suites.Denied, suites.PromptBlocked, false}, {suites.Denied, suites.Proceeds, true},
		{suites.Ignored, suites.Proceeds, false}, {suites.Allowed, suites.Ignored, false}, {suites.ContextAdded, suites.Proceeds, true},
		{suites.Denied, "", false}, {"", suites.Denied, false}, {suites.Rewritten, suites.ContextAdded, true},
	} {
		if got := differ(tt.a, tt.b); got != tt.want {
			t.Errorf("%q and %q differ: %v", tt.a, tt.b, got)
		}
	}
}

// TestClientsOf checks which clients also run a hook, and which hooks are judged if clients are asked for.
func TestClientsOf(t *testing.T) {
	t.Parallel()
	h := discover.Hook{ID: "h", Event: "PreToolUse", Scripts: []string{"x.sh"}, Source: suites.Position{File: ".claude/settings.json"}}
	in := func(name, event, script string, scope discover.Scope) discover.Hook {
		return discover.Hook{ID: name, Client: name, Event: event, Scripts: []string{script}, Scope: scope}
	}
	for name, tt := range map[string]struct {
		tree Tree
		want []string
	}{
		"none":                        {Tree{}, nil},
		"one that reads its file":     {Tree{Clients: namedClients("copilot", "codex")}, []string{"copilot"}},
		"one that was asked for":      {Tree{Clients: namedClients("codex"), AskedClients: []string{"codex"}}, []string{"codex"}},
		"one with the same script":    {Tree{Clients: namedClients("codex"), Registered: discover.Registered{Elsewhere: []discover.Hook{in("codex", "PreToolUse", "x.sh", "")}}}, []string{"codex"}},
		"one with another script":     {Tree{Clients: namedClients("codex"), Registered: discover.Registered{Elsewhere: []discover.Hook{in("codex", "PreToolUse", "y.sh", "")}}}, nil},
		"one with it for another one": {Tree{Clients: namedClients("codex"), Registered: discover.Registered{Elsewhere: []discover.Hook{in("codex", "Stop", "x.sh", "")}}}, nil},
		"another client's script":     {Tree{Clients: namedClients("codex"), Registered: discover.Registered{Elsewhere: []discover.Hook{in("gemini", "PreToolUse", "x.sh", "")}}}, nil},
	} {
		var got []string
		for _, c := range tt.tree.others(h) {
			got = append(got, c.Name)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	if got := (Tree{Clients: namedClients("codex"), AskedClients: []string{"codex"}}).others(in("codex", "PreToolUse", "x.sh", "")); got != nil {
		t.Errorf("a hook of Codex is compared with %+v", got)
	}
	for _, tt := range []struct {
		of           string
		asked        bool
		clients, ids string // those to judge, and the hooks to fire
	}{
		{"claude codex", false, "codex", "h codex"},
		{"claude codex", true, "codex", "h codex"},
		{"claude", true, "", "h"},
		{"codex", true, "codex", ""}, // its files are read again
	} {
		tree := Tree{Registered: discover.Registered{Hooks: []discover.Hook{h}, Elsewhere: []discover.Hook{in("codex", "PreToolUse", "x.sh", discover.InHome), in("codex", "Stop", "x.sh", discover.InTemplate), in("gemini", "Stop", "x.sh", discover.InProject)}}}
		tree.For(namedClients(strings.Fields(tt.of)...), tt.asked)
		var names, ids []string
		for _, c := range tree.Clients {
			names = append(names, c.Name)
		}
		for _, h := range tree.Asked() {
			ids = append(ids, h.ID)
		}
		if strings.Join(names, " ") != tt.clients || strings.Join(ids, " ") != tt.ids || tt.asked != slices.Equal(tree.AskedClients, names) && tt.clients != "" {
			t.Errorf("%s, asked for %v: clients %q, asked %q, hooks %q", tt.of, tt.asked, names, tree.AskedClients, ids)
		}
	}
}

// TestAsked checks which hooks and findings a part of a name selects.
func TestAsked(t *testing.T) {
	t.Parallel()
	hook := func(id, command string) discover.Hook { return discover.Hook{ID: id, Command: command, Event: "Stop"} }
	registered := discover.Registered{Hooks: []discover.Hook{hook("settings:1", "a.sh"), hook("settings:2", "b.sh")}, Others: []discover.Hook{hook("other", "c.sh")}}
	findings := []Finding{{What: "1", Hooks: []string{"settings:1"}}, {What: "both", Hooks: []string{"settings:1", "settings:2"}}, {What: "2", Hooks: []string{"settings:2"}}, {What: "none"}}
	for named, want := range map[string]string{
		"": "settings:1 settings:2 other: 1 both 2 none", "a.sh": "settings:1: 1 both", "settings": "settings:1 settings:2: 1 both 2", "c.sh": "other:", "x": ":",
	} {
		tree := Tree{Registered: registered, Named: named}
		var ids []string
		for _, h := range tree.Asked() {
			ids = append(ids, h.ID)
		}
		got := strings.TrimSuffix(strings.Join(ids, " ")+": "+strings.Join(whats(tree.About(slices.Clone(findings))), " "), " ")
		if got != want {
			t.Errorf("%q: %q, want %q", named, got, want)
		}
	}
}
