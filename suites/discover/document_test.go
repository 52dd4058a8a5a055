package discover

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestParseDocument(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text  string
		hooks int
		bad   int
	}{
		"an agent":               {agent, 1, 0},
		"with CRLF":              {strings.ReplaceAll(agent, "\n", "\r\n"), 1, 0},
		"other keys are no YAML": {strings.Replace(agent, "name: a", "description: Use: [it when", 1), 1, 0},
		"a key behind the hooks": {strings.Replace(agent, "\n---\nText", "\ntools: Read\n---\nText", 1), 1, 0},
		"hooks that are no YAML": {strings.Replace(agent, "  Stop:", "  Stop: [", 1), 0, 1},
	} {
		read, problems := parseDocument("a.md", []byte(tt.text))
		if len(read.Entries) != tt.hooks || len(problems) != tt.bad {
			t.Errorf("%s: %d hooks, %d problems %v; want %d and %d", name, len(read.Entries), len(problems), problems, tt.hooks, tt.bad)
		}
		for _, e := range read.Entries {
			if e.At.Line != 6 {
				t.Errorf("%s: line %d, want 6", name, e.At.Line)
			}
		}
	}
}

func FuzzDocument(f *testing.F) {
	f.Add([]byte(agent))
	f.Add([]byte("---\r\nhooks:\r\n  Stop: [\r\n---\r\n"))
	f.Add([]byte("---\nhooks: &a\n  Stop: [*a]\n---\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if text := documentHooks(data); text != nil && !json.Valid(text) {
			t.Errorf("%q is no JSON", text)
		}
		parseDocument("a.md", data)
	})
}
