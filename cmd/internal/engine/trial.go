package engine

import (
	"context"

	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/conform"
	"hookwatch/suites/run"
)

// enoughStops is how many stopped inputs of a hook are enough: no more are tried.
const enoughStops = 8

// A trialRun finds out what a hook stops.
type trialRun struct {
	*project.Trial
	results []stopped
	works   bool // an input made it end with exit code 0
	err     error
}

// A stopped is an input, and what the client did with it.
type stopped struct {
	conform.Try
	effect suites.Effect
}

// try fires a hook with one input after the other.
func (t *trialRun) try(ctx context.Context, r *run.Runner) {
	for _, one := range t.Tries {
		o, err := r.Case(ctx, one.Case)
		if err == nil {
			_ = r.Remove(o) // what is left of it is cleared away at the end
		}
		if t.err = err; err != nil || ctx.Err() != nil || len(t.results) == enoughStops {
			return
		}
		last := o.Last()
		t.works = t.works || len(o.Results) > 0 && last.Exit == 0
		if conform.Stops(last.Effect) {
			t.results = append(t.results, stopped{one, last.Effect})
		}
	}
}

// tryNext finds out what the next hook stops of which that is not known, and reports
// whether there is one. Of a project with suites nothing is to be found out: these say
// what its hooks must stop.
func (w *watch) tryNext(ctx context.Context) bool {
	if w.with.Refused() != nil {
		return false
	}
	next := w.p.Trial(w.p.Stops)
	if next == nil {
		return false
	}
	w.idle.ctx, w.idle.cancel = context.WithCancel(ctx)
	w.idle.trial = make(chan *trialRun, 1)
	t, runner, done, ctx := &trialRun{Trial: next}, w.with.Runner, w.idle.trial, w.idle.ctx
	w.busy.start(w.o.Now())
	go func() {
		t.try(ctx, runner)
		done <- t
	}()
	return true
}

// tried keeps what a hook was seen to stop, and goes on. What it stopped before stays:
// it is a case of its own.
func (w *watch) tried(ctx context.Context, t *trialRun) {
	w.busy.stop(w.o.Now())
	over := w.idle.ctx.Err() != nil
	w.idle.cancel()
	w.idle.cancel, w.idle.trial = nil, nil
	if over || t.err != nil {
		if t.err != nil && !over {
			w.p.Stops.Tried[t.Hook.ID] = t.Digest // not again on this content
		}
		w.whileIdle(ctx)
		return
	}
	stops := project.ReadStops(w.p.Config)
	stops.Tried[t.Hook.ID] = t.Digest
	added := false
	for _, r := range t.results {
		added = stops.Add(&t.Hook, r.Try, r.effect) || added
	}
	if t.Guard && t.works && stops.Of(&t.Hook) == 0 { // why one does not work is a finding of its own
		w.warnf("%s: no case and no input exercises this hook: it stops none of %d inputs that it may be there to stop", t.Hook.Source, len(t.Tries))
	}
	w.p.Stops.Tried[t.Hook.ID] = t.Digest
	if err := stops.Save(w.p.Config); err != nil {
		w.warnf("what %s stops is not kept: %v", t.Hook.ID, err)
	} else if added {
		w.toReload = true
	}
	w.whileIdle(ctx)
}

// takeStops makes cases of what hooks were seen to stop since the project was read, and
// runs them.
func (w *watch) takeStops(ctx context.Context) bool {
	if !w.toReload {
		return false
	}
	w.toReload = false
	if !w.reload(ctx) {
		return false
	}
	w.begin(ctx, w.selectStale(ctx), true)
	return w.run != nil
}
