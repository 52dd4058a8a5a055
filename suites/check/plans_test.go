package check

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/explore"
)

// tell returns a probe in words: its firings in one environment, each with what is special about it.
func tell(p Probe) string {
	if sent := struct {
		Input Input `json:"tool_input"`
	}{}; p.Trace != nil {
		_ = json.Unmarshal(p.Case.Steps[0].PayloadRaw, &sent) // in a row it is JSON
		return "observed: " + sent.Input.Text()
	}
	var all []string
	for i, f := range p.sent {
		text := f.input()
		for word, is := range map[string]bool{", again": f.stopActive, ", cut": p.Case.Steps[i].Stdin != nil, ", of a subagent": f.agent != ""} {
			if is {
				text += word
			}
		}
		if f.without != nil {
			text += ", without " + strings.Join(f.without, " ")
		}
		for _, program := range p.Case.WantedEnv().Programs {
			text += ", with " + program.Name
		}
		if f.written {
			text += ", in " + f.file
		}
		if f.note != "" {
			text += " (" + f.note + ")"
		}
		all = append(all, text)
	}
	return strings.Join(all, " + ")
}

// only returns a hook of an event and a matcher.
func only(event, matcher string) discover.Hook { return discover.Hook{Event: event, Matcher: matcher} }

// onlyIf returns a hook of a matcher with a condition.
func onlyIf(matcher, condition string) discover.Hook {
	return discover.Hook{Event: "PreToolUse", Matcher: matcher, If: condition}
}

// mustStop returns a tree whose configuration has inputs that a hook must stop.
func mustStop(all ...suites.Deny) Tree { return Tree{Denies: all} }

// withRules returns a tree with permission rules.
func withRules(texts ...string) (t Tree) {
	for _, text := range texts {
		t.Registered.Rules = append(t.Registered.Rules, client.PermissionRule{List: "deny", Text: text})
	}
	return t
}

// passed returns the harmless results of inputs that were let through, and as many of the search.
func passed(n int) map[string][]fired {
	by := map[string][]fired{"typical": {echo.with(passes)}}
	for range n {
		by["search"] = append(by["search"], rm.with(passes))
	}
	return by
}

var (
	gated    = map[string][]fired{"typical": {echo.with(denies)}}
	jqLookup = map[string][]fired{"typical": {echo.with(passes)}, "absent": {echo.with(suites.Result{Files: map[string][]byte{lookedUp + "jq": nil}})}}
	quoted   = firing{event: "PreToolUse", tool: "Bash", command: "rm \"$X\" `y`"}
	deciding = &exploration{compared: true, deciding: []firing{{tool: "Bash", command: "one"}}, further: []firing{{tool: "Bash", command: "two"}}}
	anchored = &exploration{
		compared: true, passed: []explore.Comparison{{Op: explore.Regexp, Pattern: "three$"}},
		further: []firing{{tool: "Bash", command: "two"}, {tool: "Bash", command: "three"}},
	}
	inBack    = suites.Result{Effect: suites.Proceeds, EffectRule: string(client.Background)}
	notebooks = Tree{Registered: discover.Registered{Hooks: []discover.Hook{only("PreToolUse", "NotebookEdit")}}}
)

// stoppedAs returns the results of a guard that stops an input, and does so again in a part with another result.
func stoppedAs(f fired, part string, again ...fired) map[string][]fired {
	return map[string][]fired{"typical": {echo.with(passes)}, "search": {f}, part: again}
}

