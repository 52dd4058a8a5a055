package run_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
	"hookwatch/suites/process/testdata/processtest"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
	"hookwatch/suites/verdict"
)

// inMode returns a runner of the mode, whose PATH starts with bin.
func (p *project) inMode(mode string, bin string) *run.Runner {
	p.t.Helper()
	o := run.Options{
		Root: p.root, Temp: p.temp, Timeout: time.Minute,
		Env: []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + p.t.TempDir()},
	}
	var err error
	if o.Isolation, err = sandbox.Choose(mode, sandbox.Options{Root: p.root, Home: p.t.TempDir(), Shown: []string{bin}, Size: 8 << 20, Processes: 100}, p.temp); err != nil {
		p.t.Fatal(err)
	}
	r := run.New(o)
	p.t.Cleanup(r.Close)
	return r
}

// TestCalls checks that a hook's calls of a tool are forwarded unchanged and recorded with their
// results, in PATH and in the project, and that nothing of the shims remains.
func TestCalls(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"namespaces", "copy"} {
		p := newProject(t)
		bin := t.TempDir()
		if err := processtest.WriteProgram(filepath.Join(bin, "lint"), []byte("#!/bin/sh\ncat\necho \"told of $#: $2\"\necho oh >&2\nexit 3\n")); err != nil {
			t.Fatal(err)
		}
		if err := processtest.WriteProgram(filepath.Join(bin, "gojq"), []byte("#!/bin/sh\n[ \"$1\" != --version ] || exec echo gojq 0.9\ncat; echo \"$*\"\n")); err != nil {
			t.Fatal(err)
		}
		p.write("node_modules/pkg/own", "#!/bin/sh\necho \"own $1, $(basename \"$0\")\"\n", 0o755)
		if err := os.MkdirAll(filepath.Join(p.root, "node_modules/.bin"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("../pkg/own", filepath.Join(p.root, "node_modules/.bin/own")); err != nil {
			t.Fatal(err)
		}
		p.write("hook.sh", "#!/bin/bash\nprintf 'in\\n' | lint -x \"it's a \\\"b\\\"\nc\"; e=$?\n./node_modules/.bin/own json\nfake\nexit $e\n", 0o755)
		c := &suites.Case{Suite: "s", ID: "A", Hook: "hook.sh", Env: map[string]string{"PATH": "{tmp}/bin:{path}"}, Steps: []suites.Step{{
			Event: "PostToolUse", Tool: "Write", FilePath: "{tmp}/a",
			Fixtures: []suites.Fixture{{Path: "{tmp}/bin/fake", Content: "#!/bin/sh\necho \"$TMPDIR\"\n", Mode: 0o755}},
		}}}
		gates := []suites.Gate{{Tool: "lint"}, {Tool: "own", Places: []string{"node_modules/.bin/own", "own", "npx own"}}, {Tool: "fake"}, {Tool: "nowhere"}, {Tool: "gojq"}}
		r := p.inMode(mode, bin)
		got, err := r.Calls(t.Context(), c, gates)
		if err != nil {
			t.Fatal(err)
		}
		want := []suites.ToolCall{
			{Tool: "gojq", Version: "0.9", Args: []string{"-c", ".a"}, Stdout: []byte("{\"a\":[1,\"b\"]}-c .a\n")},
			{Tool: "lint", Args: []string{"-x", "it's a \"b\"\nc"}, Exit: 3, Stdout: []byte("in\ntold of 2: it's a \"b\"\nc\n"), Stderr: []byte("oh\n")},
			{Tool: "own", Args: []string{"json"}, Stdout: []byte("own json, own.watched\n"), Stderr: []byte{}},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", mode, diff)
		}
		if to, err := os.Readlink(filepath.Join(p.root, "node_modules/.bin/own")); to != "../pkg/own" {
			t.Errorf("%s: the project's tool is now %s, %v", mode, to, err)
		}
		if left, err := os.ReadDir(p.temp); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v, %v", mode, left, err)
		}
	}
}

// TestCallsOfLinked checks that a tool that only a link leads to is not moved, because it is not
// the case's, and that the calls of other tools are still recorded.
func TestCallsOfLinked(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"namespaces", "copy"} {
		p := newProject(t)
		shared, bin := t.TempDir(), t.TempDir()
		write(t, filepath.Join(shared, ".bin/own"), "#!/bin/sh\necho own\n")
		write(t, filepath.Join(bin, "lint"), "#!/bin/sh\necho lint\n")
		for _, tool := range []string{filepath.Join(shared, ".bin/own"), filepath.Join(bin, "lint")} {
			if err := os.Chmod(tool, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink(shared, filepath.Join(p.root, "node_modules")); err != nil {
			t.Fatal(err)
		}
		p.write("hook.sh", "#!/bin/bash\n./node_modules/.bin/own json\nlint a\n", 0o755)
		c := &suites.Case{Suite: "s", ID: "A", Hook: "hook.sh", Steps: []suites.Step{{Event: "Stop"}}}
		got, err := p.inMode(mode, bin).Calls(t.Context(), c, []suites.Gate{{Tool: "own", Places: []string{"node_modules/.bin/own"}}, {Tool: "lint"}})
		want := []suites.ToolCall{{Tool: "lint", Args: []string{"a"}, Stdout: []byte("lint\n"), Stderr: []byte{}}}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v, -want +got\n%s", mode, err, diff)
		}
		entries, err := os.ReadDir(filepath.Join(shared, ".bin"))
		if err != nil || len(entries) != 1 || !entries[0].Type().IsRegular() {
			t.Errorf("%s: the other checkout holds %v, %v", mode, entries, err)
		}
	}
}

