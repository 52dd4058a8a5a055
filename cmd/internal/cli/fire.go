package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/pattern"
	"hookwatch/suites/run"
)

// fireOptions are the flags of fire, of which the first describe the event.
type fireOptions struct {
	Hook, Command, File, Stdin string
	payload, client            string
	user, live, explain        bool
}

func newFireCmd(a *app, g *globals) *cobra.Command {
	var o fireOptions
	cmd := &cobra.Command{
		Use:   "fire EVENT [TOOL [INPUT]]",
		Short: "Fire one hook, or all of an event, and show the result",
		Long: `Send an event to the hooks that are registered for it, as the client would, or to
one script (--hook), and show exit code, stdout, stderr and what the client would
make of them. INPUT is the command of Bash or the file of another tool. Hooks that are no commands (prompt, agent, http) are named and left out.
With --live the real client fires them (see hookwatch help client), and what it did and
sent the model is shown. With --client NAME, another client's hooks are fired as it
fires them; EVENT is Claude Code's or its own name. With --explain nothing is started:
the arguments, the environment and where each variable comes from, the directory and
stdin of each entry are shown, or why it does not run. Nothing is recorded.`,
		Example: `  hookwatch fire PreToolUse Bash 'pip install requests'
  hookwatch fire PostToolUse Edit --file src/a.py --hook .claude/hooks/lint.sh
  hookwatch fire Stop --payload '{"hook_event_name":"Stop","stop_hook_active":true}'`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 3 {
				return errors.New("fire needs an event and may have a tool and its input, such as hookwatch fire PreToolUse Bash 'git push'")
			}
			if len(args) == 3 {
				into := &o.File
				if args[1] == "Bash" || args[1] == "PowerShell" {
					into = &o.Command
				}
				if *into != "" {
					return fmt.Errorf("%q and --command or --file: state the input once", args[2])
				}
				*into = args[2]
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runFire(cmd.Context(), a, *g, o, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.Hook, "hook", "", "this `SCRIPT` instead of what is registered")
	f.StringVar(&o.Command, "command", "", "tool_input.command")
	f.StringVar(&o.File, "file", "", "tool_input.file_path")
	f.StringVar(&o.payload, "payload", "", "a whole payload: `JSON`, @FILE, or - for standard input")
	f.StringVar(&o.Stdin, "stdin", "", "these bytes as they are, valid JSON or not")
	withUser(f, &o.user)
	withClient(f, &o.client)
	f.BoolVar(&o.explain, "explain", false, "show what would be started, and start nothing")
	f.BoolVar(&o.live, "live", false, "have the real client fire them")
	cmd.MarkFlagsMutuallyExclusive("client", "hook")
	cmd.MarkFlagsMutuallyExclusive("payload", "stdin")
	cmd.MarkFlagsMutuallyExclusive("explain", "live")
	cmd.MarkFlagsMutuallyExclusive("explain", "hook")
	cmd.MarkFlagsMutuallyExclusive("user", "live") // the client never gets your settings
	cmd.MarkFlagsMutuallyExclusive("user", "hook")
	return cmd
}

// claudeEvent replaces an event and a tool of another client by Claude Code's of the same meaning.
func claudeEvent(args []string, of string) ([]string, error) {
	if of == "" {
		return args, nil
	}
	c, err := oneClient(of)
	if err != nil {
		return nil, err
	}
	args = slices.Clone(args)
	if own, ok := c.Events[args[0]]; ok {
		if own.As == "" {
			return nil, fmt.Errorf("hookwatch has no input for %s of %s", args[0], c.Title)
		}
		args[0] = own.As
	}
	if len(args) > 1 {
		args[1] = c.ClaudeTool(args[1])
	}
	return args, nil
}

// oneClient returns the client with a name.
func oneClient(name string) (clients.Client, error) {
	named, err := clients.Parse(name)
	switch {
	case err != nil:
		return clients.Client{}, fmt.Errorf("--client: %w", err)
	case len(named) > 1:
		return clients.Client{}, fmt.Errorf("--client %s: name one client at a time", name)
	}
	return named[0], nil
}

func runFire(ctx context.Context, a *app, g globals, o fireOptions, args []string) error {
	if o.client == clients.Claude {
		o.client = ""
	}
	args, err := claudeEvent(args, o.client)
	if err != nil {
		return err
	}
	c, err := o.Case(args[:min(len(args), 2)], g.workDir)
	if err != nil {
		return err
	}
	if c.Steps[0].PayloadRaw, err = firedPayload(o.payload, a.In); err != nil {
		return err
	}
	if o.live {
		return fireLive(ctx, a, g, c, o.client)
	}
	p, err := g.loadWithUser(o.user)
	if err != nil {
		return err
	}
	if o.client != "" {
		other, _ := clients.ByName(o.client) // claudeEvent checked the name
		p.Registered = p.Registered.Of(other)
		st := c.Steps[0]
		if len(p.Registered.For(st.Event, cmp.Or(client.MatchedValue(st.Event, st.Tool, st.PayloadRaw), client.UsualMatcher(st.Event)))) == 0 {
			return noHooksError([]clients.Client{other})
		}
	}
	if o.explain {
		doc, err := planLaunches(p, c)
		if err == nil && len(doc.Entries) == 0 && doc.Disabled == "" {
			err = nothing(c)
		}
		if err != nil {
			return err
		}
		return a.print(doc, jsonLines(doc.Entries, ranIn{}), doc.print)
	}
	if c.Hook != "" {
		c.Hook = p.RelFrom(g.workDir, c.Hook)
	}
	t, err := newTrial(a, p)
	if err != nil {
		return err
	}
	defer t.close()
	fired, all, err := t.Fire(ctx, c)
	if err != nil {
		return err
	}
	if len(fired) == 0 {
		return nothing(c)
	}
	doc := newFireDocument(c, fired, all)
	doc.ranIn = t.ranIn
	if took, most := all.Last().Duration, p.Config.Budget.Call; most > 0 && took > most {
		doc.Slow = fmt.Sprintf("the client waits %s for the hooks of this call, more than budget.call (%s)", took.Round(time.Millisecond), most)
	}
	return a.print(doc, jsonLines(doc.Hooks, doc.ranIn), func(w io.Writer) { printFired(w, doc) })
}

// fireDocument is the JSON document of fire.
type fireDocument struct {
	Version  int           `json:"version"`
	Event    string        `json:"event"`
	Tool     string        `json:"tool,omitempty"`
	Effect   suites.Effect `json:"effect"` // of all hooks together
	Because  string        `json:"because"`
	Decision string        `json:"decision"`
	By       []string      `json:"by,omitempty"`   // the hooks, by ID, or the permission rule with that effect
	CallMS   int64         `json:"call_ms"`        // until all hooks had ended
	Slow     string        `json:"slow,omitempty"` // why that is too long
	Hooks    []firedHook   `json:"hooks"`

	Changes []suites.Change `json:"changes,omitempty"` // changes to files, as far as the isolation shows them
	Stopped []string        `json:"stopped,omitempty"` // actions that the isolation prevented

	Live *firedByClient `json:"live,omitempty"` // of hooks fired by the real client

	ranIn
}

// firedByClient is the behaviour of the real client with the hooks it fired. The effect is that
// of all hooks together, because the client reports none for a single hook.
type firedByClient struct {
	Name      string        `json:"name,omitempty"`       // of another client than Claude Code
	Client    string        `json:"client"`               // its version
	ModelSees []string      `json:"model_sees,omitempty"` // later requests to the model; long texts are cut
	Predicted suites.Effect `json:"predicted,omitempty"`  // predicted effect, if the client had another one
	Fault     string        `json:"fault,omitempty"`      // failure of the client
}

// firedHook is one hook that fired.
type firedHook struct {
	ID         string        `json:"id"`
	Command    string        `json:"command"`
	Exit       int           `json:"exit"` // -1 if it did not exit by itself
	Signal     string        `json:"signal,omitempty"`
	NotStarted string        `json:"not_started,omitempty"`
	NotRun     string        `json:"not_run,omitempty"` // why it was left out: it is no command
	TimedOut   bool          `json:"timed_out,omitempty"`
	Stdout     string        `json:"stdout"`
	Stderr     string        `json:"stderr"`
	Effect     suites.Effect `json:"effect"`
	Because    string        `json:"because"`
	ModelSees  []string      `json:"model_sees,omitempty"`
	LeftBehind []string      `json:"left_behind,omitempty"`
	DurationMS int64         `json:"duration_ms"`
}

// newFireDocument returns the document of hooks that fired, with their combined effect.
func newFireDocument(c *suites.Case, fired []run.Fired, o suites.Outcome) fireDocument {
	all := o.Last()
	doc := fireDocument{
		Version: 1, Event: c.Steps[0].Event, Tool: c.Steps[0].Tool,
		Effect: all.Effect, Because: all.EffectReason, Decision: all.Decision,
		By: all.By, CallMS: all.Duration.Milliseconds(), Changes: o.Changes, Stopped: o.Stopped,
	}
	for _, f := range fired {
		if f.NotRun != "" {
			doc.Hooks = append(doc.Hooks, firedHook{ID: f.Hook.ID, Exit: -1, NotRun: f.NotRun})
			continue
		}
		r := f.Result
		doc.Hooks = append(doc.Hooks, firedHook{
			ID: f.Hook.ID, Command: f.Hook.Command, Exit: r.Exit, Signal: r.Signal, NotStarted: r.NotStarted,
			TimedOut: r.TimedOut, Stdout: string(r.Stdout), Stderr: string(r.Stderr), Effect: r.Effect,
			Because: r.EffectReason, ModelSees: r.ModelSees, LeftBehind: r.LeftBehind, DurationMS: r.Duration.Milliseconds(),
		})
	}
	return doc
}

// nothing returns the error for an event that fires no hook.
func nothing(c *suites.Case) error {
	return fmt.Errorf("no hook is registered for %s (hookwatch fire --hook SCRIPT fires one that is not)", strings.TrimSpace(c.Steps[0].Event+" "+c.Steps[0].Tool))
}

// Wrong returns the number of hooks if the client deviated from the predicted effect, and 0
// otherwise.
func (d fireDocument) Wrong() int {
	if d.Live.Predicted == "" {
		return 0
	}
	return len(d.Hooks)
}

// newLive returns the document of hooks fired by the real client, or an error if the client could
// not be made to fire them.
func newLive(c *suites.Case, o suites.Outcome) (fireDocument, error) {
	if o.NotRun != nil {
		return fireDocument{}, errors.New(o.NotRun.Note())
	}
	all := o.Last()
	doc := fireDocument{
		Version: 1, Event: c.Steps[0].Event, Tool: c.Steps[0].Tool, Effect: all.Effect, Because: all.EffectReason, Decision: all.Decision,
		Hooks: []firedHook{}, Changes: o.Changes, Stopped: o.Stopped, Live: &firedByClient{Client: all.Client, Fault: all.NotStarted},
	}
	if all.TimedOut {
		doc.Live.Fault = "the client did not end in " + all.Timeout.String()
	}
	if all.Live == nil {
		return doc, nil
	}
	doc.Live.ModelSees, doc.Live.Predicted = all.Live.ModelSees, all.Live.Predicted
	for _, h := range all.Live.Returned {
		one := firedHook{ID: h.Hook, Command: h.Command, Exit: -1, Stdout: h.Stdout, Stderr: h.Stderr, ModelSees: h.ModelSees, TimedOut: h.Outcome == "cancelled"}
		if h.Exit != nil {
			one.Exit = *h.Exit
		}
		doc.Hooks = append(doc.Hooks, one)
	}
	return doc, nil
}

// printFired prints the document as text.
func printFired(w io.Writer, doc fireDocument) {
	ran := 0
	for _, h := range doc.Hooks {
		if h.NotRun != "" {
			writef(w, "%s\n  not run: %s\n", h.ID, h.NotRun)
			continue
		}
		ran++
		writef(w, "%s\n", h.Command)
		took := ""
		if doc.Live == nil {
			took = fmt.Sprintf("  in %s", time.Duration(h.DurationMS)*time.Millisecond)
		}
		writef(w, "  exit    %s%s\n", h.ending(), output(took))
		section(w, "stdout", h.Stdout)
		section(w, "stderr", h.Stderr)
		if len(h.LeftBehind) > 0 {
			writef(w, "  left    %s (ended)\n", strings.Join(h.LeftBehind, ", "))
		}
		if doc.Live == nil {
			writef(w, "  effect  %s: %s\n", h.Effect, h.Because)
			for _, text := range h.ModelSees {
				section(w, "model ", text)
			}
		}
	}
	if doc.Live != nil {
		doc.Live.text(w, doc)
	} else if ran > 1 || doc.byRule() {
		writef(w, "together: %s: %s\n", doc.Effect, doc.Because)
		if len(doc.By) > 0 {
			writef(w, "  by      %s\n", output(strings.Join(doc.By, ", ")))
		}
		writef(w, "  in      %s\n", time.Duration(doc.CallMS)*time.Millisecond)
	}
	if doc.Slow != "" {
		writef(w, "WARNING   %s\n", doc.Slow)
	}
	for _, c := range doc.Changes {
		writef(w, "%s %s\n", c.Kind, c.Path)
	}
	for _, text := range doc.Stopped {
		writef(w, "stopped: %s\n", text)
	}
	printIsolation(w, doc.ranIn)
}

// byRule reports whether a permission rule decided the effect.
func (d fireDocument) byRule() bool {
	return len(d.By) > 0 && !slices.ContainsFunc(d.Hooks, func(h firedHook) bool { return h.ID == d.By[0] })
}

// text prints the behaviour of the client.
func (l *firedByClient) text(w io.Writer, doc fireDocument) {
	if len(doc.Hooks) == 0 {
		writef(w, "the client fired no hook%s\n", output(noteMissingEvent(doc.Event, l.Client)))
	}
	if l.Fault != "" {
		writef(w, "FAULT     %s\n", l.Fault)
		return
	}
	writef(w, "%s %s\n", output(fmt.Sprintf("%-9s", clientName(l.Name))), l.Client)
	if len(doc.Hooks) == 0 {
		return // the effect is unrelated to hooks
	}
	writef(w, "effect    %s: %s\n", doc.Effect, doc.Because)
	printed := 0
	for _, h := range doc.Hooks {
		for _, text := range h.ModelSees {
			section(w, "model ", text)
			printed++
		}
	}
	if printed == 0 {
		writef(w, "model     nothing of it\n")
	}
	if l.Predicted != "" {
		writef(w, "HOOKWATCH IS WRONG  it predicts %s\n", l.Predicted)
	}
}

// noteMissingEvent returns a note if a client version does not have an event, and "" otherwise.
func noteMissingEvent(event, version string) string {
	if about, known := client.EventByName(event); known && version != "" && !about.Known(client.Version(version)) {
		return ": it has no event " + event
	}
	return ""
}

func (h firedHook) ending() string {
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

// eventNamed finds an event; the error suggests a similar name.
func eventNamed(name string) (client.Event, error) {
	event, known := client.EventByName(name)
	if known {
		return event, nil
	}
	var names []string
	for _, e := range client.Events() {
		names = append(names, e.Name)
	}
	hint := "names are case-sensitive, as in PreToolUse"
	if near := pattern.Nearest(name, names); near != "" {
		hint = "did you mean " + near + "? names are case-sensitive"
	}
	return client.Event{}, fmt.Errorf("the client has no event %q (%s)", name, hint)
}

// Case returns a case with one step and no expectation.
func (o fireOptions) Case(args []string, dir string) (*suites.Case, error) {
	if _, err := eventNamed(args[0]); err != nil {
		return nil, err
	}
	st := suites.Step{Event: args[0], Command: o.Command}
	if len(args) == 2 {
		st.Tool = args[1]
	}
	if o.File != "" {
		st.FilePath = o.File
		if !filepath.IsAbs(o.File) && !strings.HasPrefix(o.File, "{") {
			st.FilePath = filepath.ToSlash(filepath.Join(dir, o.File))
		}
	}
	if o.Stdin != "" {
		st.Stdin = &o.Stdin
	}
	return &suites.Case{Suite: "fire", ID: args[0], Layer: suites.Direct, Hook: o.Hook, Chain: o.Hook == "", Steps: []suites.Step{st}}, nil
}

// firedPayload returns the payload given to --payload as JSON, @FILE or -.
func firedPayload(text string, in io.Reader) (b json.RawMessage, err error) {
	if text == "" {
		return nil, nil
	}
	b = []byte(text)
	switch {
	case text == "-":
		b, err = io.ReadAll(in)
	case strings.HasPrefix(text, "@"):
		b, err = os.ReadFile(text[1:])
	}
	if err == nil && !json.Valid(b) {
		err = errors.New("--payload is not valid JSON (--stdin sends what is not)")
	}
	return b, err
}
