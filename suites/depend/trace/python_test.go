package trace_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"hookwatch/suites/depend/script"
	"hookwatch/suites/depend/trace"
)

const pyHook = "hook.py"

// pythons returns the oldest and the newest interpreter of this machine from 3.8 on, by version.
var pythons = sync.OnceValue(func() map[string]string {
	found := map[string]string{}
	candidates := []string{}
	if path, err := exec.LookPath("python3"); err == nil {
		candidates = append(candidates, path)
	}
	if home, err := os.UserHomeDir(); err == nil {
		installed, _ := filepath.Glob(filepath.Join(home, ".pyenv/versions/3.*/bin/python3"))
		candidates = append(candidates, installed...)
	}
	for _, path := range candidates {
		out, err := exec.Command(path, "-c", "import sys; print('%d.%02d' % sys.version_info[:2])\nprint(sys.executable)").Output()
		version, rest, ok := strings.Cut(strings.TrimSpace(string(out)), "\n")
		if err == nil && ok && version >= "3.08" {
			found[version] = rest // not a shim
		}
	}
	if len(found) == 0 {
		return nil
	}
	versions := slices.Sorted(maps.Keys(found))
	return map[string]string{versions[0]: found[versions[0]], versions[len(versions)-1]: found[versions[len(versions)-1]]}
})

// eachPython runs a test for every interpreter.
func eachPython(t *testing.T, test func(t *testing.T, python string)) {
	t.Helper()
	if len(pythons()) == 0 {
		t.Skip("no python3 from 3.8 on")
	}
	for version, path := range pythons() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			test(t, path)
		})
	}
}

// TestPythonLines checks which statements of a hook count as reached.
func TestPythonLines(t *testing.T) {
	t.Parallel()
	eachPython(t, func(t *testing.T, python string) {
		x := runBy(t, map[string]string{
			"lib.py":      "def used():\n    return 1\n\ndef unused():\n    return 2\n",
			"pkg/mod.py":  "VALUE = 3\n",
			"data/x.json": "{}",
			pyHook: `#!/usr/bin/env python3
"""A hook."""
import os, sys, threading # yes
import lib # yes
def worker(): # yes
    x = 1 # yes
    return x # yes
def idle(): # yes
    return 0 # no
class Guard: # yes
    limit = 3 # yes
    def check(self, n): # yes
        if n > self.limit: # yes
            return "deny" # no
        elif n == 2: # yes
            return ( # yes
                "two"
            )
        else:
            return "allow" # no
    def other(self): # yes
        pass # no
t = threading.Thread(target=worker) # yes
t.start() # yes
t.join() # yes
for i in range(2): # yes
    if i: # yes
        continue
    print(lib.used(), Guard().check(2)) # yes
try:
    int("x") # yes
    print("no") # no
except ValueError: # yes
    print("bad") # yes
finally:
    print("end") # yes
def numbers(): # yes
    yield 1 # yes
    yield 2 # no
print(next(numbers())) # yes
f = lambda: idle() # yes
sys.path.insert(0, "pkg") # yes
from mod import VALUE # yes
if os.fork() == 0: # yes
    print("child", flush=True) # yes
    os._exit(0) # yes
os.wait() # yes
sys.stdout.flush() # yes
os._exit(2) # yes
print("gone") # no
`}, pyHook, python, pyHook)
		x.metInner()
		if why := x.Blind(); why != "" {
			t.Errorf("the trace is not complete: %s", why)
		}
		var entered []string
		for _, fn := range x.script.Functions {
			if x.Files[pyHook].Functions.Has(fn.Key) {
				entered = append(entered, fn.Name)
			}
		}
		if want := []string{"worker", "Guard.check", "numbers"}; !slices.Equal(entered, want) {
			t.Errorf("entered %v, want %v", entered, want)
		}
		for file, want := range map[string]bool{pyHook: true, "lib.py": false, "pkg/mod.py": false} {
			if met := x.Files[file]; met == nil || met.Main != want || met.Whole != "" || met.Text != "" {
				t.Errorf("%s: %+v", file, met)
			}
		}
	})
}

