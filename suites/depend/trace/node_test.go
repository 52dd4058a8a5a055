package trace_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites/depend/script"
	"hookwatch/suites/depend/trace"
)

// A nodeRun is a script that the real Node ran, with and without tracing.
type nodeRun struct {
	*trace.Trace
	t     *testing.T
	dir   string
	files map[string]string
}

// address matches the places in a native stack trace.
var address = regexp.MustCompile(`0x[0-9a-f]+.*`)

// runNode writes the files and runs "node hook.js" in their directory with and without tracing. It
// fails the test if anything but the trace differs.
func runNode(t *testing.T, files map[string]string, args ...string) *nodeRun {
	t.Helper()
	program, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, own := filepath.Join(dir, "project"), filepath.Join(dir, `trace "s`)
	hook := "hook.js"
	if files[hook] == "" {
		hook = "hook.mjs"
	}
	fire := func(set map[string]string) (outcome, string) {
		if err := os.RemoveAll(root); err != nil {
			t.Fatal(err)
		}
		for name, content := range files {
			write(t, filepath.Join(root, name), content)
		}
		ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
		defer stop()
		cmd := exec.CommandContext(ctx, program, append([]string{hook}, args...)...)
		cmd.Dir = root
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + root, "NODE_OPTIONS=--no-deprecation"}
		for k, v := range set {
			cmd.Env = append(cmd.Env, k+"="+v)
		}
		var stdout, stderr bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("{}"), &stdout, &stderr
		cmd.WaitDelay = time.Second
		err := cmd.Run()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		signal := ""
		if cmd.ProcessState.ExitCode() < 0 {
			signal = cmd.ProcessState.String()
		}
		return outcome{cmd.ProcessState.ExitCode(), stdout.String(), address.ReplaceAllString(stderr.String(), "0x"), contents(t, root)}, signal
	}
	plain, _ := fire(nil)
	how := trace.Start(own, []string{"NODE_OPTIONS=--no-deprecation"})
	for name, content := range how.Files {
		write(t, filepath.Join(own, name), content)
	}
	result, signal := fire(how.Set)
	if diff := cmp.Diff(plain, result); diff != "" {
		t.Errorf("tracing changed the outcome (- plain, + traced):\n%s", diff)
	}
	logs := map[string][]byte{}
	for name, content := range contents(t, own) {
		logs[strings.TrimPrefix(name, "/")] = []byte(content)
	}
	x := &nodeRun{t: t, dir: root, files: files}
	x.Trace = trace.Decode(logs, trace.Run{
		Resolve: (&traced{dir: root}).resolve,
		Script: func(path string, by trace.Language) (*script.Script, error) {
			data, err := os.ReadFile(filepath.Join(root, path))
			if err != nil {
				return nil, err
			}
			return by.Parse(data)
		},
		Hooks:    []string{hook},
		Abnormal: signal,
		Output:   [][]byte{[]byte(result.Stdout), []byte(result.Stderr)},
	})
	return x
}

// met checks for each line that ends in "// yes" or "// no" whether the innermost statements on it
// were executed.
func (x *nodeRun) met() {
	x.t.Helper()
	if x.Incomplete != "" {
		x.t.Errorf("incomplete: %s", x.Incomplete)
	}
	for name, content := range x.files {
		var want, got []string
		s, err := trace.Parse(name, []byte(content))
		if err != nil {
			continue
		}
		for i, line := range strings.Split(content, "\n") {
			if !strings.HasSuffix(line, "// yes") && !strings.HasSuffix(line, "// no") {
				continue
			}
			want = append(want, line)
			run := "// no"
			if m := x.Files[name]; m != nil && slices.ContainsFunc(s.Statements, func(st *script.Statement) bool {
				return st.Start == i+1 && st.Binds == nil && m.Statements.Has(st.Key) && !slices.ContainsFunc(st.Blocks, func(b *script.Block) bool {
					return slices.ContainsFunc(b.Statements, func(inner *script.Statement) bool { return inner.Start == i+1 })
				})
			}) {
				run = "// yes"
			}
			got = append(got, line[:strings.LastIndex(line, "//")]+run)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			x.t.Errorf("%s (- want, + got):\n%s", name, diff)
		}
	}
}

