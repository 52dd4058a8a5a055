package client

import (
	"testing"
)

const (
	keptEntries    = `{"type":"command","command":"KEPT"}`
	droppedEntries = -1 // the whole file
)

// settingsFile is a settings file with one group of an event, and a good hook on another.
func settingsFile(event, group string) string {
	return `{"hooks":{"` + event + `":[` + group + `],"SessionEnd":[{"hooks":[` + keptEntries + `]}]}}`
}

// TestSeconds checks that a timeout is in seconds, up to the longest duration.
func TestSeconds(t *testing.T) {
	t.Parallel()
	read, _ := ParseSettings("s.json", []byte(settingsFile("Stop", `{"hooks":[{"type":"command","command":"x","timeout":5000}]}`)))
	if minutes := read.Entries[0].Timeout.Minutes(); minutes < 83 || minutes > 84 {
		t.Errorf("timeout: 5000 is %v minutes, want 83", minutes)
	}
}

// TestSection3aKeys checks that every key of the schema is read.
func TestSection3aKeys(t *testing.T) {
	t.Parallel()
	for name, hook := range map[string]string{
		"command":  `{"type":"command","command":"c","args":[],"timeout":1,"if":"Bash(git *)","async":true,"asyncRewake":true,"once":true,"shell":"bash","statusMessage":"s","onFailure":"block"}`,
		"http":     `{"type":"http","url":"http://127.0.0.1:1/x","headers":{"a":"b"},"allowedEnvVars":["A"],"onFailure":"continue"}`,
		"mcp_tool": `{"type":"mcp_tool","server":"s","tool":"t","input":{}}`,
		"prompt":   `{"type":"prompt","prompt":"p","model":"m","continueOnBlock":true}`,
		"agent":    `{"type":"agent","prompt":"p","model":"m"}`,
	} {
		entry, problems := parseEntry("PreToolUse", []byte(hook))
		if len(problems) > 0 || entry.Type != name {
			t.Errorf("%s: %+v, %v", name, entry, problems)
		}
	}
	if entry, _ := parseEntry("Stop", []byte(`{"type":"command","command":"c","onFailure":"block","asyncRewake":true}`)); entry.OnFailure != "block" || !entry.AsyncRewake {
		t.Errorf("%+v", entry)
	}
}

func TestSection5Plugins(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, data string
		version    Version
		want       int
	}{
		{"unwrapped", `{"Stop":[{"hooks":[` + keptEntries + `]}]}`, V197, droppedEntries},
		{"unwrapped", `{"Stop":[{"hooks":[` + keptEntries + `]}]}`, V330, droppedEntries},
		{"one unknown event name", settingsFile("Later", `{"hooks":[`+keptEntries+`]}`), V197, droppedEntries},
		{"one unknown event name", settingsFile("Later", `{"hooks":[`+keptEntries+`]}`), V330, 1},
	} {
		read, _ := ParsePlugin(test.version, "hooks.json", []byte(test.data))
		if read.Dropped != (test.want == droppedEntries) || !read.Dropped && len(read.Entries) != test.want {
			t.Errorf("5 plugin, %s on %s: %+v", test.name, test.version, read)
		}
	}
}
