package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/catalog"
	"hookwatch/suites/client"
	"hookwatch/suites/reference"
)

// BenchmarkAgainstXargs runs cases of the reference project once through hookwatch
// and once as the identical commands by xargs on as many workers, in directories
// of their own, with the same fixtures, environment and stdin: the ratio is what
// hookwatch costs, isolation included. "pm" are the short cases that need a
// payload alone; "all" is every case of dep, ml and pm that this machine's tools
// let run. The budget is 1.05 for all.
func BenchmarkAgainstXargs(b *testing.B) {
	b.Run("pm", func(b *testing.B) {
		againstXargs(b, func(c *suites.Case) bool { return c.Suite == "pm" && c.Project == nil && c.Layer == suites.Direct })
	})
	b.Run("all", func(b *testing.B) {
		againstXargs(b, func(c *suites.Case) bool { return slices.Contains([]string{"dep", "ml", "pm"}, c.Suite) })
	})
}

func againstXargs(b *testing.B, wanted func(*suites.Case) bool) {
	root := filepath.Join(b.TempDir(), "project")
	if _, err := reference.Linters.Extract(root); err != nil {
		b.Fatal(err)
	}
	cases := builtinCases(b)
	args := []string{"run", "--jobs", strconv.Itoa(runtime.NumCPU()), "--format", "json"}
	for _, c := range cases {
		if wanted(c) {
			args = append(args, c.Key().String())
		}
	}
	_, ran := ours(b, root, args) // also the first of all runs, which is slower
	selected := make([]*suites.Case, 0, len(ran))
	for _, c := range cases {
		if ran[c.Key()] {
			selected = append(selected, c)
		}
	}
	var mine, theirs time.Duration
	for b.Loop() {
		took, _ := ours(b, root, args)
		mine += took
		theirs += xargs(b, root, selected)
	}
	b.ReportMetric(float64(mine)/float64(theirs), "ours/xargs")
	b.ReportMetric(float64(theirs.Milliseconds())/float64(b.N), "xargs-ms")
	b.ReportMetric(float64(len(selected)), "cases")
}

func builtinCases(b *testing.B) []*suites.Case {
	b.Helper()
	all, err := catalog.Builtin()
	if err != nil {
		b.Fatal(err)
	}
	var cases []*suites.Case
	for i := range all {
		for j := range all[i].Cases {
			cases = append(cases, &all[i].Cases[j])
		}
	}
	return cases
}

// ours is how long hookwatch takes, from its start to its end, and the cases that
// really ran: controls too, and none whose tool is absent.
func ours(b *testing.B, root string, args []string) (time.Duration, map[suites.Key]bool) {
	b.Helper()
	cmd := program(b, root, args...)
	begin := time.Now()
	out, err := cmd.Output()
	took := time.Since(begin)
	var doc struct {
		Cases []suites.Record `json:"cases"`
	}
	if bad := json.Unmarshal(out, &doc); bad != nil {
		b.Fatalf("%v, %v\n%.300s", err, bad, out)
	}
	ran := make(map[suites.Key]bool)
	for i := range doc.Cases {
		r := &doc.Cases[i]
		if r.Status() != suites.Skip || r.Suite == "dep" {
			ran[r.Key()] = true
		}
	}
	return took, ran
}

// xargs is how long xargs takes for the commands of the cases. What they are run
// by was written before.
func xargs(b *testing.B, root string, cases []*suites.Case) time.Duration {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	if err := os.Symlink(self, filepath.Join(dir, "jaq")); err != nil { // the same stand-in at the same place of the search path
		b.Fatal(err)
	}
	path := os.Getenv("PATH") + ":" + dir
	var list strings.Builder
	for i, c := range cases {
		script := filepath.Join(dir, fmt.Sprintf("%03d-%s", i, c.ID))
		writeFiles(b, dir, map[string]string{filepath.Base(script): scriptOf(b, root, script+".d", path, c)})
		fmt.Fprintln(&list, script)
	}
	cmd := exec.Command("xargs", "-P", strconv.Itoa(runtime.NumCPU()), "-n", "1", "sh")
	cmd.Dir, cmd.Stdin = root, strings.NewReader(list.String())
	cmd.Env = []string{"PATH=" + path, "HOME=" + dir}
	begin := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return time.Since(begin)
}

// scriptOf returns a script of sh that does the work of a case with as few processes as possible.
func scriptOf(b *testing.B, root, dir, path string, c *suites.Case) string {
	b.Helper()
	if c.Check != nil {
		return lookOf(c.Check) + " >/dev/null 2>&1\nexit 0\n"
	}
	override := root
	if c.Project != nil {
		override = dir + "/project"
	}
	expand := strings.NewReplacer("{tmp}", dir+"/tmp", "{project}", root, "{override}", override, "{path}", path)
	files := make(map[string]string) // absolute paths
	if c.Project != nil {
		for name, content := range c.Project.Files {
			files[override+"/"+name] = content
		}
	}
	var run strings.Builder
	for i := range c.Steps {
		st := &c.Steps[i]
		for _, f := range st.Fixtures {
			files[expand.Replace(f.Path)] = f.Content
		}
		in := client.PayloadInput{Event: st.Event, Tool: st.Tool, Command: expand.Replace(st.Command), SessionID: "s", Cwd: root}
		if st.FilePath != "" {
			in.FilePath = expand.Replace(st.FilePath)
		}
		text, err := client.Payload(in)
		if err != nil {
			b.Fatal(err)
		}
		files[dir+"/stdin"] = string(text)
		fmt.Fprintf(&run, "bash %s <%s >/dev/null 2>&1\n", word(root+"/"+c.Hook), word(dir+"/stdin"))
	}
	env := map[string]string{"TMPDIR": dir + "/tmp", "CLAUDE_PROJECT_DIR": override, "HOOK_SESSION_PID": filepath.Base(dir), "HOOK_GUARD_PID": filepath.Base(dir)}
	for name, value := range c.Env {
		env[name] = expand.Replace(value)
	}
	return writing(dir, files) + exports(env) + run.String() + removing(root, dir, files) + "exit 0\n"
}

// lookOf reads the files of a check as cheaply as a shell can.
func lookOf(c *suites.Check) string {
	switch {
	case c.Tool != "":
		return c.Summary()
	case c.File != "":
		return "test -f " + word(c.File)
	default:
		return "test -f .claude/settings.json"
	}
}

func writing(dir string, files map[string]string) string {
	dirs := map[string]bool{dir + "/tmp": true}
	var prints strings.Builder
	for _, path := range slices.Sorted(maps.Keys(files)) {
		dirs[filepath.Dir(path)] = true
		fmt.Fprintf(&prints, "printf %%s %s >%s\n", word(files[path]), word(path))
	}
	made := "mkdir -p"
	for _, d := range slices.Sorted(maps.Keys(dirs)) {
		made += " " + word(d)
	}
	return made + "\n" + prints.String()
}

func exports(env map[string]string) string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(env)) {
		fmt.Fprintf(&text, "export %s=%s\n", name, word(env[name]))
	}
	return text.String()
}

// removing leaves the project as it was; the case's own directory goes too.
func removing(root, dir string, files map[string]string) string {
	text := "rm -rf " + word(dir)
	for path := range files {
		if strings.HasPrefix(path, root+"/") {
			text += " " + word(path)
		}
	}
	return text + "\n"
}

// word is one word of a shell.
func word(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
