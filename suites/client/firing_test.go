package client

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	f, err := ParseFiring([]byte(`{"id": 7, "event": "PreToolUse", "exit": 2, "signal": null, "timed_out": false, "stdout": "O", "stderr": "E",
		"command": "guard.sh", "entry": {"onFailure": "block"}, "payload": {"tool_name": "Bash"}, "measured": "by hand"}`))
	if err != nil {
		t.Fatal(err)
	}
	o := f.Output
	if string(f.ID) != "7" || f.Event != "PreToolUse" || o.Exit != 2 || string(o.Stdout) != "O" || string(o.Stderr) != "E" ||
		o.Entry.Command != "guard.sh" || o.Entry.OnFailure != "block" || !strings.Contains(string(o.Payload), "Bash") {
		t.Errorf("%+v", f)
	}
	f, err = ParseFiring([]byte(`{"payload": "{\"hook_event_name\":\"Stop\"}", "signal": 9, "exit": -9, "entry": null}`))
	if err != nil || f.Event != "Stop" || f.Output.Signal != "signal 9" {
		t.Errorf("%+v, %v", f, err)
	}
	f, err = ParseFiring([]byte(`{"event": "Stop", "exit": 500, "entry": {"type": "http", "url": "nowhere"}}`))
	if err != nil || !strings.HasPrefix(f.Output.Dropped, "url is") {
		t.Errorf("a dropped entry: %+v, %v", f, err)
	}
	f, err = ParseFiring([]byte(`{"event": "Stop", "exit": 500, "entry": {"type": "http", "url": "http://127.0.0.1/"}}`))
	if err != nil || f.Output.Exit != 500 || f.Output.Entry.Type != "http" {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`{"event": "Stop", "exit": 2`:    "not valid JSON at byte",
		`[1]`:                            "not a JSON object",
		`null`:                           "not a JSON object",
		``:                               "not valid JSON",
		`{}`:                             "event is missing",
		`{"event": "pretooluse"}`:        "did you mean PreToolUse?",
		`{"event": "Stopp"}`:             "did you mean Stop?",
		`{"event": "Nonsense"}`:          `event is "Nonsense"`,
		`{"event": 1}`:                   "event is 1, not text",
		`{"event": "Stop", "exit": "2"}`: `exit is "2", not a whole number`,
		`{"event": "Stop", "exit": 2.5}`: "exit is 2.5",
		`{"event": "Stop", "exit": -9}`:  "exit is -9: a hook that did not exit has a signal",
		`{"event": "Stop", "exit": 256}`: "exit is 256: exit codes end at 255",
		`{"event": "Stop", "stdout": {"decision": "block"}}`: "stdout is {",
		`{"event": "Stop", "stdot": ""}`:                     "stdot is no field that is read; did you mean stdout?",
		`{"event": "Stop", "timed_out": "no"}`:               `timed_out is "no", not true or false`,
		`{"event": "Stop", "signal": "kill"}`:                "signal is kill, neither",
		`{"event": "Stop", "signal": 99}`:                    "signal is 99, which is no signal",
		`{"event": "Stop", "entry": []}`:                     "entry is [], not an object",
		`{"event": "Stop", "payload": [1]}`:                  "payload is not a JSON object",
		`{"event": "Stop", "payload": "{"}`:                  "payload is not a JSON object",
	} {
		if _, err := ParseFiring([]byte(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}

func FuzzParseFiring(f *testing.F) {
	for _, seed := range []string{
		`{"event":"Stop","exit":2,"signal":"SIGKILL","entry":{"type":"http","url":"x:"},"payload":"{}"}`, `{"id":[1],"EXIT":1}`, `{`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		firing, err := ParseFiring(line)
		if err == nil && firing.Event == "" {
			t.Errorf("no event and no error: %s", line)
		}
		if err != nil && err.Error() == "" {
			t.Errorf("an error without a reason: %s", line)
		}
	})
}
