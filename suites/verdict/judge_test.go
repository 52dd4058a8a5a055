package verdict

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hookwatch/suites"
)

// okay is a successful result without output.
func okay() suites.Result { return suites.Result{Exit: 0, Effect: suites.Proceeds} }

func exit(codes ...int) []int { return codes }

func miss(step int, field, want, got string) suites.Mismatch {
	kind, _, _ := strings.Cut(field, " ")
	return suites.Mismatch{Kind: suites.MismatchKind(kind), Step: step, Field: field, Want: want, Got: got}
}

// judgeOne judges a case with one step.
func judgeOne(e suites.Expectation, r suites.Result) suites.Verdict {
	c := &suites.Case{ID: "A", Steps: []suites.Step{{Expect: e}}}
	o := suites.Outcome{Results: []suites.Result{r}, Answers: map[suites.Question]suites.ExpressionResult{}}
	for _, q := range o.Questions(c) { // those of these tests are harmless
		o.Answers[q] = q.Evaluate(context.Background())
	}
	return Judge(c, o, 30*time.Second)
}

// A judgement is one expectation and one result. It passes if want is empty.
type judgement struct {
	name   string
	expect suites.Expectation
	result suites.Result
	want   []suites.Mismatch
	note   string // "" if not checked; "-" if it must be empty
}

func judgeAll(t *testing.T, tests []judgement) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := judgeOne(tt.expect, tt.result)
			want := suites.Pass
			if len(tt.want) > 0 {
				want = suites.Fail
			}
			if got.Status != want || !slices.Equal(got.Mismatches, tt.want) {
				t.Errorf("%s %+v, want %s %+v", got.Status, got.Mismatches, want, tt.want)
			}
			if tt.note != "" && got.Note != strings.TrimPrefix(tt.note, "-") {
				t.Errorf("note %q, want %q", got.Note, tt.note)
			}
		})
	}
}

func TestJudgeEnding(t *testing.T) {
	t.Parallel()
	judgeAll(t, []judgement{
		{"nothing is looked at", suites.Expectation{}, suites.Result{Exit: 9, Stdout: []byte("x")}, nil, "-"},
		{"exit", suites.Expectation{Exit: exit(2)}, suites.Result{Exit: 2}, nil, "-"},
		{"another exit", suites.Expectation{Exit: exit(2)}, okay(), []suites.Mismatch{miss(0, "exit", "2", "0")}, "exit 0, want 2"},
		{"exit 0 is an expectation", suites.Expectation{Exit: exit(0)}, suites.Result{Exit: 1}, []suites.Mismatch{miss(0, "exit", "0", "1")}, "exit 1, want 0"},
		{"one of several exits", suites.Expectation{Exit: exit(0, 2)}, suites.Result{Exit: 2}, nil, "-"},
		{"none of several exits", suites.Expectation{Exit: exit(0, 2)}, suites.Result{Exit: 1}, []suites.Mismatch{miss(0, "exit", "0 or 2", "1")}, "exit 1, want 0 or 2"},
		{"a signal is no exit", suites.Expectation{Exit: exit(0)}, suites.Result{Exit: -1, Signal: "SIGSEGV"},
			[]suites.Mismatch{miss(0, "exit", "0", "by SIGSEGV")}, "exit by SIGSEGV, want 0"},
		{"a signal with the right code", suites.Expectation{Exit: exit(2)}, suites.Result{Exit: 2, Signal: "SIGTERM"},
			[]suites.Mismatch{miss(0, "exit", "2", "by SIGTERM")}, ""},
		{"the shell's own word", suites.Expectation{Exit: exit(0)}, suites.Result{Exit: 127, Stderr: []byte("start\nh.sh: line 3: jaq: command not found\n")},
			[]suites.Mismatch{miss(0, "exit", "0", "127")}, "exit 127, want 0; h.sh: line 3: jaq: command not found"},
		{"no permission", suites.Expectation{Exit: exit(0)}, suites.Result{Exit: 126, Stderr: []byte("h.sh: ./x: Permission denied\n")},
			[]suites.Mismatch{miss(0, "exit", "0", "126")}, "exit 126, want 0; h.sh: ./x: Permission denied"},
		{"a hook's warning about its tool", suites.Expectation{Exit: exit(2)},
			suites.Result{Stderr: []byte("[hook] x\n[hook:warning] yamllint gave no readable report: a.yaml\n")},
			[]suites.Mismatch{miss(0, "exit", "2", "0")}, "exit 0, want 2; [hook:warning] yamllint gave no readable report: a.yaml"},
		{"not found means something else with another code", suites.Expectation{Exit: exit(0)}, suites.Result{Exit: 1, Stderr: []byte("user not found\n")},
			[]suites.Mismatch{miss(0, "exit", "0", "1")}, "exit 1, want 0"},
		{"not started", suites.Expectation{Exit: exit(0), Decision: "approve"}, suites.Result{Exit: -1, NotStarted: "hook missing: a.sh"},
			[]suites.Mismatch{miss(0, "start", "", "hook missing: a.sh")}, "hook missing: a.sh"},
		{"not started passes nothing", suites.Expectation{}, suites.Result{Exit: -1, NotStarted: "hook missing: a.sh"},
			[]suites.Mismatch{miss(0, "start", "", "hook missing: a.sh")}, ""},
		{"decision", suites.Expectation{Decision: "block"}, suites.Result{Decision: "block"}, nil, "-"},
		{"another decision", suites.Expectation{Decision: "block"}, suites.Result{Decision: "approve"},
			[]suites.Mismatch{miss(0, "decision", "block", "approve")}, "decision approve, want block"},
		{"no decision", suites.Expectation{Decision: "block"}, okay(), []suites.Mismatch{miss(0, "decision", "block", "")}, "decision, want block"},
		{"effect", suites.Expectation{Effect: suites.Denied}, suites.Result{Effect: suites.Denied}, nil, "-"},
		{"another effect", suites.Expectation{Effect: suites.Denied}, okay(),
			[]suites.Mismatch{miss(0, "effect", "denied", "proceeds")}, "effect proceeds, want denied"},
		{"every reason", suites.Expectation{Exit: exit(2), Decision: "block", Effect: suites.Denied}, suites.Result{Decision: "approve", Effect: suites.Allowed},
			[]suites.Mismatch{miss(0, "exit", "2", "0"), miss(0, "decision", "block", "approve"), miss(0, "effect", "denied", "allowed")},
			"exit 0, want 2; decision approve, want block; effect allowed, want denied"},
	})
}

