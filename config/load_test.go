package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

func noEnv(string) (string, bool) { return "", false }

// project writes files into a new directory and returns it.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// defaults returns the configuration without any source. That example.yaml has the same values is
// another test.
func defaults() *Config {
	c, none := new(Config), newSource("")
	if err := c.merge(none, none, none); err != nil {
		panic(err)
	}
	return c
}

var loads = map[string]struct {
	file  string
	env   map[string]string
	flags []string
	want  func(*Config)
}{
	"empty":         {want: func(*Config) {}},
	"comments":      {file: "# nothing yet\n", want: func(*Config) {}},
	"empty heading": {file: "run:\n  # jobs: 4\n", want: func(*Config) {}},
	"file over default": {
		file: "run: {jobs: 1, isolation: namespaces}\nresults: {dir: out}\nverify: off\nnotify: {desktop: false}\n",
		want: func(c *Config) {
			c.Run.Jobs, c.Run.Isolation, c.Verify, c.Notify.Desktop = 1, "namespaces", VerifyOff, false
			c.Results.Dir = "out"
		},
	},
	"variable over file": {
		file: "run: {jobs: 4, timeout: 5s}\n",
		env:  map[string]string{"HOOKWATCH_JOBS": "2", "HOOKWATCH_DESKTOP": "0", "HOOKWATCH_RESULTS_DIR": "007"},
		want: func(c *Config) {
			c.Run.Jobs, c.Run.Timeout, c.Notify.Desktop, c.Results.Dir = 2, 5*time.Second, false, "007"
		},
	},
	"flag over variable": {
		file:  "run: {jobs: 4}\n",
		env:   map[string]string{"HOOKWATCH_JOBS": "2", "HOOKWATCH_TIMEOUT": "9s"},
		flags: []string{"--jobs=1", "--pass-env=A,B"},
		want: func(c *Config) {
			c.Run.Jobs, c.Run.Timeout, c.Run.PassEnv = 1, 9*time.Second, []string{"A", "B"}
		},
	},
	"empty variable is unset": {env: map[string]string{"HOOKWATCH_JOBS": ""}, want: func(*Config) {}},
	"lists are replaced":      {file: "hooks: []\nsuites: [a.yaml]\n", want: func(c *Config) { c.Hooks, c.Suites = []string{}, []string{"a.yaml"} }},
	"tools keep their names": {
		file: "gates: {markdownlint-cli2: skip, Foo.Bar: fail}\n",
		want: func(c *Config) {
			c.Gates = map[string]GatePolicy{"biome": GateFail, "markdownlint-cli2": GateSkip, "Foo.Bar": GateFail}
		},
	},
	"inputs that hooks must stop": {
		file: "denies:\n  - {hook: guard.sh, command: rm -rf /}\n  - {hook: guard, tool: Read, file: a.pem}\n  - hook: p\n    prompt: 'my key: x'\n",
		want: func(c *Config) {
			c.Denies = []suites.Deny{
				{At: suites.Position{File: f, Line: 2, Column: 5}, Hook: "guard.sh", Command: "rm -rf /"},
				{At: suites.Position{File: f, Line: 3, Column: 5}, Hook: "guard", Tool: "Read", File: "a.pem"},
				{At: suites.Position{File: f, Line: 4, Column: 5}, Hook: "p", Prompt: "my key: x"},
			}
		},
	},
	"kinds of ways that pass":     {file: "allows: [overwrite-branch/lease]\n", want: func(c *Config) { c.Allows = []string{"overwrite-branch/lease"} }},
	"a tool's policy is replaced": {file: "gates: {biome: skip}\n", want: func(c *Config) { c.Gates["biome"] = GateSkip }},
	"sizes":                       {file: "results: {rolling_size: 2 MiB}\n", want: func(c *Config) { c.Results.RollingSize = 2 << 20 }},
	"aliases":                     {file: "hooks: &h [a]\nspecs: *h\n", want: func(c *Config) { c.Hooks, c.Specs = []string{"a"}, []string{"a"} }},
	"list variable":               {env: map[string]string{"HOOKWATCH_STAND_INS": "jaq, jq"}, want: func(c *Config) { c.StandIns = []string{"jaq", "jq"} }},
}

