package cli

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"

	"hookwatch/suites/client/clients"
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

// agentDraft returns the hook file of a client with the agent command at an event, in the form that it has otherwise.
func agentDraft(of clients.Client, event string) draft {
	hook := fmt.Sprintf(`"type": "command", %q: %q, %q: %d`, of.Entry.Command[0], agentCommand(of), of.Entry.Timeout.Keys[0], 30*time.Second/of.TimeoutUnit())
	if of.Entry.Nested {
		hook = `"hooks": [{` + hook + `}]`
	}
	entry := json.RawMessage(fmt.Sprintf(`{"matcher": %q, %s}`, of.Agent.Matcher, hook))
	return draft{name: of.HookFile(), content: []byte(of.Agent.Empty + "\n"), asks: true, adds: []insertion{
		{Path: []string{"hooks", event}, Value: entry, Present: "hookwatch agent", Strict: true},
	}}
}

// initAgent registers the agent command in the hook files of the clients that are named, Claude Code without a name,
// for which it also writes the skill.
func initAgent(a *app, dir, names string, yes bool) error {
	of, err := clients.Parse(cmp.Or(names, clients.Claude))
	if err != nil {
		return err
	}
	var drafts []draft
	for _, c := range of {
		if c.Agent.Matcher == "" {
			return fmt.Errorf("init --agent --client %s: what %s gives the model of a hook after a call was not measured", c.Name, c.Title)
		}
		event, _ := c.EventFor(afterCalls, "")
		drafts = append(drafts, agentDraft(c, event))
		writef(a.Out, "%s: a hook of %s (%s) that runs:\n  %s\n", c.HookFile(), event, c.Agent.Matcher, agentCommand(c))
		if c.Agent.Skill != "" {
			drafts = append(drafts, draft{name: c.Agent.Skill, content: skill, asks: true})
			writef(a.Out, "%s: how to use hookwatch\n", c.Agent.Skill)
		}
		if c.Agent.Needs != "" {
			writef(a.Out, "%s runs it once %s\n", c.Title, c.Agent.Needs)
		}
	}
	if err := writeDrafts(a, dir, yes, drafts); err != nil {
		return err
	}
	writef(a.Out, "\nNext: hookwatch --once, so that there are verdicts to compare with\n")
	return nil
}