// plans are the probes of each part. A row without any shows when there is nothing to fire.
var plans = []judged{
	{part: "paced", text: "sleep 1", want: []string{"echo hello, with sleep"}},
	{part: "paced", text: "setTimeout(f, 1)", want: []string{"echo hello, with sleep"}},
	{part: "paced", text: "  # sleep 1\n// setTimeout"},
	{part: "paced", text: "sleepless"},
	{part: "paced", text: "sleep 1", hook: only("SessionStart", "begin")}, // the client never fires it

	{part: "typical", want: []string{"echo hello"}},
	{part: "typical", hook: only("PreToolUse", ""), want: []string{"echo hello", "Edit src/example.py", "Write src/example.py"}},
	{part: "typical", hook: only("PreToolUse", "Write|Edit|NotebookEdit"), want: []string{"Edit src/example.py", "Write src/example.py"}},
	{part: "typical", hook: only("PreToolUse", "WebFetch"), want: []string{"WebFetch"}},
	{part: "typical", hook: only("PreToolUse", "mcp__github__.*"), want: []string{"mcp__github__example"}},
	{part: "typical", hook: discover.Hook{Event: "PreToolUse", Matcher: "mcp__plugin_p_db__example", Plugin: "p", Servers: []string{"db"}}, want: []string{"mcp__plugin_p_db__example"}},
	{part: "typical", hook: only("PreToolUse", "Newer"), want: []string{"Newer"}}, // a tool of a newer client
	{part: "typical", hook: only("PreToolUse", "^x{3}$")},
	{part: "typical", hook: only("Stop", ""), want: []string{"Stop"}},
	{part: "typical", hook: only("UserPromptSubmit", ""), want: []string{"say hello"}},
	{part: "typical", hook: only("SessionStart", "clear|resume"), want: []string{"resume"}},
	{part: "typical", hook: only("SessionStart", "begin")},
	{part: "typical", hook: only("StartOfSession", "")},
	{part: "typical", hook: onlyIf("Bash", "Bash(git push *)"), want: []string{"git push example"}},
	{part: "typical", hook: onlyIf("Bash", "Bash(echo:*)"), want: []string{"echo hello", "echo example"}},
	{part: "typical", hook: onlyIf("Edit|Write", "Edit(*.ts)"), want: []string{"Edit example.ts"}},
	{part: "typical", hook: onlyIf("Bash", "Edit(*.ts)")},
	{part: "typical", hook: onlyIf("Nothing", "Bash(git *)")},

	{part: "equipped", text: "jq .; rg x", lacks: "jq rg", by: onEcho(crashes), want: []string{"echo hello, with jq (jq)", "echo hello, with rg (rg)", "echo hello, with jq, with rg (jq rg)"}},
	{part: "equipped", text: "jq .", lacks: "jq", by: gated, want: []string{"echo hello, with jq (jq)", "echo hello, with jq (jq)"}},
	{part: "equipped", text: "jq .", lacks: "jq", by: onEcho(passes)},
	{part: "equipped", text: "jq .", by: onEcho(crashes)},
	{part: "equipped", text: "echo", lacks: "jq", by: onEcho(crashes)},
	{part: "equipped", lacks: "deno", by: onEcho(said(1, "", "Deno is not installed")), want: []string{"echo hello, with deno (deno)", "echo hello, with deno (deno)"}},

	{part: "ruled", text: "updatedInput", tree: withRules("Bash(git push *)", "Edit(*.ts)", "Read"), want: []string{"git push example (permissions.deny has Bash(git push *))"}},
	{part: "ruled", by: onEcho(rewriting("true")), tree: withRules("Bash(git push *)"), want: []string{"git push example (permissions.deny has Bash(git push *))"}},
	{part: "ruled", by: onEcho(passes), tree: withRules("Bash(git push *)")},
	{part: "ruled", text: "updatedInput", hook: after, tree: withRules("Bash(git push *)")},
	{part: "ruled", text: "updatedInput", hook: only("PreToolUse", "Write"), tree: withRules("Bash(git push *)")},

	{part: "absent", text: "jq .; perl x", lacks: "jq perl", by: onEcho(passes), want: []string{"echo hello, with jq, with perl"}},
	{part: "absent", text: "jq .", by: onEcho(passes)},
	{part: "absent", text: "jqx .", lacks: "jq", by: onEcho(passes)},
	{part: "absent", text: "jq .", lacks: "jq", hook: only("SessionStart", "begin")},
	{part: "again", hook: ready, by: map[string][]fired{"typical": {firing{event: "Stop"}.with(goesOn)}}, want: []string{"Stop, again"}},
	{part: "again", hook: ready, by: map[string][]fired{"typical": {firing{event: "Stop"}.with(passes)}}},
	{part: "again", hook: only("TaskCompleted", ""), by: map[string][]fired{"typical": {firing{event: "TaskCompleted"}.with(suites.Result{Effect: suites.AnotherTurn})}}},

	{part: "varied", by: onEcho(passes), want: []string{"true $(touch hookwatch-executed) # it's \"quoted\" \\n é 漢 🎉, of a subagent (a text with quotes and other letters, of a subagent) + true aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa ! ... (a text of 200 KB)"}},
	{part: "varied", hook: only("PreToolUse", "Write"), by: map[string][]fired{"typical": {writeEnv.with(passes)}}, want: []string{
		"Write .env, of a subagent (a text with quotes and other letters, of a subagent) + Write .env (a text of 200 KB) + Write .env (an empty content) + Write src/$(touch hookwatch-executed).py (a file whose name is a command)",
	}},
	{part: "varied", hook: only("PreToolUse", "WebFetch"), by: map[string][]fired{"typical": {firing{event: "PreToolUse", tool: "WebFetch"}.with(passes)}}, want: []string{
		"WebFetch, of a subagent (a text with quotes and other letters, of a subagent) + WebFetch (a text of 200 KB)",
	}},
	{part: "varied", hook: only("Stop", ""), by: map[string][]fired{"typical": {firing{event: "Stop"}.with(passes)}}, want: []string{"Stop (a text with quotes and other letters, of a subagent) + Stop (a text of 200 KB)"}},
	{part: "varied", hook: onlyIf("Bash", "Bash(git push)"), by: map[string][]fired{"typical": {firing{event: "PreToolUse", tool: "Bash", command: "git push"}.with(passes)}}, want: []string{
		"git push $(touch hookwatch-executed) # it's \"quoted\" \\n é 漢 ..., of a subagent (a text with quotes and other letters, of a subagent)", // which the client cannot exclude
	}},
	{part: "varied", by: onEcho(inBack)},
	{part: "varied", hook: only("SessionStart", "begin")},

	{part: "named", tree: mustStop(suites.Deny{Hook: "h", Command: "rm -rf /"}, suites.Deny{Hook: "x", Command: "a"}, suites.Deny{Hook: "h", File: ".env"}, suites.Deny{Hook: "h", Prompt: "p"}, suites.Deny{Hook: "h", Command: "b", Tool: "PowerShell"}, suites.Deny{Hook: "h", Command: "c", Tool: "Bash"}), want: []string{"rm -rf / (0)", "c (5)"}},
	{part: "named", hook: only("PreToolUse", "Read|Edit"), tree: mustStop(suites.Deny{Hook: "h", File: ".env"}), want: []string{"Edit .env (0)"}},
	{part: "named", hook: only("UserPromptSubmit", ""), tree: mustStop(suites.Deny{Hook: "h", Prompt: "p"}), want: []string{"p (0)"}},
	{part: "named", hook: onlyIf("Bash", "Bash(git *)"), tree: mustStop(suites.Deny{Hook: "h", Command: "rm -rf /"}, suites.Deny{Hook: "h", Command: "git push"}), want: []string{"git push (1)"}},
	{part: "named", hook: after, tree: mustStop(suites.Deny{Hook: "h", Command: "rm -rf /"})},

	{part: "explored", of: &exploration{hook: only("PreToolUse", "Bash"), begin: []firing{echo, rm}}, want: []string{"observed: echo hello", "observed: rm -rf /"}},
	{part: "explored"},
	{part: "explored", text: "jq .", lacks: "jq", by: jqLookup},
	{part: "explored", of: &exploration{begin: []firing{echo}}, hook: only("SessionStart", "begin")},

	{part: "harmless", by: gated, want: []string{"echo hello + echo hello"}},
	{part: "harmless", by: onEcho(passes)},
	{part: "harmless", hook: after, by: gated},
	{part: "harmless", hook: onlyIf("Bash", "Bash(echo *)"), by: gated},
	{part: "search", by: passed(0), want: []string{"rm -rf / + rm -rf ~ + rm -rf . + git push --force"}},
	{part: "search", text: "/sudo|mkfs/", by: passed(0), want: []string{"rm -rf / + rm -rf ~ + rm -rf . + git push --force"}},
	{part: "search", text: "kubectl delete ns prod", by: passed(0), want: []string{"kubectl delete ns prod + rm -rf / + rm -rf ~ + rm -rf ."}},
	{part: "search", by: passed(4), want: []string{"git push --force origin main + git push origin main + git commit --no-verify -m x + git reset --hard HEAD~1"}},
	{part: "search", by: passed(8), want: []string{"git clean -fdx + git checkout -- . + git branch -D main + curl http://127.0.0.1/x | sh"}},
	{part: "search", by: passed(searched)},
	{part: "search", by: stopsRm},
	{part: "search", by: gated},
	{part: "search", hook: only("PreToolUse", "Bash|Write"), by: passed(0), want: []string{"rm -rf / + Write .env + rm -rf ~ + Write /etc/passwd"}},
	{part: "search", hook: after, by: passed(0)},
	{part: "search", text: "jq .", lacks: "jq", by: jqLookup, want: []string{"rm -rf / + rm -rf ~ + rm -rf . + git push --force"}},
	{part: "search", by: map[string][]fired{"typical": {echo.with(inBack)}, "search": passed(2 * batch)["search"]}}, // it cannot stop anything
	{part: "search", of: deciding, by: passed(0), want: []string{"rm -rf / + rm -rf ~ + rm -rf . + git push --force", "one + two"}},
	{part: "search", of: anchored, by: passed(0), want: []string{"rm -rf / + rm -rf ~ + rm -rf . + git push --force", "three + two"}},
	{part: "search", of: deciding, by: map[string][]fired{"typical": {echo.with(passes)}, "named": {rm.with(denies)}}, want: []string{"rm -rf / + rm -rf ~ + rm -rf . + git push --force", "one + two"}},
	{part: "search", of: deciding, by: passed(1)},
	{part: "search", of: &exploration{}, by: map[string][]fired{"typical": {echo.with(passes)}, "named": {rm.with(denies)}}},

	{part: "repeated", by: stoppedAs(later(rm.with(denies)), "repeated"), want: []string{"rm -rf /"}},
	{part: "repeated", by: stopsRm},
	{part: "repeated", by: passed(1)},
	{part: "poorer", text: "jq .; node x", by: stopsRm, want: []string{"rm -rf /, without jq (without jq, rm -rf / is let through)", "rm -rf /, without node (without node, rm -rf / is let through)"}},
	{part: "poorer", text: "jq .", by: stoppedAs(later(rm.with(denies)), "repeated", rm.with(denies)), want: []string{"rm -rf /, without jq (without jq, rm -rf / is let through)"}},
	{part: "poorer", text: "jq .", by: stoppedAs(later(rm.with(denies)), "repeated", rm.with(passes))}, // it counts
	{part: "poorer", text: "jq .", lacks: "jq", by: stopsRm},
	{part: "poorer", text: "jq .", by: passed(1)},
	{part: "poorer", text: "node x.js ", hook: running("node x.js"), by: stopsRm},
	{part: "cut", by: stopsRm, want: []string{"rm -rf /, cut"}},
	{part: "cut", by: passed(1)},

	{part: "other tools", hook: writers, by: at("search", writeEnv.with(denies)), want: []string{"Edit .env"}},
	{part: "other tools", hook: writers, text: ".tool_input.file_path", by: at("search", writeEnv.with(denies))},
	{part: "other tools", hook: only("PreToolUse", "Write|NotebookEdit"), by: at("search", writeEnv.with(denies))}, // which is no notebook
	{part: "other tools", hook: only("PreToolUse", "Write|NotebookEdit"), by: at("search", firing{event: "PreToolUse", tool: "Write", file: "a.ipynb"}.with(denies)), want: []string{"NotebookEdit a.ipynb"}},
	{part: "other tools", hook: writers, by: at("search", writeKey.with(denies)), want: []string{"Edit of key", "Write of key, in src/hookwatch_example.ipynb (NotebookEdit)"}},
	{part: "other tools", hook: writers, text: "new_string", tree: notebooks, by: at("search", writeKey.with(denies))},
	{part: "other tools", hook: only("PreToolUse", "Write"), tree: notebooks, by: at("search", writeEnv.with(denies))},
	{part: "other tools", hook: discover.Hook{Event: "PreToolUse", Matcher: "Edit|Write", If: "Write(*)"}, by: at("search", writeEnv.with(denies))},
	{part: "other tools", hook: only("PreToolUse", "Read|Edit"), by: at("search", by("Read", writeEnv).with(denies))},
	{part: "other tools", by: stopsRm},
	{part: "other tools", of: reading("Read", "path"), hook: only("PreToolUse", "Read|Write"), text: "file_path", by: at("search", writeEnv.with(denies)), want: []string{"Read .env"}},
	{part: "other tools", of: reading("Read", "path", "file_path"), hook: only("PreToolUse", "Read|Write"), text: "file_path", by: at("search", writeEnv.with(denies))},
	{part: "other tools", of: reading("Edit", "content"), hook: writers, text: "new_string", tree: notebooks, by: at("search", writeEnv.with(denies), writeKey.with(denies)), want: []string{"Edit .env", "Edit of key"}},
	{part: "mention", by: stopsRm, want: []string{`git commit -m "never rm -rf /"`, "rm -rf / # x (remark)", "git commit -m hello (plain)"}},
	{part: "mention", by: at("search", quoted.with(denies)), want: []string{`git commit -m "never rm X y"`, quoted.command + " # x (remark)", "git commit -m hello (plain)"}},
	{part: "mention", by: at("search", by("PowerShell", rm).with(denies))},
	{part: "mention", hook: writers, by: at("search", writeEnv.with(denies))},
	{part: "ordinary", by: stopsRm, want: []string{"cat README.md + git status"}},
	{part: "ordinary", hook: only("PreToolUse", "Read|Edit|Write"), by: at("search", writeEnv.with(denies)), want: []string{"Read README.md + Edit README.md"}},
	{part: "ordinary", hook: discover.Hook{Event: "UserPromptSubmit"}, by: at("search", firing{event: "UserPromptSubmit", prompt: "x"}.with(denies))},
	{part: "alike", by: stopping("named", echo.with(denies))}, // nothing is known to be anchored
	{part: "alike", of: passing("^rm"), by: stopping("named", echo.with(denies)), want: []string{"true && echo hello (echo hello) + true && rm -rf / (rm -rf /)"}},
	{part: "alike", of: passing("/$"), by: stopping("named", echo.with(denies)), want: []string{"true && echo hello (echo hello) + rm -rf / && true (rm -rf /)"}},
	{part: "alike", of: passing("^rm"), by: stopping("named", echo.with(passes))}, // which is the only one
	{part: "alike", of: passing("DROP TABLE"), by: stopping("named", drop.with(denies)), want: []string{"true && psql -c 'DROP TABLE users' (psql -c 'DROP TABLE users') + psql -c 'drop table users' (psql -c 'DROP TABLE users')"}},
	{part: "alike", of: passing("(?i)DROP TABLE"), by: stopping("named", drop.with(denies))},
	{part: "alike", of: passing("ghp_[a-z]+$"), hook: writers, by: at("search", writeGitHub.with(denies)), want: []string{"Write of x ghp_abc x (Write of ghp_abc) + Write of ghp_q7ZkM2x9Wt4T8vJr3R6pYb5NhDcq7ZkM2x9W (Write of ghp_abc)"}},
	{part: "alike", of: passing("^key$"), hook: writers, by: at("search", writeEnv.with(denies), writeKey.with(denies))},
	{part: "alike", of: passing("^(key|pin)$"), hook: writers, by: at("search", writeKey.with(denies), writePin.with(denies)), want: []string{"Write of x key x (Write of key) + Write of x pin x (Write of pin)"}},
	{part: "disguised", by: stopping("mention", noted(rm, "remark").with(denies)), want: []string{
		"rm -rf / ... (rm -rf / with 200 KB of comment behind it is let through)", "echo " + strings.Repeat("a", 55) + "... (rm -rf / is let through behind a long command)", `rm -rf / # it's "quoted" \n $(x) é (rm -rf / with a comment that has quotes is let through)`,
	}},
	{part: "disguised", by: stopping("mention", echo.with(denies), noted(rm, "remark").with(passes))},
}