func TestNode(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"branches": {"hook.js": `'use strict';
const é = "ü"; const lib = require('./lib');
function used(a) {
  if (a) { // yes
    return 1; // yes
  }
  return 2; // no
}
function unused() {
  return 3; // no
}
const arrow = (x) => (y) =>
  x + y; // no
console.log(é, used(1), arrow(1)); // yes
switch (process.argv.length) {
  case 1:
    unused(); // no
  case 2:
    console.log('two'); // yes
    break; // yes
  default:
    unused(); // no
}
try {
  lib.fail(); // yes
} catch (e) {
  console.log(e.message); // yes
} finally {
  console.log('end'); // yes
}
for (const i of []) {
  console.log(i); // no
}
class A {
  n = () => {
    return 1; // no
  };
  static { console.log('static'); } // yes
  m() {
    return this.n; // no
  }
}
class B extends A { m() {
  return 2; // yes
} }
console.log(new B().m()); // yes
`, "lib.js": "exports.fail = () => {\n  throw new Error('x'); // yes\n};\nexports.other = () => {\n  return 1; // no\n};\n"},
		"exit":      {"hook.js": "function f() {\n  process.exit(3); // yes\n}\nprocess.on('exit', () => {\n  console.log('bye'); // yes\n});\nif (process.argv.length > 5) {\n  console.log(1); // no\n}\nf(); // yes\n"},
		"throw":     {"hook.js": "function g() {\n  return 1; // no\n}\nthrow new Error('x'); // yes\n"},
		"rejection": {"hook.mjs": "import { f } from './lib.mjs';\nawait f(1); // yes\nPromise.reject(new Error('x')); // yes\n", "lib.mjs": "export async function f(x) {\n  await x; // yes\n  if (!x) {\n    return 2; // no\n  }\n}\nexport const g = function* () {\n  yield 1; // no\n};\n"},
		"self-kill": {"hook.js": "if (process.argv.length > 5) {\n  console.log(1); // no\n}\nprocess.kill(process.pid, 'SIGTERM'); // yes\nsetTimeout(() => {}, 10000);\n"},
		"children": {"hook.js": `const { spawnSync } = require('child_process');
const { Worker } = require('worker_threads');
new Worker(__dirname + '/worker.js'); // yes
const r = spawnSync(process.execPath, ['child.js'], { encoding: 'utf8' }); // yes
console.log(r.stdout); // yes
`, "child.js": "console.log('child'); // yes\nif (process.argv.length > 5) {\n  console.log(1); // no\n}\n", "worker.js": "const x = [].length; // yes\nif (x) {\n  console.log(2); // no\n}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := runNode(t, files)
			if name == "self-kill" { // it ended by a signal, but not before its coverage was written
				if x.Incomplete == "" {
					t.Error("a trace that ended by a signal is complete")
				}
				x.Incomplete = ""
			}
			x.met()
		})
	}
}

// TestNodeTypes checks the scripts that Node strips types from.
func TestNodeTypes(t *testing.T) {
	t.Parallel()
	if err := exec.CommandContext(t.Context(), "node", "-e", "process.exit(process.features.typescript ? 0 : 1)").Run(); err != nil {
		t.Skip("no node that runs TypeScript is installed")
	}
	runNode(t, map[string]string{"hook.js": "require('./a.ts').used('x'); // yes\n", "a.ts": `interface A { b: number }
export function used(a: A | string, d?: number): string {
  if (typeof a === 'string') {
    return a as string; // yes
  }
  return String(a.b! + (d ?? 1)); // no
}
const unused = <T,>(x: T): T => {
  return x; // no
};
`, "enum.ts": "enum A { B }\n"}).met()
}

// TestNodeLost checks that a run with incomplete coverage is marked as such.
func TestNodeLost(t *testing.T) {
	t.Parallel()
	const child = "console.log('child');\n"
	for name, tt := range map[string]struct{ src, want string }{
		"abort":       {"process.abort();\n", "signal"},
		"killed":      {"process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000);\n", "signal"},
		"child":       {"const r = require('child_process').spawnSync(process.execPath, ['-e', 'process.abort()']); console.log(r.signal);\n", "without its coverage"},
		"environment": {"const env = {}; require('child_process').spawnSync(process.execPath, ['child.js'], { env });\n", "a node started in another environment"},
		"shell":       {"require('child_process').execSync(`env -i '${process.execPath}' child.js`);\n", "it starts env"},
		"option":      {"delete process.env.NODE_OPTIONS; delete process.env.NODE_V8_COVERAGE; require('child_process').spawnSync(process.execPath, ['child.js']);\n", "turn tracing off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := runNode(t, map[string]string{"hook.js": tt.src, "child.js": child})
			if got := x.Blind(); !strings.Contains(got, tt.want) {
				t.Errorf("the trace is blind because %q, want %q", got, tt.want)
			}
		})
	}
}

