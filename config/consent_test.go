package config

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"hookwatch/suites/process/testdata/processtest"
)

// firstCommit identifies the repository of every clone here.
func firstCommit(string) string { return "c0ffee" }

// agree does the work of hookwatch trust.
func agree(t *testing.T, c *Config) {
	t.Helper()
	if err := AgreementsIn(c.State).Agree(c.Dir, c.Identity(firstCommit), c.Values(), time.Now()); err != nil {
		t.Fatal(err)
	}
}

// clone creates a project next to other directories: one that OUT stands for, and the
// user's state folder.
func clone(t *testing.T, file string) (root string, load func(flags []string, env map[string]string) *Config, write func(file string)) {
	t.Helper()
	top := project(t, map[string]string{"clone/mine/x": "", "clone/real/x": "", "out/s.json": "{}", "victim/keep": ""})
	if err := os.Remove(filepath.Join(top, "victim", "keep")); err != nil {
		t.Fatal(err)
	}
	root = filepath.Join(top, "clone")
	for link, target := range map[string]string{"link": "../out", "inside": "real"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	write = func(file string) {
		t.Helper()
		text := strings.ReplaceAll(file, "OUT", filepath.ToSlash(filepath.Join(top, "out")))
		if err := os.WriteFile(filepath.Join(root, FileName), []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(file)
	load = func(args []string, env map[string]string) *Config {
		t.Helper()
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		AddFlags(flags)
		if err := flags.Parse(args); err != nil {
			t.Fatal(err)
		}
		lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
		c, err := Load(LoadOptions{Dir: root, Flags: flags, Env: lookup, State: filepath.Join(top, "state"), FirstCommit: firstCommit})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	return root, load, write
}

func TestMain(m *testing.M) { processtest.RunWithHome(m) }

// TestConsent checks that every weakening value of a file is ignored until it is agreed
// to.
func TestConsent(t *testing.T) {
	t.Parallel()
	for name, w := range weakening {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, load, write := clone(t, w.file)
			check := func(when string, c *Config, want any, pending int) {
				t.Helper()
				if got := w.get(c); !reflect.DeepEqual(got, want) {
					t.Errorf("%s: %v, want %v", when, got, want)
				}
				if n := len(c.Pending()); n != pending || (c.Notice() != "") != (pending > 0) {
					t.Errorf("%s: %d asked, want %d; notice: %q", when, n, pending, c.Notice())
				}
			}
			c := load(nil, nil)
			check("untrusted", c, w.safe, 1)
			a := c.Asks[0]
			if a.File != FileName || !strings.HasPrefix(a.At, FileName+":1:") || a.Why == "" || a.Instead == "" || !strings.HasPrefix(c.Notice(), FileName+" asks for "+a.Key+": ") {
				t.Errorf("asked without place or reason: %+v; notice: %q", a, c.Notice())
			}
			agree(t, c)
			check("trusted", load(nil, nil), w.asked, 0)
			write(w.changed)
			c = load(nil, nil)
			check("changed after trust", c, w.safe, 1)
			write("")
			if c = load(nil, nil); len(c.Asks) > 0 {
				t.Errorf("withdrawn, and still asked for: %v", c.Asks)
			}
			write(w.changed)
			if w.flag != "" {
				check("flag", load([]string{"--" + w.flag + "=" + w.set}, nil), w.chosen, 0)
			}
			if w.env != "" {
				check("variable", load(nil, map[string]string{"HOOKWATCH_" + w.env: w.set}), w.chosen, 0)
			}
		})
	}
}

// TestNoConsentNeeded checks that values which restrict, or stay in the project, need no
// consent.
func TestNoConsentNeeded(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		"run: {isolation: namespaces, jobs: 1, timeout: 30s, backstop: 15m}", "run: {isolation: auto, timeout: 1s, backstop: 1s}",
		"sandbox: {home: empty, mask: [.secret], size: 1MB, processes: 5, memory: 1MiB, keep: 20, keep_size: 500MB}", "sandbox: {keep: 0, processes: 0}",
		"live: {timeout: 2m}", "results: {dir: out, keep_runs: 1, keep_days: 1, rolling_size: 1MB}", "results: {dir: a/../b/./c}",
		"project: mine", "hooks: [mine, a/../mine]", "specs: ['docs/**/*.md']", "suites: [real/../x.yaml]", "settings: [inside/s.json]",
		"hooks: [.]\nresults: {dir: out}",
	} {
		_, load, _ := clone(t, file)
		if c := load(nil, nil); len(c.Asks) > 0 {
			t.Errorf("%s: asks for %v", file, summary(c.Asks))
		}
	}
}

// TestEveryKeyIsDecided checks that each key has either a rule of consent, or a reason why
// a clone may set it to any value.
func TestEveryKeyIsDecided(t *testing.T) {
	t.Parallel()
	for _, k := range keys {
		if (k.consent == nil) == (k.harmless == "") {
			t.Errorf("%s: give it either a rule of consent or the reason why any value is harmless", k.path)
		}
	}
}

// TestBounds checks for all keys with a number, a duration or a size that values up to the
// default need no consent, and larger ones do. Only harmless ones are exempt.
func TestBounds(t *testing.T) {
	t.Parallel()
	const processors = 4
	f := facts{processors: processors}
	asked := func(k key, value any) bool {
		why, instead := k.consent(value, f)
		if why != "" && instead == "" {
			t.Errorf("%s: %v: it is not said what holds instead", k.path, value)
		}
		return why != ""
	}
	unbounded := []string{"results.keep_runs", "results.keep_days"} // for which 0 means no limit
	walked := 0
	for _, k := range keys {
		var above, below, zero, highest any
		switch def := k.def.(type) {
		case int:
			if k.path == "run.jobs" {
				def = processors
			}
			above, below, zero, highest = def+1, max(def-1, 1), 0, math.MaxInt
		case time.Duration:
			above, below, zero, highest = def+1, def-1, time.Duration(0), time.Duration(math.MaxInt64)
		case ByteSize:
			above, below, zero, highest = def+1, def-1, ByteSize(0), ByteSize(math.MaxInt64)
		default:
			continue
		}
		if walked++; k.consent == nil {
			if k.harmless == "" {
				t.Errorf("%s: a clone may raise it without consent", k.path)
			}
			continue
		}
		if !asked(k, above) || !asked(k, highest) || asked(k, below) || asked(k, k.def) || asked(k, zero) != slices.Contains(unbounded, k.path) {
			t.Errorf("%s: %v asks %v, %v asks %v, %v asks %v, the default asks %v, %v asks %v", k.path,
				above, asked(k, above), highest, asked(k, highest), below, asked(k, below), asked(k, k.def), zero, asked(k, zero))
		}
	}
	if walked < 14 {
		t.Errorf("only %d bounds found", walked)
	}
}

// TestPartlyAgreed checks that earlier agreements stay valid if more is asked for.
func TestPartlyAgreed(t *testing.T) {
	t.Parallel()
	_, load, write := clone(t, "run: {pass_env: [A], isolation: copy}")
	agree(t, load(nil, nil))
	write("run: {pass_env: [B, A, C], isolation: copy}\nsandbox: {unmask: [.ssh]}")
	c := load(nil, nil)
	if diff := cmp.Diff([]string{"A"}, c.Run.PassEnv); diff != "" || c.Run.Isolation != "copy" {
		t.Errorf("isolation %s, pass_env -want +got\n%s", c.Run.Isolation, diff)
	}
	want := FileName + " asks for run.pass_env: [B, C], sandbox.unmask: [.ssh]; the safe defaults are used (hookwatch trust shows and agrees to exactly these)"
	if c.Notice() != want {
		t.Errorf("notice: %s", c.Notice())
	}
	agree(t, c)
	write("run: {pass_env: [B]}")
	agree(t, load(nil, nil)) // to exactly this, and nothing else
	write("run: {pass_env: [A, B]}")
	if c = load(nil, nil); !slices.Equal(c.Run.PassEnv, []string{"B"}) {
		t.Errorf("what was withdrawn is in force again: %v", c.Run.PassEnv)
	}
}

// TestAnotherRepository checks that consent is for a repository at a path: another one at
// the same path needs consent for the same values again.
func TestAnotherRepository(t *testing.T) {
	t.Parallel()
	const file = "run: {isolation: none}"
	is := func(commit string) func(string) string { return func(string) string { return commit } }
	for name, tt := range map[string]struct {
		agreed, loaded func(string) string
		change         string // of the file in between
		holds          bool
		lapsed         string
	}{
		"the same repository":                   {agreed: is("aaa"), loaded: is("aaa"), holds: true},
		"the same repository, with another key": {agreed: is("aaa"), loaded: is("aaa"), change: file + "\nverify: off", holds: true},
		"another repository":                    {agreed: is("aaa"), loaded: is("bbb"), lapsed: "for the repository with the first commit aaa at this path, and this is the repository with the first commit bbb"},
		"a repository that is gone":             {agreed: is("aaa"), loaded: is(""), lapsed: "this is a directory with the configuration "},
		"a repository where was none":           {agreed: nil, loaded: is("aaa"), lapsed: "for a directory with the configuration "},
		"no repository":                         {holds: true},
		"no repository, another file":           {change: file + "\nverify: off", lapsed: "for a directory with the configuration "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, _, write := clone(t, file)
			state := filepath.Join(filepath.Dir(root), "state")
			load := func(first func(string) string) *Config {
				c, err := Load(LoadOptions{Dir: root, Env: noEnv, State: state, FirstCommit: first})
				if err != nil {
					t.Fatal(err)
				}
				return c
			}
			c := load(tt.agreed)
			if err := AgreementsIn(state).Agree(c.Dir, c.Identity(tt.agreed), c.Values(), time.Now()); err != nil {
				t.Fatal(err)
			}
			if tt.change != "" {
				write(tt.change)
			}
			c = load(tt.loaded)
			if (c.Run.Isolation == "none") != tt.holds || (c.Lapsed == "") != tt.holds || !strings.Contains(c.Lapsed, tt.lapsed) || !strings.Contains(c.Notice(), tt.lapsed) {
				t.Errorf("isolation %s; lapsed: %q; notice: %s", c.Run.Isolation, c.Lapsed, c.Notice())
			}
		})
	}
}

