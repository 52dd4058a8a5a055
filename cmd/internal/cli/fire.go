package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/cli/fire"
	"hookwatch/cmd/internal/engine/equipment"
	"hookwatch/cmd/internal/engine/sandboxes"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/run"
)

type fireOptions struct {
	hook, command, file, payload, stdin string
	user                                bool
}

func (a *app) fireCommand() *cobra.Command {
	var o fireOptions
	cmd := &cobra.Command{
		Use:   "fire EVENT [TOOL]",
		Short: "Fire one hook, or all that are registered for an event, and show what comes of it",
		Long: `Send an event to the hooks that are registered for it, as the client would, or to
one script (--hook), and show exit code, stdout, stderr and what the client would
make of them. Hooks that are no commands (prompt, agent, http) are named and left out.
Nothing is recorded.`,
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
			c, err := o.asCase(args, dir)
			if err != nil {
				return err
			}
			return a.fire(cmd, c, o.user)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.hook, "hook", "", "this `SCRIPT` instead of what is registered")
	f.StringVar(&o.command, "command", "", "tool_input.command")
	f.StringVar(&o.file, "file", "", "tool_input.file_path")
	f.StringVar(&o.payload, "payload", "", "a whole payload: `JSON`, @FILE, or - for standard input")
	f.StringVar(&o.stdin, "stdin", "", "these bytes as they are, valid JSON or not")
	f.BoolVar(&o.user, "user", false, "also what your own settings register (~/.claude/settings.json)")
	cmd.MarkFlagsMutuallyExclusive("payload", "stdin")
	cmd.MarkFlagsMutuallyExclusive("user", "hook")
	return cmd
}

// asCase makes a case of one step that expects nothing.
func (o fireOptions) asCase(args []string, dir string) (*suites.Case, error) {
	if _, err := eventNamed(args[0]); err != nil {
		return nil, err
	}
	st := suites.Step{Event: args[0], Command: o.command}
	if len(args) == 2 {
		st.Tool = args[1]
	}
	if o.file != "" {
		st.FilePath = o.file
		if !filepath.IsAbs(o.file) && !strings.HasPrefix(o.file, "{") {
			st.FilePath = filepath.ToSlash(filepath.Join(dir, o.file))
		}
	}
	if o.stdin != "" {
		st.Stdin = &o.stdin
	}
	return &suites.Case{Suite: "fire", ID: args[0], Layer: suites.Direct, Hook: o.hook, Chain: o.hook == "", Steps: []suites.Step{st}}, nil
}

func (a *app) fire(cmd *cobra.Command, c *suites.Case, user bool) error {
	payload, err := a.payload(cmd)
	if err != nil {
		return err
	}
	c.Steps[0].Payload = payload
	p, err := a.loadHooks()
	if err != nil {
		return err
	}
	if c.Hook != "" {
		c.Hook = p.RelFrom(dirOf(a), c.Hook)
	}
	if user {
		if err := a.addUser(p); err != nil {
			return err
		}
	}
	s, temp, err := a.bare(p)
	if err != nil {
		return err
	}
	defer sandboxes.New(p.Root()).Close(temp)
	fired, all, err := s.Fire(cmd.Context(), c)
	if err != nil {
		return err
	}
	if len(fired) == 0 {
		return fmt.Errorf("no hook is registered for %s %s (hookwatch fire --hook SCRIPT fires one that is not)", c.Steps[0].Event, c.Steps[0].Tool)
	}
	doc := fire.New(c, fired, all)
	return a.print(doc, len(doc.Hooks), func(i int) any { return doc.Hooks[i] }, func(w io.Writer) { fire.Text(w, doc) })
}

// addUser has the hooks of the person's own settings fire before the project's.
func (a *app) addUser(p *project.Project) error {
	dir := os.Getenv("CLAUDE_CONFIG_DIR")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return err
		}
		dir = filepath.Join(home, ".claude")
	}
	own, err := discover.Hooks(p.Reader.Anywhere(), p.Root(), []string{filepath.Join(dir, "settings.json")}, nil)
	if err != nil {
		return err
	}
	if len(own.Files) == 0 {
		return fmt.Errorf("--user: there is no %s", filepath.Join(dir, "settings.json"))
	}
	for _, problem := range own.Problems {
		a.warn([]string{problem.Error()})
	}
	p.Registered.Hooks = append(own.Hooks, p.Registered.Hooks...)
	return nil
}

// payload reads what --payload names.
func (a *app) payload(cmd *cobra.Command) (json.RawMessage, error) {
	text, err := cmd.Flags().GetString("payload")
	if err != nil || text == "" {
		return nil, err
	}
	b := []byte(text)
	switch {
	case text == "-":
		b, err = io.ReadAll(a.In)
	case strings.HasPrefix(text, "@"):
		b, err = os.ReadFile(text[1:])
	}
	if err == nil && !json.Valid(b) {
		err = errors.New("--payload is not valid JSON (--stdin sends what is not)")
	}
	return b, err
}

// bare is a runner outside a session: nothing is recorded.
func (a *app) bare(p *project.Project) (*run.Runner, string, error) {
	a.inOrder.Store(true)
	temp, _, err := sandboxes.New(p.Root()).Open(false)
	if err != nil {
		return nil, "", err
	}
	r, err := equipment.NewRunner(p, temp, os.Environ())
	return r, temp, err
}
