package clients

import (
	"strings"
	"testing"
	"time"

	"hookwatch/suites/client"
)

// TestHooks reads the hook files of several clients.
func TestHooks(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		client, file, text string
		want               []string // event as event, matcher, command, timeout and ignored keys
		problems           []string
	}{
		"matchers and entries": {
			client: "codex", file: ".codex/hooks.json",
			text: `{"hooks":{"PreToolUse":[{"matcher":"^Bash$","hooks":[{"type":"command","command":"a","timeout":3,"if":"Bash(x)"},{"type":"command","command":"b"}]}]}}`,
			want: []string{"PreToolUse as PreToolUse, Bash, a, 3s, if", "PreToolUse as PreToolUse, Bash, b, 0s, "},
		},
		"tools of another name": {
			client: "codex", file: ".codex/hooks.json",
			text: `{"hooks":{"PostToolUse":[{"matcher":"apply_patch","hooks":[{"type":"command","command":"a"}]},{"matcher":"^apply_patch$","hooks":[{"type":"command","command":"b"}]}]}}`,
			want: []string{"PostToolUse as PostToolUse, Edit|Write, a, 0s, ", "PostToolUse as PostToolUse, Edit|Write, b, 0s, "},
		},
		"TOML": {
			client: "codex", file: ".codex/config.toml",
			text: "model = 'x'\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"echo \\\"hi\\\"\"\n",
			want: []string{`Stop as Stop, , echo "hi", 0s, `},
		},
		"entries that are not nested": {
			client: "codex", file: ".codex/config.toml", text: "[[hooks.Stop]]\ncommand = 'a'\n",
			problems: []string{".codex/config.toml:1:1: Codex: an entry that is not below hooks"},
		},
		"an entry without a type, which never runs": {
			client: "gemini", file: ".gemini/settings.json",
			text:     `{"hooks":{"AfterAgent":[{"hooks":[{"command":"a"},{"type":"command","command":"b"}]}]}}`,
			want:     []string{"AfterAgent as Stop, , b, 0s, "},
			problems: []string{".gemini/settings.json:1:35: Gemini CLI: an entry without a type"},
		},
		"a table": {
			client: "codex", file: ".codex/config.toml", text: "\n[hooks.Stop]\ncommand = 'a'\n",
			problems: []string{".codex/config.toml:2:8: Codex: Stop is no list"},
		},
		"an unknown event in TOML": {
			client: "codex", file: ".codex/config.toml", text: "model = 'x'\n\n[[hooks.Nope]]\ncommand = 'a'\n",
			problems: []string{".codex/config.toml:3:9: Codex: no event Nope"},
		},
		"a type for which the file is dropped": {
			client: "codex", file: ".codex/hooks.json",
			text:     `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"},{"type":"http","url":"http://x"}]}]}}`,
			problems: []string{".codex/hooks.json:1:62: Codex: an entry of type http"},
		},
		"a time limit for which the file is dropped": {
			client: "codex", file: ".codex/hooks.json",
			text:     `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"},{"type":"command","command":"b","timeout":1.5}]}]}}`,
			problems: []string{".codex/hooks.json:1:104: Codex: timeout is no whole number"},
		},
		"an entry with a key twice, for which the file is dropped": {
			client: "codex", file: ".codex/hooks.json",
			text:     `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"},{"type":"command","timeout":0,"command":"b","timeout":1}]}]}}`,
			problems: []string{".codex/hooks.json:1:62: Codex: timeout is duplicated"},
		},
		"an entry without a type, for which the file is dropped": {
			client: "codex", file: ".codex/hooks.json",
			text:     `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"},{"command":"b"}]}]}}`,
			problems: []string{".codex/hooks.json:1:62: Codex: type is missing"},
		},
		"a key next to the hooks, for which the file is dropped": {
			client: "codex", file: ".codex/hooks.json",
			text:     `{"extra":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"}]}]}}`,
			problems: []string{".codex/hooks.json:1:2: Codex: the key extra, which is none of hooks, description"},
		},
		"a matcher for which the file is dropped": {
			client: "codex", file: ".codex/hooks.json",
			text:     `{"description":"x","hooks":{"Stop":[{"matcher":5,"hooks":[{"type":"command","command":"a"}]}]}}`,
			problems: []string{".codex/hooks.json:1:48: Codex: matcher is no string"},
		},
		"an event for which the file is dropped": {
			client: "codex", file: ".codex/hooks.json",
			text:     `{"hooks":{"Stop":null,"PreToolUse":[{"hooks":[{"type":"command","command":"a"}]}]}}`,
			problems: []string{".codex/hooks.json:1:11: Codex: Stop is no list"},
		},
		"a byte order mark, for which the file is dropped": {
			client: "codex", file: ".codex/hooks.json",
			text:     "\ufeff" + `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"}]}]}}`,
			problems: []string{".codex/hooks.json:1:1: Codex: it begins with a byte order mark"},
		},
		"a key of another kind, for which the file is dropped": {
			client: "codex", file: ".codex/hooks.json",
			text:     `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a","async":"yes"}]}]}}`,
			problems: []string{".codex/hooks.json:1:69: Codex: async is no boolean"},
		},
		"a prompt, which Codex skips alone": {
			client: "codex", file: ".codex/hooks.json",
			text: `{"hooks":{"Stop":[{"hooks":[{"type":"prompt","prompt":"x"},{"type":"command","command":"b"}]}],"PreModelRequest":[{"hooks":[{"type":"command","command":"c"}]}]}}`,
			want: []string{"Stop as Stop, , , 0s, ", "Stop as Stop, , b, 0s, ", "PreModelRequest as , , c, 0s, "},
		},
		"a tool's name in part": {
			client: "codex", file: ".codex/hooks.json",
			text:     `{"hooks":{"PreToolUse":[{"matcher":"Bas","hooks":[{"type":"command","command":"a"}]},{"matcher":"Bash,Edit","hooks":[{"type":"command","command":"b"}]}]}}`,
			problems: []string{".codex/hooks.json:1:51: Codex: the matcher \"Bas\"", ".codex/hooks.json:1:118: Codex: the matcher \"Bash,Edit\""},
		},
		"flat entries": {
			client: "copilot", file: ".github/hooks/a.json",
			text: `{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"a","powershell":"b","timeoutSec":5,"matcher":"bash|view"}],"agentStop":[{"bash":"c"}]}}`,
			want: []string{"preToolUse as PreToolUse, Bash|Read, a, 5s, ", "agentStop as Stop, , c, 0s, "},
		},
		"mistakes for which an entry is dropped alone": {
			client: "copilot", file: ".github/hooks/a.json",
			text: `{"hooks":{"preToolUse":[{"matcher":"","command":"a"},{"matcher":"*","command":"b"},{"timeout":0,"command":"c"},{"type":"agent","command":"d"},{"timeout":1.5,"command":"e"}]}}`,
			want: []string{"preToolUse as PreToolUse, , e, 1.5s, "},
			problems: []string{
				".github/hooks/a.json:1:36: Copilot CLI: matcher is no non-empty text", ".github/hooks/a.json:1:54: Copilot CLI: the matcher \"*\" matches none",
				".github/hooks/a.json:1:95: Copilot CLI: timeout is no positive number", ".github/hooks/a.json:1:112: Copilot CLI: an entry of type agent",
			},
		},
		"a version for which the file is dropped": {
			client: "copilot", file: ".github/hooks/a.json", text: `{"version":"1","hooks":{"preToolUse":[{"command":"a"}]}}`,
			problems: []string{".github/hooks/a.json:1:12: Copilot CLI: version is not 1"},
		},
		"a setting that drops the file": {
			client: "copilot", file: ".github/hooks/a.json", text: `{"disableAllHooks":true,"hooks":{"preToolUse":[{"command":"a"}]}}`,
			problems: []string{".github/hooks/a.json:1:20: Copilot CLI: disableAllHooks is not false"},
		},
		"a matcher for which a file of Claude Code is dropped": {
			client: "copilot", file: ".claude/settings.json",
			text:     `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"a"}]}],"Stop":[{"matcher":"","hooks":[{"type":"command","command":"b"}]}]}}`,
			problems: []string{".claude/settings.json:1:107: Copilot CLI: matcher is no non-empty text"},
		},
		"a file of Claude Code for a client with events of other names": {
			client: "cursor", file: ".claude/settings.json",
			text: `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"b"}]}]}}`,
			want: []string{"stop as Stop, , b, 0s, "},
		},
		"milliseconds, and an event without an equivalent": {
			client: "gemini", file: ".gemini/settings.json",
			text: `{"hooks":{"BeforeTool":[{"matcher":"run_shell_command|replace","hooks":[{"type":"command","command":"a","timeout":1500}]}],"BeforeModel":[{"hooks":[{"type":"command","command":"b"}]}]}}`,
			want: []string{"BeforeTool as PreToolUse, Bash|Edit, a, 1.5s, ", "BeforeModel as , , b, 0s, "},
		},
		"names of tools that the client does not have": {
			client: "gemini", file: ".gemini/settings.json",
			text:     `{"hooks":{"BeforeTool":[{"matcher":"Edit|Write","hooks":[{"type":"command","command":"a"}]},{"matcher":"Edit|write|mcp__x","hooks":[{"type":"command","command":"b"}]},{"matcher":"(read|shell)","hooks":[{"type":"command","command":"c"}]}],"SessionStart":[{"matcher":"startup","hooks":[{"type":"command","command":"d"}]}],"disabled":[]}}`,
			want:     []string{"BeforeTool as PreToolUse, Write|mcp__x, b, 0s, ", "BeforeTool as PreToolUse, Bash|Read, c, 0s, ", "SessionStart as SessionStart, startup, d, 0s, "},
			problems: []string{".gemini/settings.json:1:58: Gemini CLI: the matcher \"Edit|Write\" matches none of its tools"},
		},
		"both names in one client, and for its events of Claude Code's form": {
			client: "copilot", file: ".github/hooks/a.json",
			text:     `{"hooks":{"PreToolUse":[{"matcher":"Write","bash":"a"}],"preToolUse":[{"matcher":"Write","bash":"b"}]}}`,
			want:     []string{"PreToolUse as PreToolUse, Write, a, 0s, "},
			problems: []string{".github/hooks/a.json:1:71: Copilot CLI: the matcher \"Write\" matches none of its tools"},
		},
		"an event of one tool": {
			client: "cursor", file: ".cursor/hooks.json", text: `{"version":1,"hooks":{"beforeShellExecution":[{"command":"a"}]}}`,
			want: []string{"beforeShellExecution as PreToolUse, Bash, a, 0s, "},
		},
		"an unknown event and no command": {
			client: "codex", file: ".codex/hooks.json", text: "{\"hooks\":{\"BeforeTool\":[{\"command\":\"a\"}],\n\"Stop\":[{\"hooks\":[{\"type\":\"command\"}]}]}}",
			problems: []string{".codex/hooks.json:1:11: Codex: no event BeforeTool", ".codex/hooks.json:2:19: Codex: an entry without a command", ".codex/hooks.json:2:19: Codex: command is missing"},
		},
		"an event that was not measured": {
			client: "copilot", file: ".github/hooks/a.json", text: `{"hooks":{"PreCompact":[{"bash":"a"}],"BeforeTool":[{"bash":"b"}]}}`,
			problems: []string{".github/hooks/a.json:1:11: Copilot CLI: the event PreCompact was not measured", ".github/hooks/a.json:1:39: Copilot CLI: no event BeforeTool"},
		},
		"no JSON": {client: "codex", file: ".codex/hooks.json", text: `{"hooks":`, problems: []string{".codex/hooks.json:1:"}},
		"no TOML": {client: "codex", file: ".codex/config.toml", text: "a = 1\nb =\n", problems: []string{".codex/config.toml:2:1: Codex: not TOML"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := ByName(tt.client)
			hooks, problems := c.Hooks(tt.file, []byte(tt.text))
			var got []string
			for _, h := range hooks {
				got = append(got, h.Event+" as "+h.Entry.Event+", "+h.Entry.Matcher+", "+h.Entry.Command+", "+h.Entry.Timeout.String()+", "+strings.Join(h.Ignored, " "))
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("%q\nwant %q", got, tt.want)
			}
			if len(problems) != len(tt.problems) {
				t.Fatalf("%v, want %q", problems, tt.problems)
			}
			for i, p := range problems {
				if text := p.At.String() + ": " + p.What; !strings.HasPrefix(text, tt.problems[i]) {
					t.Errorf("%s, want %s", text, tt.problems[i])
				}
			}
		})
	}
}

