package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/check"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/run"
	"hookwatch/suites/shell"
)

// checkLive has the real client fire every registered hook once.
func checkLive(ctx context.Context, a *app, g globals, client string) error {
	p, err := g.loadLive(client)
	if err != nil {
		return err
	}
	if len(p.Registered.Hooks)+len(p.Registered.Others) == 0 && p.Registered.DisabledBy.Line == 0 {
		return p.Empty
	}
	t, err := newLiveTrial(a, p)
	if err != nil {
		return err
	}
	defer t.close()
	began := time.Now()
	res, err := runLive(ctx, p.Tree(os.Environ()), t)
	if err != nil {
		return err
	}
	doc := newLiveDocument(p, t.ranIn, res, time.Since(began).Milliseconds())
	if err := a.print(doc, jsonLines(doc.Hooks, doc.ranIn), func(w io.Writer) { printLive(w, doc, a.verbose) }); err != nil {
		return err
	}
	return contradictionError(doc.Client, doc.count(func(h liveHook) bool { return h.Contradicts != "" }), doc.count(func(h liveHook) bool { return h.Fault != "" }))
}

// fireLive fires the hooks registered for an event, or one script, with the real client.
func fireLive(ctx context.Context, a *app, g globals, c *suites.Case, client string) error {
	p, err := g.loadLive(client)
	if err != nil {
		return err
	}
	if c.Hook != "" {
		c.Hook = p.RelFrom(g.workDir, c.Hook)
		p.Registered.Hooks = []discover.Hook{script(p.Root(), c)}
	}
	t, err := newLiveTrial(a, p)
	if err != nil {
		return err
	}
	defer t.close()
	t.Live.Alone = c.Hook != ""
	if c = askedLive(c); len(firesLive(t.Runner, c)) == 0 {
		return nothing(c)
	}
	o, err := t.bench.Fire(ctx, suites.Request{Case: c, Name: c.ID})
	if err != nil {
		return err
	}
	doc, err := newLive(c, o)
	if err != nil {
		return err
	}
	doc.ranIn, doc.Live.Name = t.ranIn, p.LiveOf.Name
	if err := a.print(doc, jsonLines(doc.Hooks, doc.ranIn), func(w io.Writer) { printFired(w, doc) }); err != nil {
		return err
	}
	return contradictionError(doc.Live.Client, doc.Wrong(), min(1, len(doc.Live.Fault)))
}

// liveDocument is the JSON document of check --live.
type liveDocument struct {
	Version    int        `json:"version"`
	Project    string     `json:"project"`
	Name       string     `json:"name,omitempty"` // of another client than Claude Code
	Client     string     `json:"client"`         // its version; empty if no hook was fired
	Fired      int        `json:"fired"`
	NotFired   int        `json:"not_fired"`
	Disabled   string     `json:"disabled,omitempty"` // the setting that disables all hooks
	Hooks      []liveHook `json:"hooks"`
	DurationMS int64      `json:"duration_ms"`

	ranIn
}

// liveHook is the result of one registered hook.
type liveHook struct {
	ID          string        `json:"id"`
	Event       string        `json:"event"`
	Matcher     string        `json:"matcher,omitempty"`
	Type        string        `json:"type"`
	Command     string        `json:"command,omitempty"`
	At          string        `json:"at"`
	Call        string        `json:"call,omitempty"` // the call that the client was made to carry out
	Fired       bool          `json:"fired"`
	Why         string        `json:"why,omitempty"` // why it was not fired
	Exit        *int          `json:"exit"`
	Outcome     string        `json:"outcome,omitempty"`
	Stdout      string        `json:"stdout,omitempty"`
	Stderr      string        `json:"stderr,omitempty"`
	Others      int           `json:"others,omitempty"` // number of other hooks that the same call fired
	Effect      suites.Effect `json:"effect,omitempty"` // of all hooks of the call
	Because     string        `json:"because,omitempty"`
	ModelSees   []string      `json:"model_sees,omitempty"`
	Contradicts string        `json:"contradicts,omitempty"` // a prediction of hookwatch from which the client deviates
	Fault       string        `json:"fault,omitempty"`       // failure of the client
}