// reading returns an exploration in which fields were read of the input of a tool.
func reading(tool string, names ...string) *exploration {
	r := new(explore.Record)
	for _, name := range names {
		r.Reads = append(r.Reads, explore.FieldRead{Field: explore.Field("tool_input." + name)})
	}
	return &exploration{hook: only("PreToolUse", ""), taken: []taken{{firing{event: "PreToolUse", tool: tool, file: "a.go"}, r, suites.Proceeds}}}
}

// passing returns an exploration in which a comparison with a pattern was passed.
func passing(pattern string) *exploration {
	return &exploration{passed: []explore.Comparison{{Op: explore.Regexp, Pattern: pattern}}}
}

// TestPlans checks what each part of an inspection fires, by the results so far, and when it fires nothing.
func TestPlans(t *testing.T) {
	t.Parallel()
	for i, tt := range plans {
		p := partOf(tt.part)
		var got []string
		if r := tt.results(); p.needs == nil || p.needs(r) {
			for _, probe := range p.plan(r) {
				got = append(got, tell(probe))
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%d, %s: %q, want %q", i, tt.part, got, tt.want)
		}
	}
	for _, p := range parts {
		for _, fires := range []bool{true, false} {
			if p.plan != nil && p.name != "changed" && !slices.ContainsFunc(plans, func(tt judged) bool { return tt.part == p.name && len(tt.want) > 0 == fires }) {
				t.Errorf("no row of %s in which it fires something: %v", p.name, fires)
			}
		}
	}
}

// A guard is a hook as a function of what is fired.
type guard func(f firing) suites.Result

// inspect makes all firings of an inspection, and returns those of each round, by part, with the report.
func inspect(q *Inspection, does guard) (rounds []string, r Report) {
	fire := func(f firing) suites.Result {
		if !f.passes(q.results.hook) {
			return suites.Result{NotStarted: "its condition does not let it through"}
		}
		return does(f)
	}
	for probes := q.Next(); len(probes) > 0; probes = q.Next() {
		var round []string
		for _, p := range probes {
			var o suites.Outcome
			for _, f := range p.sent {
				o.Results = append(o.Results, fire(f))
			}
			round = append(round, fmt.Sprint(p.part, " ", len(p.sent)))
			q.Take(p, o)
		}
		rounds = append(rounds, strings.Join(round, ", "))
	}
	return rounds, q.Report()
}

// TestInspections checks the rounds of whole inspections, and what is reported in the end, of hooks that are functions.
func TestInspections(t *testing.T) {
	t.Parallel()
	has := func(f firing, words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(f.command+f.file, w) })
	}
	for name, tt := range map[string]struct {
		hook   discover.Hook
		does   guard
		rounds string
		found  string
		denies string
		absent string
	}{
		"a guard": {
			running("guard"), func(f firing) suites.Result {
				return map[bool]suites.Result{true: denies, false: passes}[has(f, "rm -rf /")]
			},
			"typical 1; varied 2; search 4; cut 1, mention 1, mention 1, mention 1, ordinary 2; disguised 1, disguised 1, disguised 1",
			"info false-alarm: it stops git commit -m \"never rm -rf /\"", "rm -rf /", "",
		},
		"a guard that stops another one of the batch": {
			running("guard"), func(f firing) suites.Result {
				return map[bool]suites.Result{true: denies, false: passes}[f.command == "rm -rf ~"]
			},
			"typical 1; varied 2; search 4; repeated 1; cut 1, mention 1, mention 1, mention 1, ordinary 2", "", "rm -rf ~", "",
		},
		"a guard with its reasons on stdout": {
			only("PreToolUse", "Bash|Edit"), func(f firing) suites.Result {
				return map[bool]suites.Result{true: said(2, "no", ""), false: passes}[f.tool == "Edit" || has(f, "rm -rf /")]
			},
			"typical 1, typical 1; varied 2; search 4; cut 1, mention 1, mention 1, mention 1, ordinary 3; disguised 1, disguised 1, disguised 1",
			"warning reason-on-stdout: exit 2 with nothing on stderr; info false-alarm: it stops git commit -m \"never rm -rf /\"; info false-alarm: it stops Edit README.md", "rm -rf /", "",
		},
		"a hook that does nothing": {
			running("true"), func(firing) suites.Result { return passes },
			"typical 1; varied 2" + strings.Repeat("; search 4", 6), "", "", "",
		},
		"a hook that stops everything": {
			running("exit 2"), func(firing) suites.Result { return denies }, "typical 1; varied 2; harmless 2", "warning blocks-everything: it denies echo hello", "", "",
		},
		"a hook that stops everything that its condition accepts": {
			discover.Hook{Event: "PreToolUse", Matcher: "Bash", If: "Bash(git push *)", Type: "command", Command: "exit 2"}, func(firing) suites.Result { return denies },
			"typical 1; varied 1; cut 1, mention 1, mention 1, mention 1; disguised 1, disguised 1, disguised 1", "", "git push example", "",
		},
		"a hook that cannot be started": {
			running("x"), func(firing) suites.Result { return suites.Result{NotStarted: "no"} }, "typical 1", "info absent-program: it could not be started: no", "", "",
		},
		"a hook that does not end": {
			running("x"), func(firing) suites.Result { return timeout }, "typical 1", "error timed-out: it had not ended after 30s; its timeout is 30s", "", "",
		},
		"one without a call": {only("SessionStart", "begin"), func(firing) suites.Result { return passes }, "", "", "", ""},
		"one of the end of a turn": {
			discover.Hook{Event: "Stop", Type: "command", Command: "x"}, func(firing) suites.Result { return goesOn }, "typical 1; again 1, varied 2", "warning stop-loop: it holds up the stop, and the next one with stop_hook_active too", "", "",
		},
	} {
		h := tt.hook
		h.ID, h.Source, h.Type, h.Timeout = "h", settings, "command", patience
		q := Inspect(Tree{Root: t.TempDir(), Installed: func(string) bool { return true }}, h)
		rounds, r := inspect(q, tt.does)
		var found []string
		for _, f := range r.Findings {
			found = append(found, show(f))
		}
		if got := strings.Join(rounds, "; "); got != tt.rounds {
			t.Errorf("%s: fired %s, want %s", name, got, tt.rounds)
		}
		if got := strings.Join(found, "; "); got != tt.found || r.Denies != tt.denies || r.Stopped.Text() != tt.denies || r.Absent != tt.absent {
			t.Errorf("%s: found %s, want %s; it denies %q, %+v; %s", name, got, tt.found, r.Denies, r.Stopped, r.Absent)
		}
	}
}

