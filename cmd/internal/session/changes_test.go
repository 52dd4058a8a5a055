package session

import (
	"slices"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/verdict"
)

func TestChangesOf(t *testing.T) {
	t.Parallel()
	changed := func(inputs ...suites.Input) verdict.Selected {
		return verdict.Selected{Case: &suites.Case{}, Changed: inputs}
	}
	got := ChangesOf([]verdict.Selected{
		changed(suites.Input{Path: "hooks/a b.sh", Section: "main"}, suites.Input{Path: "docs/b.md", Section: "D3: §x"}),
		changed(suites.Input{Path: "hooks/a b.sh", Section: "main"}, suites.Input{Path: "hooks/a b.sh", Section: "log level"}, suites.Input{Path: "config.json"}),
		{Case: &suites.Case{}, Because: []string{verdict.NeverRun, verdict.ToolsChanged, "control of P01"}},
	})
	want := []Change{
		{Path: "hooks/a b.sh", Sections: []string{"main", "log level"}}, {Path: "docs/b.md", Sections: []string{"D3: §x"}}, {Path: "config.json"},
	}
	if !slices.EqualFunc(got, want, func(a, b Change) bool { return a.Path == b.Path && slices.Equal(a.Sections, b.Sections) }) {
		t.Errorf("changes %+v, want %+v", got, want)
	}
}
