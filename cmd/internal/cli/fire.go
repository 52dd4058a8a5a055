package cli

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"hookwatch/suites"
)

func (a *app) fireCommand() *cobra.Command {
	var o request
	var user, live bool
	var payload string
	cmd := &cobra.Command{
		Use:   "fire EVENT [TOOL]",
		Short: "Fire one hook, or all of an event, and show the result",
		Long: `Send an event to the hooks that are registered for it, as the client would, or to
one script (--hook), and show exit code, stdout, stderr and what the client would
make of them. Hooks that are no commands (prompt, agent, http) are named and left out.
With --live the real client fires them (see hookwatch help client), and what it did and
sent the model is shown. Nothing is recorded.`,
		Example: `  hookwatch fire PreToolUse Bash --command 'pip install requests'
  hookwatch fire PostToolUse Edit --file src/a.py --hook .claude/hooks/lint.sh
  hookwatch fire Stop --payload '{"hook_event_name":"Stop","stop_hook_active":true}'`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return errors.New("fire needs an event and may have a tool, such as hookwatch fire PreToolUse Bash")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := a.workDir()
			if err != nil {
				return err
			}
			c, err := o.Case(args, dir)
			if err != nil {
				return err
			}
			if c.Steps[0].PayloadRaw, err = firedPayload(payload, a.In); err != nil {
				return err
			}
			if live {
				return a.fireLive(cmd.Context(), c)
			}
			return a.fire(cmd, c, user)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Hook, "hook", "", "this `SCRIPT` instead of what is registered")
	f.StringVar(&o.Command, "command", "", "tool_input.command")
	f.StringVar(&o.File, "file", "", "tool_input.file_path")
	f.StringVar(&payload, "payload", "", "a whole payload: `JSON`, @FILE, or - for standard input")
	f.StringVar(&o.Stdin, "stdin", "", "these bytes as they are, valid JSON or not")
	withUser(f, &user)
	f.BoolVar(&live, "live", false, "have the real client fire them")
	cmd.MarkFlagsMutuallyExclusive("payload", "stdin")
	cmd.MarkFlagsMutuallyExclusive("user", "live") // it never has your settings
	cmd.MarkFlagsMutuallyExclusive("user", "hook")
	return cmd
}

func (a *app) fire(cmd *cobra.Command, c *suites.Case, user bool) error {
	p, err := a.loadWithUser(user)
	if err != nil {
		return err
	}
	if c.Hook != "" {
		c.Hook = p.RelFrom(dirOf(a), c.Hook)
	}
	r, close, err := a.bare(p)
	if err != nil {
		return err
	}
	defer close()
	fired, all, err := r.Fire(cmd.Context(), c)
	if err != nil {
		return err
	}
	if len(fired) == 0 {
		return nothing(c)
	}
	doc := newFireDocument(c, fired, all)
	doc.ranIn = ranIn{string(r.Isolation), r.Weaker}
	return a.print(doc, len(doc.Hooks), doc.Line, func(w io.Writer) { printFired(w, doc) })
}
