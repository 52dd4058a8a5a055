package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
)

// liveDocument is what live prints as JSON.
type liveDocument struct {
	Version    int        `json:"version"`
	Project    string     `json:"project"`
	Client     string     `json:"client"` // version; empty when no hook was fired
	Fired      int        `json:"fired"`
	NotFired   int        `json:"not_fired"`
	Disabled   string     `json:"disabled,omitempty"` // the setting that turns every hook off
	Hooks      []liveHook `json:"hooks"`
	DurationMS int64      `json:"duration_ms"`

	ranIn
}

// liveHook is what became of one registered hook.
type liveHook struct {
	ID          string        `json:"id"`
	Event       string        `json:"event"`
	Matcher     string        `json:"matcher,omitempty"`
	Type        string        `json:"type"`
	Command     string        `json:"command,omitempty"`
	At          string        `json:"at"`
	Call        string        `json:"call,omitempty"` // what the client was brought to do
	Fired       bool          `json:"fired"`
	Why         string        `json:"why,omitempty"` // it was not fired
	Exit        *int          `json:"exit"`
	Outcome     string        `json:"outcome,omitempty"`
	Stdout      string        `json:"stdout,omitempty"`
	Stderr      string        `json:"stderr,omitempty"`
	Beside      int           `json:"beside,omitempty"` // other hooks that the same call fired
	Effect      suites.Effect `json:"effect,omitempty"` // of all hooks of the call
	Because     string        `json:"because,omitempty"`
	ModelSees   []string      `json:"model_sees,omitempty"`
	Contradicts string        `json:"contradicts,omitempty"` // what hookwatch predicts otherwise
	Fault       string        `json:"fault,omitempty"`       // of the client's
}

// Line is a hook as a line of its own.
func (d liveDocument) Line(i int) any {
	return struct {
		liveHook
		ranIn
	}{d.Hooks[i], d.ranIn}
}

// newLiveDocument makes the document.
func newLiveDocument(p *project.Project, in ranIn, res liveResult, millis int64) liveDocument {
	doc := liveDocument{Version: 1, Project: p.Name(), Client: res.Client, ranIn: in, Hooks: []liveHook{}, DurationMS: millis}
	if at := p.Registered.DisabledBy; at.Line > 0 {
		doc.Disabled = at.String()
	}
	for _, h := range res.Hooks {
		one := liveHook{
			ID: h.Hook.ID, Event: h.Hook.Event, Matcher: h.Hook.Matcher, Type: h.Hook.Type, Command: h.Hook.Command, At: h.Hook.Source.String(),
			Call: h.Call, Fired: h.Fired, Why: h.Why, Contradicts: h.Wrong, Fault: h.Fault,
		}
		if h.Fired {
			doc.Fired++
			one.Exit, one.Outcome, one.Stdout, one.Stderr = h.Returned.Exit, h.Returned.Outcome, h.Returned.Stdout, h.Returned.Stderr
			one.Beside, one.Effect, one.Because, one.ModelSees = h.Beside, h.Effect, h.Because, h.Returned.Told
		} else {
			doc.NotFired++
		}
		doc.Hooks = append(doc.Hooks, one)
	}
	return doc
}

// Contradicted counts the hooks with which the client does otherwise than hookwatch
// foretells.
func (d liveDocument) Contradicted() int {
	return d.count(func(h liveHook) bool { return h.Contradicts != "" })
}

// Faulty counts the hooks that were not seen to the end for a fault of the client's.
func (d liveDocument) Faulty() int { return d.count(func(h liveHook) bool { return h.Fault != "" }) }

func (d liveDocument) count(of func(liveHook) bool) (n int) {
	for _, h := range d.Hooks {
		if of(h) {
			n++
		}
	}
	return n
}

// printLive says it for people.
func printLive(w io.Writer, doc liveDocument, verbose bool) {
	if doc.Disabled != "" {
		writef(w, "%s turns every hook off\n", doc.Disabled)
	}
	for _, h := range doc.Hooks {
		writef(w, "%s  %s  %s\n", strings.TrimSpace(h.Event+" "+h.Matcher), h.name(), h.At)
		switch {
		case !h.Fired:
			writef(w, "  not fired  %s\n", h.Why)
		default:
			h.fired(w, verbose)
		}
		if h.Contradicts != "" {
			writef(w, "  HOOKWATCH IS WRONG  %s\n", h.Contradicts)
		}
	}
	printIsolation(w, doc.ranIn)
	client := "no client was started"
	if doc.Client != "" {
		client = "client " + doc.Client
	}
	writef(w, "%s: %d of %s fired, in %.1f s\n", client, doc.Fired, notify.Count(len(doc.Hooks), "hook"), float64(doc.DurationMS)/1000)
}

func (h liveHook) fired(w io.Writer, verbose bool) {
	beside := ""
	if h.Beside > 0 {
		beside = ", beside " + notify.Count(h.Beside, "other")
	}
	writef(w, "  fired      by %s%s\n", h.Call, beside)
	writef(w, "  returned   %s\n", h.returned())
	text(w, "stdout", h.Stdout, verbose)
	text(w, "stderr", h.Stderr, verbose)
	writef(w, "  the client %s: %s\n", h.Effect, h.Because)
	if len(h.ModelSees) == 0 {
		writef(w, "  the model  nothing of it\n")
	}
	for _, t := range h.ModelSees {
		text(w, "the model", t, verbose)
	}
}

func (h liveHook) returned() string {
	switch {
	case h.Exit != nil:
		return fmt.Sprintf("exit %d", *h.Exit)
	case h.Outcome != "":
		return h.Outcome
	default:
		return "(the client does not say)"
	}
}

// name is the hook's command, short enough for a line, or its type.
func (h liveHook) name() string {
	const most = 70
	text := strings.Join(strings.Fields(cmp.Or(h.Command, h.Type)), " ")
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most-3]) + "..."
	}
	return text
}

// text shows the first lines of one, or all.
func text(w io.Writer, name, content string, verbose bool) {
	const most = 4
	lines := strings.Split(strings.TrimRight(content, "\n"), "\n")
	if content == "" {
		return
	}
	for i, line := range lines {
		if i == most && !verbose {
			writef(w, "             ... %s more with -v\n", notify.Count(len(lines)-most, "line"))
			return
		}
		writef(w, "  %s  %s\n", output(fmt.Sprintf("%-9s", name)), output(line))
		name = ""
	}
}

// long is the command's help.
const long = `Start the real client in a sandbox, against a scripted model and without your login
or settings (see hookwatch help client), and have it fire every command hook that is
registered, each once, with a call that its matcher lets through. For each hook: whether
it was fired, or why not; what it returned; what the client did, and what of it the
model was sent. A call runs all hooks that are registered for it.

Nothing is judged and nothing recorded. Exit code 1: the client itself failed. Exit
code 3: it did otherwise than hookwatch foretells, which is an error of hookwatch's.`

// contradicted is the error, if any, that sessions with a client amount to.
func contradicted(client string, wrong, faulty int) error {
	switch {
	case wrong > 0:
		return &AbortedError{
			Why:  fmt.Sprintf("hookwatch is wrong about %s: client %s does otherwise than it predicts", notify.Count(wrong, "hook"), client),
			Next: []string{"  this is an error of hookwatch's, not of the hooks: please report it with the output of --format json"},
		}
	case faulty > 0:
		return ErrFailed
	default:
		return nil
	}
}