// TestNodeText checks which cases use the text of functions, in which comments count.
func TestNodeText(t *testing.T) {
	t.Parallel()
	const functions = "const c = { f() { /* a comment */ } };\nconst { f } = c;\nclass A { /* a comment */ }\n"
	for name, tt := range map[string]struct {
		src  string
		want bool
	}{
		"sum":                 {"console.log(c.f + '');", true},
		"template":            {"console.log(`${c.f}`);", true},
		"String":              {"console.log(String(c.f));", true},
		"method":              {"console.log(c.f.toString());", true},
		"of another":          {"console.log(Function.prototype.toString.call(f));", true},
		"class":               {"console.log(A + '');", true},
		"format":              {"console.log('%s', f);", true},
		"key":                 {"console.log({ [f]: 1 });", true},
		"list":                {"console.log([f].join());", true},
		"comparison":          {"console.log(f < 'g');", true},
		"bound":               {"console.log(String(f.bind(c)));", false},
		"second":              {"console.log(String(Math.max), String(c.f));", true},
		"in a module":         {"require('./lib').show(f);", true},
		"child":               {"require('child_process').spawnSync(process.execPath, ['child.js'], { stdio: 'inherit' });", true},
		"after replacing it":  {"const { toString } = Function.prototype; Function.prototype.toString = function () { return toString.call(this); }; console.log(c.f + '');", true},
		"call":                {"c.f(); new A();", false},
		"builtin":             {"console.log(String(Math.max), Function.prototype.toString + '', `${Date}`);", false},
		"printed as a value":  {"console.log(require('util').inspect([f, A, c]), c, JSON.stringify({ f }));", false},
		"the method itself":   {"const t = Function.prototype.toString; console.log(t.name, t.length, 'prototype' in t, Object.getOwnPropertyDescriptor(Function.prototype, 'toString'), Object.keys(t)); try { new t(); } catch (e) { console.log(e.message); }", false},
		"of what is none":     {"try { Function.prototype.toString.call(1); } catch (e) { console.log(e.message); }", false},
		"of an empty pattern": {"console.log(String([]), `${{}}`);", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := runNode(t, map[string]string{"hook.js": functions + tt.src + "\n", "lib.js": "exports.show = (g) => console.log(g + '');\n", "child.js": "console.log(`${() => 1}`);\n"})
			if x.Incomplete != "" {
				t.Errorf("incomplete: %s", x.Incomplete)
			}
			if got := x.Files["hook.js"].Text != ""; got != tt.want {
				t.Errorf("uses the text of a function: %v, want %v", got, tt.want)
			}
		})
	}
}

// TestNodeWhole checks which files count as a whole.
func TestNodeWhole(t *testing.T) {
	t.Parallel()
	x := runNode(t, map[string]string{
		"hook.js": "require('pkg'); require('@o/p'); require('./bad'); eval('1');\n",
		"bad.js":  "with (Math) console.log(abs(-1)); module._compile('module.exports = 1', __dirname + '/other.js');\n", "other.js": "module.exports = require('x');\n", "node_modules/pkg/index.js": "console.log('pkg');\n", "node_modules/pkg/package.json": "{}",
		"node_modules/@o/p/index.js": "console.log('p');\n", "node_modules/@o/p/package.json": "{}",
	})
	whole := map[string]string{}
	for f, m := range x.Files {
		whole[f] = m.Whole
	}
	want := []string{"bad.js", "hook.js", "node_modules/@o/p/package.json", "node_modules/pkg/package.json", "other.js"}
	if got := slices.Sorted(maps.Keys(whole)); !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	for f, why := range whole {
		if (why == "") != (f == "hook.js") {
			t.Errorf("%s counts as a whole because %q", f, why)
		}
	}
	if !x.Dynamic {
		t.Error("eval is not dynamic")
	}
}

func FuzzNodeDecode(f *testing.F) {
	f.Add([]byte(`{"pid":1,"thread":0,"file":"/p/hook.js","dir":"/p"}`+"\n"), []byte(`{"result":[{"url":"file:///p/hook.js","functions":[{"functionName":"","ranges":[{"startOffset":0,"endOffset":9,"count":1}]}]}]}`))
	f.Add([]byte("{"), []byte("[]"))
	parsed, err := trace.Parse("hook.js", []byte("const é = 1;\nif (é) f();\n"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, log, coverage []byte) {
		got := trace.Decode(map[string][]byte{"bash/log": nil, "node/log": log, "node/coverage/coverage-1-2-0.json": coverage}, trace.Run{
			Resolve: func(name, _ string) string { return strings.TrimPrefix(name, "/p/") },
			Script:  func(string, trace.Language) (*script.Script, error) { return parsed, nil },
			Hooks:   []string{"hook.js"},
		})
		if met := got.Files["hook.js"]; met == nil || !met.Main && met.Whole == "" {
			t.Errorf("a hook that did not start is not whole: %+v", met)
		}
	})
}

func FuzzParseNode(f *testing.F) {
	f.Add("const a = () => 1;\nfunction b(c) { if (c) return a(); }\nmodule.exports = { b };\n")
	f.Fuzz(func(t *testing.T, src string) {
		s, err := trace.Parse("h.js", []byte(src))
		if err != nil {
			return
		}
		again, err := trace.Parse("h.js", []byte(src))
		if err != nil || again.Structure != s.Structure || len(again.Statements) != len(s.Statements) {
			t.Fatalf("the second reading differs: %v", err)
		}
		for i, st := range s.Statements {
			if st.Key != again.Statements[i].Key || st.Start > st.End || !cmp.Equal(st.Binds, again.Statements[i].Binds) {
				t.Errorf("statement %d differs or ends before it begins", i)
			}
		}
	})
}
