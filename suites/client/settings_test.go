package client

import (
	"fmt"
	"strings"
	"testing"
)

// inSettings returns a file with the given hook on line 3.
func inSettings(hook string) string {
	return fmt.Sprintf("{\"hooks\":\n{\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [\n%s\n]}]}}", hook)
}

const goodHook = `{"type": "command", "command": "true"}`

func TestParseDrops(t *testing.T) {
	t.Parallel()
	group := func(group string) string { return "{\"hooks\":\n{\"PreToolUse\": [" + group + "]}}" }
	for _, test := range []struct{ name, data, at, what string }{
		{"timeout as text", inSettings(`{"type": "command", "command": "x", "timeout": "5"}`), "s.json:3:48", `the text "5"`},
		{"timeout 0", inSettings(`{"type": "command", "command": "x", "timeout": 0}`), "s.json:3:48", "the number 0"},
		{"timeout null", inSettings(`{"type": "command", "command": "x", "timeout": null}`), "s.json:3:48", "null"},
		{"no type", inSettings(`{"command": "x"}`), "s.json:3:1", "no type"},
		{"unknown type", inSettings(`{"type": "script", "command": "x"}`), "s.json:3:10", `"script"`},
		{"no command", inSettings(`{"type": "command"}`), "s.json:3:1", "no command"},
		{"command null", inSettings(`{"type": "command", "command": null}`), "s.json:3:32", "null"},
		{"args", inSettings(`{"type": "command", "command": "x", "args": [1]}`), "s.json:3:46", "the number 1"},
		{"async", inSettings(`{"type": "command", "command": "x", "async": "yes"}`), "s.json:3:46", `"yes"`},
		{"hook as text", inSettings(`"x"`), "s.json:3:1", "not an object"},
		{"flat entry", group(goodHook), "s.json:2:17", "no hooks list"},
		{"matcher null", group(`{"matcher": null, "hooks": []}`), "s.json:2:29", "null"},
		{"matcher list", group(`{"matcher": ["Bash"], "hooks": []}`), "s.json:2:29", "an array"},
		{"matcher object", group(`{"matcher": {}, "hooks": []}`), "s.json:2:29", "an object"},
		{"trailing comma", group(`{"hooks": [` + goodHook + `, ]}`), "s.json:2:66", "not valid JSON"},
		{"comment", "{\n  // why\n  \"hooks\": {}}", "s.json:2:3", "not valid JSON"},
		{"cut short", `{"hooks": {`, "s.json:1:11", "not valid JSON"},
		{"permissions", `{"permissions": "x", "hooks": {"Stop": [{"hooks": [` + goodHook + `]}]}}`, "s.json:1:17", "permissions"},
		{"hooks list", `{"hooks": []}`, "s.json:1:11", "not an object"},
		{"array", `[]`, "s.json:1:1", "not an object"},
		{"after a byte order mark and wide characters", "\ufeff{\"é\": 1, \"permissions\": 1}", "s.json:1:25", "permissions"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			settings, problems := ParseSettings("s.json", []byte(test.data))
			if len(problems) != 1 || !settings.Dropped || len(settings.Entries) > 0 {
				t.Fatalf("dropped %t with problems %v and hooks %v", settings.Dropped, problems, settings.Entries)
			}
			if got := problems[0]; got.At.String() != test.at || !strings.Contains(got.What, test.what) || got.Hint == "" {
				t.Errorf("problem %q, want %q at %s", got.Error(), test.what, test.at)
			}
		})
	}
}

// TestOthers checks that one bad setting next to the hooks drops the file, whichever it is, and that
// good ones do not.
func TestOthers(t *testing.T) {
	t.Parallel()
	examples := map[ValueKind]string{AString: `"x"`, ABoolean: "true", AnObject: "{}", AnArray: "[]", SomeStrings: `["x"]`, ACount: "1"}
	for _, s := range others {
		within := func(value string) string {
			names := strings.Split(s.name, ".")
			text := value
			for i := range names {
				text = `{"` + names[len(names)-1-i] + `":` + text + `}`
			}
			return strings.TrimSuffix(text, "}") + `,"hooks":{"Stop":[{"hooks":[` + goodHook + `]}]}}`
		}
		good := examples[s.kind]
		if s.values != nil {
			good = `"` + s.values[0] + `"`
			if read, _ := ParseSettings("s.json", []byte(within(`"x"`))); !read.Dropped {
				t.Errorf("an unknown %s keeps the file", s.name)
			}
		}
		if read, problems := ParseSettings("s.json", []byte(within(good))); len(read.Entries) != 1 && s.name != "statusLine" {
			t.Errorf("%s: %v", within(good), problems)
		}
		if read, problems := ParseSettings("s.json", []byte(within("null"))); !read.Dropped || len(problems) != 1 || !strings.Contains(problems[0].What, s.name+" is null") {
			t.Errorf("a bad %s keeps the file: %v", s.name, problems)
		}
	}
}

