package live

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func nothing(string) string { return "" }

// TestWires checks that the formats of other clients are read with the results of calls, and that
// a call of the script is written as one that such a client carries out.
func TestWires(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		first, second string
		answer        string // part of the answer with a call
		text          string // part of one with a tool whose input is text
	}{
		"responses": {
			`{"model":"m","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}]}`,
			`{"model":"m","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]},{"type":"message","role":"assistant","content":"mine"},` +
				`{"type":"function_call","call_id":"ID"},{"type":"function_call_output","call_id":"ID","output":"result"}]}`,
			`"arguments":"{\"command\":\"ls\"}","call_id":"ID"`, `"input":"patch","name":"Bash","type":"custom_tool_call"`,
		},
		"completions": {
			`{"model":"m","stream":true,"messages":[{"role":"user","content":"go"}]}`,
			`{"model":"m","stream":true,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":"mine"},{"role":"tool","tool_call_id":"ID","content":"result"}]}`,
			`"arguments":"{\"command\":\"ls\"}","name":"Bash"},"id":"ID"`, `"patch`,
		},
	} {
		wire, err := WireNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		m := Model{Wire: wire}
		m.Script([]Reply{{Calls: []Call{{Tool: "Bash", Input: json.RawMessage(`{"command":"ls"}`), Tested: true}}}, {Calls: []Call{{Tool: "Bash", Input: json.RawMessage(`"patch"`)}}}}, nil, nil)
		for i, body := range []string{tt.first, tt.second} {
			r, err := m.Read(nothing, []byte(strings.ReplaceAll(body, "ID", m.Tested())))
			if err != nil || r.Model != "m" {
				t.Fatalf("%s: %+v, %v", name, r, err)
			}
			a := m.Answer(r)
			if want := strings.ReplaceAll([]string{tt.answer, tt.text}[i], "ID", m.Tested()); a.Status != fine || a.Type != "text/event-stream" || !strings.Contains(string(a.Body), want) {
				t.Errorf("%s: answer %d lacks %s\n%s", name, i, want, a.Body)
			}
		}
		want := []Heard{{Origin: Main, Model: "m", Texts: []string{"go"}}, {Origin: Main, Model: "m", Texts: []string{"result"}, Results: map[string]string{m.Tested(): "result"}, After: true}}
		if diff := cmp.Diff(want, m.Heard()); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
		if !m.Spent() {
			t.Errorf("%s: the script has more answers", name)
		}
	}
	if _, err := WireNamed("none"); err == nil || !strings.Contains(err.Error(), "completions, messages, responses") {
		t.Errorf("a format that does not exist: %v", err)
	}
}

func FuzzWires(f *testing.F) {
	f.Add([]byte(`{"model":"m","input":[{"role":"user","content":"a"},{"call_id":"c","output":[{"type":"input_text","text":"b"}]}]}`))
	f.Add([]byte(`{"model":"m","messages":[{"role":"tool","tool_call_id":"c","content":null}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		for name, wire := range wires {
			m := Model{Wire: wire}
			r, err := m.Read(nothing, b)
			if err != nil {
				continue
			}
			if a := m.Answer(r); a.Status != fine || !r.Stream && !json.Valid(a.Body) {
				t.Errorf("%s: %d %s", name, a.Status, a.Body)
			}
		}
	})
}
