package record

import (
	"slices"
	"testing"

	"hookwatch/suites/disk"
)

func TestNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, agent, stamp string }{
		{"pm-agent-20260220T154932Z.jsonl", "pm-agent", "20260220T154932Z"},
		{"pm-agent-20260220T154932Z-2.jsonl", "pm-agent", "20260220T154932Z-2"},
		{"x-20260101T000000Z-20260220T154932Z.jsonl", "x-20260101T000000Z", "20260220T154932Z"},
		{"pm-agent-20260220T154932Z-1.jsonl", "", ""},
		{"pm-agent-20261320T154932Z.jsonl", "", ""},
		{"pm-agent.jsonl", "", ""},
		{"-20260220T154932Z.jsonl", "", ""},
		{"pm-agent-20260220T154932Z.json", "", ""},
	} {
		agent, st, ok := splitName(c.name)
		if agent != c.agent || ok != (c.agent != "") || ok && st.String() != c.stamp {
			t.Errorf("splitName(%q) = %q %v %v", c.name, agent, st, ok)
		}
		if ok && fileName(agent, st) != c.name {
			t.Errorf("fileName gives %q, want %q", fileName(agent, st), c.name)
		}
	}
	nine, _ := parseStamp("20260220T154932Z-9")
	ten, _ := parseStamp("20260220T154932Z-10")
	if ten.compare(nine) <= 0 {
		t.Error("the tenth run of a second is not after the ninth")
	}
	for name, want := range map[string]bool{
		".RESULTS.md1234": true, ".pm-agent-20260220T154932Z.jsonl99": true, "..gitignore7": true, ".running.json5": true,
		".gitignore": false, ".lock": false, "RESULTS.md": false, ".notes12": false, ".RESULTS.md": false,
	} {
		of, ok := disk.IsLeftover(name)
		if got := ok && (slices.Contains(documents, of) || isStateFile(of)); got != want {
			t.Errorf("%q is a leftover: %v", name, got)
		}
	}
}
