package verdict

import (
	"testing"
	"time"

	"hookwatch/suites"
)

// TestFindings checks that an absent required tool fails, an absent optional one is a skip, an
// advisory tool never fails, and an existing but unusable tool is not absent.
func TestFindings(t *testing.T) {
	t.Parallel()
	here := suites.Finding{Holds: true, Told: "/bin/x"}
	wider := suites.Finding{Holds: true, Told: "runs", Remark: "on more as well"}
	standIn := suites.Finding{Holds: true, Told: "stand-in gojq 1", StandIn: "gojq 1"}
	gone := suites.Finding{Absent: "my-x.y", Told: "my-x.y is not in PATH"}
	nowhere := suites.Finding{Absent: "my-x.y", Told: "my-x.y is not in PATH, no ~/x"}
	old := suites.Finding{Told: "x 1.0 < 2.0"}
	for _, tt := range []struct {
		need    suites.Need
		finding suites.Finding
		status  suites.Status
		note    string
	}{
		{suites.NeedRequired, here, suites.Pass, ""},
		{suites.NeedExpected, wider, suites.Pass, "on more as well"},
		{suites.NeedRequired, standIn, suites.Pass, "stand-in: my-x.y=gojq 1"},
		{suites.NeedRequired, gone, suites.Fail, "MY_X_Y_ABSENT"},
		{suites.NeedExpected, nowhere, suites.Fail, "MY_X_Y_ABSENT (my-x.y is not in PATH, no ~/x)"},
		{suites.NeedOptional, here, suites.Pass, ""},
		{suites.NeedOptional, gone, suites.Skip, "absent: my-x.y"},
		{suites.NeedOptional, nowhere, suites.Skip, "absent: my-x.y (my-x.y is not in PATH, no ~/x)"},
		{suites.NeedOptional, old, suites.Fail, "x 1.0 < 2.0"},
		{suites.NeedAdvisory, here, suites.Pass, "advisory: /bin/x"},
		{suites.NeedAdvisory, gone, suites.Pass, "advisory: my-x.y is not in PATH"},
		{suites.NeedAdvisory, old, suites.Pass, "advisory: x 1.0 < 2.0"},
	} {
		c := &suites.Case{Check: &suites.Check{Tool: "my-x.y", Need: tt.need}, Steps: make([]suites.Step, 1)}
		// The one result is ignored because there is a finding.
		o := suites.Outcome{Finding: &tt.finding, Results: []suites.Result{{Exit: 7}}}
		v := Judge(c, o, time.Second)
		if v.Status != tt.status || v.Note != tt.note || (len(v.Mismatches) > 0) != (v.Status == suites.Fail) {
			t.Errorf("%s, %+v: %+v", tt.need, tt.finding, v)
		}
		if got := (&suites.Record{Pass: v.Status.OK(), Note: v.Note}).Status(); got != tt.status {
			t.Errorf("the record of %+v says %s", v, got)
		}
	}
}