func TestParseKeeps(t *testing.T) {
	t.Parallel()
	stop := `"Stop": [{"hooks": [` + goodHook + `]}]`
	for _, test := range []struct {
		name, data     string
		hooks, ignored int
	}{
		{"nothing", "", 0, 0},
		{"empty", "{}", 0, 0},
		{"extra keys", `{"new": 1, "hooks": {"Stop": [{"extra": 1, "hooks": [{"type":"command","command":"x","extra":[]}]}]}}`, 1, 0},
		{"byte order mark", "\ufeff{\"hooks\": {" + stop + "}}", 1, 0},
		{"bad rule", `{"permissions": {"deny": ["Bash(("]}, "hooks": {` + stop + `}}`, 1, 0},
		{"unknown event", `{"hooks": {"Stopp": [{"hooks": "x"}], ` + stop + `}}`, 1, 1},
		{"lower case", `{"hooks": {"stop": [{"hooks": []}], ` + stop + `}}`, 1, 1},
		{"event as an object", `{"hooks": {"PostToolUse": {"hooks": []}, ` + stop + `}}`, 1, 1},
		{"event twice", `{"hooks": {"Stop": [{"hooks": [` + goodHook + `,` + goodHook + `]}], ` + stop + `}}`, 1, 1},
		{"milliseconds", inSettings(`{"type": "command", "command": "x", "timeout": 5000}`), 1, 0},
		{"other types", inSettings(`{"type":"http","url":"http://127.0.0.1"},{"type":"prompt","prompt":"ok?"},{"type":"agent","prompt":"ok?"}`), 3, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			settings, problems := ParseSettings("s.json", []byte(test.data))
			if len(problems) > 0 || settings.Dropped {
				t.Fatalf("problems %v", problems)
			}
			if len(settings.Entries) != test.hooks || len(settings.Ignored) != test.ignored {
				t.Errorf("%d hooks, ignored %v", len(settings.Entries), settings.Ignored)
			}
		})
	}
}

func TestParseEntry(t *testing.T) {
	t.Parallel()
	data := inSettings(`{"type": "command", "command": "run", "args": ["a", "b"], "timeout": 0.5, "if": "Bash(git *)", "async": true, "once": true}`)
	settings, _ := ParseSettings("s.json", []byte(strings.Replace(data, "{", `{"disableAllHooks": true, `, 1)))
	if len(settings.Entries) != 1 {
		t.Fatalf("hooks %v", settings.Entries)
	}
	got := fmt.Sprintf("%+v", settings.Entries[0])
	want := `{Event:PreToolUse Matcher:Bash Type:command Command:run Args:[a b] URL: Prompt: Server: Tool: If:Bash(git *) Shell: Timeout:500ms Async:true AsyncRewake:false Once:true OnFailure: StatusMessage: ContinueOnBlock:false Plugin:false Dir: Env:[] At:s.json:3:1}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if at := settings.DisableAllHooks.String(); at != "s.json:1:21" {
		t.Errorf("disableAllHooks at %q", at)
	}
}

func TestParseNamesEveryProblem(t *testing.T) {
	t.Parallel()
	settings, problems := ParseSettings("s.json", []byte(inSettings(`{"type":"x"},`+goodHook+`,{"type":"command","timeout":-1}`)))
	if len(problems) != 3 || len(settings.Dead) != 1 {
		t.Errorf("problems %v, dead %v", problems, settings.Dead)
	}
}

func TestParsePlugin(t *testing.T) {
	t.Parallel()
	stop := `"Stop": [{"hooks": [` + goodHook + `]}]`
	for _, test := range []struct {
		name, data string
		version    Version
		hooks      int
		dropped    bool
	}{
		{"wrapped", `{"hooks": {` + stop + `}}`, V197, 1, false},
		{"unwrapped", `{` + stop + `}`, V329, 0, true},
		{"unknown event, old", `{"hooks": {"Later": [], ` + stop + `}}`, V197, 0, true},
		{"unknown event, new", `{"hooks": {"Later": [], ` + stop + `}}`, V329, 1, false},
		{"newer event, old", `{"hooks": {"PreModelSwitch": [], ` + stop + `}}`, V197, 0, true},
		{"invalid entry", `{"hooks": {"Notification": [{"hooks": [{"type": "command"}]}], ` + stop + `}}`, V332, 1, false},
		{"invalid entry next to a good one", `{"hooks": {"Stop": [{"hooks": [` + goodHook + `, {"type": "cmd"}]}]}}`, V332, 1, false},
		{"group without a list", `{"hooks": {"CwdChanged": [` + goodHook + `], ` + stop + `}}`, V332, 1, false},
		{"matcher null", `{"hooks": {"PreCompact": [{"matcher": null, "hooks": [` + goodHook + `]}], ` + stop + `}}`, V332, 1, false},
		{"invalid entry that can drop a file", `{"hooks": {"PermissionRequest": [{"hooks": [{"type": "command", "command": "x", "timeout": 0}]}], ` + stop + `}}`, V332, 0, true},
		{"event as an object", `{"hooks": {"Notification": {}, ` + stop + `}}`, V332, 1, false},
		{"event as an object that can drop a file", `{"hooks": {"PermissionRequest": {}, ` + stop + `}}`, V332, 0, true},
		{"byte order mark", "\ufeff" + `{"hooks": {` + stop + `}}`, V332, 0, true},
	} {
		settings, problems := ParsePlugin(test.version, "hooks.json", []byte(test.data))
		if len(settings.Entries) != test.hooks || settings.Dropped != test.dropped || (len(problems) > 0) != test.dropped {
			t.Errorf("%s: hooks %v, problems %v", test.name, settings.Entries, problems)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "{}", inSettings(goodHook), inSettings(`{"type":1,"timeout":1e400}`), "\ufeff[", `{"hooks":{"Stop":[{"hooks":[]}]}} x`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		settings, problems := ParseSettings("s.json", data)
		if settings.Dropped != (len(problems) > 0) || settings.Dropped && len(settings.Entries) > 0 {
			t.Errorf("dropped %t, problems %v, hooks %v", settings.Dropped, problems, settings.Entries)
		}
		for _, problem := range problems {
			if problem.At.Line < 1 || problem.At.Column < 1 || problem.Hint == "" {
				t.Errorf("problem without place or hint: %v", problem)
			}
		}
		for _, entry := range settings.Entries {
			if entry.At.Line < 1 || entry.Type == "" || entry.Timeout < 0 {
				t.Errorf("entry %+v", entry)
			}
		}
	})
}
