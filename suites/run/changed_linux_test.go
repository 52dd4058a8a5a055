package run_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/bench"
	"hookwatch/suites/discover"
	"hookwatch/suites/process"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
)

// TestChangedFiring changes one thing at a time that a hook uses, and checks that no outcome is taken that is another
// one then.
func TestChangedFiring(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	choice, err := sandbox.Choose(sandbox.Auto, sandbox.Options{Root: p.root, Home: t.TempDir(), Size: 64 << 20, Processes: 100}, p.temp)
	if err != nil {
		t.Skip("no namespaces: ", err)
	}
	in := func(name string) string { return filepath.Join(p.root, name) }
	p.write("hook.sh", `#!/bin/bash
. ./lib.sh
echo dir/*
[ -e absent ] && echo there
[ -x data ] && echo executable
tool
echo "$WORD"
readlink link
cat - .git/HEAD
`, 0o755)
	p.write("lib.sh", "echo one", 0o644)
	p.write("dir/a", "", 0o644)
	p.write("data", "", 0o644)
	p.write("bin/tool", "#!/bin/bash\necho one", 0o755)
	p.write(".git/HEAD", "ref: refs/heads/one\n", 0o644)
	if err := errors.Join(os.Symlink("one", in("link")), os.Mkdir(in("first"), 0o755)); err != nil {
		t.Fatal(err)
	}
	env := process.With(run.Environment(os.Environ(), nil), map[string]string{"WORD": "one", "PATH": in("first") + ":" + in("bin") + ":" + os.Getenv("PATH")})
	hook := discover.Hook{ID: "h", Event: "Stop", Type: "command", Command: "./hook.sh", Scripts: []string{"hook.sh"}, Timeout: time.Minute}
	input := `{"input":"one"}`
	state := t.TempDir()
	// fire fires in a run of its own, and reports whether the firing was made.
	fire := func() (out string, made bool) {
		t.Helper()
		known, err := bench.OpenKnown(bench.KnownOptions{Base: state, Dir: state, Root: p.root})
		if err != nil {
			t.Fatal(err)
		}
		hooks := func(string, string) []discover.Hook { return []discover.Hook{hook} }
		r := run.New(run.Options{Root: p.root, Temp: p.temp, Timeout: time.Minute, Isolation: choice, Env: env, Known: known,
			Hooks: hooks, InForce: func() []discover.Hook { return hooks("", "") }})
		defer r.Close()
		o, err := r.Make(t.Context(), suites.Request{Case: &suites.Case{Layer: suites.Direct, Chain: true, Steps: []suites.Step{{Event: "Stop", PayloadRaw: []byte(input)}}}})
		made = known.Counts().Made > 0
		if err = errors.Join(err, known.Close()); err != nil {
			t.Fatal(err)
		}
		return string(o.Last().Stdout), made
	}
	const most = 100 // firings until one is not audited, and later than the last change by a tick of the clock
	for _, tt := range []struct {
		name   string
		change func() error
	}{
		{"nothing", func() error { return nil }},
		{"hook", func() error {
			p.write("hook.sh", "#!/bin/bash\necho two\n. ./lib.sh; echo dir/*; [ -e absent ] && echo there; [ -x data ] && echo executable\ntool; echo $WORD; readlink link; cat - .git/HEAD\n", 0o755)
			return nil
		}},
		{"sourced file", func() error { p.write("lib.sh", "echo two", 0o644); return nil }},
		{"listing", func() error { p.write("dir/b", "", 0o644); return nil }},
		{"absent file", func() error { p.write("absent", "", 0o644); return nil }},
		{"file mode", func() error { return os.Chmod(in("data"), 0o755) }},
		{"program", func() error { p.write("bin/tool", "#!/bin/bash\necho two", 0o755); return nil }},
		{"program before it on PATH", func() error { p.write("first/tool", "#!/bin/bash\necho first", 0o755); return nil }},
		{"environment", func() error { env = process.With(env, map[string]string{"WORD": "two"}); return nil }},
		{"payload", func() error { input = `{"input":"two"}`; return nil }},
		{"registration", func() error { hook.Command = "./hook.sh; echo two"; return nil }},
		{"branch", func() error { p.write(".git/HEAD", "ref: refs/heads/two\n", 0o644); return nil }},
		{"target of a link", func() error { return errors.Join(os.Remove(in("link")), os.Symlink("two", in("link"))) }},
	} {
		before, made := fire()
		for i := 0; made; i++ {
			if before, made = fire(); i == most {
				t.Fatalf("%s: what the hook printed is never kept: %s", tt.name, before)
			}
		}
		if err := tt.change(); err != nil {
			t.Fatal(err)
		}
		after, made := fire()
		if changed := after != before; changed != (tt.name != "nothing") || changed && !made {
			t.Errorf("%s: after the change, made %t, it printed\n%s\nbefore\n%s", tt.name, made, after, before)
		}
		if tt.name != "nothing" && !made {
			t.Errorf("%s: the outcome of before the change was taken", tt.name)
		}
	}
}
