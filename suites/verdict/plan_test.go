package verdict_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hookwatch/suites"
	"hookwatch/suites/verdict"
)

func testCase(id string) *suites.Case { return &suites.Case{Suite: "s", ID: id} }

func ids(cases []*suites.Case) string {
	var out []string
	for _, c := range cases {
		out = append(out, c.ID)
	}
	return strings.Join(out, " ")
}

func TestStale(t *testing.T) {
	t.Parallel()
	now := suites.Digests{Case: "c", Inputs: "i", Tools: "t"}
	hook := verdict.InputChange{Because: []string{"hook.sh"}}
	tests := []struct {
		name string
		of   verdict.Candidate
		want string
	}{
		{"never run", verdict.Candidate{}, verdict.NeverRun},
		{"nothing changed", verdict.Candidate{Past: verdict.Past{Known: true, Digests: now}, Inputs: hook}, ""},
		{"edited", verdict.Candidate{Past: verdict.Past{Known: true, Digests: suites.Digests{Case: "x", Inputs: "i", Tools: "t"}}}, verdict.CaseEdited},
		{"input", verdict.Candidate{Past: verdict.Past{Known: true, Digests: suites.Digests{Case: "c", Inputs: "x", Tools: "t"}}, Inputs: hook}, "hook.sh"},
		{"input, not affected", verdict.Candidate{Past: verdict.Past{Known: true, Digests: suites.Digests{Case: "c", Inputs: "x", Tools: "t"}}, Inputs: verdict.InputChange{Unaffected: true}}, ""},
		{"tool", verdict.Candidate{Past: verdict.Past{Known: true, Digests: now}, OtherTool: true}, verdict.ToolsChanged},
		{"other tools, none changed", verdict.Candidate{Past: verdict.Past{Known: true, Digests: suites.Digests{Case: "c", Inputs: "i", Tools: "more"}}}, ""},
		{"all", verdict.Candidate{Past: verdict.Past{Known: true}, OtherTool: true, Inputs: hook}, verdict.CaseEdited + "," + verdict.ToolsChanged + ",hook.sh"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.of.Now = now
			got, stale := verdict.Stale(tt.of)
			because := strings.Join(got.Because, ",")
			if stale != (because != "") {
				t.Errorf("stale %v because of %q", stale, because)
			}
			if because != tt.want {
				t.Errorf("because %q, want %q", because, tt.want)
			}
		})
	}
}

func TestWithControls(t *testing.T) {
	t.Parallel()
	a, b, c, d := testCase("A"), testCase("B"), testCase("C"), testCase("D")
	c.Control, b.Control = "B", "s/A"
	all := []*suites.Case{a, b, c, d}
	for _, tt := range []struct {
		selected []*suites.Case
		want     string
	}{
		{[]*suites.Case{c}, "A:control of B B:control of C C:asked"},
		{[]*suites.Case{a, d}, "A:asked D:asked"},
		{[]*suites.Case{d, a}, "A:asked D:asked"},
		{[]*suites.Case{d, a, d}, "A:asked D:asked"},
		{[]*suites.Case{a, b}, "A:asked B:asked"},
		{[]*suites.Case{b, a}, "A:asked B:asked"},
		{nil, ""},
	} {
		var names []string
		for _, s := range verdict.WithControls(verdict.All(tt.selected, "asked"), all) {
			names = append(names, s.Case.ID+":"+s.Because[0])
		}
		if got := strings.Join(names, " "); got != tt.want {
			t.Errorf("of %s: got %q, want %q", ids(tt.selected), got, tt.want)
		}
	}
}

func TestQueueOrder(t *testing.T) {
	t.Parallel()
	q := verdict.NewQueue(0)
	q.Add(testCase("slow"), verdict.Rank{Duration: 900, Order: 0})
	q.Add(testCase("quick"), verdict.Rank{Duration: 5, Order: 1})
	q.Add(testCase("failed"), verdict.Rank{Failed: true, Duration: 5000, Order: 2})
	q.Add(testCase("control"), verdict.Rank{Control: true, Duration: 9000, Order: 3})
	q.Add(testCase("quick"), verdict.Rank{Duration: 5, Order: 1})
	if got := ids(q.Next(2, 0, false)); got != "control failed" {
		t.Errorf("first two are %q", got)
	}
	if got := ids(q.Next(9, 2, false)); got != "quick slow" {
		t.Errorf("the rest is %q", got)
	}
	if q.Len() != 0 {
		t.Errorf("%d still wait", q.Len())
	}
}

// TestQueueAwaited checks that the longest case is first if the user waits for the end of all,
// whatever its other properties, and that cases that never ran keep the order of definition.
func TestQueueAwaited(t *testing.T) {
	t.Parallel()
	q := verdict.NewQueue(0)
	for i, r := range []verdict.Rank{{Duration: 5}, {}, {Duration: 900}, {Duration: 7, Control: true}, {Duration: 6, Failed: true}, {}} {
		r.Order, r.Awaited = i, true
		q.Add(testCase(string(rune('a'+i))), r)
	}
	if got := ids(q.Next(9, 0, false)); got != "c d e a b f" {
		t.Errorf("the order is %q", got)
	}
}

