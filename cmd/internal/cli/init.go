package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/session"
	"hookwatch/config"
	"hookwatch/suites/catalog"
	"hookwatch/suites/check"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/reference"
)

// firstSuite is the path at which init writes a first suite.
const firstSuite = ".claude/tests/hooks/suites/first.yaml"

type initOptions struct {
	starter, editor string
	agent, yes      bool
	client          string // with agent
}

func newInitCmd(a *app, g *globals) *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init [--starter [NAME]] [--agent] [--editor vscode]",
		Short: "Write a commented configuration and a first suite",
		Long: `Write a commented .hookwatch.yaml, and a first suite with one case for every hook
that is found. With --starter: a small project to begin with, its hooks, settings,
documents and configuration; first unless another is named:

` + reference.Listing() + `
Files that exist are never overwritten. With --agent: after asking, a hook in the
project's settings that runs the cases which an edit of the agent affects and gives it
the failures, and a skill that teaches it check, explain and prove; with --client, a
hook of Codex, Copilot CLI or Gemini CLI instead (see hookwatch help agents).
With --editor vscode: a task that watches and shows what is wrong in the file that is
open, and the schemas of the YAML files; what exists there is kept (see hookwatch help
editors).`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.starter == reference.First.Name && len(args) == 1 {
				return nil // the name after --starter
			}
			return noArgs(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case o.editor != "":
				return initEditor(a, *g, o.editor, o.yes)
			case o.agent:
				return initAgent(a, g.workDir, o.client, o.yes)
			case o.client != "":
				return errors.New("--client goes with --agent: it names the clients whose model gets the failures")
			case o.starter == "":
				return initProject(a, *g)
			}
			return initStarter(a, g.workDir, append(args, o.starter)[0])
		},
	}
	cmd.Flags().StringVar(&o.starter, "starter", "", "write a starter `project` instead: "+strings.Join(reference.Names(), ", "))
	cmd.Flags().BoolVar(&o.agent, "agent", false, "register a hook that runs the affected cases after each edit of the agent, and write a skill")
	withClients(cmd.Flags(), &o.client)
	cmd.Flags().StringVar(&o.editor, "editor", "", "write a task and settings for this `editor`: vscode")
	cmd.Flags().BoolVar(&o.yes, "yes", false, "with --agent and --editor: write without asking")
	cmd.MarkFlagsMutuallyExclusive("agent", "starter", "editor")
	cmd.Flags().Lookup("starter").NoOptDefVal = reference.First.Name
	return cmd
}

func initStarter(a *app, dir, name string) error {
	starter, ok := reference.Find(name)
	if !ok {
		return fmt.Errorf("no starter project %q: there are %s", name, strings.Join(reference.Names(), ", "))
	}
	written, err := starter.Extract(dir)
	if err != nil {
		return err
	}
	if name == reference.First.Name { // whose suite names it
		schema := path.Join(path.Dir(firstSuite), catalog.SchemaFile)
		if err := disk.WriteNew(dir, filepath.Join(dir, filepath.FromSlash(schema)), catalog.Schema(), 0o644); err == nil {
			written = append(written, schema)
		} else if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	for _, f := range written {
		writef(a.Out, "wrote %s\n", f)
	}
	writef(a.Out, "\nNext: hookwatch --once\n")
	return nil
}

// initProject writes the missing files; it fails only if all exist.
func initProject(a *app, g globals) error {
	g.filter = session.Filter{}
	p, err := g.loadHooks()
	if err != nil {
		return err
	}
	root := p.Root()
	hooks, notRun := firstHooks(p)
	if len(hooks) == 0 {
		return fmt.Errorf("no hooks in %s: looked for settings with hooks, plugins and scripts in .claude/hooks (hookwatch init --starter writes a project to begin with)", root)
	}
	hooks, unwritable := writable(hooks)
	if notRun = append(notRun, unwritable...); len(hooks) == 0 {
		return fmt.Errorf("no case can be written for any hook: %s", strings.Join(notRun, "; "))
	}
	for _, why := range notRun {
		writef(a.Out, "no case for %s\n", why)
	}
	if err := writeDrafts(a, root, false, []draft{
		{name: config.FileName, content: config.Example()},
		{name: firstSuite, content: suiteOfHooks(hooks)},
		{name: path.Join(path.Dir(firstSuite), catalog.SchemaFile), content: catalog.Schema()},
	}); err != nil {
		return err
	}
	writef(a.Out, "\nNext: say in %s what each hook must do, then hookwatch --once\n", firstSuite)
	return nil
}

// firstHook is a hook for which a case is written: a registration, or an unregistered script.
type firstHook struct {
	Script     string // "" for an inline command
	Event      string
	Passing    string // a tool, or another value that its matcher accepts
	Registered string // name of the registration; "" for an unregistered script
	Verify     string // the file on which its claim depends
	Elsewhere  bool   // its sessions run in other projects
	Raw        bool   // the tool is in a payload, because a case may not name it
}

// writable returns the hooks for which a case can be written that loads, and descriptions of the others.
func writable(hooks []firstHook) (can []firstHook, not []string) {
	for _, h := range hooks {
		why := h.unwritable()
		if why != "" {
			h.Raw = true // such as a tool that the client does not have, by a mistake in the matcher
			why = h.unwritable()
		}
		if why != "" {
			not = append(not, fmt.Sprintf("%s of %s: %s", cmp.Or(h.Registered, h.Script), h.Event, why))
			continue
		}
		can = append(can, h)
	}
	return can, not
}

// unwritable returns the reason why the hook's case does not load, "" if it does.
func (h firstHook) unwritable() string {
	suite, problems := catalog.Load(firstSuite, suiteOfHooks([]firstHook{h}))
	switch {
	case len(problems) > 0:
		return problems[0].What
	case suite.Cases[0].Registered != h.Registered || h.Registered == "" && suite.Cases[0].Hook != h.Script:
		return "its name is not valid UTF-8"
	}
	return ""
}

// suiteOfHooks returns a suite with one case per hook, which must run and be sound.
func suiteOfHooks(hooks []firstHook) []byte {
	var b strings.Builder
	b.WriteString(catalog.SchemaLine + `# The first suite of this project. A case fires one hook and states the expected result;
# hookwatch schema suite describes every key. These cases fire each hook as
# the client would, and only see that it starts, does not crash and prints nothing that
# the client ignores: add what it must block, and name that case
# as the control of the one that it must let through.
suite: first
cases:
`)
	for i, h := range hooks {
		fmt.Fprintf(&b, "  - id: F%02d\n    name: %s_runs\n    category: smoke\n", i+1, word(h.name()))
		if h.Registered != "" {
			fmt.Fprintf(&b, "    registered: %q\n", h.Registered)
		} else {
			fmt.Fprintf(&b, "    hook: %q\n", h.Script)
		}
		if h.Elsewhere {
			b.WriteString("    repo: {commit: {README.md: \"# Example\\n\"}} # the project in which it runs\n")
		}
		fmt.Fprintf(&b, "    event: %s\n%s    expect: {sound: true}\n", word(h.Event), payloadFor(h))
		fmt.Fprintf(&b, "    verify: [%q]\n", h.Verify)
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

// name returns the name of a hook in its case.
func (h firstHook) name() string {
	if h.Script == "" {
		return h.Event
	}
	return strings.TrimSuffix(filepath.Base(h.Script), filepath.Ext(h.Script))
}

// word replaces characters so that YAML reads a name as a plain string.
func word(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' {
			return r
		}
		return '_'
	}, name)
}

