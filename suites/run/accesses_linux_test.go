package run_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/process"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
)

// observedRunner returns a runner in namespaces, and its HOME.
func (p *project) observedRunner(env map[string]string) (r *run.Runner, home string) {
	p.t.Helper()
	home = p.t.TempDir()
	choice, err := sandbox.Choose(sandbox.Auto, sandbox.Options{Root: p.root, Home: home, Size: 64 << 20, Processes: 200}, p.temp)
	if err != nil {
		p.t.Skipf("no namespaces: %v", err)
	}
	r = run.New(run.Options{
		Root: p.root, Temp: p.temp, Timeout: 20e9, Isolation: choice,
		Env: process.With(process.With(run.Environment(os.Environ(), nil), map[string]string{"HOME": home}), env),
	})
	p.t.Cleanup(r.Close)
	return r, home
}

// TestAccesses checks that a traced run records the paths that hooks use.
func TestAccesses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		needs string                       // the program that the hook needs
		hook  string                       // after "#!/usr/bin/env bash\n", unless it has a first line of its own
		want  map[string]suites.AccessKind // by path from the project's root, ~ for HOME; 0: no input
		out   string                       // its output
		lacks string                       // why the record is not complete
	}{
		"open":           {hook: "cat rules.json", want: uses{"rules.json": suites.Read, "hooks/hook": suites.Read}, out: "{}\n"},
		"missing":        {hook: "stat no.txt 2>/dev/null; [ -f other.txt ] || echo none", want: uses{"no.txt": suites.Looked, "other.txt": suites.Looked}, out: "none\n"},
		"glob":           {hook: "cd d; echo *", want: uses{"d": suites.Listed}, out: "one two\n"},
		"computed":       {hook: "n=li; . \"$(dirname \"$0\")/../d/${n}b.sh\" 2>/dev/null; . ./d/o${n:0:0}ne; echo $one", want: uses{"d/lib.sh": suites.Read, "d/one": suites.Read}, out: "1\n"},
		"chdir":          {hook: "cd d/../d && cat one", want: uses{"d/one": suites.Read, "d": suites.Looked}, out: "one=1\n"},
		"link":           {hook: "cat link", want: uses{"link": suites.Read, "d/one": suites.Read}, out: "one=1\n"},
		"own link":       {hook: "ln -s \"$CLAUDE_PROJECT_DIR/d\" \"$TMPDIR/x\"; cat \"$TMPDIR/x/one\"; [ -e \"$TMPDIR/x/gone\" ]; rm \"$TMPDIR/x\"; ln -s \"$CLAUDE_PROJECT_DIR\" \"$TMPDIR/x\"; cat \"$TMPDIR/x/one\" 2>/dev/null; true", want: uses{"d/one": suites.Read, "d/gone": suites.Looked, "one": suites.Read}, out: "one=1\n"},
		"tool":           {hook: "tools/t", want: uses{"tools/t": suites.Ran, "/bin/sh": suites.Ran}, out: "tool\n"},
		"written":        {hook: "echo a >new; cat new; echo b >>log; echo c >rules.json; cat rules.json", want: uses{"new": 0, "log": 0, "rules.json": suites.Read}, out: "a\nc\n"},
		"made":           {hook: "mkdir -p d made; cat d/one; echo >made/x; ls made", want: uses{"d": suites.Looked, "made": suites.Looked, "made/x": 0}, out: "one=1\nx\n"},
		"home":           {hook: "cat ~/.config/x 2>/dev/null; true", want: uses{"~/.config/x": suites.Read}},
		"no environment": {hook: "exec env -i /bin/cat d/one", want: uses{"d/one": suites.Read, "/bin/cat": suites.Ran}, out: "one=1\n"},
		"python": {needs: "python3", hook: "#!/usr/bin/env python3\nimport os, threading\nHERE = os.path.dirname(os.path.abspath(__file__))\nprint(open(os.path.join(HERE, '..', 'rules.json')).read(), end='')\n" +
			"def f():\n  os.path.exists('threaded')\nt = threading.Thread(target=f)\nt.start()\nt.join()\nif os.fork() == 0:\n  os.chdir('d')\n  os.path.exists('forked')\n  os._exit(0)\nos.wait()\nprint(sorted(os.listdir('d')))\n",
			want: uses{"rules.json": suites.Read, "threaded": suites.Looked, "d/forked": suites.Looked, "d": suites.Listed}, out: "{}\n['one', 'two']\n"},
		"node":     {needs: "node", hook: "#!/usr/bin/env node\nconst v = ['..', 'm', 'index.js'].join('/');\nconsole.log(require(v));\n", want: uses{"m/index.js": suites.Read}, out: "7\n"},
		"fault":    {needs: "python3", hook: "#!/usr/bin/env python3\nimport ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nprint(libc.open(ctypes.c_void_p(8), 0), ctypes.get_errno())\nopen('d/one')\n", want: uses{"d/one": suites.Read}, out: "-1 14\n"},
		"by proc":  {hook: "cat /proc/self/cwd/d/one", out: "one=1\n", lacks: "a process used a path through /proc"},
		"long":     {hook: "p=.; for i in {1..1000}; do p=$p/.; done; cat $p/d/one", want: uses{"d/one": suites.Read}, out: "one=1\n"},
		"too long": {hook: "p=.; for i in {1..3000}; do p=$p/.; done; [ -e $p/d/one ] || echo none", out: "none\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tt.needs != "" {
				if _, err := exec.LookPath(tt.needs); err != nil {
					t.Skip(err)
				}
			}
			p := newProject(t)
			r, home := p.observedRunner(nil)
			text := tt.hook
			if !strings.HasPrefix(text, "#!") {
				text = "#!/usr/bin/env bash\n" + text + "\n"
			}
			p.write("hooks/hook", text, 0o755)
			p.write("rules.json", "{}\n", 0o644)
			p.write("log", "before\n", 0o644)
			p.write("d/one", "one=1\n", 0o644)
			p.write("d/two", "", 0o644)
			p.write("m/index.js", "module.exports = 7\n", 0o644)
			p.write("tools/t", "#!/bin/sh\necho tool\n", 0o755)
			if err := os.Symlink("d/one", filepath.Join(p.root, "link")); err != nil {
				t.Fatal(err)
			}
			c := &suites.Case{Suite: "s", ID: "A", Hook: "hooks/hook", Steps: []suites.Step{{Event: "Stop"}}}
			plain, err := r.Case(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			o, err := r.Traced(t.Context(), c, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range []suites.Outcome{plain, o} {
				if got := string(o.Last().Stdout); got != tt.out || o.Last().Exit != 0 {
					t.Errorf("exit %d, %q, want %q; %s", o.Last().Exit, got, tt.out, o.Last().Stderr)
				}
				_ = r.Remove(o)
			}
			if o.Unobserved != tt.lacks {
				t.Errorf("incomplete: %q, want %q", o.Unobserved, tt.lacks)
			}
			got := map[string]suites.AccessKind{}
			for _, a := range o.Accesses {
				got[a.Path] = a.Kind
				if strings.HasPrefix(a.Path, p.temp) {
					t.Errorf("a path of the case itself: %v", a)
				}
			}
			for path, kind := range tt.want {
				at := path
				if rest, ok := strings.CutPrefix(path, "~"); ok {
					at = home + rest
				} else if path[0] != '/' {
					at = filepath.Join(p.root, path)
				}
				if k := got[at] &^ suites.Wrote; k&kind != kind || kind == 0 && k != 0 {
					t.Errorf("%s: %s, want %s", path, got[at], kind)
				}
			}
			if t.Failed() || testing.Verbose() {
				for _, a := range o.Accesses {
					t.Log(a)
				}
			}
		})
	}
}

type uses = map[string]suites.AccessKind
