package session

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/check"
	"hookwatch/suites/depend"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/run"
	"hookwatch/suites/verdict"
)

// whileIdle does work that can wait until nothing else is left to do.
func (w *watch) whileIdle(ctx context.Context) {
	if w.idle.cancel != nil || w.session.run != nil {
		return
	}
	w.warnOverlooked()
	if w.proveNext(ctx) || w.checkNext(ctx) || w.tryNext(ctx) || w.takeStops(ctx) || w.traceNext(ctx) {
		return
	}
	if w.session.knowledge.Tracker.HasNoticed() || !slices.Equal(w.session.project.Graph.Files(), w.followed) { // found by traced runs
		if w.begin(ctx, w.selectStale(ctx), true); w.session.run != nil {
			return
		}
	}
	w.session.knowledge.Save()
	w.session.knowledge.Selector.Rest()
	w.session.knowledge.Tracker.Rest(w.session.opts.Now(), w.followed)
	w.session.project.Reader.Pinned.Rest()
	// No case is left to trace; release memory because the session may be idle for hours.
	w.idle.untraced, w.idle.by = nil, nil
	debug.FreeOSMemory()
	w.session.opts.View.Handle(Rested{})
}

// traceNext starts the next missing trace, and reports whether there is one.
func (w *watch) traceNext(ctx context.Context) bool {
	if w.session.project.Config.Run.Trace == config.TraceNever {
		return false
	}
	if w.idle.by == nil {
		w.idle.by = trace.NewScripts(w.session.knowledge.Contents.Script)
	}
	for _, c := range w.session.project.Every() {
		if !w.idle.untraced[c.Key()] {
			continue
		}
		delete(w.idle.untraced, c.Key())
		if last := w.session.knowledge.Traceable(c); last != nil {
			all := len(w.session.project.Every())
			w.session.opts.View.Handle(Tracing{Done: all - len(w.idle.untraced) - 1, Of: all})
			run := w.session.newTrace(c, last, w.idle.by)
			w.background(ctx, func(ctx context.Context) func(bool) {
				t := run(ctx)
				return func(over bool) {
					if w.session.finishTrace(t, over); over {
						w.idle.lack([]*suites.Case{c})
					}
				}
			})
			return true
		}
	}
	return false
}

// leave cancels idle work and waits for its end.
func (w *watch) leave() {
	w.idle.stop()
	if w.idle.done != nil {
		take := <-w.idle.done
		take(true)
	}
	w.session.knowledge.Save()
	w.session.equipment.Close()
}

// A tracedRun is one traced run of a case: the trace is stored with the existing record, and no
// verdict is made from it.
type tracedRun struct {
	execution
	last    *keptVerdict
	started time.Time    // by the clock of the file system's times
	trace   *trace.Trace // nil if the case could not be traced
}

// newTrace returns a function that runs a case once more with tracing.
func (e *Session) newTrace(c *suites.Case, last *keptVerdict, by *trace.Scripts) func(context.Context) *tracedRun {
	t := &tracedRun{execution: execution{c: c, runner: e.equipment.Runner, seen: e.knowledge.Tracker.See(c)}, last: last}
	p, timeout := e.project, e.timeout(c)
	return func(ctx context.Context) *tracedRun {
		t.started = time.Now()
		t.outcome, t.err = t.runner.TraceCase(ctx, c, trace.Start)
		if t.err == nil && t.outcome.Trace != nil && t.outcome.NotRun == nil {
			t.trace = trace.DecodeOutcome(&t.outcome, p.FiredScripts(c, len(t.outcome.Results)), by)
			if !sameResult(last, c, t.outcome, verdict.Judge(c, t.outcome, timeout)) {
				t.trace.Incomplete = "the traced run went otherwise than the one on record"
			}
		}
		return t
	}
}

// heldTraces is the maximum number of traces in memory that are not on disk yet.
const heldTraces = 100

