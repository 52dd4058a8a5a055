package record

import (
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
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
		if agent != c.agent || ok != (c.agent != "") {
			t.Errorf("splitName(%q) = %q %v", c.name, agent, ok)
		}
		if ok && st.String() != c.stamp {
			t.Errorf("splitName(%q): stamp %s, want %s", c.name, st, c.stamp)
		}
		if ok && FileName(agent, st.String()) != c.name {
			t.Errorf("FileName gives %q, want %q", FileName(agent, st.String()), c.name)
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

func TestCurrent(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"pm-agent-2026-02-20T15-49-32.123.jsonl": "pm-agent.jsonl", "pm-agent.jsonl": "", "pm-agent-2026-02-20T15-49-32.123": "",
		"-2026-02-20T15-49-32.123.jsonl": "", "tools-2026-02-20T15-49-32.123.log": "tools.log", "tools.log": "",
	} {
		if got, _ := current(name); got != want {
			t.Errorf("Current(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestSafeNames(t *testing.T) {
	t.Parallel()
	for _, odd := range []string{"", ".", "..", ".a", "a.", "con", "COM1.x", "~", "a:b", strings.Repeat("é", 100)} {
		if name := safeName(odd); len(name) != 65 || name[0] != '~' {
			t.Errorf("%q is called %q", odd, name)
		}
	}
	for plain, want := range map[string]string{"P01": "P01", "a b/c": "a%20b%2Fc", "pm-more": "pm-more", "a.b": "a.b"} {
		if got := safeName(plain); got != want {
			t.Errorf("%q is called %q, want %q", plain, got, want)
		}
	}
}

func TestIdentify(t *testing.T) {
	t.Parallel()
	const pm, ml = ".claude/hooks/enforce_package_managers.sh", ".claude/hooks/multi_linter.sh"
	known := []*suites.Case{
		{Suite: "pm", ID: "P01", Name: "pip_blocked", Hook: pm},
		{Suite: "pm", ID: "P12", Name: "uv_pip", Hook: pm},
		{Suite: "pm-more", ID: "P12b", Name: "uv_pip", Hook: pm},
		{Suite: "pm", ID: "P28", Name: "live_trigger", Hook: pm},
		{Suite: "ml", ID: "M19", Name: "M19_live_trigger", Hook: ml},
		{Suite: "dep", ID: "DEP01", Name: "jaq_present"},
	}
	for _, c := range []struct{ hook, name, want string }{
		{"enforce_package_managers.sh", "pip_blocked", "pm/P01"},
		{"enforce_package_managers.sh", "P01_pip_blocked", "pm/P01"},
		{"/x/y/enforce_package_managers.sh", "p01_pip_blocked", "pm/P01"},
		{"enforce_package_managers.sh", "P02_pip_blocked", ""}, // the ID differs
		{"enforce_package_managers.sh", "P01_other", ""},       // the name differs
		{"multi_linter.sh", "pip_blocked", ""},                 // the hook differs
		{"enforce_package_managers.sh", "uv_pip", ""},          // two cases
		{"enforce_package_managers.sh", "P12_uv_pip", "pm/P12"},
		{"enforce_package_managers.sh", "P12b_uv_pip", "pm-more/P12b"},
		{"enforce_package_managers.sh", "live_trigger", "pm/P28"},
		{"multi_linter.sh", "live_trigger", "ml/M19"},
		{"multi_linter.sh", "M19_live_trigger", "ml/M19"},
		{"infrastructure", "DEP01_jaq_present", "dep/DEP01"},
		{"infrastructure", "jaq_present", "dep/DEP01"},
		{"", "", ""},
	} {
		mapped, unmatched := Identify([]suites.Record{{Hook: c.hook, TestName: c.name}}, known)
		got := ""
		if len(mapped) == 1 {
			got = mapped[0].Key().String()
		}
		if got != c.want || len(mapped)+len(unmatched) != 1 {
			t.Errorf("%s %q is %q, want %q", c.hook, c.name, got, c.want)
		}
	}
	own := suites.Record{Suite: "gone", ID: "G1"}
	if mapped, _ := Identify([]suites.Record{own}, known); len(mapped) != 1 || mapped[0].Key() != own.Key() {
		t.Error("a record with an identity lost it")
	}
}
