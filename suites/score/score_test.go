package score

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/bench"
	"hookwatch/suites/depend/script"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/mutate"
)

const guard = `#!/bin/bash
case $(cat) in
  *rm*) echo no >&2; exit 2 ;;
  *dd*)
    exit 2 ;;
esac
if echo x | grep -q y; then
  exit 1
fi
never() {
  echo never
}
echo okay
`

const file = "guard.sh"

// machine runs guard in bash, without a sandbox, and knows which lines a command reaches.
func machine(t *testing.T) Machine {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("absent: bash")
	}
	parsed, err := trace.Parse(file, []byte(guard))
	if err != nil {
		t.Fatal(err)
	}
	fire := func(ctx context.Context, q suites.Request) (o suites.Outcome, err error) {
		c, content := q.Case, guard
		for _, f := range c.Steps[0].Fixtures {
			if f.Path == "{project}/"+file {
				content = f.Content
			}
		}
		cmd := exec.CommandContext(ctx, "bash", "-c", content)
		cmd.Stdin = strings.NewReader(c.Steps[0].Command)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err = cmd.Run(); cmd.ProcessState != nil {
			err = nil
			o.Results = []suites.Result{{Exit: cmd.ProcessState.ExitCode(), Stdout: stdout.Bytes(), Stderr: stderr.Bytes()}}
		}
		return o, err
	}
	return Machine{
		Bench: bench.New(2, fire), Read: func(string) ([]byte, bool, error) { return []byte(guard), true, nil },
		Decode: func(c *suites.Case, _ *suites.Outcome) *trace.Trace {
			lines := []int{2, 13}
			if strings.Contains(c.Steps[0].Command, "rm") {
				lines = []int{2, 3}
			}
			keys := map[script.Key]bool{}
			for _, st := range parsed.Statements {
				// The first arm is compared by each command, the second by those that it does not match.
				if !st.Arm && slices.Contains(lines, st.Start) || st.Arm && (st.Start == 3 || !slices.Contains(lines, 3)) {
					keys[st.Key] = true
				}
			}
			return &trace.Trace{Traced: []string{"bash"}, Files: map[string]*trace.Met{file: {Digest: parsed.Digest, Statements: trace.NewSet(keys), Main: true}}}
		},
	}
}

func testCase(id, command string, e suites.Expectation) *suites.Case {
	return &suites.Case{Suite: "guard", ID: id, Hook: file, Steps: []suites.Step{{Event: "PreToolUse", Tool: "Bash", Command: command, Expect: e}}}
}

func exits(n int) suites.Expectation { return suites.Expectation{Exit: []int{n}} }

func guardCases() []*suites.Case {
	okay := exits(0)
	okay.Stdout = &suites.TextExpectation{Contains: []string{"ok"}}
	return []*suites.Case{testCase("G01", "rm y", exits(2)), testCase("G02", "ls x", okay), testCase("G03", "ls x", exits(7))}
}