// finishTrace stores a trace, unless it was interrupted or something changed while it was made.
func (e *Session) finishTrace(t *tracedRun, over bool) {
	e.discard(&t.execution)
	k := t.c.Key()
	now := e.knowledge.Verdicts.Present(k)
	if over || t.trace == nil || now == nil || now.Digests != t.last.Digests ||
		depend.InputsDigest(t.seen.Inputs) != now.Digests.Inputs || len(e.knowledge.Tracker.ChangedFiles(t.seen)) > 0 {
		return
	}
	if o := t.trace.Observed; o != nil {
		cfg := e.project.Config
		o.Paths = slices.DeleteFunc(o.Paths, func(p string) bool { // git status lists them, and they change with every run
			return isRecord(cfg, cfg.Abs(strings.TrimSuffix(p, "/")))
		})
		switch {
		case e.knowledge.Tracker.ChangedSince(o.Paths, t.started):
			t.trace.Observed = nil
		case e.knowledge.Tracker.Doubt(k, t.seen, o.Paths, t.last.startTime()):
			return
		}
	}
	e.knowledge.Selector.PutTrace(t.c, now.Digests, t.seen.Inputs, t.trace, e.knowledge.Tracker.Exclude)
	if e.knowledge.Selector.UnsavedCount() >= heldTraces {
		e.knowledge.Save()
		e.knowledge.Selector.Forget()
	}
}

// Trace makes the missing traces of cases and waits for them.
func (e *Session) Trace(ctx context.Context, cases []*suites.Case) {
	by := trace.NewScripts(e.knowledge.Contents.Script)
	done := make(chan *tracedRun)
	running, alone := 0, false
	take := func() {
		t := <-done
		e.busy.stop(e.opts.Now())
		running--
		alone = alone && running > 0
		e.finishTrace(t, ctx.Err() != nil)
	}
	for i, c := range cases {
		last := e.knowledge.Traceable(c)
		if last == nil || ctx.Err() != nil {
			continue
		}
		e.opts.View.Handle(Tracing{Done: i, Of: len(cases)})
		for running == e.equipment.Jobs || running > 0 && (alone || c.Serial) {
			take()
		}
		run := e.newTrace(c, last, by)
		e.busy.start(e.opts.Now())
		go func() { done <- run(ctx) }()
		running++
		alone = c.Serial
	}
	for running > 0 {
		take()
	}
	e.knowledge.Save()
}

// Coverage returns the coverage of the project's scripts. It makes missing traces first, if the
// session records.
func (e *Session) Coverage(ctx context.Context) Coverage {
	if e.opts.Store != nil {
		e.Trace(ctx, e.project.Cases)
	}
	return e.knowledge.Coverage()
}

// enoughStops is the number of stopped inputs after which no more inputs of a hook are tried.
const enoughStops = 8

// A trialRun finds inputs that a hook stops.
type trialRun struct {
	*Trial
	results []stopped
	works   bool   // the hook ended with exit code 0 for some input
	failing string // what it did with the first input for which it failed; "" if with none
	err     error
}

// A stopped is an input and the effect it had in the client.
type stopped struct {
	check.Try
	effect suites.Effect
}

// try fires a hook with inputs in order, those that reach a decision of its scripts first.
func (t *trialRun) try(ctx context.Context, r *run.Runner) {
	explored, err := check.Explore(t.tree, t.Hook, func(q suites.Request) (suites.Outcome, error) {
		if ctx.Err() != nil {
			return suites.Outcome{}, ctx.Err()
		}
		return r.Make(ctx, q)
	})
	if t.err = err; err != nil {
		return
	}
	t.Tries = slices.Concat(slices.DeleteFunc(explored, func(one check.Try) bool { return !one.Decides }), t.Tries)
	for _, one := range t.Tries {
		o, err := r.Case(ctx, one.Case)
		if err == nil {
			_ = r.Remove(o) // leftovers are removed at the end
		}
		if t.err = err; err != nil || ctx.Err() != nil || len(t.results) == enoughStops {
			return
		}
		last := o.Last()
		t.works = t.works || len(o.Results) > 0 && last.Exit == 0
		if one.Harmful && t.failing == "" && last.Exit > 0 && last.Exit != 2 && last.Effect == suites.Proceeds {
			t.failing = fmt.Sprintf("; for %s it fails with exit code %d, and the client proceeds: exit 2 to block", one.Input, last.Exit)
			if at := PlaceOf(ctx, r, r.Make, one.Case, last, t.Hook.Scripts); at.Line > 0 {
				t.failing += fmt.Sprintf(" (%s:%d)", at.File, at.Line)
			}
		}
		if check.Stops(last.Effect) {
			t.results = append(t.results, stopped{one, last.Effect})
		}
	}
}