func TestLoad(t *testing.T) {
	t.Parallel()
	for name, tt := range loads {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := project(t, map[string]string{FileName: tt.file, "sub/x": ""})
			flags := pflag.NewFlagSet("", pflag.ContinueOnError)
			flags.Int("jobs", 7, "")
			flags.Duration("timeout", 0, "")
			flags.StringSlice("pass-env", nil, "")
			if err := flags.Parse(tt.flags); err != nil {
				t.Fatal(err)
			}
			env := func(name string) (string, bool) { v, ok := tt.env[name]; return v, ok }
			got, err := Load(LoadOptions{Dir: filepath.Join(dir, "sub"), Flags: flags, Env: env, State: "/state"})
			if err != nil {
				t.Fatal(err)
			}
			for i := range got.Denies { // as seen from sub
				got.Denies[i].At.File = filepath.Base(got.Denies[i].At.File)
			}
			want := defaults()
			tt.want(want)
			want.Path, want.Root = filepath.Join(dir, FileName), dir
			want.ResultsDir, want.ResultsBase = filepath.Join(dir, want.Results.Dir), dir
			want.Dir, want.State, want.Digest = dir, "/state", got.Digest
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

const f = FileName

// Every kind of mistake, with its line and column.
var mistakes = map[string]struct {
	file string
	env  map[string]string
	want []string
}{
	"all at once": {
		file: "run:\n  jobs: many\n  tiemout: 30s\n  isolation: nonne\nverfy: warn\nhooks: .claude/hooks\n",
		env:  map[string]string{"HOOKWATCH_TIMEOUT": "soon"},
		want: []string{
			f + `:2:9: run.jobs: want a whole number, got "many"`,
			f + `:3:3: unknown key run.tiemout (did you mean timeout?)`,
			f + `:4:14: run.isolation: want one of ` + strings.Join(isolations, ", ") + `, got "nonne" (did you mean none?)`,
			f + `:5:1: unknown key verfy (did you mean verify?)`,
			f + `:6:8: hooks: want a list, got ".claude/hooks" (put it in brackets: [.claude/hooks])`,
			`HOOKWATCH_TIMEOUT: run.timeout: want a duration such as 30s, 500ms or 2m, got "soon"`,
		},
	},
	"misplaced":        {file: "jobs: 3\nrun: {verify: off}\n", want: []string{f + ":1:1: unknown key jobs (it belongs under run)", f + ":2:7: unknown key run.verify (it belongs at the top level)"}},
	"nothing near":     {file: "watch: {colour: red}\n", want: []string{f + ":1:9: unknown key watch.colour (known here: " + strings.Join(namesIn("watch"), ", ") + ")"}},
	"dotted":           {file: "run.jobs: 3\n", want: []string{f + ":1:1: unknown key run.jobs (known here: " + strings.Join(namesIn(""), ", ") + ")"}},
	"negative":         {file: "run: {jobs: -1}\n", want: []string{f + ":1:13: run.jobs: want a whole number, 0 or more, got -1"}},
	"quoted number":    {file: "run: {jobs: \"4\"}\n", want: []string{f + `:1:13: run.jobs: want a whole number, got "4"`}},
	"no unit":          {file: "run: {timeout: 30}\n", want: []string{f + ":1:16: run.timeout: want a duration such as 30s, 500ms or 2m, got 30 (add a unit: 30s)"}},
	"no time":          {file: "run: {backstop: 0s}\n", want: []string{f + `:1:17: run.backstop: want a duration of more than 0s, got "0s"`}},
	"negative time":    {file: "notify: {settle: -1s}\n", want: []string{f + `:1:18: notify.settle: want a duration of 0s or more, got "-1s"`}},
	"list of times":    {file: "run: {timeout: [1s]}\n", want: []string{f + ":1:16: run.timeout: want a duration such as 30s, 500ms or 2m, got a list"}},
	"size unit":        {file: "results: {rolling_size: 10XB}\n", want: []string{f + `:1:25: results.rolling_size: want a size such as 10MB, got "10XB" (units: B, KB, MB, GB, KiB, MiB, GiB)`}},
	"deny, no list":    {file: "denies: guard.sh\n", want: []string{f + `:1:9: denies: want a list, got "guard.sh" (put it in brackets: [guard.sh])`}},
	"deny, no hook":    {file: "denies: [{command: a}]\n", want: []string{f + ":1:10: denies[0]: no hook (write {hook: guard.sh, command: rm -rf /})"}},
	"deny of nothing":  {file: "denies: [{hook: a}]\n", want: []string{f + ":1:10: denies[0]: want one of command, file and prompt (write {hook: guard.sh, command: rm -rf /})"}},
	"deny of both":     {file: "denies: [{hook: a, file: b, command: c}]\n", want: []string{f + ":1:10: denies[0]: want one of command, file and prompt (write {hook: guard.sh, command: rm -rf /})"}},
	"deny, other key":  {file: "denies: [{hook: a, cmd: c}]\n", want: []string{f + ":1:20: unknown key denies[0].cmd (known here: hook, tool, command, file, prompt)"}},
	"deny, empty":      {file: "denies: [{hook: a, file: ''}]\n", want: []string{f + ":1:26: denies[0].file: must not be empty (leave it out)"}},
	"deny of a prompt": {file: "denies: [{hook: a, tool: Read, prompt: b}]\n", want: []string{f + ":1:10: denies[0]: a prompt is sent to no tool (leave tool out)"}},
	"deny, text":       {file: "denies: [a]\n", want: []string{f + `:1:10: denies[0]: want a hook and an input, got "a" (write {hook: guard.sh, command: rm -rf /})`}},
	"size of none":     {file: "results: {rolling_size: 0MB}\n", want: []string{f + `:1:25: results.rolling_size: want a size such as 10MB, got "0MB" (units: B, KB, MB, GB, KiB, MiB, GiB)`}},
	"size too large":   {file: "results: {rolling_size: 9999999999GB}\n", want: []string{f + `:1:25: results.rolling_size: want a size such as 10MB, got "9999999999GB" (units: B, KB, MB, GB, KiB, MiB, GiB)`}},
	"yes":              {file: "notify: {desktop: yes}\n", want: []string{f + `:1:19: notify.desktop: want true or false, got "yes"`}},
	"bad glob":         {file: "specs: [\"docs/[a.md\"]\n", want: []string{f + `:1:9: specs[0]: "docs/[a.md" is no valid pattern (close what [ or { opens)`}},
	"empty path":       {file: "hooks: [a, \"\"]\nresults: {dir: \"\"}\n", want: []string{f + ":1:12: hooks[1]: must not be empty", f + ":2:16: results.dir: must not be empty (leave it out to keep the default)"}},
	"number as text":   {file: "project: 1\n", want: []string{f + `:1:10: project: want text, got 1 (quote it: "1")`}},
	"nothing":          {file: "hooks:\n", want: []string{f + ":1:7: hooks: want a list, got nothing"}},
	"mapping for text": {file: "project: {a: b}\n", want: []string{f + ":1:10: project: want text, got a mapping"}},
	"list for group":   {file: "run: [jobs]\n", want: []string{f + ":1:6: run: want keys with values, got a list (known here: " + strings.Join(namesIn("run"), ", ") + ")"}},
	"list for all":     {file: "- a\n", want: []string{f + ":1:1: the file: want keys with values, got a list (known here: " + strings.Join(namesIn(""), ", ") + ")"}},
	"list for a word":  {file: "verify: [warn]\n", want: []string{f + ":1:9: verify: want one of strict, warn, off, got a list"}},
	"gates":            {file: "gates: {biome: skp}\n", want: []string{f + `:1:16: gates.biome: want one of fail, skip, got "skp" (did you mean skip?)`}},
	"gate's name":      {file: "gates: {\"\": fail}\n", want: []string{f + ":1:9: gates: a tool's name must not be empty"}},
	"gates list":       {file: "gates: [biome]\n", want: []string{f + ":1:8: gates: want tools with a policy, got a list (write gates: {shellcheck: skip})"}},
	"stand-in":         {file: "stand_ins: [yq]\n", want: []string{f + `:1:13: stand_ins[0]: want one of jaq, jq, got "yq" (did you mean jq?)`}},
	"variable name":    {file: "run: {pass_env: [A-B]}\n", want: []string{f + `:1:18: run.pass_env[0]: "A-B" is no variable's name (letters, digits and _ only)`}},
	"twice":            {file: "verify: off\nverify: warn\n", want: []string{f + ":2:1: key verify is duplicated (first at line 1)"}},
	"no plain key":     {file: "? [a]\n: 1\n", want: []string{f + ":1:3: a key must be a plain word"}},
	"no directory":     {file: "verfy: off\nproject: gone\n", want: []string{f + ":1:1: unknown key verfy (did you mean verify?)", f + `:2:10: project: "gone" is no directory (it is relative to the directory of this file)`}},
	"two documents":    {file: "verify: off\n---\nverify: warn\n", want: []string{f + ":2:1: a second document (keep one and remove the --- line)"}},
	"no YAML":          {file: "run: [1\nhooks: []\n", want: []string{f + ":2:6: not valid YAML: did not find expected ',' or ']'"}},
	"tab":              {file: "run:\n\tjobs: 1\n", want: []string{f + ":2:1: not valid YAML: found character that cannot start any token (indent with spaces, not tabs)"}},
	"what a terminal obeys": {
		file: "\"\\e]0;x\\a\": 1\ngates: {\"\\u202e\": x}\nrun: {jobs: \"\\e[31m\"}\n",
		want: []string{
			f + `:1:1: unknown key "\x1b]0;x\a" (known here: ` + strings.Join(namesIn(""), ", ") + ")",
			f + `:2:19: gates."\u202e": want one of fail, skip, got "x"`,
			f + `:3:13: run.jobs: want a whole number, got "\x1b[31m"`,
		},
	},
	"variable's list": {env: map[string]string{"HOOKWATCH_STAND_INS": "jaq,yq"}, want: []string{`HOOKWATCH_STAND_INS: stand_ins[1]: want one of jaq, jq, got "yq" (did you mean jq?)`}},
}

func TestLoadProblems(t *testing.T) {
	t.Parallel()
	for name, tt := range mistakes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := project(t, map[string]string{FileName: tt.file})
			env := func(name string) (string, bool) { v, ok := tt.env[name]; return v, ok }
			_, err := Load(LoadOptions{Dir: dir, Env: env})
			var problems *Error
			if !errors.As(err, &problems) {
				t.Fatalf("got %v, want an *Error", err)
			}
			if diff := cmp.Diff(tt.want, strings.Split(err.Error(), "\n")); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if tt.file != "" && schemaAccepts(t, []byte(tt.file)) != beyondSchema[name] {
				t.Errorf("the schema accepts it: %v", !beyondSchema[name])
			}
		})
	}
}

