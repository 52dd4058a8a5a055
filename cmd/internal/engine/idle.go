package engine

import (
	"context"
	"runtime/debug"

	"hookwatch/cmd/internal/notify"
	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/tracing"
)

// whileIdle does what can wait until nothing else is to be done.
func (w *watch) whileIdle(ctx context.Context) {
	if w.idle.cancel != nil || w.run != nil {
		return
	}
	w.overlooked()
	if w.tryNext(ctx) || w.takeStops(ctx) || w.traceNext(ctx) {
		return
	}
	if w.known.Freshness.Noticed() { // by a run for a trace
		if w.begin(ctx, w.selectStale(ctx), true); w.run != nil {
			return
		}
	}
	w.known.Save()
	w.known.Selector.Rest()
	w.known.Freshness.Rest(w.o.Now(), w.followed)
	w.p.Reader.Pinned.Rest()
	// Every case was looked at, or none is to be; the engine may rest for hours.
	w.idle.untraced, w.idle.by = nil, nil
	debug.FreeOSMemory()
	w.o.View.Handle(notify.Rested{})
}

// traceNext makes the next trace that is missing, and reports whether one is.
func (w *watch) traceNext(ctx context.Context) bool {
	if w.p.Config.Run.Trace == config.TraceNever {
		return false
	}
	if w.idle.by == nil {
		w.idle.by = tracing.NewScripts(w.known.Contents.Script)
	}
	for _, c := range w.p.Every() {
		if !w.idle.untraced[c.Key()] {
			continue
		}
		delete(w.idle.untraced, c.Key())
		if last := w.known.Traceable(c); last != nil {
			w.idle.ctx, w.idle.cancel = context.WithCancel(ctx)
			all := len(w.p.Every())
			w.o.View.Handle(notify.Tracing{Done: all - len(w.idle.untraced) - 1, Of: all})
			w.startTrace(w.idle.ctx, c, last, w.idle.by, w.idle.done)
			return true
		}
	}
	return false
}

// idled takes a trace, and goes on.
func (w *watch) idled(ctx context.Context, t *tracedRun) {
	w.finishTrace(w.idle.ctx, t)
	if w.idle.ctx.Err() != nil {
		w.idle.lack([]*suites.Case{t.c})
	}
	w.idle.cancel()
	w.idle.cancel = nil
	w.whileIdle(ctx)
}

// leave stops what can wait, and waits for its end.
func (w *watch) leave() {
	w.idle.stop()
	switch {
	case w.idle.trial != nil:
		<-w.idle.trial
	case w.idle.cancel != nil:
		w.finishTrace(w.idle.ctx, <-w.idle.done)
	}
	w.known.Save()
	w.with.Close()
}
