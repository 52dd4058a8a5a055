package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"hookwatch/suites/client"
	"hookwatch/suites/jsontree"
)

// TestWithAgent checks that a settings file gets the hook in the form that it has otherwise.
func TestWithAgent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want, lacks string }{
		{"none", "", "{\n  \"hooks\": {\n    \"PostToolUse\": [\n      {\n        \"matcher\":", ""},
		{"empty object", "{}\n", "{\n  \"hooks\": {\n    \"PostToolUse\": [", ""},
		{"other keys", "{\n\t\"b\": 1,\n\t\"a\": [1,  2]\n}\n", "{\n\t\"b\": 1,\n\t\"a\": [1,  2],\n\t\"hooks\": {\n\t\t\"PostToolUse\": [\n\t\t\t{\n", "    "},
		{"one line", `{"a": 1}`, "{\"a\": 1,\n  \"hooks\": {", ""},
		{"other events", "{\n    \"hooks\": {\n        \"Stop\": []\n    }\n}", "\"Stop\": [],\n        \"PostToolUse\": [\n            {\n                \"matcher\":", ""},
		{"no events", "{\n  \"hooks\": {}\n}", "\"hooks\": {\n    \"PostToolUse\": [", ""},
		{"a hook", "{\"hooks\": {\"PostToolUse\": [{\"hooks\": []}]}, \"z\": 1}", "[{\"hooks\": []},\n      {\n", ""},
		{"an empty list", "{\"hooks\": {\"PostToolUse\": []}}", "\"PostToolUse\": [\n      {\n", ""},
		{"line ends", "{\r\n  \"a\": 1\r\n}\r\n", "\"a\": 1,\r\n  \"hooks\": {\r\n", ""},
		{"byte order mark", "\ufeff{\"a\": 1}", "\ufeff{\"a\": 1,", ""},
	} {
		out, err := withAgent([]byte(tt.text))
		if err != nil || !strings.Contains(string(out), tt.want) || tt.lacks != "" && strings.Contains(string(out), tt.lacks) || !registersAgent(out) {
			t.Errorf("%s: %v\n%s", tt.name, err, out)
		}
		if tt.name == "line ends" && strings.Count(string(out), "\n") != strings.Count(string(out), "\r\n") {
			t.Errorf("%s: %q", tt.name, out)
		}
		if again, err := withAgent(out); err != nil || string(again) != string(out) {
			t.Errorf("%s, a second time: %v\n%s", tt.name, err, again)
		}
	}
	for text, want := range map[string]string{
		"{\n  \"a\": 1,\n}":                      agentSettings + ":3:1: ",
		"{\n  // a\n}":                           agentSettings + ":2:3: ",
		"[]":                                     agentSettings + ":1:1: want an object",
		"{\"hooks\": []}":                        agentSettings + ":1:11: want an object",
		"{\"hooks\": {\n\"PostToolUse\": {}\n}}": agentSettings + ":2:16: PostToolUse is no list",
		"{\"a\": 1":                              agentSettings + ":1:",
	} {
		if out, err := withAgent([]byte(text)); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "nothing was written") {
			t.Errorf("%s: %v %s, want %s", text, err, out, want)
		}
	}
}

// registersAgent reports whether the client reads the hook from a settings file.
func registersAgent(text []byte) bool {
	doc, _ := client.ParseOn("", agentSettings, text)
	found, _ := json.Marshal(doc)
	return strings.Contains(string(found), "exec hookwatch agent")
}

// FuzzWithAgent checks that every settings file that is accepted keeps everything else.
func FuzzWithAgent(f *testing.F) {
	for _, text := range []string{"", "{}", `{"hooks": {"PostToolUse": []}}`, `{"hooks": {"PostToolUse": [{}], "a": 1}, "b": [1, 2]}`, "{\n\t\"a\": 1\n}", `{"a": 1, "a": 2}`, "\ufeff{}", "{\"hooks\":{}}"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		out, err := withAgent(text)
		if err != nil || string(out) == string(text) {
			return
		}
		trimmed := strings.TrimPrefix(string(out), "\ufeff")
		after, err := jsontree.Parse([]byte(trimmed))
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		before := strings.TrimPrefix(string(text), "\ufeff")
		if strings.TrimSpace(before) == "" {
			return
		}
		// The text before the place of the insertion, and the text behind it, are unchanged.
		lead := 0
		for lead < len(before) && lead < len(trimmed) && before[lead] == trimmed[lead] {
			lead++
		}
		if rest := strings.TrimSpace(before[lead:]); !strings.HasSuffix(strings.TrimSpace(trimmed), rest) {
			t.Fatalf("%q became %q", text, out)
		}
		hooks, _ := after.Get("hooks")
		groups, _ := hooks.Get("PostToolUse")
		if n := len(groups.Members); n == 0 || !strings.Contains(trimmed[groups.Members[n-1].Value.Start:groups.Members[n-1].Value.End], "hookwatch agent") {
			t.Fatalf("%q became %q", text, out)
		}
	})
}