func TestScore(t *testing.T) {
	t.Parallel()
	res, err := Score(t.Context(), guardCases(), machine(t), Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if all := res.Sum(Of("", "")); res.Cases != 2 || len(res.LeftOut) != 1 || all.Mutants != res.Made || all.Killed+all.Survived != all.Mutants || all.Mutants < 20 {
		t.Errorf("%+v of %d, %d cases, left out %v", all, res.Made, res.Cases, res.LeftOut)
	}
	for change, want := range map[string]string{
		"make it return 0 3":               "killed by guard/G01",
		"make it exit 0 3":                 "killed by guard/G01",
		"change *rm* 3":                    "killed by guard/G01",
		"delete echo okay 13":              "killed by guard/G02",
		"change no 3":                      "unchecked: 1 case executes it: stderr changed in 1 of them, and none looks at it",
		"change okay 13":                   "loose: 1 case executes it: stdout changed in 1 of them, and what they expect of it still holds",
		"print on stdout before cat 2":     "same: 2 cases execute it and nothing changes: no case sends an input for which it matters, or it is equivalent",
		"make it exit 0 5":                 "unexecuted: no case sends a value for line 4: *dd*)",
		"delete echo never 11":             "unexecuted: no case calls never",
		"print on stderr before exit 2 5":  "unexecuted: no case sends a value for line 4: *dd*)",
		"print on stderr before exit 2 3":  "unchecked: 1 case executes it: stderr changed in 1 of them, and none looks at it",
		"delete never() { echo never } 10": "unexecuted: no case calls never",
		"print on stdout before exit 2 3":  "unchecked: 1 case executes it: stdout changed in 1 of them, and none looks at it",
		"make it exit 2 8":                 "unexecuted: no case makes line 7 true: if echo x | grep -q y; then",
	} {
		for _, f := range res.Findings {
			if fmt.Sprintf("%s %d", f.What, f.Line) != change {
				continue
			}
			got := string(f.Gap) + ": " + f.Notice
			if f.IsKilled() {
				got = "killed by " + f.Killer.String()
			}
			if got != want {
				t.Errorf("%s: %s, want %s", change, got, want)
			}
		}
	}
}

// TestSuite checks that a survivor whose effect is known gets a case that notices it, and the others
// a case to complete.
func TestSuite(t *testing.T) {
	t.Parallel()
	m := machine(t)
	res, err := Score(t.Context(), guardCases(), m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	suite := res.Suite("missing")
	todo := 0
	var more []*suites.Case
	for i := range suite.Cases {
		if c := &suite.Cases[i]; strings.Contains(c.Steps[0].Command, "TODO") {
			todo++
		} else {
			more = append(more, c)
		}
	}
	if todo == 0 || len(more) < 3 {
		t.Fatalf("%d cases to complete, %d others", todo, len(more))
	}
	again, err := Score(t.Context(), append(guardCases(), more...), m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if again.Cases != 2+len(more) {
		t.Errorf("%d cases take part, want %d: %v", again.Cases, 2+len(more), again.LeftOut)
	}
	for _, f := range again.Survivors() {
		if f.Gap == Unchecked || f.Gap == Loose {
			t.Errorf("%s: %s", f.Subject, f.Notice)
		}
	}
}

func TestScoreIsDeterministic(t *testing.T) {
	t.Parallel()
	m := machine(t)
	score := func(seed uint64) string {
		res, err := Score(t.Context(), guardCases(), m, Options{Seed: seed, Most: 2})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, f := range res.Findings {
			fmt.Fprintln(&b, f.ID, f.IsKilled(), f.Gap, f.Notice)
		}
		return b.String()
	}
	if first, second := score(1), score(1); first != second || first == score(2) {
		t.Errorf("the same seed must give the same result, and another one other mutants:\n%s\n%s", first, second)
	}
}

func TestNotesInScore(t *testing.T) {
	t.Parallel()
	known, err := ParseNotes([]byte(`
- {file: guard.sh, operator: constant, change: change okay, equivalent: no one reads it}
- {file: guard.sh, function: never, operator: delete, change: delete echo never, missing: a caller}
- {file: guard.sh, operator: exit, change: make it exit 0, equivalent: so it seemed}
- {file: guard.sh, operator: delete, change: delete gone, equivalent: it is gone}
`))
	if err != nil {
		t.Fatal(err)
	}
	res, err := Score(t.Context(), guardCases(), machine(t), Options{Known: known})
	if err != nil {
		t.Fatal(err)
	}
	if all := res.Sum(Of("", "")); all.Equivalent != 1 {
		t.Errorf("%+v, want one equivalent", all)
	}
	for _, f := range res.Survivors() {
		if f.What == "change okay" {
			t.Error("an equivalent mutant is a survivor")
		}
	}
	wrong := strings.Join(res.Wrong(), "\n")
	if !strings.Contains(wrong, "make it exit 0 is equivalent: so it seemed, but guard/G01 notices it") || !strings.Contains(wrong, "delete gone: there is no such mutant") || len(res.Wrong()) != 2 {
		t.Errorf("wrong notes: %s", wrong)
	}
}

// TestPartialScore checks the results of a score that is ended.
func TestPartialScore(t *testing.T) {
	t.Parallel()
	m := machine(t)
	res, err := Score(t.Context(), guardCases(), m, Options{Budget: 1})
	if err != nil || len(res.Findings) == res.Of {
		t.Errorf("without time: %v, %+v", err, res)
	}
	ctx, end := context.WithCancelCause(t.Context())
	cancel := func() { end(errors.New("a signal")) }
	defer cancel()
	res, err = Score(ctx, guardCases(), m, Options{Progress: func(p Progress) {
		if p.Tried == 3 {
			cancel()
		}
	}})
	if err != nil || len(res.Findings) < 3 || len(res.Findings) == res.Of {
		t.Errorf("interrupted: %v, %d findings of %d", err, len(res.Findings), res.Of)
	}
	broken := m
	broken.Bench = bench.New(2, func(context.Context, suites.Request) (suites.Outcome, error) {
		return suites.Outcome{}, errors.New("no sandbox")
	})
	if _, err = Score(t.Context(), guardCases(), broken, Options{}); err == nil || !strings.Contains(err.Error(), "no sandbox") {
		t.Errorf("an error of the machine: %v", err)
	}
	if _, err = Score(t.Context(), guardCases()[2:], m, Options{}); err == nil || !strings.Contains(err.Error(), "guard/G03: exit 0, want 7") {
		t.Errorf("no case passes: %v", err)
	}
	if res, err = Score(t.Context(), guardCases(), m, Options{Operators: []string{"exit"}, Breaks: func(string) bool { return false }}); err != nil || res.Made != 0 {
		t.Errorf("nothing is broken: %v, %d", err, res.Made)
	}
	if res, err = Score(t.Context(), guardCases(), m, Options{Operators: mutate.Operators[2:3]}); err != nil || len(res.Operators()) != 1 || res.Sum(Of(file, "exit")).Percent() == 0 {
		t.Errorf("only exits: %v, %+v", err, res.Sum(Of(file, "exit")))
	}
}

// TestBudgetEnds checks that the end of the budget ends what runs.
func TestBudgetEnds(t *testing.T) {
	t.Parallel()
	m := machine(t)
	synctest.Test(t, func(t *testing.T) {
		var running, ended atomic.Int64
		m.Bench = bench.New(2, func(ctx context.Context, q suites.Request) (o suites.Outcome, err error) {
			for _, f := range q.Case.Steps[0].Fixtures {
				if f.Path == "{project}/"+file && f.Content != guard {
					running.Add(1)
					<-ctx.Done()
					ended.Add(1)
				}
			}
			r := suites.Result{Stdout: []byte("okay")}
			if strings.Contains(q.Case.Steps[0].Command, "rm") {
				r = suites.Result{Exit: 2}
			}
			return suites.Outcome{Results: []suites.Result{r}}, nil
		})
		began := time.Now()
		res, err := Score(t.Context(), guardCases(), m, Options{Budget: time.Hour})
		if err != nil || time.Since(began) != time.Hour || running.Load() != 2 || ended.Load() != 2 || len(res.Findings) == res.Of {
			t.Errorf("%v after %s: %d began, %d ended, %d findings of %d", err, time.Since(began), running.Load(), ended.Load(), len(res.Findings), res.Of)
		}
	})
}

// TestMeetsComparison checks that a mutant is tried with cases whose comparisons answer as before: it is executed, and
// survives.
func TestMeetsComparison(t *testing.T) {
	t.Parallel()
	const before = "#!/bin/bash\n[[ $x == a ]]\n"
	logs := map[string][]byte{}
	for _, name := range trace.Start(t.TempDir(), nil).Logs {
		logs[name] = nil
	}
	logs["bash/log"] = []byte("B\x1f/p\x1f" + file + "\x00V\x1f\x1f" + file + "\x1f/p\x1f\x1f[[ $x == a ]]\x1fx=c\x00E\x1f1\x1f2\x1f\x1f" + file + "\x1f/p\x1f[[ $x == a ]]\x00")
	ran := trace.Decode(logs, trace.Run{
		Resolve: func(name, _ string) string { return name },
		Script:  func(string, trace.Language) (*script.Script, error) { return trace.Parse(file, []byte(before)) },
		Hooks:   []string{file},
	})
	edits := trace.Compare(file, []byte(before), []byte(strings.Replace(before, "== a", "== b", 1)))
	if affected, why := trace.Affected(edits, ran); affected {
		t.Errorf("the case is affected: %s", why)
	}
	if !meets(edits, ran) {
		t.Error("the case is taken for one that does not execute the mutant")
	}
}
