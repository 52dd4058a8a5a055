package catalog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
)

// oneCase wraps the keys of a case, starting at line 6, column 5.
func oneCase(lines string) string {
	return "suite: s\nhook: h.sh\nevent: Stop\ncases:\n  - id: A\n    name: a\n    " +
		strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", "\n    ") + "\n"
}

const ok = "expect: {exit: 0}\n"

const (
	caseKeys = "id, name, category, summary, check, hook, registered, chain, layer, client, serial, timeout, budget, gates, absent_tools, programs, control, env, unset, " +
		"cwd, project, repo, server, event, tool, delegate, args, command, file_path, payload, payload_raw, stdin, fixtures, expect, steps, contradicts, verify"
	effectWords = "proceeds, denied, asked, allowed, rewritten, context_added, ignored, another_turn, session_ends, shown_to_model, prompt_blocked"
)

// Every kind of mistake. Lines and columns refer to the whole file.
var mistakes = map[string]struct {
	file string
	want []string
}{
	"all at once": {oneCase("comand: ls\nlayer: 3\nexpect: {exit: \"0\", effect: denid, stdout: {matches: ['(', '[']}}"), []string{
		`7:5: unknown key comand (did you mean command?)`,
		`8:12: layer: want a whole number from 1 to 2, got 3`,
		`9:20: exit: want a whole number from 0 to 255, got "0"`,
		`9:33: effect: want one of ` + effectWords + `, got "denid" (did you mean denied?)`,
		"9:59: matches: no valid regular expression: missing closing ): `(`",
		"9:64: matches: no valid regular expression: missing closing ]: `[`",
	}},
	"empty file":         {"", []string{"1:1: the file holds no suite (start with suite: NAME)"}},
	"comments only":      {"# soon\n", []string{"1:1: the file holds no suite (start with suite: NAME)"}},
	"a list":             {"- a\n", []string{"1:1: the file: want keys with values, got a list"}},
	"no suite, no cases": {"agent: x\n", []string{"1:1: a suite needs suite", "1:1: a suite needs cases"}},
	"cases empty":        {"suite: s\ncases: []\n", []string{"2:8: cases: must not be empty"}},
	"cases null":         {"suite: s\ncases:\n", []string{"2:7: cases: want a list, got nothing"}},
	"suite name":         {"suite: My Suite\ncases: [{id: A, name: a, hook: h, event: Stop, expect: {exit: 0}}]\n", []string{`1:8: suite: want at most 100 small letters, digits and -, got "My Suite"`}},
	"agent name":         {"agent: a/b\n" + oneCase(ok), []string{`1:8: agent: want at most 100 letters, digits, dots, _ and -, got "a/b"`}},
	"suite key":          {"hok: x\n" + oneCase(ok), []string{"1:1: unknown key hok (did you mean hook?)"}},
	"suite given twice":  {"hook: x\n" + oneCase(ok), []string{"3:1: key hook is duplicated (first at line 1)"}},
	"two documents":      {oneCase(ok) + "---\nsuite: t\n", []string{"8:1: a second document (write one suite a file)"}},
	"no YAML":            {"suite: [a\ncases: b\n", []string{"2:6: not valid YAML: did not find expected ',' or ']'"}},
	"a comment in a command": {oneCase(ok + "command: echo hi # then git push"), []string{
		"8:14: command: it ends before #, where YAML begins a comment (quote the command, or put the comment on a line of its own)"}},
	"a colon in a command":  {oneCase(ok + "command: git commit -m fix: y"), []string{`8:31: not valid YAML: mapping values are not allowed in this context (quote a text that contains ": ")`}},
	"a comma in a flow row": {oneCase("steps: [{command: echo a, b, expect: {exit: 0}}]"), []string{"7:31: unknown key b (quote a text that contains a comma)"}},
	"an alias read twice":   {"suite: s\nhook: h.sh\nevent: Stop\ncases:\n  - {id: A, name: a, expect: &e {exit: 0, effect: deny}}\n  - {id: B, name: b, expect: *e}\n", []string{"5:51: effect: want one of " + effectWords + `, got "deny" (did you mean denied?)`}},
	"tab":                   {"suite:\n\ta: 1\n", []string{"2:1: not valid YAML: found character that cannot start any token (indent with spaces, not tabs)"}},
	"endless alias":         {"suite: s\nenv: &e {A: *e}\n", []string{"2:6: &e holds an alias of itself (write its content out)"}},
	"alias bomb":            {bomb(), []string{"1:1: aliases make the file too large (repeat less, or write several suites)"}},
	"a large default":       {"suite: s\nenv: {A: " + strings.Repeat("x", 300_000) + "}\ncases:\n" + strings.Repeat("- {id: A}\n", 1000), []string{"4:1: cases: each of 1000 would get 300015 bytes of the suite (write long texts in the cases that need them, or several suites)"}},
	"merged text":           {oneCase(ok + "<<: x"), []string{`8:9: <<: want an alias of keys with values, got "x"`}},
	"a case is text":        {"suite: s\ncases: [x]\n", []string{`2:9: a case: want keys with values, got "x"`}},
	"nothing near":          {oneCase(ok + "zzzzzz: 1"), []string{"8:5: unknown key zzzzzz (known here: " + caseKeys + ")"}},
	"no plain key":          {oneCase(ok + "? [a]\n: 1"), []string{"8:7: a key must be a plain word"}},
	"no id, no name":        {"suite: s\nhook: h\nevent: Stop\ncases:\n  - expect: {exit: 0}\n", []string{"5:5: a case needs id", "5:5: a case needs name"}},
	"id":                    {"suite: s\nhook: h\nevent: Stop\ncases:\n  - {id: 01, name: a, expect: {exit: 0}}\n", []string{`5:10: id: want text, got 01 (quote it: "01")`}},
	"id is a command":       {"suite: s\nhook: h\nevent: Stop\ncases:\n  - {id: \"$(x|sh)\", name: a, expect: {exit: 0}}\n", []string{`5:10: id: want at most 100 letters, digits, dots, _ and -, got "$(x|sh)"`}},
	"id is a flag":          {"suite: s\nhook: h\nevent: Stop\ncases:\n  - {id: -rf, name: a, expect: {exit: 0}}\n", []string{`5:10: id: want at most 100 letters, digits, dots, _ and -, got "-rf"`}},
	"id is two lines":       {"suite: s\nhook: h\nevent: Stop\ncases:\n  - {id: \"A\\nB\", name: a, expect: {exit: 0}}\n", []string{`5:10: id: want at most 100 letters, digits, dots, _ and -, got "A\nB"`}},
	"id is long":            {"suite: s\nhook: h\nevent: Stop\ncases:\n  - {id: " + strings.Repeat("A", 101) + ", name: a, expect: {exit: 0}}\n", []string{`5:10: id: want at most 100 letters, digits, dots, _ and -, got "` + strings.Repeat("A", 101) + `"`}},
	"id form":               {"suite: s\nhook: h\nevent: Stop\ncases:\n  - {id: a b, name: \"a\\nb\", expect: {exit: 0}}\n", []string{`5:10: id: want at most 100 letters, digits, dots, _ and -, got "a b"`, `5:21: name: want a single line, got "a\nb"`}},
	"no hook, no event":     {"suite: s\ncases:\n  - {id: A, name: a, expect: {exit: 0}}\n", []string{"3:5: a case needs a hook (give it or its suite one, name a registered one, or say chain: true)", "3:5: a case needs an event (give it or its suite one, such as event: PreToolUse)"}},
	"absolute hook":         {oneCase(ok + "hook: /x.sh"), []string{`8:11: hook: want a path from the project's root, got "/x.sh" (write it without /, such as .claude/hooks/guard.sh)`}},
	"event form":            {oneCase(ok + "event: pre tool"), []string{`8:12: event: want an event's name such as PreToolUse, got "pre tool"`}},
	"unknown event":         {oneCase(ok + "event: PreToolUsee"), []string{`8:12: event: want an event's name such as PreToolUse, got "PreToolUsee" (did you mean PreToolUse?)`}},
	"no expectation":        {oneCase("command: ls"), []string{"5:5: a case needs an expectation (such as expect: {exit: 0})"}},
	"expect misspelt":       {oneCase("expects: {exit: 0}"), []string{"7:5: unknown key expects (did you mean expect?)"}},
	"expect empty":          {oneCase("expect: {}"), []string{"7:13: expect: must not be empty (such as {exit: 0})"}},
	"expects nothing":       {oneCase("expect: {stdout: {}}"), []string{"5:5: a case needs an expectation (such as expect: {exit: 0})"}},
	"silent steps":          {oneCase("steps: [{command: ls}]"), []string{"5:5: a case needs an expectation (such as expect: {exit: 0})"}},
	"steps empty":           {oneCase("steps: []"), []string{"7:12: steps: must not be empty"}},
	"number as text":        {oneCase(ok + "summary: 1.5"), []string{`8:14: summary: want text, got 1.5 (quote it: "1.5")`}},
	"timeout":               {oneCase(ok + "timeout: 11m"), []string{`8:14: timeout: want a duration from 1ms to 10m, got "11m"`}},
	"timeout of none":       {oneCase(ok + "timeout: 0s"), []string{`8:14: timeout: want a duration from 1ms to 10m, got "0s"`}},
	"timeout unit":          {oneCase(ok + "timeout: 30"), []string{"8:14: timeout: want a duration such as 30s, got 30"}},
	"truth":                 {oneCase(ok + "serial: yes"), []string{`8:13: serial: want true or false, got "yes"`}},
	"env number":            {oneCase(ok + "env: {A: 1, B: true, C-D: x, E: ~}"), []string{`8:14: env.A: want text, got 1 (quote it: "1")`, `8:20: env.B: want text, got true (quote it: "true")`, `8:26: env: "C-D" is no variable's name (letters, digits and _ only)`, `8:37: env.E: want text, got nothing (quote it: "~")`}},
	"verify":                {oneCase(ok + "verify: a §b"), []string{`8:13: verify: want a list, got "a §b" (put it in brackets: [a §b])`}},
	"several exits of none": {oneCase("expect: {exit: []}"), []string{"7:20: exit: must not be empty"}},
	"absent tools":          {oneCase(ok + "absent_tools: [jq, '']"), []string{"8:24: absent_tools: must not be empty"}},
	"gates":                 {oneCase(ok + "gates: [{policy: fail}, {tool: x, policy: ski}, 1]"), []string{"8:13: a gate needs tool", `8:47: policy: want one of skip, fail, got "ski" (did you mean skip?)`, `8:53: gates: want text, got 1 (quote it: "1")`}},
	"gate's version":        {oneCase(ok + "gates: [{tool: x, min_version: 2.0}, {tool: x, min_version: v2}]"), []string{`8:36: min_version: want text, got 2.0 (quote it: "2.0")`, `8:65: min_version: want a version such as "2.12.0", got "v2"`}},
	"args":                  {oneCase(ok + "args: [a, 1]"), []string{`8:15: args: want text, got 1 (quote it: "1")`}},
	"delegate, direct":      {oneCase(ok + "delegate: [{text: done}]"), []string{"5:5: delegate needs layer: 2 (in layer 1 the hook starts the claude of its PATH: provide one with programs)"}},
	"empty answer":          {oneCase(ok + "layer: 2\ndelegate: [{}]"), []string{"9:16: an answer needs tool or text (such as {tool: Edit, input: {...}}, or {text: done})"}},
	"answer of both":        {oneCase(ok + "layer: 2\ndelegate: [{tool: Edit, input: {}, text: a}]"), []string{"9:46: text cannot be combined with tool (an answer calls a tool, or says something)"}},
	"tool without input":    {oneCase(ok + "layer: 2\ndelegate: [{tool: Edit}]"), []string{"9:16: tool and input go together"}},
	"args of a chain":       {"suite: s\nevent: Stop\ncases:\n  - {id: A, name: a, chain: true, args: [a], expect: {exit: 0}}\n", []string{"4:5: args cannot be combined with chain or registered (registered commands have arguments of their own)"}},
	"project":               {oneCase(ok + "project: {file: {}}"), []string{"8:15: unknown key file (did you mean files?)"}},
	"paths":                 {oneCase(ok + "project: {files: {/a: x, ../b: y, c: 1}}"), []string{`8:23: files: want a path within the project, got "/a"`, `8:30: files: want a path within the project, got "../b"`, `8:42: files.c: want text, got 1 (quote it: "1")`}},
	"repo":                  {oneCase(ok + "repo: {comit: {}, delete: a}"), []string{"8:12: unknown key comit (did you mean commit?)", `8:31: delete: want a list, got "a" (put it in brackets: [a])`}},
	"server":                {oneCase(ok + "server: [{method: get, status: 99, path: '[', delay: 1}]"), []string{`8:23: method: want a method such as POST, got "get"`, "8:36: status: want a whole number from 100 to 599, got 99", `8:46: path: want a valid pattern, got "[" (close what [ or { opens)`, "8:58: delay: want a duration such as 30s, got 1"}},
	"fixtures":              {oneCase(ok + "fixtures: [{content: a}, {path: a, mode: 755}, {path: b, mode: \"0755\"}, {path: c, mode: 01777}]"), []string{"8:16: a fixture needs path", "8:46: mode: want permissions such as 0755, got 755", `8:68: mode: want permissions such as 0755, got "0755"`, "8:93: mode: want permissions such as 0755, got 01777"}},
	"control form":          {oneCase(ok + "control: a b"), []string{`8:14: control: want an ID, or suite/ID, got "a b"`}},
	"payload":               {oneCase(ok + "payload: [a]"), []string{"8:14: payload: want keys with values, got a list"}},
	"payload value":         {oneCase(ok + "payload: {a: .nan, b: !!binary aGk=}"), []string{"8:18: payload: want a value that JSON has, got .nan", "8:27: payload: want a value that JSON has, got aGk="}},
	"filter":                {oneCase("expect: {jq: '.a ='}"), []string{"7:18: jq: no valid filter: unexpected EOF"}},
	"filter's function":     {oneCase("expect: {jq: 'nope(.)'}"), []string{"7:18: jq: no valid filter: function not defined: nope/1"}},
	"empty, yet text":       {oneCase("expect: {stdout: {empty: true, contains: a}, stderr: {empty: false}}"), []string{"7:22: stdout: empty cannot be combined with contains or matches (keep one of them)", `7:66: empty: want true, got false (leave it out; text is asked for by matches: ".")`}},
	"empty, yet jq":         {oneCase("expect: {stdout: {empty: true}, jq: .a}"), []string{"7:41: expect: jq cannot be combined with an empty stdout (keep one of them)"}},
	"file":                  {oneCase("expect: {exit: 0, files: [{absent: true}, {path: a, absent: true, lacks: b}]}"), []string{"7:31: a file needs path", "7:47: files: absent cannot be combined with contains, matches or lacks (keep one of them)"}},
	"steps and command":     {oneCase("command: ls\nsteps: [{expect: {exit: 0}}]\n" + ok), []string{"8:12: command cannot be combined with steps (put it into a step)", "9:13: expect cannot be combined with steps (put it into a step)"}},
	"command, raw":          {oneCase(ok + "command: ls\npayload_raw: {}"), []string{"9:18: command cannot be combined with payload_raw (it is all that the hook gets: put it into tool_input)"}},
	"payload, raw":          {oneCase(ok + "payload: {}\npayload_raw: {}"), []string{"9:18: payload cannot be combined with payload_raw (it is all that the hook gets; payload is laid over what the client would send)"}},
	"each without id":       {oneCase(ok + "each: [{command: ls}]"), []string{"8:12: a row of each needs id"}},
	"each twice":            {oneCase(ok + "each: [{id: a}, {id: a}]"), []string{"8:26: id a is duplicated in each (a row's id is part of the case's)"}},
	"each of none":          {oneCase(ok + "each: []"), []string{"8:11: each: must not be empty"}},
	"each within each":      {oneCase(ok + "each: [{id: a, each: [{id: b}]}]"), []string{"8:26: each within each (write one table)"}},
	"each, unknown key":     {oneCase(ok + "each: [{id: a, comand: ls}]"), []string{"8:20: unknown key comand (did you mean command?)"}},
	"tool":                  {oneCase(ok + "tool: Bsah"), []string{"8:11: tool: want a tool that the client has, got \"Bsah\" (did you mean Bash?)"}},
	"unset":                 {oneCase(ok + "unset: [A-B]"), []string{`8:13: unset: want a variable's name, got "A-B"`}},
	"stdin, file":           {oneCase(ok + "stdin: x\nfile_path: a"), []string{"9:16: file_path cannot be combined with stdin (stdin is all the hook gets)"}},
	"step's own":            {oneCase("steps:\n  - {command: ls, stdin: a, expect: {exit: 0}, timeout: 1s}"), []string{"8:30: command cannot be combined with stdin (stdin is all the hook gets)", "8:52: unknown key timeout (known here: hook, registered, env, event, tool, delegate, args, command, file_path, payload, payload_raw, stdin, fixtures, expect)"}},
	"repo and project":      {oneCase(ok + "repo: {}\nproject: {}"), []string{"9:14: project cannot be combined with repo (put the files into the repo's commit)"}},
	"check key":             {oneCase("check: {tol: jq}"), []string{"7:13: unknown key tol (did you mean tool?)"}},
	"check of nothing":      {oneCase("check: {}"), []string{"7:12: a check needs one of tool, file, registered (such as check: {tool: jq})"}},
	"check is text":         {oneCase("check: jq"), []string{`7:12: check: want keys with values, got "jq"`}},
	"check of two":          {oneCase("check: {tool: jq, file: a.json}"), []string{"7:29: check: file cannot be combined with tool (write a case for each)"}},
	"check words":           {oneCase("check: {tool: -x, need: must, minimum: 2.x, places: [sudo jq]}"), []string{`7:19: tool: want a program's name, got "-x"`, `7:29: need: want one of required, expected, optional, advisory, got "must"`, `7:44: minimum: want a version such as 2.12.0, got "2.x"`, `7:58: places: want a name, a file, or one of npx, bunx, pnpm exec and uv run with the tool, got "sudo jq"`}},
	"check no places":       {oneCase("check: {tool: jq, places: []}"), []string{"7:31: places: must not be empty"}},
	"check goes with":       {oneCase("check: {file: a.json, need: optional, equals: 1}"), []string{"7:33: check: need goes with tool", "7:51: check: equals goes with key"}},
	"check file":            {oneCase("check: {file: /etc/passwd, key: a..b, named_by: {file: ../a}}"), []string{`7:19: file: want a path within the project, got "/etc/passwd"`, `7:37: key: want keys joined by dots, got "a..b"`, `7:53: named_by needs key`, `7:60: file: want a path within the project, got "../a"`}},
	"check registered":      {oneCase("check: {registered: {event: pre, matcher: 'Edit.*', hok: x}}"), []string{"7:25: registered needs hook", `7:33: event: want an event's name such as PreToolUse, got "pre"`, `7:47: matcher: want names joined by |, got "Edit.*"`, "7:57: unknown key hok (did you mean hook?)"}},
	"check and firing":      {oneCase("check: {tool: jq}\ncommand: ls\n" + ok), []string{"8:14: command cannot be combined with check (a check fires no hook)", "9:13: expect cannot be combined with check (a check fires no hook)"}},
	"chain and hook":        {oneCase(ok + "chain: true\nhook: x"), []string{"9:11: hook cannot be combined with chain (a chain fires every hook registered for the event)"}},
	"programs": {oneCase(ok + "programs: [{name: x y}, {stdout: a}, {name: a, script: b, exit: 1}, {name: a}, {name: echo}, {name: b, exit: 256}]"), []string{
		`8:23: name: want a program's name, got "x y"`, "8:29: a program needs name", "8:69: exit cannot be combined with script (the script sets it)",
		"8:80: programs: a is duplicated", "8:91: programs: echo is the shell's own (no hook in sh or bash starts a program of that name)",
		"8:114: exit: want a whole number from 0 to 255, got 256"}},
	"age, moments": {oneCase(ok + "fixtures: [{path: a, age: 5}, {path: a, age: 1ms}, {path: a, content: \"{now-x}\", fill: true}, {path: a, content: \"{now-x}\"}]"), []string{
		"8:31: age: want an age from 1s to 175200h, such as 15m, got 5", "8:50: age: want an age from 1s to 175200h, such as 15m, got \"1ms\"",
		"8:75: content: {now-x}: no time ago, such as {now-15m}"}},
	"registered, hook": {oneCase(ok + "registered: /a.sh\nhook: x"), []string{"9:11: hook cannot be combined with registered (the registered command says which script runs)"}},
}

