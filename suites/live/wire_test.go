package live

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func nothing(string) string { return "" }

// TestWires checks that the formats of other clients are read with the results of calls, and that
// a call of the script is written as one that such a client carries out. testdata/wires has two
// requests of each, and parts of the answers with a call, and with one whose input is text.
func TestWires(t *testing.T) {
	t.Parallel()
	for name, wire := range wires {
		if name == "messages" {
			continue // it has no results of calls: Claude Code prints them
		}
		var sample struct {
			First, Second json.RawMessage
			Call, Text    string
		}
		text, err := os.ReadFile("testdata/wires/" + name + ".json")
		if err == nil {
			err = json.Unmarshal(text, &sample)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		m := Model{Wire: wire}
		m.Script([]Reply{{Calls: []Call{{Tool: "Bash", Input: json.RawMessage(`{"command":"ls"}`), Tested: true}}}, {Calls: []Call{{Tool: "Bash", Input: json.RawMessage(`"patch"`)}}}}, nil, nil)
		var model string
		for i, body := range []json.RawMessage{sample.First, sample.Second} {
			r, err := m.Read(nothing, []byte(strings.ReplaceAll(string(body), "ID", m.TestedID())))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			model = r.Model
			a := m.Answer(r)
			if want := strings.ReplaceAll([]string{sample.Call, sample.Text}[i], "ID", m.TestedID()); a.Status != fine || a.Type != "text/event-stream" || want == "" || !strings.Contains(string(a.Body), want) {
				t.Errorf("%s: answer %d lacks %s\n%s", name, i, want, a.Body)
			}
		}
		want := []Heard{{Origin: Main, Model: model, Texts: []string{"go"}}, {Origin: Main, Model: model, Texts: []string{"result"}, Results: map[string]string{m.TestedID(): "result"}, After: true}}
		if diff := cmp.Diff(want, m.Requests()); diff != "" || model == "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
		if !m.IsSpent() {
			t.Errorf("%s: the script has more answers", name)
		}
	}
	if _, err := WireNamed("none"); err == nil || !strings.Contains(err.Error(), "messages") {
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
