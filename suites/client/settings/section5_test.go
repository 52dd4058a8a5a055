package settings

import (
	"strings"
	"testing"

	"hookwatch/suites/client"
)

const (
	kept    = `{"type":"command","command":"KEPT"}`
	dropped = -1 // the whole file
)

// file is a settings file with one group of an event, and a good hook on another.
func file(event, group string) string {
	return `{"hooks":{"` + event + `":[` + group + `],"SessionEnd":[{"hooks":[` + kept + `]}]}}`
}

func hooked(hook string) string { return `{"matcher":"","hooks":[` + hook + `,` + kept + `]}` }

// badHooks are hooks that the client refuses, named as they were measured.
var badHooks = map[string]string{
	"timeout \"5\"":                  `{"type":"command","command":"x","timeout":"5"}`,
	"timeout 0":                      `{"type":"command","command":"x","timeout":0}`,
	"missing type":                   `{"command":"x"}`,
	"unknown type":                   `{"type":"script","command":"x"}`,
	"missing command":                `{"type":"command"}`,
	"onFailure of a wrong value":     `{"type":"command","command":"x","onFailure":"deny"}`,
	"shell of a wrong value":         `{"type":"command","command":"x","shell":"zsh"}`,
	"statusMessage of a wrong value": `{"type":"command","command":"x","statusMessage":1}`,
	"mcp_tool without server":        `{"type":"mcp_tool","tool":"t"}`,
	"a bad http url":                 `{"type":"http","url":"not a url"}`,
}

// badGroups are groups that it refuses.
var badGroups = map[string]string{
	"flat entry without hooks[]": kept,
	"matcher null":               `{"matcher":null,"hooks":[` + kept + `]}`,
	"matcher array":              `{"matcher":["Bash"],"hooks":[` + kept + `]}`,
	"matcher {}":                 `{"matcher":{},"hooks":[` + kept + `]}`,
}

// TestSection5Entries: an invalid entry costs the file under PreToolUse and
// PermissionRequest, and itself under others.
func TestSection5Entries(t *testing.T) {
	t.Parallel()
	for name, hook := range badHooks {
		for event, want := range map[string]int{"PreToolUse": dropped, "PermissionRequest": dropped, "PostToolUse": 2, "Stop": 2} {
			measured(t, name+" under "+event, file(event, hooked(hook)), want)
		}
	}
	for name, group := range badGroups {
		for event, want := range map[string]int{"PreToolUse": dropped, "PermissionRequest": dropped, "PostToolUse": 1, "Stop": 1} {
			measured(t, name+" under "+event, file(event, group), want)
		}
	}
}

// measured holds a file against how many hooks of it were measured to run.
func measured(t *testing.T, name, data string, want int) {
	t.Helper()
	t.Run("5 "+name, func(t *testing.T) {
		t.Parallel()
		read, problems := Parse("s.json", []byte(data))
		if want == dropped {
			if !read.Dropped || len(read.Entries) > 0 || len(problems) == 0 {
				t.Errorf("the file is kept: %+v", read.Entries)
			}
			return
		}
		if read.Dropped || len(read.Entries) != want {
			t.Errorf("dropped %t, %d hooks, want %d: %v", read.Dropped, len(read.Entries), want, problems)
		}
	})
}