func TestJudgeBudget(t *testing.T) {
	t.Parallel()
	late := suites.Result{Duration: 250*time.Millisecond + 400*time.Microsecond}
	for name, tt := range map[string]struct {
		budget time.Duration
		result suites.Result
		want   string
	}{
		"none":             {0, late, ""},
		"not exceeded":     {late.Duration, late, ""},
		"exceeded":         {200 * time.Millisecond, late, "duration 250ms, want at most 200ms"},
		"after a time-out": {200 * time.Millisecond, suites.Result{Duration: time.Second, TimedOut: true}, "TIMEOUT_30s"},
		"before the client's": {0, suites.Result{TimedOut: true, Timeout: 5 * time.Second, TimeoutBy: "run.timeout; the client itself waits for 10m0s"},
			"TIMEOUT_5s (run.timeout; the client itself waits for 10m0s)"},
	} {
		c := &suites.Case{Budget: tt.budget, Steps: []suites.Step{{}}}
		if got := Judge(c, suites.Outcome{Results: []suites.Result{tt.result}}, 30*time.Second); got.Note != tt.want {
			t.Errorf("%s: %s %q, want %q", name, got.Status, got.Note, tt.want)
		}
	}
}

func TestJudgeTimeout(t *testing.T) {
	t.Parallel()
	for limit, want := range map[time.Duration]string{
		30 * time.Second:       "TIMEOUT_30s",
		time.Second:            "TIMEOUT_1s",
		500 * time.Millisecond: "TIMEOUT_500ms",
	} {
		c := &suites.Case{Steps: []suites.Step{{Expect: suites.Expectation{Exit: exit(0), Decision: "block"}}}}
		r := suites.Result{Exit: -1, Signal: "SIGKILL", TimedOut: true}
		got := Judge(c, suites.Outcome{Results: []suites.Result{r}}, limit)
		if got.Status != suites.Fail || got.Note != want {
			t.Errorf("%s: %s %q, want %q", limit, got.Status, got.Note, want)
		}
		if wanted := []suites.Mismatch{miss(0, "timeout", "", want)}; !slices.Equal(got.Mismatches, wanted) {
			t.Errorf("%s: %+v, want only the time-out: truncated output decides nothing", limit, got.Mismatches)
		}
	}
}