// TestCallsOfUnmoved checks that a tool of the project that cannot be moved, here because its name
// is too long, is not recorded, but the others are.
func TestCallsOfUnmoved(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	long := strings.Repeat("l", 250)
	for _, name := range []string{long, "own"} {
		p.write("bin/"+name, "#!/bin/sh\necho own\n", 0o755)
	}
	p.write("hook.sh", "#!/bin/bash\nbin/"+long+" a; bin/own b\n", 0o755)
	c := &suites.Case{Suite: "s", ID: "A", Hook: "hook.sh", Steps: []suites.Step{{Event: "Stop"}}}
	got, err := p.inMode("copy", t.TempDir()).Calls(t.Context(), c, []suites.Gate{{Tool: long, Places: []string{"bin/" + long}}, {Tool: "own", Places: []string{"bin/own"}}})
	want := []suites.ToolCall{{Tool: "own", Args: []string{"b"}, Stdout: []byte("own\n"), Stderr: []byte{}}}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("calls (-want +got), %v:\n%s", err, d)
	}
}

// TestCallsAsSearched checks that shims do not change which programs a hook finds: the case's own
// program comes before a recorded one of its name, a hidden tool stays hidden, and a path of the
// case's own does not change.
func TestCallsAsSearched(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"namespaces", "copy"} {
		for _, tt := range []struct {
			path   string // of the case
			absent []string
			said   string   // by the hook
			calls  []string // of lint and other, recorded
		}{
			{"{path}", nil, "lint\nother\n", []string{"lint", "other"}},
			{"{tmp}/bin:{path}", nil, "fake\nother\n", []string{"other"}},
			{"{tmp}/bin:{path}", []string{"jq"}, "fake\nother\n", []string{"other"}},
			{"{path}", []string{"lint"}, "other\n", []string{"other"}},
			{"{tmp}/bin:/usr/bin:/bin", nil, "fake\n", nil},
			{"/usr/bin:{path}", nil, "lint\nother\n", []string{"lint", "other"}},
		} {
			p, bin := newProject(t), t.TempDir()
			for _, name := range []string{"lint", "other", "jq"} {
				write(t, filepath.Join(bin, name), "#!/bin/sh\necho "+name+"\n")
				if err := os.Chmod(filepath.Join(bin, name), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			p.write("hook.sh", "#!/bin/bash\nlint; other\nexit 0\n", 0o755)
			c := &suites.Case{Suite: "s", ID: "A", Hook: "hook.sh", CaseEnv: suites.CaseEnv{AbsentTools: tt.absent}.OrNil(), Env: map[string]string{"PATH": tt.path}, Steps: []suites.Step{{
				Event: "Stop", Fixtures: []suites.Fixture{{Path: "{tmp}/bin/lint", Content: "#!/bin/sh\necho fake\n", Mode: 0o755}},
			}}}
			r := p.inMode(mode, bin)
			o, err := r.Case(t.Context(), c)
			if err != nil || string(o.Last().Stdout) != tt.said {
				t.Errorf("%s, %s without %v: the hook said %q, %v", mode, tt.path, tt.absent, o.Last().Stdout, err)
			}
			_ = r.Remove(o)
			calls, err := r.Calls(t.Context(), c, []suites.Gate{{Tool: "lint"}, {Tool: "other"}})
			var got []string
			for _, call := range calls {
				got = append(got, strings.TrimSpace(string(call.Stdout)))
			}
			if !slices.Equal(got, tt.calls) || err != nil {
				t.Errorf("%s, %s without %v: watched %v, %v, want %v", mode, tt.path, tt.absent, got, err, tt.calls)
			}
		}
	}
}

// TestNoCallsInPlace checks that a case does not run twice in place.
func TestNoCallsInPlace(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("hook.sh", "#!/bin/bash\ntouch ran\nsh -c :\n", 0o755)
	c := &suites.Case{Suite: "s", ID: "A", Hook: "hook.sh", Steps: []suites.Step{{Event: "Stop"}}}
	got, err := p.runner().Calls(t.Context(), c, []suites.Gate{{Tool: "sh"}})
	if _, ran := os.Lstat(filepath.Join(p.root, "ran")); ran == nil || len(got) > 0 || err != nil {
		t.Errorf("%v, %v, ran: %v", got, err, ran == nil)
	}
}

func judged(t *testing.T, r *run.Runner, c *suites.Case) suites.Verdict {
	t.Helper()
	o, err := r.Case(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Remove(o) }()
	return verdictOf(c, o)
}

func verdictOf(c *suites.Case, o suites.Outcome) suites.Verdict {
	return verdict.Judge(c, o, 20*time.Second)
}