// TestMatch compares matchers with tools as each client does.
func TestMatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		client, event, matcher, value string
		want                          bool
	}{
		{"codex", "PreToolUse", "", "Bash", true},
		{"codex", "PreToolUse", "*", "Bash", true},
		{"codex", "PreToolUse", "Bash", "Bash", true},
		{"codex", "PreToolUse", "Bas", "Bash", false},
		{"codex", "PreToolUse", "ash", "Bash", false},
		{"codex", "PreToolUse", "Bas|Read", "Bash", false},
		{"codex", "PreToolUse", "Read|Bash", "Bash", true},
		{"codex", "PreToolUse", "Bas.", "Bash", true},
		{"codex", "PreToolUse", "^Ba", "Bash", true},
		{"codex", "PreToolUse", "Bash,Edit", "Bash", false},
		{"codex", "PreToolUse", "Bash ", "Bash", false},
		{"codex", "PreToolUse", "^(?!Read).*", "Bash", false},
		{"codex", "PreToolUse", "apply_patch", "Write", true},
		{"codex", "PreToolUse", "Write", "Write", true},
		{"codex", "PreToolUse", "Edit", "Write", true},
		{"codex", "PreToolUse", "Write", "Edit", true},
		{"codex", "PreToolUse", "Edit|Bash.*", "Write", true},
		{"codex", "PreToolUse", "mcp__a__.*", "mcp__a__b", true},
		{"codex", "SessionStart", "startup", "startup", true},
		{"codex", "Stop", "anything", "", true},
		{"codex", "StopFailure", "", "", false},
		{"copilot", "PreToolUse", "bash", "Bash", true},
		{"copilot", "PreToolUse", "Read | bash", "Bash", true},
		{"copilot", "PreToolUse", "ba.*", "Bash", false},
		{"copilot", "PreToolUse", "Ba.*", "Bash", true},
		{"copilot", "PreToolUse", "*", "Bash", true},
		{"copilot", "preToolUse", "BASH", "Bash", false},
		{"copilot", "preToolUse", "Bash", "Bash", false},
		{"copilot", "preToolUse", "ba", "Bash", false},
		{"copilot", "preToolUse", "*", "Bash", false},
		{"copilot", "sessionStart", "resume", "startup", true},
		{"copilot", "preToolUse", "^(?!view).*", "Bash", true},
		{"copilot", "preToolUse", "view", "Bash", false},
		{"gemini", "BeforeTool", "run_shell_command", "Bash", true},
		{"gemini", "BeforeTool", "Edit|Write", "Edit", false},
		{"gemini", "BeforeTool", " run_shell_command ", "Bash", true},
		{"gemini", "SessionStart", "startup", "startup", true},
		{"gemini", "SessionStart", "start.*", "startup", false},
		{"gemini", "SessionStart", "startup|resume", "startup", false},
		{"gemini", "PreToolUse", "", "Bash", false},
	} {
		c, _ := ByName(tt.client)
		if got := c.Match(tt.event, tt.matcher, tt.value); got != tt.want {
			t.Errorf("%s: %s %q on %s: %v", tt.client, tt.event, tt.matcher, tt.value, got)
		}
	}
	gemini, _ := ByName("gemini")
	if got := gemini.ClaudeTool("run_shell_command") + gemini.ClaudeTool("other"); got != "Bashother" {
		t.Error(got)
	}
}

