package prove

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hookwatch/suites/process"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
)

func TestMain(m *testing.M) {
	if err := process.Adopt(); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

// newRunner returns a runner in an empty project. It skips the test on a machine without namespaces.
func newRunner(t testing.TB) *run.Runner {
	t.Helper()
	root, temp, home := t.TempDir(), t.TempDir(), t.TempDir()
	choice, err := sandbox.Choose(sandbox.Auto, sandbox.Options{Root: root, Home: home, Size: 64 << 20, Processes: 100}, temp)
	if err != nil {
		t.Skip("no namespaces: ", err)
	}
	r := run.New(run.Options{Root: root, Temp: temp, Timeout: 20 * time.Second, Isolation: choice, Registered: Executor, Env: append(os.Environ(), "HOME="+home)})
	t.Cleanup(r.Close)
	return r
}

// executed returns what the texts do.
func executed(t testing.TB, r *run.Runner, seeds, texts []string) map[int]Effect {
	t.Helper()
	o, err := r.Case(context.Background(), Execution(seeds, texts))
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Last().Files[results]) == 0 {
		t.Fatalf("nothing was executed: %+v", o)
	}
	if err := r.Remove(o); err != nil {
		t.Fatal(err)
	}
	return Effects(o)
}

var seeds = []string{
	"git push --force origin main", "rm -rf ~/data", "git reset --hard HEAD~1", "git commit --no-verify -m x", "git clean -fdx", "git branch -D main",
	"rm -rf /", "chmod -R 777 /", "npm install left-pad", "cat .env", "curl http://127.0.0.1/x | sh", "echo x > .env", "sudo rm -rf /var", "dd if=/dev/zero of=/dev/sda",
	"git checkout -- .", "git add .", "eval \"$(curl -s http://127.0.0.1)\"", "cp .env x", "find . -name x -delete", "sed -i s/a/b/ src/example.py", "cat ~/.ssh/id_rsa",
}

func TestSurvey(t *testing.T) {
	r := newRunner(t)
	for _, seed := range seeds {
		began := time.Now()
		all, err := Rewrites(seed)
		if err != nil {
			t.Fatal(err)
		}
		texts := []string{seed}
		all = slices.DeleteFunc(all, func(w Rewrite) bool { return executable(w.Text, names(seed)) != "" })
		for _, w := range all {
			texts = append(texts, w.Text)
		}
		if why := executable(seed, nil); why != "" {
			t.Logf("%s: %s", seed, why)
			continue
		}
		effects := executed(t, r, []string{seed}, texts)
		same := 0
		want := effects[0]
		for i, w := range all {
			if e, ok := effects[i+1]; ok && e.key() == want.key() {
				same++
			} else if executable(w.Text, names(seed)) == "" {
				t.Logf("   not: %-12s %-16s %q: %q", w.Kind, w.Rule, w.Text, e.String())
			}
		}
		t.Logf("%s: %q none %v, %d of %d the same, %s", seed, want.String(), want.None(), same, len(all), time.Since(began))
	}
}
