package record

import (
	"testing"

	"hookwatch/suites"
)

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