// TestJudgeMemory checks that a case that exceeded its memory limit fails only for that, even if
// its hook reports success, and even if it then reached its time-out.
func TestJudgeMemory(t *testing.T) {
	t.Parallel()
	c := &suites.Case{Steps: []suites.Step{{Expect: suites.Expectation{Exit: exit(0), Decision: "block"}}}}
	for name, r := range map[string]suites.Result{
		"killed":    {Exit: -1, Signal: "SIGKILL", Memory: 2 << 30},
		"went on":   {Exit: 0, Memory: 2 << 30},
		"timed out": {Exit: -1, Signal: "SIGKILL", TimedOut: true, Memory: 2 << 30},
	} {
		got := Judge(c, suites.Outcome{Results: []suites.Result{r}}, time.Second)
		if got.Status != suites.Fail || got.Note != "MEMORY_2048MiB" {
			t.Errorf("%s: %s %q", name, got.Status, got.Note)
		}
		if wanted := []suites.Mismatch{miss(0, "memory", "", "MEMORY_2048MiB")}; !slices.Equal(got.Mismatches, wanted) {
			t.Errorf("%s: %+v", name, got.Mismatches)
		}
	}
}

func TestJudgeSteps(t *testing.T) {
	t.Parallel()
	c := &suites.Case{Steps: []suites.Step{
		{Expect: suites.Expectation{Exit: exit(0)}}, {Expect: suites.Expectation{Exit: exit(2)}}, {Expect: suites.Expectation{Exit: exit(0)}},
	}}
	ends := func(codes ...int) (o suites.Outcome) {
		for _, code := range codes {
			o.Results = append(o.Results, suites.Result{Exit: code})
		}
		return o
	}
	late := ends(0, 2)
	late.Results[1].TimedOut = true
	for _, tt := range []struct {
		name    string
		outcome suites.Outcome
		note    string
		want    []suites.Mismatch
	}{
		{"all", ends(0, 2, 0), "", nil},
		{"the second", ends(0, 0, 0), "step 2: exit 0, want 2", []suites.Mismatch{miss(1, "exit", "2", "0")}},
		{"two of them", ends(1, 2, 1), "step 1: exit 1, want 0; step 3: exit 1, want 0",
			[]suites.Mismatch{miss(0, "exit", "0", "1"), miss(2, "exit", "0", "1")}},
		{"one not reached", ends(0, 2), "step 3: step not reached, want run", []suites.Mismatch{miss(2, "step", "run", "not reached")}},
		{"time-out and not reached", late, "TIMEOUT_30s", []suites.Mismatch{miss(1, "timeout", "", "TIMEOUT_30s"), miss(2, "step", "run", "not reached")}},
	} {
		got := Judge(c, tt.outcome, 30*time.Second)
		if got.Note != tt.note || !slices.Equal(got.Mismatches, tt.want) {
			t.Errorf("%s: %q %+v, want %q %+v", tt.name, got.Note, got.Mismatches, tt.note, tt.want)
		}
	}
}

// TestManyReasons checks that a note stays readable while the mismatches are complete.
func TestManyReasons(t *testing.T) {
	t.Parallel()
	got := judgeOne(suites.Expectation{Exit: exit(2), Decision: "block", Effect: suites.Denied,
		Stderr: &suites.TextExpectation{Contains: []string{"a", "b"}}}, okay())
	if len(got.Mismatches) != 5 || !strings.HasSuffix(got.Note, `effect proceeds, want denied; and 2 more`) {
		t.Errorf("%d mismatches, note %q", len(got.Mismatches), got.Note)
	}
}

func TestRemarks(t *testing.T) {
	t.Parallel()
	c := &suites.Case{Steps: []suites.Step{{Expect: suites.Expectation{Exit: exit(0)}}}}
	behind := suites.Result{LeftBehind: []string{"sleep", "tail"}}
	cut := suites.Result{Stdout: []byte("abc"), StdoutBytes: 300, StderrBytes: 2, Stderr: []byte("ab")}
	for _, tt := range []struct {
		name    string
		outcome suites.Outcome
		want    string
	}{
		{"nothing", suites.Outcome{Results: []suites.Result{{}}}, ""},
		{"stand-ins", suites.Outcome{StandIns: []string{"jaq=gojq 1", "jq=gojq 1"}, Results: []suites.Result{{}}},
			"stand-in: jaq=gojq 1; stand-in: jq=gojq 1"},
		{"left behind", suites.Outcome{Results: []suites.Result{behind}}, "left a process behind: sleep, tail (ended)"},
		{"truncated", suites.Outcome{Results: []suites.Result{cut}}, "output cut: 300 bytes on stdout, 2 on stderr"},
		{"whole", suites.Outcome{Results: []suites.Result{{Stdout: []byte("abc"), StdoutBytes: 3}}}, ""},
		{"not UTF-8 on stdout", suites.Outcome{Results: []suites.Result{{Stdout: []byte{0xff}}}}, "output is not UTF-8"},
		{"not UTF-8 on stderr", suites.Outcome{Results: []suites.Result{{Stderr: []byte{'a', 0xc3}}}}, "output is not UTF-8"},
		{"other scripts", suites.Outcome{Results: []suites.Result{{Stdout: []byte("déjà vu ✓")}}}, ""},
	} {
		if got := Judge(c, tt.outcome, time.Second); got.Status != suites.Pass || got.Note != tt.want {
			t.Errorf("%s: %s %q, want %q", tt.name, got.Status, got.Note, tt.want)
		}
		for i := range tt.outcome.Results {
			tt.outcome.Results[i].Exit = 1
		}
		want := "exit 1, want 0"
		if tt.want != "" {
			want += "; " + tt.want
		}
		if got := Judge(c, tt.outcome, time.Second); got.Status != suites.Fail || got.Note != want {
			t.Errorf("%s, failing: %s %q, want %q", tt.name, got.Status, got.Note, want)
		}
	}
}

