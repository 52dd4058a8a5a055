//go:build unix

package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/process"
	"hookwatch/suites/shell"
)

// A scene is a machine in a directory. Its PATH is bin.
type scene struct {
	t       *testing.T
	root    string
	m       *auditedMachine
	ran     [][]string
	outputs map[string]process.Result // by the last words of the command
}

func newScene(t *testing.T, files map[string]string) *scene {
	p := &scene{t: t, root: t.TempDir()}
	for name, content := range files {
		path := filepath.Join(p.root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o755)
		if strings.HasSuffix(name, ".off") {
			path, mode = strings.TrimSuffix(path, ".off"), 0o644
		}
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
	p.m = &auditedMachine{
		Root: filepath.Join(p.root, "project"),
		Env:  []string{"PATH=" + filepath.Join(p.root, "bin"), "HOME=" + filepath.Join(p.root, "home")},
		Hooks: func(event, value string) []discover.Hook {
			r, err := discover.Hooks(disk.Reader{}, filepath.Join(p.root, "project"), []string{"settings.json"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			return r.For(event, value)
		},
		Ask: func(_ context.Context, argv []string) (process.Result, error) {
			p.ran = append(p.ran, argv)
			if argv[len(argv)-1] != "--version" {
				t.Errorf("ran %q", argv)
			}
			res, ok := p.outputs[argv[len(argv)-2]]
			if !ok {
				res, ok = p.outputs[filepath.Base(argv[0])]
			}
			if !ok {
				t.Errorf("nothing known of %q", argv)
			}
			return res, nil
		},
	}
	return p
}

// look returns the finding, with the scene's root replaced by "@".
func (p *scene) look(c *suites.Check) suites.Finding {
	p.t.Helper()
	f, err := p.m.Look(p.t.Context(), c)
	if err != nil {
		p.t.Fatal(err)
	}
	f.Detail = strings.ReplaceAll(f.Detail, p.root, "@")
	return f
}

func prints(text string) process.Result {
	return process.Result{Stdout: process.Capture{Bytes: []byte(text), Total: int64(len(text))}}
}

// TestOrder checks that the first place that has the tool counts, in the order of discovery.
func TestOrder(t *testing.T) {
	t.Parallel()
	places := []string{"claude", "~/.local/bin/claude", "~/.npm-global/bin/claude", "lib/claude"}
	all := []string{"bin/claude", "home/.local/bin/claude", "home/.npm-global/bin/claude", "project/lib/claude"}
	for i := range all {
		files := map[string]string{}
		for _, name := range all[i:] {
			files[name] = "#!/bin/sh\n"
		}
		got := newScene(t, files).look(&suites.Check{Tool: "claude", Places: places})
		if want := (suites.Finding{Holds: true, Detail: "@/" + all[i]}); got != want {
			t.Errorf("with %v: %+v, want %+v", all[i:], got, want)
		}
	}
	p := newScene(t, map[string]string{"home/.local/bin/claude.off": "#!/bin/sh\n"})
	want := suites.Finding{Absent: "claude", Detail: "claude is not in PATH, ~/.local/bin/claude is not executable, " +
		"no ~/.npm-global/bin/claude, no lib/claude"}
	if got := p.look(&suites.Check{Tool: "claude", Places: places}); got != want {
		t.Errorf("nowhere: %+v, want %+v", got, want)
	}
	if len(p.ran) > 0 {
		t.Errorf("to find it, %q ran", p.ran)
	}
}

func TestRunners(t *testing.T) {
	t.Parallel()
	check := &suites.Check{Tool: "biome", Places: []string{"node_modules/.bin/biome", "biome", "npx biome", "pnpm exec biome", "bunx biome", "uv run biome"}}
	for _, tt := range []struct {
		name    string
		bin     []string
		outputs map[string]process.Result
		want    suites.Finding
		ran     [][]string
	}{
		{"none", nil, nil, suites.Finding{Absent: "biome", Detail: "no node_modules/.bin/biome, biome is not in PATH, npx is not in PATH, " +
			"pnpm is not in PATH, bunx is not in PATH, uv is not in PATH"}, nil},
		{"npx has none, pnpm does", []string{"npx", "pnpm", "bunx"},
			map[string]process.Result{"npx": {Exit: 1, Stderr: prints("not cached\nat all").Stdout}, "pnpm": prints("Version: 2.3.4\n")},
			suites.Finding{Holds: true, Detail: "pnpm exec biome: Version: 2.3.4"},
			[][]string{{"npx", "--no-install", "biome", "--version"}, {"pnpm", "exec", "biome", "--version"}}},
		{"nothing answers", []string{"bunx", "uv"}, map[string]process.Result{"bunx": {TimedOut: true}, "uv": {}},
			suites.Finding{Absent: "biome", Detail: "no node_modules/.bin/biome, biome is not in PATH, npx is not in PATH, " +
				"pnpm is not in PATH, bunx biome: no answer, uv run biome: prints nothing"},
			[][]string{{"bunx", "--no-install", "biome", "--version"}, {"uv", "run", "--no-sync", "--offline", "biome", "--version"}}},
	} {
		files := map[string]string{}
		for _, name := range tt.bin {
			files["bin/"+name] = ""
		}
		p := newScene(t, files)
		p.outputs = map[string]process.Result{}
		p.m.Ask = func(_ context.Context, argv []string) (process.Result, error) {
			p.ran = append(p.ran, argv)
			return tt.outputs[argv[0]], nil
		}
		if got := p.look(check); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
		if diff := cmp.Diff(tt.ran, p.ran); diff != "" {
			t.Errorf("%s: ran -want +got\n%s", tt.name, diff)
		}
	}
}

func TestMinimum(t *testing.T) {
	t.Parallel()
	check := &suites.Check{Tool: "hadolint", Places: []string{"hadolint"}, Minimum: "2.12.0"}
	for said, want := range map[string]suites.Finding{
		"Haskell Dockerfile Linter 2.12.0\n": {Holds: true, Detail: "2.12.0"},
		"2.12":                               {Holds: true, Detail: "2.12"},
		"v2.12.0-no-git\nmore":               {Holds: true, Detail: "2.12.0"},
		"Linter\n\nversion: 2.13.0\n":        {Holds: true, Detail: "2.13.0"},
		"10.0":                               {Holds: true, Detail: "10.0"},
		"hadolint 2.9.13":                    {Detail: "hadolint 2.9.13 < 2.12.0"},
		"1.99.99":                            {Detail: "hadolint 1.99.99 < 2.12.0"},
		"no number":                          {Detail: `version cannot be read: hadolint says "no number"`},
		"":                                   {Detail: "hadolint --version: prints nothing"},
	} {
		p := newScene(t, map[string]string{"bin/hadolint": ""})
		p.outputs = map[string]process.Result{"hadolint": prints(said)}
		if got := p.look(check); got != want {
			t.Errorf("%q: %+v, want %+v", said, got, want)
		}
	}
	for what, res := range map[string]process.Result{
		"exit 3: no":       {Exit: 3, Stderr: prints("no\n").Stdout},
		"exit 3":           {Exit: 3},
		"ended by SIGSEGV": {Exit: -1, Signal: "SIGSEGV"},
		"bad format":       {StartError: errors.New("bad format")},
	} {
		p := newScene(t, map[string]string{"bin/hadolint": ""})
		p.outputs = map[string]process.Result{"hadolint": res}
		if d := cmp.Diff(suites.Finding{Detail: "hadolint --version: " + what}, p.look(check)); d != "" {
			t.Errorf("%s (-want +got):\n%s", what, d)
		}
	}
	p := newScene(t, nil)
	p.m.StandIns = map[string]string{"hadolint": "other 3.1"}
	if got := p.look(check); !got.Holds || got.Detail != "3.1" {
		t.Errorf("a stand-in: %+v", got)
	}
}

func FuzzOlder(f *testing.F) {
	f.Add("2.9", "2.12.0")
	f.Add("1", "1.0.0")
	f.Fuzz(func(t *testing.T, a, b string) {
		if olderVersion(a, b) && olderVersion(b, a) {
			t.Errorf("%q and %q are each older than the other", a, b)
		}
		if olderVersion(a, a) {
			t.Errorf("%q is older than itself", a)
		}
	})
}

func TestFile(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"project/config.json": `{"a": {"b": false, "none": null}, "file": "~/own.json", "text": "x"}`,
		"project/broken.json": "{\n  \"a\": 1,\n}",
		"project/list.json":   "[1]",
		"home/own.json":       `{"off": true}`,
		"project/std.json":    `{"off": "true"}`,
	}
	by := &suites.KeyPath{File: "config.json", Key: "file"}
	unset := &suites.KeyPath{File: "config.json", Key: "a.none"}
	for _, tt := range []struct {
		check  suites.Check
		holds  bool
		detail string
	}{
		{suites.Check{File: "config.json"}, true, "config.json"},
		{suites.Check{File: "no.json"}, false, "no.json does not exist"},
		{suites.Check{File: "."}, false, ". does not exist"},
		{suites.Check{File: "config.json", Key: "a.b"}, true, "config.json: a.b is false"},
		{suites.Check{File: "config.json", Key: "a.none"}, true, "config.json: a.none is null"},
		{suites.Check{File: "config.json", Key: "a.c"}, false, "config.json: no key a.c"},
		{suites.Check{File: "config.json", Key: "a.b.c"}, false, "config.json: a.b is no object, so it has no c"},
		{suites.Check{File: "list.json", Key: "a"}, false, "list.json: it is no object, so it has no a"},
		{suites.Check{File: "broken.json", Key: "a"}, false, "broken.json: not valid JSON: invalid character '}' looking for beginning of object key string, line 3"},
		{suites.Check{File: "std.json", Key: "off", Equals: []byte("true")}, false, `std.json: off is "true", want true`},
		{suites.Check{File: "std.json", NamedBy: by, Key: "off", Equals: []byte("true")}, true, "~/own.json: off is true (config.json names it as file)"},
		{suites.Check{File: "std.json", NamedBy: unset, Key: "off"}, true, `std.json: off is "true"`},
		{suites.Check{File: "std.json", NamedBy: &suites.KeyPath{File: "no.json", Key: "a"}}, true, "std.json"},
	} {
		got := newScene(t, files).look(&tt.check)
		if want := (suites.Finding{Holds: tt.holds, Detail: tt.detail}); got != want {
			t.Errorf("%+v: %+v, want %+v", tt.check, got, want)
		}
	}
}

// TestRegistered checks that matchers are sets, whatever their order and number of entries.
func TestRegistered(t *testing.T) {
	t.Parallel()
	entry := func(matcher, command string) string {
		return `{"matcher": "` + matcher + `", "hooks": [{"type": "command", "command": "` + command + `"}]}`
	}
	const hook = "hooks/guard.sh"
	for _, tt := range []struct {
		entries []string
		want    suites.Finding
	}{
		{[]string{entry("Edit|Write", hook)}, suites.Finding{Holds: true, Detail: "PreToolUse runs hooks/guard.sh on Edit|Write"}},
		{[]string{entry("Write|Edit", hook)}, suites.Finding{Holds: true, Detail: "PreToolUse runs hooks/guard.sh on Write|Edit"}},
		{[]string{entry("Edit", hook), entry("Write", hook)}, suites.Finding{Holds: true, Detail: "PreToolUse runs hooks/guard.sh on Edit and Write"}},
		{[]string{entry("Edit|Write|NotebookEdit", "$CLAUDE_PROJECT_DIR/"+hook)}, suites.Finding{Holds: true,
			Detail: "PreToolUse runs hooks/guard.sh on Edit|Write|NotebookEdit", Remark: "it runs on NotebookEdit as well"}},
		{[]string{entry("", hook)}, suites.Finding{Holds: true, Detail: "PreToolUse runs hooks/guard.sh"}},
		{[]string{entry("E.*|W.*", hook)}, suites.Finding{Holds: true, Detail: "PreToolUse runs hooks/guard.sh on E.*|W.*"}},
		{[]string{entry("Edit", hook)}, suites.Finding{Detail: "PreToolUse does not run hooks/guard.sh on Write; no hook is in force there"}},
		{[]string{entry("edit|write", hook)}, suites.Finding{Detail: "PreToolUse does not run hooks/guard.sh on Edit, Write; no hook is in force there"}},
		{nil, suites.Finding{Detail: "PreToolUse does not run hooks/guard.sh on Edit, Write; no hook is in force there"}},
	} {
		p := newScene(t, map[string]string{
			"project/settings.json":  `{"hooks": {"PreToolUse": [` + strings.Join(tt.entries, ", ") + `]}}`,
			"project/hooks/guard.sh": "", "project/hooks/other.sh": "",
		})
		got := p.look(&suites.Check{Registered: &suites.Registration{Event: "PreToolUse", Matcher: "Edit|Write", Hook: hook}})
		if got != tt.want {
			t.Errorf("%v:\n got %+v\nwant %+v", tt.entries, got, tt.want)
		}
	}
	p := newScene(t, map[string]string{
		"project/settings.json":  `{"hooks": {"Stop": [` + entry("", "hooks/other.sh") + `]}}`,
		"project/hooks/guard.sh": "", "project/hooks/other.sh": "",
	})
	stop := &suites.Check{Registered: &suites.Registration{Event: "Stop", Hook: hook}}
	other := suites.Finding{Detail: "Stop does not run hooks/guard.sh; in force there: Stop-other.sh-befb4969"}
	if d := cmp.Diff(other, p.look(stop)); d != "" {
		t.Errorf("another hook (-want +got):\n%s", d)
	}
	p = newScene(t, map[string]string{
		"project/settings.json":  `{"hooks": {"Stop": [` + entry("", hook) + `]}, "disableAllHooks": true}`,
		"project/hooks/guard.sh": "",
	})
	if got := p.look(stop); got.Holds {
		t.Errorf("with all hooks disabled: %+v", got)
	}
}

// TestRunnersKnown checks that each runner that a suite may name is known.
func TestRunnersKnown(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"npx x", "bunx x", "pnpm exec x", "uv run x"} {
		words := suites.Place(place).Runner()
		if p := shell.ProgramOf(words[0]); !p.Runner || p.Behind != strings.Join(words[1:], " ") {
			t.Errorf("%s: %+v", place, p)
		}
	}
}

// FuzzKeyOf checks that any key in any file has either a value or a reason why there is none.
func FuzzKeyOf(f *testing.F) {
	f.Add([]byte(`{"a": {"b": 1}}`), "a.b")
	f.Add([]byte("[1,\n"), "a")
	f.Add([]byte("null"), "a")
	f.Fuzz(func(t *testing.T, data []byte, key string) {
		path := filepath.Join(t.TempDir(), "f.json")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		value, why := new(auditedMachine).keyOf(path, key)
		if (why == "") != (len(value) > 0) {
			t.Errorf("%q %q: %q, %q", data, key, value, why)
		}
		if why == "" && briefJSON(value) == "" {
			t.Errorf("%q is reported as nothing", value)
		}
	})
}

// FuzzVersionLine checks that any output becomes one short valid line.
func FuzzVersionLine(f *testing.F) {
	f.Add([]byte("a\n\nb 1.2\n"))
	f.Fuzz(func(t *testing.T, output []byte) {
		line := versionLine(output)
		if strings.Contains(line, "\n") || len(line) > 3*answerLength || !utf8.ValidString(line) {
			t.Errorf("%q", line)
		}
	})
}
