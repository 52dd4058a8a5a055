// Package played turns what the real client did in a step into the result of it.
package played

import (
	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/live"
	"hookwatch/suites/run/driver"
)

// Result is what the i-th step of a session came to. registered are the hooks that
// fire for it, and ours tells which of them the case is about, by their place; -1 is
// one that is not known.
func Result(session driver.Session, i int, registered []discover.Hook, ours func(at int) bool) suites.Result {
	seen := session.Seen[i]
	r := suites.Result{Exit: -1, Client: session.Version, Duration: session.Duration, ModelSees: seen.Texts()}
	r.Effect, r.EffectReason = seen.Effect()
	r.Live = &suites.LiveResult{ModelSees: live.Cut(r.ModelSees), Requests: session.Requests, End: seen.End(), Bodies: session.Bodies}
	var readings []client.Reading
	for _, h := range live.Match(&seen, commandsOf(registered)) {
		r.Live.Hooks = append(r.Live.Hooks, suites.LiveHook{Event: seen.Turn.Event, Command: h.Command, Exit: h.Exit, Outcome: h.Outcome})
		if !ours(h.Registered) {
			continue
		}
		exit := -1
		if h.Exit != nil {
			exit = *h.Exit
		}
		r.Exit = max(r.Exit, exit)
		r.Fired = true
		r.Stdout = append(r.Stdout, h.Stdout...)
		r.Stderr = append(r.Stderr, h.Stderr...)
		if h.ID == "" { // without its streams nothing can be foretold
			continue
		}
		entry := client.Entry{Command: h.Command}
		if h.Registered >= 0 {
			entry = registered[h.Registered].Entry
		}
		readings = append(readings, client.Interpret(client.Version(session.Version), seen.Turn.Event, client.Output{
			Exit: exit, TimedOut: h.Outcome == "cancelled", Stdout: []byte(h.Stdout), Stderr: []byte(h.Stderr), Entry: entry, Matched: seen.Turn.Value,
		}))
	}
	r.StdoutBytes, r.StderrBytes = int64(len(r.Stdout)), int64(len(r.Stderr))
	if len(readings) > 0 {
		predicted := client.Combine(readings)
		r.Decision = predicted.Decision
		if predicted.Effect != r.Effect {
			r.Live.Predicted = predicted.Effect
		}
	}
	return r
}

func commandsOf(hooks []discover.Hook) []string {
	out := make([]string, len(hooks))
	for i, h := range hooks {
		out[i] = h.Command
	}
	return out
}