func TestJudgeNotRun(t *testing.T) {
	t.Parallel()
	c := &suites.Case{Steps: []suites.Step{{Expect: suites.Expectation{Exit: exit(0)}}, {}}}
	skip := Judge(c, suites.Outcome{NotRun: &suites.NotRun{Status: suites.Skip, Reason: suites.ToolAbsent, Detail: "biome"}}, time.Second)
	if d := cmp.Diff(suites.Verdict{Status: suites.Skip, Reason: suites.ToolAbsent, Note: "absent: biome"}, skip); d != "" {
		t.Errorf("skip (-want +got):\n%s", d)
	}
	fail := Judge(c, suites.Outcome{NotRun: &suites.NotRun{Status: suites.Fail, Reason: suites.ToolAbsent, Detail: "biome"}}, time.Second)
	want := suites.Verdict{Status: suites.Fail, Reason: suites.ToolAbsent, Note: "BIOME_ABSENT", Mismatches: []suites.Mismatch{{Kind: "gate", Field: "gate", Want: "the tool", Got: "BIOME_ABSENT"}}}
	if d := cmp.Diff(want, fail); d != "" {
		t.Errorf("fail (-want +got):\n%s", d)
	}
}

// TestProve checks that a pass proves something only if the control was caught, and that the
// record's two fields preserve the result.
func TestProve(t *testing.T) {
	t.Parallel()
	control := suites.Key{Suite: "ml", ID: "M08"}
	verdict := func(s suites.Status, note string) suites.Verdict { return suites.Verdict{Status: s, Note: note} }
	pass := verdict(suites.Pass, "")
	for _, tt := range []struct {
		name               string
		own, control, want suites.Verdict
	}{
		{"control passed", pass, pass, pass},
		{"a remark stays", verdict(suites.Pass, "stand-in: jaq=x"), pass, verdict(suites.Pass, "stand-in: jaq=x")},
		{"control failed", pass, verdict(suites.Fail, "exit 0, want 2"), verdict(suites.Unproven, "unproven: control M08 exit 0, want 2")},
		{"control timed out", pass, verdict(suites.Fail, "TIMEOUT_30s"), verdict(suites.Unproven, "unproven: control M08 TIMEOUT_30s")},
		{"control failed, remark", verdict(suites.Pass, "stand-in: jaq=x"), verdict(suites.Fail, "exit 0, want 2"),
			verdict(suites.Unproven, "unproven: control M08 exit 0, want 2; stand-in: jaq=x")},
		{"the control's cause", pass, suites.Verdict{Status: suites.Fail, Note: "exit 0, want 2; [hook:warning] y gave no readable report",
			Mismatches: []suites.Mismatch{{Kind: "exit", Field: "exit", Got: "0", Want: "2"}}, Cause: "[hook:warning] y gave no readable report"},
			verdict(suites.Unproven, "unproven: control M08 exit 0, want 2, [hook:warning] y gave no readable report")},
		{"control unproven itself", pass, verdict(suites.Unproven, "unproven: control M01 exit 0, want 2"),
			verdict(suites.Unproven, "unproven: control M08 unproven: control M01 exit 0, want 2")},
		{"control skipped", pass, verdict(suites.Skip, "absent: biome"), verdict(suites.Skip, "absent: biome")},
		{"version gap", pass, verdict(suites.Skip, "version_skip: 2.0"), verdict(suites.Skip, "version_skip: 2.0")},
		{"a failure stays one", verdict(suites.Fail, "exit 1, want 0"), verdict(suites.Fail, "x"), verdict(suites.Fail, "exit 1, want 0")},
		{"a skip stays one", verdict(suites.Skip, "absent: x"), verdict(suites.Fail, "x"), verdict(suites.Skip, "absent: x")},
		{"an aborted one stays so", verdict(suites.Aborted, "ABORTED: x"), pass, verdict(suites.Aborted, "ABORTED: x")},
	} {
		got := Prove(tt.own, control, tt.control)
		if got.Status != tt.want.Status || got.Note != tt.want.Note {
			t.Errorf("%s: %s %q, want %s %q", tt.name, got.Status, got.Note, tt.want.Status, tt.want.Note)
		}
		if again := (&suites.Record{Pass: got.Status.OK(), Note: got.Note}).Status(); again != got.Status {
			t.Errorf("%s: %s is on record as %s", tt.name, got.Status, again)
		}
	}
}