// newLiveHook returns a hook that has not been fired, with the reason if there is one.
func newLiveHook(h discover.Hook, why string) liveHook {
	return liveHook{ID: h.ID, Event: h.Event, Matcher: h.Matcher, Type: h.Type, Command: h.Command, At: h.Source.String(), Why: why}
}

// newLiveDocument converts a result.
func newLiveDocument(p *session.Project, in ranIn, res liveResult, millis int64) liveDocument {
	doc := liveDocument{Version: 1, Project: p.Name(), Name: p.LiveOf.Name, Client: res.Client, ranIn: in, Hooks: []liveHook{}, DurationMS: millis}
	if at := p.Registered.DisabledBy; at.Line > 0 {
		doc.Disabled = at.String()
	}
	for _, h := range res.Hooks {
		if h.Fired {
			doc.Fired++
		} else {
			doc.NotFired++
		}
		doc.Hooks = append(doc.Hooks, h)
	}
	return doc
}

func (d liveDocument) count(of func(liveHook) bool) (n int) {
	for _, h := range d.Hooks {
		if of(h) {
			n++
		}
	}
	return n
}

// printLive prints the document as text.
func printLive(w io.Writer, doc liveDocument, verbose bool) {
	if doc.Disabled != "" {
		writef(w, "%s turns every hook off\n", doc.Disabled)
	}
	for _, h := range doc.Hooks {
		writef(w, "%s  %s  %s\n", strings.TrimSpace(h.Event+" "+h.Matcher), oneLine(cmp.Or(h.Command, h.Type), 70), h.At)
		switch {
		case !h.Fired:
			writef(w, "  not fired  %s\n", h.Why)
		default:
			h.printFiring(w, verbose)
		}
		if h.Contradicts != "" {
			writef(w, "  HOOKWATCH IS WRONG  %s\n", h.Contradicts)
		}
	}
	printIsolation(w, doc.ranIn)
	client := "no client was started"
	if doc.Client != "" {
		client = clientName(doc.Name) + " " + doc.Client
	}
	writef(w, "%s: %d of %s fired, in %.1f s\n", client, doc.Fired, session.Count(len(doc.Hooks), "hook"), float64(doc.DurationMS)/1000)
}