// FuzzHooks requires that every text is read without a panic, and that timeouts have a limit.
func FuzzHooks(f *testing.F) {
	for _, text := range []string{`{"hooks":{"Stop":[{"hooks":[{"command":"a","timeout":1e300}]}]}}`, "[[hooks.Stop]]\ncommand = 'a'\n", `{"hooks":{"Stop":{}}}`, `{"hooks":[]}`, ""} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, c := range Clients() {
			for _, file := range []string{"a.json", "a.toml"} {
				hooks, _ := c.Hooks(file, text)
				for _, h := range hooks {
					if h.Entry.Timeout < 0 || h.Entry.Timeout > 24*time.Hour {
						t.Errorf("a timeout of %s", h.Entry.Timeout)
					}
				}
			}
		}
	})
}

// FuzzInterpret requires that every output is read without a panic.
func FuzzInterpret(f *testing.F) {
	f.Add(0, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}`, "")
	f.Add(2, `{"decision":[1,{"a":null}],"hookSpecificOutput":3}`, "no")
	f.Fuzz(func(t *testing.T, exit int, stdout, stderr string) {
		for _, c := range Clients() {
			for event := range c.Events {
				if c.Interpret(event, client.Output{Exit: exit, Stdout: []byte(stdout), Stderr: []byte(stderr)}).Because == "" {
					t.Errorf("%s at %s gives no reason", c.Name, event)
				}
			}
		}
	})
}

// TestPayload requires that a payload has the client's own names.
func TestPayload(t *testing.T) {
	t.Parallel()
	sent := `{"session_id":"s","hook_event_name":"PreToolUse","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"a"},"tool_response":1}` + "\n"
	for name, tt := range map[string]struct{ client, event, want string }{
		"Codex":                         {"codex", "PreToolUse", strings.TrimSuffix(sent, "}\n") + `,"model":"gpt-5.5"}` + "\n"},
		"Copilot's own files":           {"copilot", "preToolUse", `{"sessionId":"s","toolName":"bash","toolArgs":{"command":"a","description":"a command"},"toolResult":1,"timestamp":1795651200000}` + "\n"},
		"Claude Code's files, Copilot":  {"copilot", "PreToolUse", `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"a","description":"a command"},"tool_result":1,"timestamp":"2026-11-26T00:00:00.000Z"}` + "\n"},
		"Gemini":                        {"gemini", "BeforeTool", `{"session_id":"s","hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"a","description":"a command"},"tool_response":1,"timestamp":"2026-11-26T00:00:00.000Z"}` + "\n"},
		"Claude Code: nothing replaced": {"claude", "PreToolUse", sent},
	} {
		c, _ := ByName(tt.client)
		if got := string(c.Payload(tt.event, []byte(sent))); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
	edit := []byte(`{"tool_name":"Edit","tool_input":{"file_path":"/p/a","old_string":"x","new_string":"y \"z\""}}`)
	ran := []byte(`{"tool_name":"Bash","tool_input":{"command":"a","description":"b"},"tool_response":{"stdout":"c\nd","stderr":""}}`)
	codex, _ := ByName("codex")
	if got := string(codex.Payload("PostToolUse", ran)); got != `{"tool_name":"Bash","tool_input":{"command":"a"},"tool_response":"c\nd","model":"gpt-5.5","permission_mode":"default"}`+"\n" {
		t.Error(got)
	}
	if got := string(codex.Payload("SessionEnd", []byte(`{"session_id":"s","prompt_id":"p","reason":"other"}`))); got != `{"session_id":"s","reason":"other"}`+"\n" {
		t.Error(got)
	}
	copilot, _ := ByName("copilot")
	if got := string(copilot.Payload("sessionStart", []byte(`{"session_id":"s","transcript_path":"/t","source":"startup"}`))); got != `{"sessionId":"s","source":"new","initialPrompt":"a prompt","timestamp":1795651200000}`+"\n" {
		t.Error(got)
	}
	for name, want := range map[string]string{
		"codex":   `{"tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: /p/a\n@@\n-x\n+y \"z\"\n*** End Patch\n"},"model":"gpt-5.5","permission_mode":"default"}` + "\n",
		"copilot": `{"tool_name":"Edit","tool_input":{"new_str":"y \"z\"","old_str":"x","path":"/p/a"},"timestamp":"2026-11-26T00:00:00.000Z"}` + "\n",
	} {
		c, _ := ByName(name)
		if got := string(c.Payload("PreToolUse", edit)); got != want {
			t.Errorf("%s: an edit is %s, want %s", name, got, want)
		}
	}
	c, _ := ByName("copilot")
	if got := string(c.Payload("preToolUse", []byte("not JSON"))); got != "not JSON" {
		t.Errorf("a text that is no JSON became %q", got)
	}
}

// TestReadBy requires that a file is found at its place below any directory, and nowhere else.
func TestReadBy(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		".codex/hooks.json": "codex", "web/.codex/config.toml": "codex", ".github/hooks/a.json": "copilot", ".github/hooks/a/b.json": "",
		".claude/settings.json": "claude copilot cursor", ".windsurf/hooks.json": "windsurf", ".agents/hooks.json": "antigravity", ".qwen/settings.json": "qwen",
		"x.codex/hooks.json": "", ".factory/settings.json": "droid", "hooks.json": "",
	} {
		var names []string
		for _, c := range ReadBy(file) {
			names = append(names, c.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s is read by %q, want %q", file, got, want)
		}
	}
}

// TestParse requires that a list names clients whose behavior is known.
func TestParse(t *testing.T) {
	t.Parallel()
	if all, err := Parse("codex, claude,codex"); err != nil || len(all) != 2 || all[0].Name != "codex" || all[1].Name != Claude {
		t.Errorf("%v, %v", all, err)
	}
	for list, want := range map[string]string{"codx": "did you mean codex?", "nothing-like-it": "known are claude, codex, copilot", "windsurf": "only the places", "": "no client"} {
		if _, err := Parse(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", list, err, want)
		}
	}
}