// TestCauseOfEveryRun checks that a note is the same in each run, independent of the sandbox's
// path.
func TestCauseOfEveryRun(t *testing.T) {
	t.Parallel()
	c := &suites.Case{Steps: []suites.Step{{Expect: suites.Expectation{Exit: exit(2)}}}}
	v := Judge(c, suites.Outcome{Sandbox: "/tmp/h/M08-123", Results: []suites.Result{{
		Stderr: []byte("[hook:warning] no report: /tmp/h/M08-123/tmp/a.yaml of /tmp/h/M08-123/project " + strings.Repeat("x", 300) + "\n"),
	}}}, time.Second)
	if !strings.HasPrefix(v.Cause, "[hook:warning] no report: {tmp}/a.yaml of {sandbox}/project xxx") || len(v.Cause) > 170 || !strings.HasSuffix(v.Note, v.Cause) {
		t.Errorf("%q: %q", v.Note, v.Cause)
	}
}

// TestRemarksOfFailure checks that a failure keeps the parts of its note beyond the mismatches.
func TestRemarksOfFailure(t *testing.T) {
	t.Parallel()
	c := &suites.Case{Steps: []suites.Step{{Expect: suites.Expectation{Exit: exit(0)}}}}
	v := Judge(c, suites.Outcome{StandIns: []string{"jaq=gojq 1"}, Results: []suites.Result{
		{Exit: 127, Stderr: []byte("h.sh: jq: not found\n"), LeftBehind: []string{"sleep"}},
	}}, time.Second)
	want := []string{"h.sh: jq: not found", "left a process behind: sleep (ended)"}
	if diff := cmp.Diff(want, v.Remarks); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	const note = "exit 127, want 0; h.sh: jq: not found; stand-in: jaq=gojq 1; left a process behind: sleep (ended)"
	if v.Note != note {
		t.Errorf("note %q, want %q", v.Note, note)
	}
}

// TestFindings checks that an absent required tool fails, an absent optional one is a skip, an
// advisory tool never fails, and an existing but unusable tool is not absent.
func TestFindings(t *testing.T) {
	t.Parallel()
	here := suites.Finding{Holds: true, Detail: "/bin/x"}
	wider := suites.Finding{Holds: true, Detail: "runs", Remark: "on more as well"}
	standIn := suites.Finding{Holds: true, Detail: "stand-in gojq 1", StandIn: "gojq 1"}
	gone := suites.Finding{Absent: "my-x.y", Detail: "my-x.y is not in PATH"}
	nowhere := suites.Finding{Absent: "my-x.y", Detail: "my-x.y is not in PATH, no ~/x"}
	old := suites.Finding{Detail: "x 1.0 < 2.0"}
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
		c := &suites.Case{Check: &suites.Check{Tool: "my-x.y", Places: []string{"my-x.y"}, Need: tt.need}, Steps: make([]suites.Step, 1)}
		if tt.finding == nowhere {
			c.Check.Places = append(c.Check.Places, "~/x")
		}
		// The one result is ignored because there is a finding.
		o := suites.Outcome{Finding: &tt.finding, Results: []suites.Result{{Exit: 7}}}
		v := Judge(c, o, time.Second)
		want := suites.Verdict{Status: tt.status, Note: tt.note}
		if tt.status == suites.Fail {
			want.Mismatches = []suites.Mismatch{{Kind: "check", Field: "check", Got: tt.note}}
		}
		if d := cmp.Diff(want, v, cmpopts.IgnoreFields(suites.Verdict{}, "Reason")); d != "" {
			t.Errorf("%s, %+v (-want +got):\n%s", tt.need, tt.finding, d)
		}
		if got := (&suites.Record{Pass: v.Status.OK(), Note: v.Note}).Status(); got != tt.status {
			t.Errorf("the record of %+v has %s", v, got)
		}
	}
}
