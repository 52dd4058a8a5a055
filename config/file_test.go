package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestBombs checks that hostile files result in an error, with little time and memory. It is not
// parallel, because what other tests allocate would count.
func TestBombs(t *testing.T) {
	const most = mostBytes - 100
	long := "gates: {x: &x " + strings.Repeat("a", most/2)
	laughs := "a: &a [" + strings.Repeat("lol,", 10) + "]\n"
	for c := 'b'; c < 'z'; c++ {
		laughs += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.Repeat(fmt.Sprintf("*%c,", c-1), 10))
	}
	many := func(form string) string {
		var b strings.Builder
		for i := 0; b.Len() < most/2-60; i++ {
			fmt.Fprintf(&b, form, i)
		}
		return b.String()
	}
	for name, file := range map[string]string{
		"brackets":           strings.Repeat("[", most),
		"braces":             strings.Repeat("{", most),
		"braces with keys":   strings.Repeat("{a: ", most/4),
		"closed brackets":    strings.Repeat("[", most/3) + strings.Repeat("]", most/3),
		"nested lists":       strings.Repeat("- ", most/2),
		"nested questions":   strings.Repeat("? ", most/2),
		"list of lists":      "hooks:\n" + strings.Repeat("- [a]\n", most/6-2),
		"deep in a key":      "hooks: " + strings.Repeat("[", most/3) + strings.Repeat("]", most/3),
		"cyclic alias":       "hooks: &a [*a]",
		"cyclic group":       "run: &a {jobs: *a}",
		"cyclic gates":       "gates: &a {x: *a}",
		"laughs":             laughs + "hooks: *y\n",
		"laughs as settings": laughs + "settings: [*y, *y, *y]\n",
		"long value, often":  long + many(", g%d: *x") + "}",
		"long key, often":    "x: &x " + strings.Repeat("a", most/2) + "\n" + strings.Repeat("*x : 1\n", most/20),
		"long text":          "hooks: [" + strings.Repeat("a", most-10) + "]",
		"long number":        "run: {jobs: " + strings.Repeat("9", most-20) + "}",
		"long float":         "run: {jobs: 1e" + strings.Repeat("9", most-20) + "}",
		"unknown keys":       many("k%d: 1\n"),
		"one key":            strings.Repeat("verify: off\n", most/12),
		"many hooks":         "hooks: [" + many("h%d,") + "]",
		"many gates":         "gates: {" + many("g%d: skip,") + "}",
		"many documents":     strings.Repeat("---\n", most/4),
		"many anchors":       many("&a%d ") + "x",
		"tags":               strings.Repeat("!!str ", most/6),
		"comments":           strings.Repeat("#\n", most/2) + "x",
		"quotes":             strings.Repeat("\"\\\"", most/3),
		"too large":          "#" + strings.Repeat("x", mostBytes),
	} {
		t.Run(name, func(t *testing.T) {
			dir := project(t, map[string]string{FileName: file})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Load(LoadOptions{Dir: dir, Env: noEnv, State: filepath.Join(dir, "..", "state")})
			runtime.ReadMemStats(&after)
			if err == nil || len(err.Error()) > 100_000 {
				t.Errorf("error of %d bytes", len(fmt.Sprint(err)))
			}
			if total := after.TotalAlloc - before.TotalAlloc; total > 100<<20 {
				t.Errorf("allocated %d MB", total>>20)
			}
			t.Logf("%d MB: %.100v", (after.TotalAlloc-before.TotalAlloc)>>20, err)
		})
	}
}

// TestConfigurationOfAnotherKind checks that the error names a file that is not a plain
// file of the project.
func TestConfigurationOfAnotherKind(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		lay   func(path, outside string) error // path is that of the file, in the directory above the one where hookwatch starts
		above string                           // the message if the file is above; "" if it is ignored or valid
		here  string
	}{
		"directory":           {func(p, _ string) error { return os.Mkdir(p, 0o755) }, "", "is a directory"},
		"pipe":                {func(p, _ string) error { return mkfifo(p) }, "is a named pipe", "is a named pipe"},
		"link to nothing":     {func(p, _ string) error { return os.Symlink("gone", p) }, "no such file", "no such file"},
		"link to itself":      {func(p, _ string) error { return os.Symlink(FileName, p) }, "too many links", "too many links"},
		"link to a device":    {func(p, _ string) error { return os.Symlink("/dev/zero", p) }, "leads out of the project", "leads out of the project"},
		"link out":            {func(p, o string) error { return os.Symlink(o, p) }, "--config", "--config"},
		"link inside":         {func(p, _ string) error { return os.Symlink("other.yaml", p) }, "", ""},
		"no permission":       {func(p, _ string) error { return errors.Join(os.WriteFile(p, nil, 0o600), os.Chmod(p, 0)) }, "permission denied", "permission denied"},
		"socket":              {func(p, _ string) error { return listen(p) }, "is a socket", "is a socket"},
		"huge":                {func(p, _ string) error { return errors.Join(os.WriteFile(p, nil, 0o600), os.Truncate(p, 1<<40)) }, "too large", "too large"},
		"directory by a link": {func(p, _ string) error { return os.Symlink(".", p) }, "", "is a directory"},
	} {
		if name == "no permission" && os.Geteuid() == 0 {
			continue // root reads everything; TestAsOrdinaryUser tests this
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := project(t, map[string]string{"p/other.yaml": "run: {jobs: 1}", "p/sub/x": "", "secret.yaml": "password"})
			path := filepath.Join(dir, "p", FileName)
			if err := tt.lay(path, filepath.Join(dir, "secret.yaml")); err != nil {
				t.Skip(err)
			}
			for from, want := range map[string]string{"p/sub": tt.above, "p": tt.here} {
				_, err := Load(LoadOptions{Dir: filepath.Join(dir, from), Env: noEnv, State: filepath.Join(dir, "state")})
				if (err != nil) != (want != "") || err != nil && (!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), FileName) || strings.Contains(err.Error(), "password")) {
					t.Errorf("from %s: %v, want %q", from, err, want)
				}
			}
		})
	}
}

// TestGitOfAnotherKind checks that .git is examined but not opened.
func TestGitOfAnotherKind(t *testing.T) {
	t.Parallel()
	dir := project(t, map[string]string{"p/sub/x": ""})
	if err := mkfifo(filepath.Join(dir, "p", ".git")); err != nil {
		t.Skip(err)
	}
	c, err := Load(LoadOptions{Dir: filepath.Join(dir, "p", "sub"), Env: noEnv, State: t.TempDir()})
	if err != nil || c.Root != filepath.Join(dir, "p") {
		t.Errorf("%v, %v", c, err)
	}
}