// Rules that a JSON Schema cannot express, or that are lost before the schema is applied.
var beyondSchema = map[string]bool{
	"bad glob": true, "size too large": true, "twice": true, "two documents": true,
}

func TestLoadExplicitPath(t *testing.T) {
	t.Parallel()
	dir := project(t, map[string]string{"etc/other.yaml": "project: ..\nrun: {timeout: 3s}\n", FileName: "run: {timeout: 1s}\n"})
	c, err := Load(LoadOptions{Dir: dir, Path: "etc/other.yaml", Env: noEnv})
	if err != nil {
		t.Fatal(err)
	}
	if c.Run.Timeout != 3*time.Second || c.Root != dir || c.Path != filepath.Join(dir, "etc/other.yaml") {
		t.Errorf("got timeout %s, root %s, path %s", c.Run.Timeout, c.Root, c.Path)
	}
	_, err = Load(LoadOptions{Dir: dir, Path: "none.yaml", Env: noEnv})
	if want := "none.yaml: cannot be read: no such file or directory (hookwatch init writes a commented one)"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestFlagProblem(t *testing.T) {
	t.Parallel()
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.Int("jobs", 0, "")
	flags.String("results-dir", "", "")
	if err := flags.Parse([]string{"--jobs=-3", "--results-dir="}); err != nil {
		t.Fatal(err)
	}
	_, err := Load(LoadOptions{Dir: t.TempDir(), Flags: flags, Env: noEnv})
	want := "--jobs: run.jobs: want a whole number, 0 or more, got -3\n" +
		"--results-dir: results.dir: must not be empty (leave it out to keep the default)"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func BenchmarkLoad(b *testing.B) {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, FileName), example, 0o644); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Load(LoadOptions{Dir: dir}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestBuiltinSuites checks which built-in suites a list of suites selects.
func TestBuiltinSuites(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"builtin a.yaml":           "dep ml pm",
		"a.yaml":                   "",
		"builtin:stop":             "stop",
		"builtin builtin:pm-more":  "dep ml pm pm-more",
		"builtin:all builtin:stop": strings.Join(suites.BuiltinNames(), " "),
		"builtin:guardrails-guard": "guardrails-guard",
		"builtin:guardrails":       strings.Join(slices.Sorted(slices.Values(suites.BuiltinFamily("guardrails"))), " "),
	} {
		c := Config{Suites: strings.Fields(in)}
		if got := strings.Join(c.BuiltinSuites(), " "); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
		for _, own := range c.OwnSuites() {
			if own != "a.yaml" {
				t.Errorf("%s: %s is own", in, own)
			}
		}
	}
}

// TestBuiltinUnknown checks that an unknown suite is reported at its position, with the
// known names.
func TestBuiltinUnknown(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"builtin:pm-mor": `f.yaml:1:19: suites[1]: no built-in suite builtin:pm-mor (did you mean builtin:pm-more? there are delegate, dep, guardrails, ml, ml-more, pm, pm-more, protect, quality, spec-020, stop, all)`,
		"builtin:":       `no built-in suite builtin: (there are delegate, dep, guardrails, ml`,
		"builtin:Q":      `no built-in suite builtin:Q (there are delegate, dep, guardrails, ml`,
	} {
		s := parseFile("f.yaml", []byte(`suites: [builtin, "`+in+"\"]\n"))
		if len(s.Problems) != 1 || !strings.Contains(s.Problems[0].Error(), want) {
			t.Errorf("%s: %v, want %s", in, s.Problems, want)
		}
		if schemaAccepts(t, []byte(`suites: [builtin, "`+in+"\"]\n")) {
			t.Errorf("%s: the schema accepts it", in)
		}
	}
	if s := parseFile("f.yaml", []byte("suites: [builtin, builtin:all, builtin:protect, builtin:guardrails, builtin:guardrails-lint, a.yaml]\n")); len(s.Problems) > 0 {
		t.Error(s.Problems)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(example)
	for _, m := range mistakes {
		f.Add([]byte(m.file))
	}
	for _, w := range weakening {
		f.Add([]byte(w.file))
	}
	f.Add([]byte("run: {jobs: many}\nrun: &a [*a]\n<<: {a: b}\n"))
	f.Add([]byte("gates: {a.b: skip, ? [x] : fail}\nhooks: [1, {}, ~]\n"))
	f.Add([]byte("specs: [\"~/x\", '/**', '{../a,b}/*', '\\.\\./x*']\nhooks: [\"a\\eb\"]\n"))
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		s := parseFile(FileName, data)
		for _, p := range s.Problems {
			if p.What == "" || p.At.Line < 0 || p.At.Line > strings.Count(string(data), "\n")+strings.Count(string(data), "\r")+2 {
				t.Errorf("problem without place or text: %+v", p)
			}
			if strings.ContainsFunc(p.What+p.Hint, unicode.IsControl) || len(p.What) > 2000 {
				t.Errorf("a terminal would obey it, or it floods: %q", p.Error())
			}
		}
		if len(s.Problems) > 0 {
			return
		}
		s.expandHome()
		c := &Config{Path: filepath.Join(root, FileName), Root: root}
		c.consent(s, root, LoadOptions{State: filepath.Join(root, "..", "state")}, func(string) bool { return false })
		if text := c.Notice(); (text == "") != (len(c.Asks) == 0) || strings.ContainsFunc(text, unicode.IsControl) || len(text) > 10_000 {
			t.Errorf("%d requests are reported as %q", len(c.Asks), text)
		}
		none := newSource("")
		if err := c.merge(s, none, none); err != nil {
			t.Errorf("accepted, but cannot be merged: %v", err)
		}
		if !disk.Within(root, c.Root) || c.Run.Isolation == "none" || c.Run.Isolation == "copy" || len(c.Run.PassEnv)+len(c.Sandbox.Unmask) > 0 ||
			c.Live.Client != "" || c.Sandbox.Size > 256*MB || c.Sandbox.Processes > 1000 || c.Sandbox.Memory > 2*GiB {
			t.Errorf("the user has not agreed, but %+v is in force", c)
		}
		for _, path := range slices.Concat(c.Hooks, c.Settings, c.Specs, c.Suites) {
			if path != Builtin && !disk.Within(c.Root, disk.Lead(c.Abs(literalPrefix(path)))) {
				t.Errorf("the user has not agreed, but %q is read", path)
			}
		}
	})
}