// metInner checks the innermost statement on each line that ends in "# yes" or "# no".
func (x *traced) metInner() {
	x.t.Helper()
	for i, line := range strings.Split(x.source, "\n") {
		want := strings.HasSuffix(line, "# yes")
		if !want && !strings.HasSuffix(line, "# no") {
			continue
		}
		var on *script.Statement
		for _, s := range x.script.Statements {
			if s.Start <= i+1 && i+1 <= s.End {
				on = s // inner ones follow outer ones
			}
		}
		if got := x.Files[x.hook].Statements.Has(on.Key); got != want {
			x.t.Errorf("line %d met: %v, want %v: %s", i+1, got, want, line)
		}
	}
}

// TestPythonBlind checks what keeps a trace from being used.
func TestPythonBlind(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		code, blind, text string
		hidden            bool
	}{
		"it kills itself":           {code: "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n"},
		"os._exit":                  {code: "import os\nos._exit(3)\n"},
		"an uncaught exception":     {code: "x = {}\nx['a']  # why\n", text: "may show its lines"},
		"it reads its own text":     {code: "print(len(open(__file__).read()))\n", text: "the case reads it"},
		"a traceback as data":       {code: "import traceback\ntry:\n    int('x')\nexcept ValueError:\n    len(traceback.format_exc())\n", text: "may show its lines"},
		"a Python without the site": {code: "import subprocess, sys\nsubprocess.run([sys.executable, '-I', 'other.py'])\n", hidden: true},
		"a cleared environment":     {code: "import subprocess\nsubprocess.run(['true'], env={'PATH': '/usr/bin:/bin'})\n", blind: "without the variables"},
		"a kept environment":        {code: "import os, subprocess\nsubprocess.run(['true'], env={**os.environ, 'A': 'b'})\n"},
		"a shell":                   {code: "import os\nos.system('true')\n"},
		"a shell that sources":      {code: "import os\nos.system('. ./x.sh')\n", blind: "it runs sh"},
		"a trace function":          {code: "import sys\nsys.settrace(None)\nprint(1)\n", blind: "trac"},
		"an exec":                   {code: "import os, sys\nos.execv(sys.executable, [sys.executable, 'other.py'])\n"},
		"code that is gone":         {code: "import os, sys\nwith open('gone.py', 'w') as f:\n    f.write('x = 1')\nimport gone\nos.remove('gone.py')\n", blind: "not found again"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachPython(t, func(t *testing.T, python string) {
				x := runBy(t, map[string]string{pyHook: tt.code, "other.py": "print('other')\n", "x.sh": ":\n"}, pyHook, python, pyHook)
				met := x.Files[pyHook]
				if met == nil || !met.Main || met.Whole != "" {
					t.Fatalf("hook.py: %+v", met)
				}
				if got := x.Blind(); (tt.blind == "") != (got == "") || !strings.Contains(got, tt.blind) {
					t.Errorf("blind: %q, want %q", got, tt.blind)
				}
				if (tt.text == "") != (met.Text == "") || !strings.Contains(met.Text, tt.text) {
					t.Errorf("text: %q, want %q", met.Text, tt.text)
				}
				if hidden := slices.Contains(x.Hidden, "python"); hidden != (tt.hidden || name == "a cleared environment") {
					t.Errorf("hidden: %v", x.Hidden)
				}
				if name == "an exec" && (x.Files["other.py"] == nil || x.Files["other.py"].Statements.Len() != 1) {
					t.Errorf("other.py: %+v", x.Files["other.py"])
				}
			})
		})
	}
}

// TestPythonUntraced checks that a hook counts as a whole if its interpreter ignores the variables.
func TestPythonUntraced(t *testing.T) {
	t.Parallel()
	eachPython(t, func(t *testing.T, python string) {
		for _, command := range [][]string{
			{python, "-I", pyHook}, {python, "-E", pyHook}, {python, "-S", pyHook}, {"env", "-i", python, pyHook},
			{"bash", "-c", "unset PYTHONPATH; " + python + " " + pyHook},
		} {
			x := runBy(t, map[string]string{pyHook: "print(1)\n"}, pyHook, command...)
			if met := x.Files[pyHook]; met == nil || met.Whole == "" {
				t.Errorf("%v: %+v", command, met)
			}
		}
	})
}