// TestTake checks which outcomes end an inspection, and that each firing is recorded with its step.
func TestTake(t *testing.T) {
	t.Parallel()
	r := judged{}.results()
	both := r.batches([]firing{echo, rm})[0]
	both.part = "search"
	for _, tt := range []struct {
		outcome suites.Outcome
		ends    bool
		taken   string
	}{
		{suites.Outcome{Results: []suites.Result{passes, denies}}, false, "echo hello 0 proceeds, rm -rf / 1 denied"},
		{suites.Outcome{Results: []suites.Result{passes}}, false, "echo hello 0 proceeds"}, // the case ended early
		{suites.Outcome{}, true, ""},
		{suites.Outcome{NotRun: &suites.NotRun{}, Results: []suites.Result{passes}}, true, ""},
	} {
		q := &Inspection{results: results{by: map[string][]fired{}}}
		q.Take(both, tt.outcome)
		var taken []string
		for _, f := range q.by["search"] {
			taken = append(taken, fmt.Sprint(f.input(), " ", f.after, " ", f.Effect))
			if len(f.c.Steps) != 1 || !strings.Contains(string(f.c.Steps[0].PayloadRaw), f.command) {
				t.Errorf("%s: the case has %d steps", f.input(), len(f.c.Steps))
			}
		}
		if got := strings.Join(taken, ", "); got != tt.taken || q.ends != tt.ends {
			t.Errorf("%+v: %s, ends: %v", tt.outcome, got, q.ends)
		}
	}
	seen := 0
	observed := Probe{Case: both.Case, seen: func(suites.Outcome) { seen++ }}
	q := &Inspection{}
	for _, o := range []suites.Outcome{{Results: []suites.Result{passes}}, {}, {NotRun: &suites.NotRun{}, Results: []suites.Result{passes}}} {
		q.Take(observed, o)
	}
	if seen != 1 || q.ends || q.ran != 3 {
		t.Errorf("%d outcomes of observations were seen, of %d", seen, q.ran)
	}
}