func (h liveHook) printFiring(w io.Writer, verbose bool) {
	others := ""
	if h.Others > 0 {
		others = ", with " + session.Count(h.Others, "other")
	}
	writef(w, "  fired      by %s%s\n", h.Call, others)
	writef(w, "  returned   %s\n", h.describeOutput())
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

func (h liveHook) describeOutput() string {
	switch {
	case h.Exit != nil:
		return fmt.Sprintf("exit %d", *h.Exit)
	case h.Outcome != "":
		return h.Outcome
	default:
		return "(the client does not say)"
	}
}

// text prints the first lines of a text, or with verbose all of it.
func text(w io.Writer, name, content string, verbose bool) {
	const most = 4
	lines := strings.Split(strings.TrimRight(content, "\n"), "\n")
	if content == "" {
		return
	}
	for i, line := range lines {
		if i == most && !verbose {
			writef(w, "             ... %s more with -v\n", session.Count(len(lines)-most, "line"))
			return
		}
		writef(w, "  %s  %s\n", output(fmt.Sprintf("%-9s", name)), output(line))
		name = ""
	}
}

// contradictionError returns the error for client sessions with wrong predictions or client failures,
// or nil.
func contradictionError(client string, wrong, faulty int) error {
	switch {
	case wrong > 0:
		return &abortedError{
			Why:  fmt.Sprintf("hookwatch is wrong about %s: client %s does not react as it predicts", session.Count(wrong, "hook"), client),
			Next: []string{"  this is an error of hookwatch's, not of the hooks: please report it with the output of --format json"},
		}
	case faulty > 0:
		return errFailed
	default:
		return nil
	}
}

// A liveCall makes the client fire hooks: all that are registered for its action.
type liveCall struct {
	c     *suites.Case
	hooks []int // indexes of the hooks it tests
}

// livePlan returns calls that fire each hook once, and for every other hook the reason why the
// client cannot be made to fire it.
func livePlan(t check.Tree, all []discover.Hook, fires func(c *suites.Case) []discover.Hook) (calls []liveCall, untried map[int]string) {
	untried = map[int]string{}
	planned := map[string]bool{}
	asked, own := make([]*suites.Case, len(all)), make([]bool, len(all))
	for i, h := range all {
		asked[i], own[i] = check.Call(t, h)
	}
	for i, h := range all {
		if planned[h.ID] {
			continue
		}
		c := asked[i]
		if why := unfit(h, c); why != "" {
			untried[i] = why
			continue
		}
		one := liveCall{c: c, hooks: []int{i}}
		with := map[string]bool{}
		same := ""
		for _, other := range fires(c) {
			with[other.ID] = true
			if other.Command == h.Command && slices.Equal(other.Args, h.Args) && other.Plugin == h.Plugin {
				same = other.ID
			}
		}
		switch {
		case with[h.ID]:
		case same != "":
			untried[i] = "its command is that of " + same + ", and the client runs equal commands once"
			continue
		default:
			untried[i] = "the client never fires it: its if is for tools alone"
			continue
		}
		for j, other := range all {
			// Plugins are fired in a project of their own.
			if j > i && with[other.ID] && other.If == h.If && other.Scope == h.Scope && !planned[other.ID] && (!own[j] || said(asked[j]) == said(c)) {
				one.hooks = append(one.hooks, j)
				planned[other.ID] = true
			}
		}
		calls = append(calls, one)
	}
	return calls, untried
}

// unfit returns why a hook cannot be fired in a client session that starts in the project, or "".
func unfit(h discover.Hook, c *suites.Case) string {
	switch {
	case h.WhyNotRun() != "":
		return h.WhyNotRun()
	case h.Scope == discover.InDirectory:
		return "it is in force in sessions that start in " + h.Session + " (hookwatch -C DIR check --live)"
	case h.Scope == discover.InDocument:
		return "it is in force while its skill, agent or command is active, which the scripted model starts none of"
	case h.Scope == discover.InGuess:
		return "nothing registers it"
	case c == nil:
		return fmt.Sprintf("its matcher %q lets nothing through that is known", h.Matcher)
	default:
		return ""
	}
}

// A liveResult is the result of all hooks.
type liveResult struct {
	Client string // version; "" if there is no client
	Hooks  []liveHook
}

// runLive fires the hooks of a tree. It returns an error only if hookwatch itself failed.
func runLive(ctx context.Context, tree check.Tree, t *trial) (liveResult, error) {
	all := slices.Concat(tree.Registered.Hooks, tree.Registered.Others)
	calls, untried := livePlan(tree, all, func(c *suites.Case) []discover.Hook { return firesLive(t.Runner, c) })
	res := liveResult{Hooks: make([]liveHook, len(all))}
	for i, h := range all {
		res.Hooks[i] = newLiveHook(h, untried[i])
	}
	var requests []suites.Request
	for _, one := range calls {
		requests = append(requests, suites.Request{Case: one.c, Name: one.c.ID})
	}
	outcomes, err := t.bench.All(ctx, requests)
	if err != nil && ctx.Err() == nil {
		return res, err
	}
	for i, one := range calls {
		for _, at := range one.hooks {
			res.Hooks[at] = became(all[at], one.c, outcomes[i], onlyOne(all, all[at]))
			res.Client = cmp.Or(res.Client, outcomes[i].Last().Client)
		}
	}
	return res, ctx.Err()
}

// askedLive returns c as a live case that fires all hooks registered for its event.
func askedLive(c *suites.Case) *suites.Case {
	asked := *c
	asked.Layer, asked.AskedLive, asked.Chain = suites.Live, true, true
	asked.Hook = ""
	return &asked
}

// script returns a script of the project as if it were registered for the event of a case.
func script(root string, c *suites.Case) discover.Hook {
	event := c.Steps[0].Event
	command := "bash " + shell.Quote(filepath.FromSlash(c.Hook))
	if !filepath.IsAbs(filepath.FromSlash(c.Hook)) {
		command = `bash "$CLAUDE_PROJECT_DIR"/` + shell.Quote(c.Hook) // also valid in a copy of the project
	}
	return discover.Hook{
		ID: c.Hook, Event: event, Type: "command", Command: command, Root: root, Scope: discover.InProject, Scripts: []string{c.Hook},
		Timeout: client.DefaultTimeout(event, "command"), Entry: client.Entry{Event: event, Type: "command", Command: command},
	}
}

// firesLive returns the hooks that the client fires for a case, as hookwatch predicts.
func firesLive(r *run.Runner, c *suites.Case) []discover.Hook {
	st := &c.Steps[0]
	if r.Hooks == nil {
		return nil
	}
	sent, err := r.Payload(c, 0, os.TempDir())
	if err != nil {
		return nil
	}
	return r.Hooks(st.Event, client.MatchedValue(st.Event, st.Tool, sent))
}

// onlyOne reports whether a hook belongs to a plugin and its event is one for which the client
// watches only if a settings file has hooks of such an event, and none has.
func onlyOne(all []discover.Hook, h discover.Hook) bool {
	needs := func(event string) bool {
		about, _ := client.EventByName(event)
		return about.NeedsSettings
	}
	return h.PluginRoot != "" && needs(h.Event) && !slices.ContainsFunc(all, func(o discover.Hook) bool { return o.PluginRoot == "" && needs(o.Event) })
}

// became returns the result of a hook that a call was meant to fire.
func became(h discover.Hook, c *suites.Case, o suites.Outcome, alone bool) liveHook {
	out := newLiveHook(h, "")
	out.Call = said(c)
	if o.NotRun != nil || len(o.Results) == 0 {
		out.Call, out.Why = "", "it was not tried"
		if o.NotRun != nil {
			out.Why = o.NotRun.Note()
		}
		return out
	}
	r := o.Last()
	switch {
	case r.TimedOut:
		out.Fault = fmt.Sprintf("the client did not end in %s", r.Timeout)
	case r.NotStarted != "":
		out.Fault = r.NotStarted
	}
	if r.Live == nil {
		out.Why = out.Fault
		return out
	}
	about, known := client.EventByName(h.Event)
	unnamed := false
	for _, got := range r.Live.Returned {
		unnamed = unnamed || got.Hook == ""
		if got.Hook == h.ID {
			out.Fired, out.Exit, out.Outcome, out.Stdout, out.Stderr, out.ModelSees = true, got.Exit, got.Outcome, got.Stdout, got.Stderr, got.ModelSees
			out.Others, out.Effect, out.Because = len(r.Live.Returned)-1, r.Effect, r.EffectReason
		}
	}
	switch {
	case out.Fired && r.Live.Predicted != "":
		out.Contradicts = fmt.Sprintf("hookwatch predicts %s, but the client did %s: %s", r.Live.Predicted, r.Effect, r.EffectReason)
	case out.Fired:
	case out.Fault != "":
		out.Why = out.Fault
	case unnamed:
		out.Why = "hooks fired, and the client does not tell which"
	case r.Live.Failed != "":
		line, _, _ := strings.Cut(strings.TrimSpace(r.Live.Failed), "\n")
		out.Why = "the call failed before it: " + line
	case h.Client == "" && !(known && about.Known(client.Version(r.Client))):
		out.Why = "client " + r.Client + " has no event " + h.Event
	case h.If != "":
		out.Why = "its if, " + h.If + ", does not take the call"
	case alone:
		out.Why = "the client fires " + h.Event + " hooks of a plugin only if a settings file has hooks of CwdChanged or FileChanged, too"
	default:
		out.Why = "the client did not fire it"
		out.Contradicts = "hookwatch predicts that the client fires it for " + out.Call + ", but it did not"
	}
	return out
}

// said describes a case's action in the client, cut to fit on a line.
func said(c *suites.Case) string {
	st := &c.Steps[0]
	about := cmp.Or(st.Command, strings.TrimPrefix(st.FilePath, "{override}/"))
	return strings.TrimSpace(strings.Join(slices.DeleteFunc([]string{cmp.Or(st.Tool, st.Event), about}, func(s string) bool { return s == "" }), " "))
}
