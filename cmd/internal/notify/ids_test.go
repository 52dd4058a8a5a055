package notify

import (
	"slices"
	"testing"

	"hookwatch/suites"
)

func TestCaseNames(t *testing.T) {
	t.Parallel()
	got := caseNames([]suites.Key{{Suite: "pm", ID: "P01"}, {Suite: "pm", ID: "P02"}, {Suite: "own", ID: "P01"}})
	if want := []string{"pm/P01", "P02", "own/P01"}; !slices.Equal(got, want) {
		t.Errorf("caseNames = %q, want %q", got, want)
	}
}
