package cli

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookwatch/cmd/internal/cli/terminal"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/disk"
)

//go:embed skill.md
var skill []byte

// agentCommand returns the command that runs the agent command for a client. On a machine without hookwatch,
// the user is informed of edits next to the client's hook file, because silence would look like success; the
// model gets nothing to work on.
func agentCommand(of clients.Client) string {
	dir := strings.Replace(path.Dir(of.Files[0]), ".", "[.]", 1)
	return `command -v hookwatch >/dev/null && exec hookwatch agent --client ` + of.Name + `; grep -q '` + dir + `[/\\]' && echo '{"systemMessage": "hookwatch is not installed: the cases of the edited hook were not run"}'; exit 0`
}

// agentEntry returns the event after which a client runs the agent command, and the entry that registers it.
func agentEntry(of clients.Client) (event string, entry json.RawMessage) {
	event, _ = of.EventFor(afterCalls, "")
	hook := fmt.Sprintf(`"type": "command", %q: %q, %q: %d`, of.Entry.Command[0], agentCommand(of), of.Entry.Timeout.Keys[0], 30*time.Second/of.TimeoutUnit())
	if of.Entry.Nested {
		hook = `"hooks": [{` + hook + `}]`
	}
	return event, json.RawMessage(fmt.Sprintf(`{"matcher": %q, %s}`, of.Agent.Matcher, hook))
}

// initAgent registers the agent command in the hook files of the clients that are named, Claude Code without a name,
// for which it also writes the skill.
func initAgent(a *app, dir, names string, yes bool) error {
	of, err := clients.Parse(cmp.Or(names, clients.Claude))
	if err != nil {
		return err
	}
	const largest = 1 << 20
	write := map[string][]byte{}
	for _, c := range of {
		if c.Agent.Matcher == "" {
			return fmt.Errorf("init --agent --client %s: what %s gives the model of a hook after a call was not measured", c.Name, c.Title)
		}
		name := c.HookFile()
		text, err := disk.Reader{Root: dir}.ReadFile(filepath.Join(dir, filepath.FromSlash(name)), largest)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		edited, err := withAgent(text, c)
		if err != nil {
			return err
		}
		if !bytes.Equal(edited, text) {
			write[name] = edited
		}
		event, _ := agentEntry(c)
		writef(a.Out, "%s: a hook of %s (%s) that runs:\n  %s\n", name, event, c.Agent.Matcher, agentCommand(c))
		if c.Agent.Skill != "" {
			writef(a.Out, "%s: how to use hookwatch\n", c.Agent.Skill)
		}
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(c.Agent.Skill))); err != nil {
			write[c.Agent.Skill] = skill
		}
		if c.Agent.Needs != "" {
			writef(a.Out, "%s runs it once %s\n", c.Title, c.Agent.Needs)
		}
	}
	if len(write) == 0 {
		return errors.New("nothing to write: the hook and the skill exist")
	}
	switch {
	case yes:
	case !terminal.Is(a.In) || !terminal.Is(a.Out):
		return errors.New("nothing was written: there is no terminal to ask on (--yes writes without asking)")
	default:
		if agreed, err := confirm(a.Out, a.In, "Write this to "+dir+"?"); err != nil || !agreed {
			return errors.Join(err, errors.New("nothing was written"))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(write)) {
		if err := replaceIn(dir, name, write[name]); err != nil {
			return err
		}
		reportFiles(a.Out, []string{name})
	}
	writef(a.Out, "\nNext: hookwatch --once, so that there are verdicts to compare with\n")
	return nil
}

// replaceIn writes a file of a directory, by its slash path. It follows no link below it.
func replaceIn(dir, name string, content []byte) error {
	path := filepath.Join(dir, filepath.FromSlash(name))
	d, err := disk.Make(dir, filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Replace(filepath.Base(path), content, disk.Synced)
}

// withAgent returns a client's hook file with the hook, in the form that it has otherwise. It returns it
// unchanged if it has the hook.
func withAgent(text []byte, of clients.Client) ([]byte, error) {
	if len(bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))) == 0 {
		text = []byte(cmp.Or(of.Agent.Empty, "{}") + "\n")
	}
	event, entry := agentEntry(of)
	out, err := insertion{Path: []string{"hooks", event}, Value: entry, Present: "hookwatch agent", Strict: true}.into(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%w; nothing was written", of.HookFile(), err)
	}
	return out, nil
}
