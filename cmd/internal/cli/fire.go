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

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/pattern"
	"hookwatch/suites/run"
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
	doc.ranIn = inIsolation(r.Isolation)
	return a.print(doc, len(doc.Hooks), doc.Line, func(w io.Writer) { printFired(w, doc) })
}

// fireDocument is what fire prints as JSON.
type fireDocument struct {
	Version  int           `json:"version"`
	Event    string        `json:"event"`
	Tool     string        `json:"tool,omitempty"`
	Effect   suites.Effect `json:"effect"` // of all hooks together
	Because  string        `json:"because"`
	Decision string        `json:"decision"`
	Hooks    []firedHook   `json:"hooks"`

	Changes []suites.Change `json:"changes,omitempty"` // what they did to files, as far as isolation shows it
	Stopped []string        `json:"stopped,omitempty"` // what isolation kept them from

	Live *firedByClient `json:"live,omitempty"` // of hooks that the real client fired

	ranIn
}

// Line is a hook as a line of its own.
func (d fireDocument) Line(i int) any {
	return struct {
		firedHook
		ranIn
	}{d.Hooks[i], d.ranIn}
}

// firedByClient is what the real client did with the hooks that it fired. The effect is what it did;
// of one hook alone it tells none.
type firedByClient struct {
	Client    string        `json:"client"`               // version
	ModelSees []string      `json:"model_sees,omitempty"` // what it sent the model from then on; long texts are cut
	Foretold  suites.Effect `json:"foretold,omitempty"`   // by hookwatch, where the client did otherwise
	Fault     string        `json:"fault,omitempty"`      // what went wrong with the client
}

// firedHook is one hook that fired.
type firedHook struct {
	ID         string        `json:"id"`
	Command    string        `json:"command"`
	Exit       int           `json:"exit"` // -1 when it did not exit by itself
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

// newFireDocument makes the document of hooks that fired, and of all together.
func newFireDocument(c *suites.Case, fired []run.Fired, o suites.Outcome) fireDocument {
	all := o.Last()
	doc := fireDocument{
		Version: 1, Event: c.Steps[0].Event, Tool: c.Steps[0].Tool,
		Effect: all.Effect, Because: all.EffectReason, Decision: all.Decision,
		Changes: o.Changes, Stopped: o.Stopped,
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

// nothing is the error of an event that fires no hook.
func nothing(c *suites.Case) error {
	return fmt.Errorf("no hook is registered for %s (hookwatch fire --hook SCRIPT fires one that is not)", strings.TrimSpace(c.Steps[0].Event+" "+c.Steps[0].Tool))
}

// Wrong counts the hooks with which the client did otherwise than hookwatch foretells.
func (d fireDocument) Wrong() int {
	if d.Live.Foretold == "" {
		return 0
	}
	return len(d.Hooks)
}

// Faulty is 1 where something went wrong with the client.
func (d fireDocument) Faulty() int { return min(1, len(d.Live.Fault)) }

// newLive makes the document of hooks that the real client fired. The error says why it
// could not be brought to do so.
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
	doc.Live.ModelSees, doc.Live.Foretold = all.Live.ModelSees, all.Live.Predicted
	for _, h := range all.Live.Returned {
		one := firedHook{ID: h.Hook, Command: h.Command, Exit: -1, Stdout: h.Stdout, Stderr: h.Stderr, ModelSees: h.Told, TimedOut: h.Outcome == "cancelled"}
		if h.Exit != nil {
			one.Exit = *h.Exit
		}
		doc.Hooks = append(doc.Hooks, one)
	}
	return doc, nil
}

// printFired says it for people.
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
	} else if ran > 1 {
		writef(w, "together: %s: %s\n", doc.Effect, doc.Because)
	}
	for _, c := range doc.Changes {
		writef(w, "%s %s\n", c.Kind, c.Path)
	}
	for _, text := range doc.Stopped {
		writef(w, "stopped: %s\n", text)
	}
	printIsolation(w, doc.ranIn)
}

// text says what the client did.
func (l *firedByClient) text(w io.Writer, doc fireDocument) {
	if len(doc.Hooks) == 0 {
		writef(w, "the client fired no hook%s\n", output(without(doc.Event, l.Client)))
	}
	if l.Fault != "" {
		writef(w, "FAULT     %s\n", l.Fault)
		return
	}
	writef(w, "client    %s\n", l.Client)
	if len(doc.Hooks) == 0 {
		return // what the client did, it did without one
	}
	writef(w, "effect    %s: %s\n", doc.Effect, doc.Because)
	told := 0
	for _, h := range doc.Hooks {
		for _, text := range h.ModelSees {
			section(w, "model ", text)
			told++
		}
	}
	if told == 0 {
		writef(w, "model     nothing of it\n")
	}
	if l.Foretold != "" {
		writef(w, "HOOKWATCH IS WRONG  it predicts %s\n", l.Foretold)
	}
}

// without says that a client does not have an event, where that is so.
func without(event, version string) string {
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

// eventNamed finds an event; the error tells which was most likely meant.
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

// A request is what flags say of the event to be fired.
type request struct{ Hook, Command, File, Stdin string }

// Case makes a case of one step that expects nothing.
func (r request) Case(args []string, dir string) (*suites.Case, error) {
	if _, err := eventNamed(args[0]); err != nil {
		return nil, err
	}
	st := suites.Step{Event: args[0], Command: r.Command}
	if len(args) == 2 {
		st.Tool = args[1]
	}
	if r.File != "" {
		st.FilePath = r.File
		if !filepath.IsAbs(r.File) && !strings.HasPrefix(r.File, "{") {
			st.FilePath = filepath.ToSlash(filepath.Join(dir, r.File))
		}
	}
	if r.Stdin != "" {
		st.Stdin = &r.Stdin
	}
	return &suites.Case{Suite: "fire", ID: args[0], Layer: suites.Direct, Hook: r.Hook, Chain: r.Hook == "", Steps: []suites.Step{st}}, nil
}

// firedPayload reads what --payload names.
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
