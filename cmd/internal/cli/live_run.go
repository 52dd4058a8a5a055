package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/conform"
	"hookwatch/suites/discover"
	"hookwatch/suites/run"
	"hookwatch/suites/shell"
)

// A firedLive is what became of one registered hook.
type firedLive struct {
	Hook     discover.Hook
	Call     string // by which it was to be fired; "" when that was not tried
	Fired    bool
	Why      string // of one that was not fired
	Returned suites.Returned
	Beside   int // other hooks that fired for the same call
	Effect   suites.Effect
	Because  string
	Wrong    string // what hookwatch foretells and the client does not do
	Fault    string // what went wrong with the client
}

// A liveResult is what became of all.
type liveResult struct {
	Client string // version; "" when there is none
	Hooks  []firedLive
}

// Count tells how many hooks something holds for.
func (r liveResult) Count(of func(firedLive) bool) (n int) {
	for _, h := range r.Hooks {
		if of(h) {
			n++
		}
	}
	return n
}

// runLive fires the hooks of a tree, in so many sessions at a time; 0: as many as there are
// processors. The error is for what
// hookwatch itself could not do.
func runLive(ctx context.Context, t conform.Tree, r *run.Runner, jobs int) (liveResult, error) {
	all := slices.Concat(t.Registered.Hooks, t.Registered.Others)
	calls, untried := livePlan(t, all, func(c *suites.Case) []discover.Hook { return firesLive(r, c) })
	res := liveResult{Hooks: make([]firedLive, len(all))}
	for i, h := range all {
		res.Hooks[i] = firedLive{Hook: h, Why: untried[i]}
	}
	outcomes := make([]suites.Outcome, len(calls))
	errs := make([]error, len(calls))
	free := make(chan struct{}, cmp.Or(jobs, runtime.NumCPU()))
	var wait sync.WaitGroup
	for i := range calls {
		wait.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			outcomes[i], errs[i] = fire(ctx, r, calls[i].c)
		})
	}
	wait.Wait()
	for i, one := range calls {
		if errs[i] != nil {
			return res, errs[i]
		}
		for _, at := range one.hooks {
			res.Hooks[at] = became(res.Hooks[at].Hook, one.c, outcomes[i], onlyOne(all, res.Hooks[at].Hook))
			res.Client = cmp.Or(res.Client, outcomes[i].Last().Client)
		}
	}
	return res, ctx.Err()
}

// askedLive is a case that the user asks the client to fire: all that is registered for it.
func askedLive(c *suites.Case) *suites.Case {
	asked := *c
	asked.Layer, asked.AskedLive, asked.Chain = suites.Live, true, true
	asked.Hook = ""
	return &asked
}

// script is a script of the project as if it were registered for the event of a case.
func script(root string, c *suites.Case) discover.Hook {
	event := c.Steps[0].Event
	command := "bash " + shell.Quote(filepath.FromSlash(c.Hook))
	if !filepath.IsAbs(filepath.FromSlash(c.Hook)) {
		command = `bash "$CLAUDE_PROJECT_DIR"/` + shell.Quote(c.Hook) // which a copy of the project has, too
	}
	return discover.Hook{
		ID: c.Hook, Event: event, Type: "command", Command: command, Root: root, Scope: discover.InProject, Scripts: []string{c.Hook},
		Timeout: client.DefaultTimeout(event, "command"), Entry: client.Entry{Event: event, Type: "command", Command: command},
	}
}

// fire has the client fire the hooks of one case. Nothing of it stays.
func fire(ctx context.Context, r *run.Runner, c *suites.Case) (suites.Outcome, error) {
	o, err := r.Case(ctx, c)
	if err == nil {
		if err = r.Remove(o); os.IsNotExist(err) {
			err = nil
		}
	}
	return o, err
}

// firesLive are the hooks that the client fires for a case, as hookwatch has it.
func firesLive(r *run.Runner, c *suites.Case) []discover.Hook {
	st := &c.Steps[0]
	if r.Hooks == nil {
		return nil
	}
	sent, err := r.Sent(c, 0, os.TempDir())
	if err != nil {
		return nil
	}
	return r.Hooks(st.Event, client.MatchedValue(st.Event, st.Tool, sent))
}

// onlyOne reports whether a hook is a plugin's whose event the client watches for only if a
// settings file has hooks of such an event, and none has.
func onlyOne(all []discover.Hook, h discover.Hook) bool {
	needs := func(event string) bool {
		about, _ := client.EventByName(event)
		return about.NeedsSettings
	}
	return h.PluginRoot != "" && needs(h.Event) && !slices.ContainsFunc(all, func(o discover.Hook) bool { return o.PluginRoot == "" && needs(o.Event) })
}

// became is what became of a hook that a call was to fire.
func became(h discover.Hook, c *suites.Case, o suites.Outcome, alone bool) firedLive {
	out := firedLive{Hook: h, Call: said(c)}
	if o.NotRun != nil || len(o.Results) == 0 {
		out.Call, out.Why = "", "it was not tried"
		if o.NotRun != nil {
			out.Why = o.NotRun.Note
		}
		return out
	}
	r := o.Last()
	out.Effect, out.Because = r.Effect, r.EffectReason
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
	out.Beside = max(0, len(r.Live.Returned)-1)
	unnamed := false
	for _, got := range r.Live.Returned {
		unnamed = unnamed || got.Hook == ""
		if got.Hook == h.ID {
			out.Fired, out.Returned = true, got
		}
	}
	switch {
	case out.Fired && r.Live.Predicted != "":
		out.Wrong = fmt.Sprintf("hookwatch foretells %s and the client did %s: %s", r.Live.Predicted, r.Effect, r.EffectReason)
	case out.Fired:
	case out.Fault != "":
		out.Why = out.Fault
	case unnamed:
		out.Why = "hooks fired, and the client does not tell which"
	case r.Live.Failed != "":
		out.Why = "the call failed before it: " + firstLine(r.Live.Failed)
	case !exists(h.Event, r.Client):
		out.Why = "client " + r.Client + " has no event " + h.Event
	case h.If != "":
		out.Why = "its if, " + h.If + ", does not take the call"
	case alone:
		out.Why = "the client fires " + h.Event + " hooks of a plugin only if a settings file has hooks of CwdChanged or FileChanged, too"
	default:
		out.Why = "the client did not fire it"
		out.Wrong = "hookwatch foretells that the client fires it for " + out.Call + ", and it did not"
	}
	return out
}

// exists reports whether a client has an event.
func exists(event, version string) bool {
	about, known := client.EventByName(event)
	return known && about.Known(client.Version(version))
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// said is what a case has the client do, short enough for a line.
func said(c *suites.Case) string {
	st := &c.Steps[0]
	about := cmp.Or(st.Command, strings.TrimPrefix(st.FilePath, "{override}/"))
	return strings.TrimSpace(strings.Join(slices.DeleteFunc([]string{cmp.Or(st.Tool, st.Event), about}, func(s string) bool { return s == "" }), " "))
}