func bomb() string {
	var b strings.Builder
	b.WriteString("x0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n")
	for i := range 8 {
		b.WriteString(strings.NewReplacer("N", string(rune('1'+i)), "P", string(rune('0'+i))).Replace(
			"xN: &aN [*aP, *aP, *aP, *aP, *aP, *aP, *aP, *aP, *aP, *aP]\n"))
	}
	return b.String()
}

// beyondSchema lists mistakes that a JSON Schema cannot express, or that are lost before the
// schema is applied.
var beyondSchema = map[string]bool{
	"a comment in a command": true,
	"suite given twice":      true, "delegate, direct": true, "two documents": true, "timeout": true, "expects nothing": true, "silent steps": true,
	"filter": true, "filter's function": true, "no hook, no event": true, "args of a chain": true, "each twice": true, "tool": true,
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	for name, tt := range mistakes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, problems := Load("s.yaml", []byte(tt.file))
			var got []string
			for _, p := range problems {
				got = append(got, strings.TrimPrefix(p.Error(), "s.yaml:"))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if accepted := schemaAccepts(t, []byte(tt.file)); accepted != beyondSchema[name] {
				t.Errorf("the schema accepts it: %v", accepted)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	file := func(name, suite string, cases ...string) suites.Suite {
		text := "suite: " + suite + "\nhook: h.sh\nevent: Stop\ncases:\n"
		for i, c := range cases {
			text += fmt.Sprintf("  - {name: n, expect: {stdout: {contains: [%s%d]}}, %s}\n", name, i, c)
		}
		s, problems := Load(name, []byte(text))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		return s
	}
	shared := file("d.yaml", "d", "id: D1")
	shared.Agent = "a-agent"
	all := []suites.Suite{
		file("a.yaml", "a", "id: A1, control: A2", "id: A2", "id: A1", "id: A3, control: A3", "id: A4, control: A33", "id: A5, control: b/B1", "id: A6, control: c/X", "id: A7, control: A4"),
		file("b.yaml", "b", "id: B0, control: B1", "id: B1, control: B2", "id: B2, control: b/B3", "id: B3, control: B1", "id: B4, control: B2", "id: A2"),
		file("b2.yaml", "b", "id: B9", "id: B1"),
		shared,
	}
	var got []string
	for _, p := range Check(all) {
		got = append(got, p.Error())
	}
	want := []string{
		"b2.yaml:1:1: suite b exists already (at b.yaml:1:1)",
		"d.yaml:1:1: agent a-agent is that of suite a (at a.yaml:1:1; records are kept by agent)",
		"a.yaml:7:5: id A1 is taken in suite a (by the case at a.yaml:5:5)",
		"a.yaml:8:5: control A3 is the case itself (name a case that must fail or block)",
		"a.yaml:9:5: control A33 of A4 does not exist (did you mean A3?)",
		"b.yaml:6:5: controls run in a circle: b/B1 -> b/B2 -> b/B3 -> b/B1",
		"a.yaml:11:5: control c/X of A6 does not exist",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestControls checks that a control must differ from its case in its expectation, because a
// hook that does nothing would pass both otherwise.
func TestControls(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ control, of, want string }{
		{"exit: 2", "exit: 0", ""},
		{"exit: 0", "exit: 0", "expects the same"},
		{"effect: proceeds", "effect: proceeds", "expects the same"},
		{"exit: 0, stdout: {contains: [deny]}", "exit: 0", ""},
		{"exit: 0, stdout: {contains: [deny]}", "exit: 0, stdout: {contains: [deny]}", "expects the same"},
	} {
		text := fmt.Sprintf("suite: s\nhook: h.sh\nevent: Stop\ncases:\n  - {id: A1, name: a, control: A2, expect: {%s}}\n  - {id: A2, name: b, expect: {%s}}\n", tt.of, tt.control)
		s, problems := Load("s.yaml", []byte(text))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		got := ""
		for _, p := range Check([]suites.Suite{s}) {
			got += p.Error() + "\n"
		}
		if tt.want == "" && got != "" || tt.want != "" && (!strings.Contains(got, tt.want) || !strings.HasPrefix(got, "s.yaml:5:5: ")) {
			t.Errorf("control {%s} of {%s}: %q, want %q", tt.control, tt.of, got, tt.want)
		}
	}
}
