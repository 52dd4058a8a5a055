package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/engine/equipment"
	"hookwatch/cmd/internal/engine/sandboxes"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/run"
)

// FireDocument is what fire prints as JSON.
type FireDocument struct {
	Version  int           `json:"version"`
	Event    string        `json:"event"`
	Tool     string        `json:"tool,omitempty"`
	Effect   suites.Effect `json:"effect"` // of all hooks together
	Because  string        `json:"because"`
	Decision string        `json:"decision"`
	Hooks    []FireHook    `json:"hooks"`

	Changes []suites.Change `json:"changes,omitempty"` // what they did to files, as far as isolation shows it
	Stopped []string        `json:"stopped,omitempty"` // what isolation kept them from
}

// FireHook is one hook that fired.
type FireHook struct {
	ID         string        `json:"id"`
	Command    string        `json:"command"`
	Exit       int           `json:"exit"` // -1 when it did not exit by itself
	Signal     string        `json:"signal,omitempty"`
	NotStarted string        `json:"not_started,omitempty"`
	TimedOut   bool          `json:"timed_out,omitempty"`
	Stdout     string        `json:"stdout"`
	Stderr     string        `json:"stderr"`
	Effect     suites.Effect `json:"effect"`
	Because    string        `json:"because"`
	ModelSees  []string      `json:"model_sees,omitempty"`
	LeftBehind []string      `json:"left_behind,omitempty"`
	DurationMS int64         `json:"duration_ms"`
}

type fireOptions struct{ hook, command, file, payload, stdin string }

func (a *app) fireCommand() *cobra.Command {
	var o fireOptions
	cmd := &cobra.Command{
		Use:   "fire EVENT [TOOL]",
		Short: "Fire one hook, or all that are registered for an event, and show what comes of it",
		Long: `Send an event to the hooks that are registered for it, as the client would, or to
one script (--hook), and show exit code, stdout, stderr and what the client would
make of them. Nothing is recorded.`,
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
			return a.fire(cmd, c)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.hook, "hook", "", "this `SCRIPT` instead of what is registered")
	f.StringVar(&o.command, "command", "", "tool_input.command")
	f.StringVar(&o.file, "file", "", "tool_input.file_path")
	f.StringVar(&o.payload, "payload", "", "a whole payload: `JSON`, @FILE, or - for standard input")
	f.StringVar(&o.stdin, "stdin", "", "these bytes as they are, valid JSON or not")
	cmd.MarkFlagsMutuallyExclusive("payload", "stdin")
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

func (a *app) fire(cmd *cobra.Command, c *suites.Case) error {
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
	doc := fireDocument(c, fired, all)
	return a.print(doc, len(doc.Hooks), func(i int) any { return doc.Hooks[i] }, func(w io.Writer) { fireHuman(w, doc) })
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

func fireDocument(c *suites.Case, fired []run.Fired, o suites.Outcome) FireDocument {
	all := o.Last()
	doc := FireDocument{
		Version: 1, Event: c.Steps[0].Event, Tool: c.Steps[0].Tool,
		Effect: all.Effect, Because: all.EffectReason, Decision: all.Decision,
		Changes: o.Changes, Stopped: o.Stopped,
	}
	for _, f := range fired {
		r := f.Result
		doc.Hooks = append(doc.Hooks, FireHook{
			ID: f.Hook.ID, Command: f.Hook.Command, Exit: r.Exit, Signal: r.Signal, NotStarted: r.NotStarted,
			TimedOut: r.TimedOut, Stdout: string(r.Stdout), Stderr: string(r.Stderr), Effect: r.Effect,
			Because: r.EffectReason, ModelSees: r.ModelSees, LeftBehind: r.LeftBehind, DurationMS: r.Duration.Milliseconds(),
		})
	}
	return doc
}

func fireHuman(w io.Writer, doc FireDocument) {
	for _, h := range doc.Hooks {
		writef(w, "%s\n", h.Command)
		writef(w, "  exit    %s  in %s\n", h.ending(), time.Duration(h.DurationMS)*time.Millisecond)
		section(w, "stdout", h.Stdout)
		section(w, "stderr", h.Stderr)
		if len(h.LeftBehind) > 0 {
			writef(w, "  left    %s (ended)\n", strings.Join(h.LeftBehind, ", "))
		}
		writef(w, "  effect  %s: %s\n", h.Effect, h.Because)
		for _, text := range h.ModelSees {
			section(w, "model ", text)
		}
	}
	if len(doc.Hooks) > 1 {
		writef(w, "together: %s: %s\n", doc.Effect, doc.Because)
	}
	for _, c := range doc.Changes {
		writef(w, "%s %s\n", c.Kind, c.Path)
	}
	for _, text := range doc.Stopped {
		writef(w, "stopped: %s\n", text)
	}
}

func (h FireHook) ending() string {
	switch {
	case h.NotStarted != "":
		return "not started: " + h.NotStarted
	case h.TimedOut:
		return "timed out"
	case h.Signal != "":
		return "by " + h.Signal
	default:
		return fmt.Sprint(h.Exit)
	}
}

func section(w io.Writer, name, text string) {
	if text == "" {
		writef(w, "  %s  (nothing)\n", name)
		return
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if name != "" {
			writef(w, "  %s  %s\n", name, output(line))
		} else {
			writef(w, "          %s\n", output(line))
		}
		name = ""
	}
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