func TestSection5Files(t *testing.T) {
	t.Parallel()
	good := file("Stop", `{"hooks":[`+kept+`]}`)
	beside := func(setting string) string { return strings.Replace(good, "{", "{"+setting+",", 1) }
	for name, data := range map[string]string{
		"a PreToolUse that is an object":               `{"hooks":{"PreToolUse":{"hooks":[]},"Stop":[{"hooks":[` + kept + `]}]}}`,
		"an unknown event that holds PreToolUse hooks": `{"hooks":{"hooks":{"PreToolUse":[{"hooks":[` + kept + `]}]}}}`,
		"wrong model":                 beside(`"model":1`),
		"wrong statusLine":            beside(`"statusLine":"x"`),
		"wrong statusLine, an object": beside(`"statusLine":{"type":"text"}`),
		"wrong outputStyle":           beside(`"outputStyle":[]`),
		"wrong cleanupPeriodDays":     beside(`"cleanupPeriodDays":"30"`),
		"wrong includeCoAuthoredBy":   beside(`"includeCoAuthoredBy":"no"`),
		"wrong allowedHttpHookUrls":   beside(`"allowedHttpHookUrls":"x"`),
		"permissions:\"x\"":           beside(`"permissions":"x"`),
		"trailing comma":              strings.Replace(good, "]}}", "],}}", 1),
		"// comment":                  "// why\n" + good,
	} {
		measured(t, name, data, dropped)
	}
	for name, data := range map[string]string{
		"extra keys":                 beside(`"new":1`),
		"extra keys of a hook":       file("PreToolUse", `{"extra":1,"hooks":[{"type":"command","command":"x","extra":[]}]}`),
		"UTF-8 BOM":                  "\ufeff" + good,
		"a bad permission rule":      beside(`"permissions":{"deny":["Bash(("]}`),
		"an unknown event name":      file("Whatever", `{"hooks":[`+kept+`]}`),
		"an event that is an object": `{"hooks":{"Stop":{"hooks":[]},"SessionEnd":[{"hooks":[` + kept + `]}]}}`,
		"lower-case event name":      file("stop", `{"hooks":[`+kept+`]}`),
		"once:true":                  file("Stop", `{"hooks":[{"type":"command","command":"x","once":true}]}`),
		"good settings":              beside(`"model":"opus","statusLine":{"type":"command","command":"x"},"outputStyle":"x","cleanupPeriodDays":0,"includeCoAuthoredBy":true,"allowedHttpHookUrls":["x"]`),
	} {
		want := strings.Count(data, `"command":"`)
		switch name {
		case "an unknown event name", "lower-case event name":
			want = 1
		case "good settings":
			want = 2
		}
		measured(t, name, data, want)
	}
	read, _ := Parse("s.json", []byte(file("Stop", `{"hooks":[{"type":"command","command":"x","timeout":5000}]}`)))
	if minutes := read.Entries[0].Timeout.Minutes(); minutes < 83 || minutes > 84 {
		t.Errorf("timeout: 5000 is %v minutes, want 83", minutes)
	}
}

// TestSection3aKeys: every key that the schema knows is read.
func TestSection3aKeys(t *testing.T) {
	t.Parallel()
	for name, hook := range map[string]string{
		"command":  `{"type":"command","command":"c","args":[],"timeout":1,"if":"Bash(git *)","async":true,"asyncRewake":true,"once":true,"shell":"bash","statusMessage":"s","onFailure":"block"}`,
		"http":     `{"type":"http","url":"http://127.0.0.1:1/x","headers":{"a":"b"},"allowedEnvVars":["A"],"onFailure":"continue"}`,
		"mcp_tool": `{"type":"mcp_tool","server":"s","tool":"t","input":{}}`,
		"prompt":   `{"type":"prompt","prompt":"p","model":"m","continueOnBlock":true}`,
		"agent":    `{"type":"agent","prompt":"p","model":"m"}`,
	} {
		entry, problems := ParseEntry("PreToolUse", []byte(hook))
		if len(problems) > 0 || entry.Type != name {
			t.Errorf("%s: %+v, %v", name, entry, problems)
		}
	}
	if entry, _ := ParseEntry("Stop", []byte(`{"type":"command","command":"c","onFailure":"block","asyncRewake":true}`)); entry.OnFailure != "block" || !entry.AsyncRewake {
		t.Errorf("%+v", entry)
	}
}

func TestSection5Plugins(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, data string
		version    client.Version
		want       int
	}{
		{"unwrapped", `{"Stop":[{"hooks":[` + kept + `]}]}`, client.V197, dropped},
		{"unwrapped", `{"Stop":[{"hooks":[` + kept + `]}]}`, client.V330, dropped},
		{"one unknown event name", file("Later", `{"hooks":[`+kept+`]}`), client.V197, dropped},
		{"one unknown event name", file("Later", `{"hooks":[`+kept+`]}`), client.V330, 1},
	} {
		read, _ := ParsePlugin(test.version, "hooks.json", []byte(test.data))
		if read.Dropped != (test.want == dropped) || !read.Dropped && len(read.Entries) != test.want {
			t.Errorf("5 plugin, %s on %s: %+v", test.name, test.version, read)
		}
	}
}