func TestQueueSerial(t *testing.T) {
	t.Parallel()
	q := verdict.NewQueue(0)
	alone := testCase("alone")
	alone.Serial = true
	q.Add(alone, verdict.Rank{Order: 0})
	q.Add(testCase("a"), verdict.Rank{Order: 1})
	if got := ids(q.Next(2, 1, false)); got != "a" {
		t.Errorf("next to a running case: %q, want a", got)
	}
	if got := ids(q.Next(2, 2, false)); got != "" {
		t.Errorf("the serial case started while others ran: %q", got)
	}
	if got := ids(q.Next(2, 0, false)); got != "alone" {
		t.Errorf("when all is quiet: %q, want alone", got)
	}
	q.Add(testCase("b"), verdict.Rank{})
	if got := ids(q.Next(2, 1, true)); got != "" {
		t.Errorf("%q started while the serial case ran", got)
	}
}

func TestQueueShuffle(t *testing.T) {
	t.Parallel()
	order := func(seed uint64) string {
		q := verdict.NewQueue(seed)
		for _, id := range strings.Fields("A B C D E F G H") {
			q.Add(testCase(id), verdict.Rank{Order: int(id[0])})
		}
		return ids(q.Clear())
	}
	if first, second := order(7), order(7); first != second {
		t.Error("the same seed gives two orders")
	}
	if order(7) == order(0) && order(8) == order(0) {
		t.Error("no seed changes the order")
	}
}

func rec(id string, pass bool, inputs string) suites.Record {
	r := suites.Record{Suite: "s", ID: id, Pass: pass, Digests: suites.Digests{Case: "c", Inputs: inputs, Tools: "t"}}
	if !pass {
		r.Note = "exit 0, want 2"
	}
	return r
}

func TestNews(t *testing.T) {
	t.Parallel()
	n := verdict.NewNews([]suites.Record{rec("A", true, "1"), rec("B", false, "1"), rec("C", true, "1")})
	say := func() string {
		regressions, resolved := n.Take(false)
		var out []string
		for _, r := range regressions {
			out = append(out, "-"+r.ID)
		}
		for _, r := range resolved {
			out = append(out, "+"+r.ID)
		}
		return strings.Join(out, " ")
	}
	if got := say(); got != "" {
		t.Errorf("the present state is no news, said %q", got)
	}
	aborted := rec("B", false, "1")
	aborted.Note = "ABORTED: " + "backstop"
	observe(n, aborted, false)
	if got := say(); got != "" {
		t.Errorf("said %q of a failing case that was aborted", got)
	}
	observe(n, rec("A", false, "2"), true)
	if got := say(); got != "" {
		t.Errorf("said %q of a failure seen once", got)
	}
	if got := n.ListUnconfirmed(); len(got) != 1 || got[0].ID != "A" {
		t.Errorf("unconfirmed %v, want A", got)
	}
	observe(n, rec("A", false, "2"), false)
	if got := say(); got != "-A" {
		t.Errorf("said %q, want -A", got)
	}
	if got := say(); got != "" {
		t.Errorf("said %q again", got)
	}
	observe(n, rec("A", false, "3"), false) // still failing on new content: reported already
	observe(n, rec("B", true, "3"), false)
	if got := say(); got != "+B" {
		t.Errorf("said %q, want +B", got)
	}
	observe(n, rec("A", true, "4"), false)
	observe(n, rec("C", false, "4"), true)
	observe(n, rec("C", true, "5"), false) // failed only for a while
	if got := say(); got != "+A" {
		t.Errorf("said %q, want +A", got)
	}
	observe(n, rec("D", false, "6"), false) // new, or explained by a tool
	observe(n, rec("D", false, "6"), false)
	if got := say(); got != "" {
		t.Errorf("said %q of an excused failure", got)
	}
	observe(n, rec("C", false, "7"), true)
	observe(n, rec("C", false, "8"), false) // still failing after the next save
	if regressions, _ := n.Take(true); len(regressions) != 1 {
		t.Error("a run without time to reproduce reports its regressions at once")
	}
}

func observe(n *verdict.News, r suites.Record, regression bool) { n.Observe(&r, regression) }

// TestNewsOfFaults checks that the removal of a generated case that was reported as failing is
// reported once as resolved, and the removal of an unreported or user-written one is not
// reported.
func TestNewsOfFaults(t *testing.T) {
	t.Parallel()
	fault := func(id string) suites.Record {
		r := rec(id, false, "1")
		r.Suite = suites.Registered
		return r
	}
	n := verdict.NewNews([]suites.Record{fault("A"), rec("W", false, "1")})
	observe(n, fault("B"), true)
	n.Forget(func(suites.Key) bool { return true })
	regressions, resolved := n.Take(true)
	if len(regressions) > 0 {
		t.Errorf("regressions %v", regressions)
	}
	want := fault("A")
	want.Pass, want.Verdict, want.Reason = true, suites.Pass, suites.RegistrationGone
	if d := cmp.Diff([]suites.Record{want}, resolved, cmpopts.IgnoreFields(suites.Record{}, "Note")); d != "" {
		t.Errorf("resolved (-want +got):\n%s", d)
	}
	if regressions, resolved := n.Take(true); len(regressions)+len(resolved) > 0 {
		t.Errorf("again: %v, %v", regressions, resolved)
	}
}