// tryNext starts the trial of the next hook that has none for its content, and reports whether
// there is one. Projects with suites have no trials, because the suites state which inputs their
// hooks must stop.
func (w *watch) tryNext(ctx context.Context) bool {
	if w.session.equipment.Isolation().Refusal() != nil {
		return false
	}
	next := w.session.project.Trial(w.session.project.Stops)
	if next == nil {
		return false
	}
	t, runner := &trialRun{Trial: next}, w.session.equipment.Runner
	w.background(ctx, func(ctx context.Context) func(bool) {
		t.try(ctx, runner)
		return func(over bool) {
			switch {
			case over:
			case t.err != nil:
				w.session.project.Stops.Tried[t.Hook.ID] = t.Digest // not again on this content
			default:
				w.storeStops(t)
			}
		}
	})
	return true
}

// storeStops stores the inputs that a hook stopped. Inputs stopped earlier remain, because each is a case.
func (w *watch) storeStops(t *trialRun) {
	stops := readStops(w.session.project.Config)
	stops.Tried[t.Hook.ID] = t.Digest
	added := false
	for _, r := range t.results {
		added = stops.Add(&t.Hook, r.Try, r.effect) || added
	}
	if guard := slices.ContainsFunc(t.Tries, func(one check.Try) bool { return one.Harmful }); guard && t.works && stops.Of(&t.Hook) == 0 { // a hook that does not work at all is reported elsewhere
		w.session.warnf("%s: no case and no input exercises this hook: it stops none of %d inputs that it may be there to stop%s", t.Hook.Source, len(t.Tries), t.failing)
	}
	w.session.project.Stops.Tried[t.Hook.ID] = t.Digest
	if err := stops.Save(w.session.project.Config); err != nil {
		w.session.warnf("what %s stops is not kept: %v", t.Hook.ID, err)
	} else if added {
		w.toReload = true
	}
}

// takeStops turns inputs that hooks stopped since the project was loaded into cases, and runs
// them.
func (w *watch) takeStops(ctx context.Context) bool {
	if !w.toReload {
		return false
	}
	w.toReload = false
	if !w.reload(ctx) {
		return false
	}
	w.begin(ctx, w.selectStale(ctx), true)
	return w.session.run != nil
}

// Audit makes the next run check every case that a selection would leave out now. A case whose
// verdict changes nevertheless was missed by the selection.
func (e *Session) Audit() {
	selected := make(map[suites.Key]bool)
	for _, s := range e.Stale() {
		selected[s.Case.Key()] = true
	}
	for _, c := range e.project.Cases {
		if k := c.Key(); !selected[k] {
			e.auditCase(k)
		}
	}
}

// auditCase makes the next verdict of a case be compared with its present one.
func (e *Session) auditCase(k suites.Key) {
	if last := e.knowledge.Verdicts.Present(k); last != nil && e.knowledge.LeftOut(k) != neverRuns {
		e.audit.Add(k, e.knowledge.LeftOut(k), last)
	}
}

// TakeAudit returns the results since the last call.
func (e *Session) TakeAudit() AuditResult { return e.audit.Take() }

// sample returns up to n random cases that the latest selection left out.
func (e *Session) sample(n int) []*suites.Case {
	if n == 0 {
		return nil
	}
	var out []*suites.Case
	for _, c := range e.project.Cases {
		if k := c.Key(); !e.pending(k) && e.held[k] == nil && e.knowledge.LeftOut(k) != neverRuns {
			out = append(out, c)
		}
	}
	rand.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:min(n, len(out))]
}

// auditSome selects the sampled cases that the latest save did not affect, to run them while
// idle.
func (w *watch) auditSome() []verdict.Selected {
	cases := w.toAudit
	w.toAudit = nil
	for _, c := range cases {
		w.session.auditCase(c.Key())
	}
	return verdict.WithControls(verdict.All(cases, "an audit of the selection"), w.session.project.Every())
}
