package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"hookwatch/config"
	"hookwatch/suites/disk"
	"hookwatch/suites/reference"
)

// firstSuite is where init writes a person's first suite.
const firstSuite = ".claude/tests/hooks/suites/first.yaml"

func (a *app) initCommand() *cobra.Command {
	var starter bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a commented configuration and a first suite",
		Long: `Write a commented .hookwatch.yaml, and a first suite with one case for every hook
that is found. With --starter: a small project to begin with, its hooks, settings,
documents and configuration. Files that exist are never overwritten.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			dir, err := a.workDir()
			if err != nil {
				return err
			}
			if starter {
				return a.initStarter(dir)
			}
			return a.initProject(dir)
		},
	}
	cmd.Flags().BoolVar(&starter, "starter", false, "write the starter project instead")
	return cmd
}

// workDir is the directory to work in, absolute. It stays what it was at the first
// call: that directory may be renamed, or another be put into its place, while
// hookwatch watches.
func (a *app) workDir() (dir string, err error) {
	if a.startedIn != "" {
		return a.startedIn, nil
	}
	if a.dir != "" {
		dir, err = filepath.Abs(a.dir)
	} else {
		dir, err = os.Getwd()
	}
	if err == nil {
		a.startedIn = dir
	}
	return dir, err
}

func (a *app) initStarter(dir string) error {
	written, err := reference.Extract(dir)
	if err != nil {
		return err
	}
	a.wrote(written)
	writef(a.Out, "\nNext: hookwatch --once\n")
	return nil
}

func (a *app) wrote(files []string) {
	for _, f := range files {
		writef(a.Out, "wrote %s\n", f)
	}
}

// initProject writes what is absent; it fails only when nothing is.
func (a *app) initProject(dir string) error {
	hooks, root, err := a.hooksFor(dir)
	if err != nil {
		return err
	}
	if len(hooks) == 0 {
		return fmt.Errorf("no hooks in %s: looked at .claude/settings.json, .claude/settings.local.json and .claude/hooks (hookwatch init --starter writes a project to begin with)", root)
	}
	files := []struct {
		name    string
		content []byte
	}{
		{config.FileName, config.Example()},
		{firstSuite, suiteFor(hooks)},
	}
	var written []string
	for _, f := range files {
		err := writeNew(root, f.name, f.content)
		switch {
		case errors.Is(err, fs.ErrExist) && !disk.IsRefused(err):
			writef(a.Out, "kept %s (it exists)\n", f.name)
		case err != nil:
			return err
		default:
			written = append(written, f.name)
		}
	}
	a.wrote(written)
	if len(written) == 0 {
		return errors.New("nothing to write: configuration and first suite exist")
	}
	writef(a.Out, "\nNext: say in %s what each hook must do, then hookwatch --once\n", firstSuite)
	return nil
}

// writeNew makes a file of the project. No link below the root is followed.
func writeNew(root, name string, content []byte) error {
	path := filepath.Join(root, filepath.FromSlash(name))
	d, err := disk.Make(root, filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	f, err := d.Create(filepath.Base(path), 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// A foundHook is a script and an event that it is registered for.
type foundHook struct{ script, event, matcher string }

// suiteFor writes a suite with one case a hook: it must run and end well.
func suiteFor(hooks []foundHook) []byte {
	var b strings.Builder
	b.WriteString(`# The first suite of this project. A case fires one hook and says what must come
# of it; hookwatch schema suite describes every key. These cases only see that
# each hook runs: say beside them what it must block, and name that case as the
# control of the one that it must let through.
suite: first
cases:
`)
	for i, h := range hooks {
		name := strings.TrimSuffix(filepath.Base(h.script), filepath.Ext(h.script))
		fmt.Fprintf(&b, "  - id: F%02d\n    name: %s_runs\n    category: smoke\n", i+1, word(name))
		fmt.Fprintf(&b, "    hook: %q\n    event: %s\n%s", h.script, word(h.event), payloadFor(h))
		b.WriteString("    expect: {exit: 0}\n")
		fmt.Fprintf(&b, "    verify: [%q]\n", h.script)
	}
	b.WriteString(`  # - id: B01
  #   name: something_blocked
  #   category: block
  #   hook: .claude/hooks/my_hook.sh
  #   event: PreToolUse
  #   tool: Bash
  #   command: the command that must be blocked
  #   expect: {effect: denied}
  #   verify: [".claude/hooks/my_hook.sh §the_function_that_decides"]
`)
	return []byte(b.String())
}

// word makes a name one that YAML takes for nothing else.
func word(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' {
			return r
		}
		return '_'
	}, name)
}

// payloadFor is a harmless call of a tool that the hook's matcher lets through.
func payloadFor(h foundHook) string {
	switch {
	case !strings.Contains(h.event, "ToolUse"):
		return ""
	case h.matcher == "" || h.matcher == "*" || strings.Contains(h.matcher, "Bash"):
		return "    tool: Bash\n    command: echo hello\n"
	}
	tool := "Write"
	for _, t := range []string{"Edit", "Write", "Read", "NotebookEdit"} {
		if strings.Contains(h.matcher, t) {
			tool = t
			break
		}
	}
	return "    tool: " + tool + "\n    file_path: \"{tmp}/hello.txt\"\n" +
		"    fixtures: [{path: \"{tmp}/hello.txt\", content: \"hello\\n\"}]\n"
}