// payloadFor returns a harmless call that the hook's matcher accepts.
func payloadFor(h firstHook) string {
	event, _ := client.EventByName(h.Event)
	switch {
	case h.Passing == "":
		return ""
	case !event.Tool:
		return fmt.Sprintf("    payload: {%s: %q}\n", event.MatchedOn, h.Passing)
	case h.Raw:
		return fmt.Sprintf("    payload: {tool_name: %q, tool_input: {}}\n", h.Passing)
	case h.Passing == "Bash":
		return "    tool: Bash\n    command: echo hello\n"
	case client.ToolByName(h.Passing).Path == "":
		return fmt.Sprintf("    tool: %q\n", h.Passing)
	}
	return "    tool: " + h.Passing + "\n    file_path: \"{tmp}/hello.txt\"\n" +
		"    fixtures: [{path: \"{tmp}/hello.txt\", content: \"hello\\n\"}]\n"
}

// firstHooks returns the hooks of a project: one per registration, or its scripts if no hook is
// registered; and descriptions of hooks that do not run, with the reason.
func firstHooks(p *session.Project) (hooks []firstHook, notRun []string) {
	for _, h := range p.Registered.Hooks {
		if why := h.WhyNotRun(); why != "" {
			notRun = append(notRun, fmt.Sprintf("%s: %s: %s", h.Source, h.Event, why))
			continue
		}
		hooks = append(hooks, of(p, h))
	}
	for _, h := range p.Registered.Others {
		notRun = append(notRun, fmt.Sprintf("%s: %s: %s", h.Source, h.Event, cmp.Or(h.WhyNotRun(), "not in every session ("+string(h.Scope)+")")))
	}
	for _, script := range p.Scripts() {
		if !strings.Contains(script, "/lib/") && len(p.Registered.Hooks) == 0 {
			hooks = append(hooks, firstHook{Script: script, Event: cmp.Or(discover.EventOf(script), client.GuardEvent(client.Calls).Name), Passing: "Bash", Verify: script})
		}
	}
	return hooks, notRun
}

// of returns a registered hook with its shortest unambiguous name.
func of(p *session.Project, h discover.Hook) firstHook {
	hook := firstHook{Event: h.Event, Passing: check.Passing(h), Registered: h.ID, Verify: h.Source.File, Elsewhere: h.Scope.IsForeign()}
	if len(h.Scripts) > 0 {
		hook.Script = h.Scripts[0]
		if p.Exists(hook.Script) {
			hook.Verify = hook.Script
		}
		if meant, ok := p.Registered.Find(h.Event, hook.Script, ""); ok && meant.ID == h.ID {
			hook.Registered = hook.Script
		}
	}
	return hook
}
