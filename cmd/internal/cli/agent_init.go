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
	"hookwatch/suites/jsontree"
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
	rest, marked := bytes.CutPrefix(text, []byte("\ufeff"))
	if len(bytes.TrimSpace(rest)) == 0 {
		rest = []byte(cmp.Or(of.Agent.Empty, "{}") + "\n")
	}
	refused := func(offset int, what string) error {
		line, column := jsontree.NewLines(rest).At(offset)
		return fmt.Errorf("%s:%d:%d: %s; nothing was written", of.HookFile(), line, column, what)
	}
	root, err := jsontree.Parse(rest)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		return nil, refused(int(syntax.Offset)-1, syntax.Error()+": only plain JSON is edited: mend the file, or add the hook by hand")
	} else if err != nil {
		return nil, refused(0, err.Error())
	}
	indent := "  "
	if len(root.Members) > 0 {
		if lead, ok := leading(rest, root.Members[0].At); ok && lead != "" {
			indent = lead
		}
	}
	event, entry := agentEntry(of)
	var value any = entry
	// What exists of the path to the event is kept; value is put into the last container.
	at, depth, missing := root, 1, []string{"hooks", event}
	for len(missing) > 0 {
		if at.Kind != '{' {
			return nil, refused(at.Start, "want an object")
		}
		inner, ok := at.Get(missing[0])
		if !ok {
			break
		}
		at, depth, missing = inner, depth+1, missing[1:]
	}
	key := ""
	switch len(missing) {
	case 0:
		if at.Kind != '[' {
			return nil, refused(at.Start, event+" is no list")
		}
		if bytes.Contains(rest[at.Start:at.End], []byte("hookwatch agent")) {
			return text, nil
		}
	case 1:
		key, value = event, []any{value}
	case 2:
		key, value = "hooks", map[string]any{event: []any{value}}
	}
	out, err := appended(rest, at, depth, indent, key, value)
	if marked {
		out = slices.Concat([]byte("\ufeff"), out)
	}
	return out, err
}

// appended returns a JSON text with a value behind the others of an object or list at this depth, with
// line breaks as in the rest.
func appended(text []byte, at jsontree.Value, depth int, indent, key string, value any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(strings.Repeat(indent, depth), indent)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	added := "\n" + strings.Repeat(indent, depth)
	if key != "" {
		added += fmt.Sprintf("%q: ", key)
	}
	added += strings.TrimSpace(b.String())
	end := at.End - 1 // the closing bracket
	last := at.Start + 1
	if n := len(at.Members); n > 0 {
		last, added = at.Members[n-1].Value.End, ","+added
	}
	behind := text[last:]
	if !bytes.Contains(text[last:end], []byte("\n")) {
		added += "\n" + strings.Repeat(indent, depth-1)
		behind = text[end:]
	}
	if bytes.Contains(text, []byte("\r\n")) {
		added = strings.ReplaceAll(added, "\n", "\r\n")
	}
	return slices.Concat(text[:last], []byte(added), behind), nil
}

// leading returns the white space between an offset and the start of its line, if there is nothing else.
func leading(text []byte, at int) (string, bool) {
	start := bytes.LastIndexByte(text[:at], '\n') + 1
	lead := string(text[start:at])
	return lead, start > 0 && strings.TrimSpace(lead) == ""
}