// TestLinkTurned checks that an agreement to a link includes its target.
func TestLinkTurned(t *testing.T) {
	t.Parallel()
	root, load, _ := clone(t, "settings: [link/s.json]")
	agree(t, load(nil, nil))
	out := filepath.Join(filepath.Dir(root), "out")
	if c := load(nil, nil); len(c.Settings) != 1 || !slices.Equal(c.Agreed, []string{filepath.Join(out, "s.json")}) {
		t.Fatalf("settings %v, agreed %v", c.Settings, c.Agreed)
	}
	if err := os.Remove(filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "..", "victim"), filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	if c := load(nil, nil); len(c.Settings) != 0 || len(c.Agreed) != 0 || len(c.Pending()) != 1 {
		t.Errorf("the link leads elsewhere, and counts: %v, %v", c.Settings, c.Agreed)
	}
}

// TestDefaultsByLink links the whole .claude of a project without a file elsewhere.
func TestDefaultsByLink(t *testing.T) {
	t.Parallel()
	root, load, _ := clone(t, "")
	if err := os.Symlink("../out", filepath.Join(root, ".claude")); err != nil {
		t.Fatal(err)
	}
	for _, hasFile := range []bool{true, false} {
		if !hasFile {
			if err := os.Remove(filepath.Join(root, FileName)); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(filepath.Join(root, ".git"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		c := load(nil, nil)
		if len(c.Hooks)+len(c.Settings) != 0 || !slices.Equal(c.Suites, []string{Builtin}) || !strings.HasPrefix(c.Notice(), "the project asks for hooks: [.claude/hooks], settings: ") {
			t.Errorf("file %v: hooks %v, settings %v, suites %v; notice: %s", hasFile, c.Hooks, c.Settings, c.Suites, c.Notice())
		}
		if !strings.HasPrefix(c.ResultsDir, c.State) {
			t.Errorf("records in %s", c.ResultsDir)
		}
		agree(t, c)
		if c = load(nil, nil); len(c.Pending()) > 0 || len(c.Settings) != 2 || len(c.Agreed) != 4 {
			t.Errorf("agreed, and %s; settings %v, agreed %v", c.Notice(), c.Settings, c.Agreed)
		}
		if hasFile && c.ResultsDir != filepath.Join(root, "..", "out", "tests", "hooks", "results") {
			t.Errorf("agreed, and records in %s", c.ResultsDir)
		}
		if err := os.RemoveAll(filepath.Join(c.State, "hookwatch", "trust")); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStateOfTheProject checks that agreements which a clone can bring are ignored.
func TestStateOfTheProject(t *testing.T) {
	t.Parallel()
	root, load, _ := clone(t, "run: {isolation: none}")
	mine := load(nil, nil)
	for name, state := range map[string]string{"inside": filepath.Join(root, "home", ".local", "state"), "by a link": filepath.Join(root, "..", "state2")} {
		if name == "by a link" {
			if err := os.Symlink(filepath.Join(root, "st"), state); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.MkdirAll(filepath.Join(root, "st"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := AgreementsIn(state).Agree(mine.Dir, mine.Identity(firstCommit), mine.Values(), time.Now()); err != nil {
			t.Fatal(err)
		}
		c, err := Load(LoadOptions{Dir: root, Env: noEnv, State: state, FirstCommit: firstCommit})
		if err != nil {
			t.Fatal(err)
		}
		if c.Run.Isolation != "auto" || c.Distrust == "" || !strings.Contains(c.Notice(), "XDG_STATE_HOME") {
			t.Errorf("%s: isolation %s; notice: %s", name, c.Run.Isolation, c.Notice())
		}
	}
}

// TestEnvironmentFiles checks that a clone cannot set hookwatch's variables.
func TestEnvironmentFiles(t *testing.T) {
	t.Parallel()
	dir := project(t, map[string]string{
		".env": "HOOKWATCH_ISOLATION=none\n", ".envrc": "export HOOKWATCH_ISOLATION=none\n", FileName: "",
		".claude/settings.json": `{"env": {"HOOKWATCH_ISOLATION": "none"}}`,
	})
	if c, err := Load(LoadOptions{Dir: dir, State: t.TempDir()}); err != nil || c.Run.Isolation != "auto" {
		t.Errorf("%v, %v", c, err)
	}
}

// TestOwnConfigurations checks that hookwatch's own configurations need no consent.
func TestOwnConfigurations(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"..", filepath.Join("..", "suites", "reference", "project")} {
		c, err := Load(LoadOptions{Dir: dir, Env: noEnv, State: t.TempDir()})
		if err != nil || c.Path == "" || len(c.Asks) > 0 {
			t.Errorf("%s: %v, %v", dir, c, err)
		}
	}
	_, load, _ := clone(t, string(example))
	if c := load(nil, nil); len(c.Asks) > 0 {
		t.Errorf("the example asks for %s", summary(c.Asks))
	}
}

// TestProjectInWorkTree checks that the whole git work tree of a file belongs to its
// author, unless that is the user's HOME.
func TestProjectInWorkTree(t *testing.T) {
	root, load, _ := clone(t, "project: ../out")
	top := filepath.Dir(root)
	if err := os.Mkdir(filepath.Join(top, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if c := load(nil, nil); len(c.Asks) > 0 || c.Root != filepath.Join(top, "out") {
		t.Errorf("in the work tree: root %s; notice: %s", c.Root, c.Notice())
	}
	t.Setenv("HOME", filepath.Join(top, "."))
	if c := load(nil, nil); len(c.Pending()) != 1 || c.Root != root {
		t.Errorf("in HOME: root %s; notice: %s", c.Root, c.Notice())
	}
}
