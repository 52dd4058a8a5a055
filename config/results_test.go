package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookwatch/suites/disk"
)

// TestResultsPlace checks for all places of records that directories with other files are
// refused, and that the path can be opened without following a link.
func TestResultsPlace(t *testing.T) {
	t.Parallel()
	const refused = "refused"
	for name, tt := range map[string]struct {
		file  string
		files map[string]string
		env   string
		agree bool
		want  string // from the clone; STATE is the user's folder
		base  string
	}{
		"default":                  {want: ".claude/tests/hooks/results", base: "."},
		"in the project":           {file: "results: {dir: out/r}", want: "out/r", base: "."},
		"variable in the project":  {env: "out/r", want: "out/r", base: "."},
		"variable elsewhere":       {env: "../out/new/r", want: "../out/new/r", base: "../out"},
		"agreed elsewhere":         {file: "results: {dir: ../out/new/r}", agree: true, want: "../out/new/r", base: "../out"},
		"agreed by a link":         {file: "results: {dir: link/r}", agree: true, want: "../out/r", base: "../out"},
		"variable over a link":     {env: "link/r", want: "link/r", base: "."}, // disk.Make reports the link
		"the root":                 {env: ".", want: refused},
		"above the root":           {env: "..", want: refused},
		"above, agreed":            {file: "results: {dir: ..}", agree: true, want: refused},
		"above, not agreed":        {file: "results: {dir: ..}", want: ".claude/tests/hooks/results", base: "."},
		"the hooks":                {env: ".claude/hooks", want: refused},
		"the settings' directory":  {file: "results: {dir: .claude}", want: refused},
		"the suites":               {file: "results: {dir: .claude/tests/hooks/suites}", want: refused},
		"the documents":            {file: "results: {dir: docs}", want: refused},
		"a document":               {file: "specs: [notes/a.md]\nresults: {dir: notes}", want: refused},
		"other things":             {file: "results: {dir: src}", files: map[string]string{"src/main.c": ""}, want: refused},
		"other things, agreed":     {file: "results: {dir: ../other}", files: map[string]string{"../other/main.c": "", "../other/.gitignore": "*\n"}, agree: true, want: refused},
		"other things by variable": {env: "../other", files: map[string]string{"../other/thesis.tex": ""}, want: refused},
		"records":                  {file: "results: {dir: r}", files: map[string]string{"r/rolling/x": "", "r/mine.txt": ""}, want: "r", base: "."},
		"records of another tool":  {file: "results: {dir: r}", files: map[string]string{"r/a-agent-20260101T000000Z.jsonl": ""}, want: "r", base: "."},
		"kept empty":               {file: "results: {dir: r}", files: map[string]string{"r/.gitkeep": "", "r/.gitignore": "*"}, want: "r", base: "."},
		"git's hooks, not agreed":  {file: "results: {dir: .git/hooks}", files: map[string]string{".git/hooks/x.sample": ""}, want: ".claude/tests/hooks/results", base: "."},
		"git's hooks, agreed":      {file: "results: {dir: .git/hooks}", files: map[string]string{".git/hooks/x.sample": ""}, agree: true, want: refused},
		"git's hooks by variable":  {env: ".git/hooks", files: map[string]string{".git/hooks/x.sample": ""}, want: refused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, load, _ := clone(t, tt.file)
			for file, text := range tt.files {
				path := filepath.Join(root, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			state := filepath.Join(root, "..", "state")
			if tt.agree {
				agree(t, load(nil, nil))
			}
			env := func(key string) (string, bool) { return tt.env, key == "HOOKWATCH_RESULTS_DIR" && tt.env != "" }
			c, err := Load(LoadOptions{Dir: root, Env: env, State: state, FirstCommit: firstCommit})
			if tt.want == refused {
				if err == nil || !strings.Contains(err.Error(), "results.dir: ") || !strings.Contains(err.Error(), " holds ") {
					t.Errorf("%v, %v", c, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if c.ResultsDir != filepath.Join(root, tt.want) || c.ResultsBase != filepath.Join(root, tt.base) {
				t.Errorf("records in %s from %s", c.ResultsDir, c.ResultsBase)
			}
			d, err := disk.Make(c.ResultsBase, c.ResultsDir)
			if throughLink := strings.HasPrefix(tt.want, "link"); (err != nil) != throughLink {
				t.Errorf("to be opened: %v", err)
			}
			if err == nil {
				_ = d.Close()
			}
		})
	}
}

// TestResultsBaseOfState checks that records are in the user's state folder if there is no
// file.
func TestResultsBaseOfState(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, err := Load(LoadOptions{Dir: filepath.Join(dir, "clone"), Env: noEnv, State: filepath.Join(dir, "home", "state")})
	if err != nil {
		t.Fatal(err)
	}
	if c.ResultsBase != dir || !disk.Within(filepath.Join(dir, "home", "state", "hookwatch"), c.ResultsDir) {
		t.Errorf("records in %s from %s", c.ResultsDir, c.ResultsBase)
	}
}