// TestPythonModules checks other ways to start code: -m, a shebang and a module of the environment
// with the name of the tracer's own.
func TestPythonModules(t *testing.T) {
	t.Parallel()
	eachPython(t, func(t *testing.T, python string) {
		files := map[string]string{
			"pkg/__init__.py":      "",
			"pkg/hook.py":          "import sys\nprint(sys.argv[1:], __name__)\n",
			"lib/sitecustomize.py": "import sys\nsys.customized = True\n",
			"direct.py":            "#!" + python + "\nimport sys\nprint(sys.customized, sys.modules['sitecustomize'].__file__, [p for p in sys.path if 'trace' in p])\n",
		}
		x := runBy(t, files, "pkg/hook.py", python, "-m", "pkg.hook", "a")
		if met := x.Files["pkg/hook.py"]; met == nil || !met.Main || met.Statements.Len() != 2 {
			t.Errorf("pkg/hook.py: %+v", met)
		}
		dir := t.TempDir()
		how := trace.Start(filepath.Join(dir, "trace"), []string{"PYTHONPATH=" + filepath.Join(dir, "p", "lib")})
		for name, content := range how.Files {
			write(t, filepath.Join(dir, "trace", name), content)
		}
		got := fire(t, filepath.Join(dir, "p"), files, how.Set, []string{"./direct.py"})
		if want := "True " + filepath.Join(dir, "p", "lib", "sitecustomize.py") + " []\n"; got.Stdout != want {
			t.Errorf("printed %q, want %q (%s)", got.Stdout, want, got.Stderr)
		}
		logs := readLogs(t, filepath.Join(dir, "trace"), how.Logs)
		if log := string(logs["python/log"]); !strings.Contains(log, "M\x1f"+filepath.Join(dir, "p", "direct.py")) && !strings.Contains(log, "direct.py") || !strings.Contains(log, "lib/sitecustomize.py") {
			t.Errorf("log: %q", log)
		}
	})
}

// TestPythonByUv checks hooks that start themselves by "uv run --script". A stand-in starts Python as
// uv does: with the file as its argument. Its own line numbers and functions do not concern the hook.
func TestPythonByUv(t *testing.T) {
	t.Parallel()
	const hook = `#!/usr/bin/env -S uv run --script
# /// script
# requires-python = ">=3.8"
# dependencies = []
# ///
def used(): # yes
    return 1 # yes
def unused(): # yes
    return 2 # no
print(used()) # yes
`
	eachPython(t, func(t *testing.T, python string) {
		bin := t.TempDir()
		write(t, filepath.Join(bin, "uv"), "#!/usr/bin/env bash\nPS4='+ ${LINENO} '\n: \"$(declare -F; declare -f; set)\"\n[ \"$1 $2\" = 'run --script' ] || exit 9\nshift 2\nexec '"+python+"' \"$@\"\n")
		x := runBy(t, map[string]string{pyHook: hook}, pyHook, "env", "PATH="+bin+":"+os.Getenv("PATH"), "./"+pyHook)
		x.metInner()
		why := x.Blind()
		if l := trace.LanguageOf(pyHook, []byte(hook)); why == "" && l != nil {
			why = l.Unseen("#!/usr/bin/env -S uv run --script", x.Files[pyHook], x.Trace)
		}
		if met := x.Files[pyHook]; why != "" || !met.Main || met.Whole != "" || met.Text != "" || x.Lines || x.Shows {
			t.Errorf("%+v, not seen: %q, lines matter: %v, functions: %v", met, why, x.Lines, x.Shows)
		}
	})
}

// TestPythonHidden checks which commands of bash may run Python without a trace.
func TestPythonHidden(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"python3 x.py": "", "python3 -I x.py": "python", "python3 -uE x.py": "python", "python3 x.py -I": "", "python3 -c 'x' -S": "",
		"uv run -q python -S x.py": "python", "env -u PYTHONPATH python3 x.py": "python", "PYTHONPATH=lib python3 x.py": "python",
		"PYTHONPATH=\"lib:$PYTHONPATH\" python3 x.py": "", "unset PYTHONPATH": "python", "export PYTHONHOME=/x": "python",
		"nice x PYTHONPATH": "", "xargs -u PYTHONPATH": "", "env -v PYTHONPATH": "",
	} {
		s, err := trace.Parse("h.sh", []byte(src+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Statements[0].Facts.Hides; got != want {
			t.Errorf("%s hides %q, want %q", src, got, want)
		}
	}
}