// TestFurther checks what counts as more than another exploration came to.
func TestFurther(t *testing.T) {
	t.Parallel()
	of := func(reached bool, effects ...suites.Effect) *exploration {
		x := &exploration{decisions: []explore.Decision{exits}, reached: map[int]bool{0: reached}, effects: map[suites.Effect]bool{}}
		for _, e := range effects {
			x.effects[e], x.taken = true, append(x.taken, taken{echo, &explore.Record{}, e})
		}
		return x
	}
	write := of(false, suites.Denied)
	write.taken[0].firing = writeEnv
	for i, tt := range []struct {
		x, other *exploration
		want     string
	}{
		{of(false), of(false), ""},
		{of(true), of(false), `comes to "exit 2"`},
		{of(true), of(true), ""},
		{of(false, suites.Denied), of(false, suites.Proceeds), "has the effect denied"},
		{of(false, suites.Proceeds, suites.Ignored), of(false), ""},
		{of(false, suites.Denied), of(false, suites.Denied), ""},
		{of(false, suites.Denied), write, "has the effect denied for Bash"},
		{of(false, suites.Denied), of(true, suites.Denied), ""},
	} {
		if got := tt.x.beyond(tt.other); got != tt.want {
			t.Errorf("%d: %q, want %q", i, got, tt.want)
		}
	}
}
