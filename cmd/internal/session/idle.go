package session

import (
	"context"
	"runtime/debug"

	"hookwatch/cmd/internal/notify"
	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/tracing"
)

// An idling session makes the traces that are missing, one at a time, until
// something is saved.
type idling struct {
	untraced map[suites.Key]bool // cases that may lack a trace
	done     chan *tracedRun
	cancel   context.CancelFunc // of what is running; nil when nothing is
	ctx      context.Context
	by       *tracing.Scripts
}

// lack notes cases whose traces have to be looked for.
func (i *idling) lack(cases []*suites.Case) {
	if i.untraced == nil {
		i.untraced = make(map[suites.Key]bool)
	}
	for _, c := range cases {
		i.untraced[c.Key()] = true
	}
}

// whileIdle does what can wait until nothing else is to be done.
func (w *watch) whileIdle(ctx context.Context) {
	if w.idle.cancel != nil || w.current != nil {
		return
	}
	if w.p.Config.Run.Trace != config.TraceNever {
		if w.idle.by == nil {
			w.idle.by = tracing.NewScripts(w.contents.Script)
		}
		for _, c := range w.p.Every() {
			if !w.idle.untraced[c.Key()] {
				continue
			}
			delete(w.idle.untraced, c.Key())
			if last := w.traceable(c); last != nil {
				w.idle.ctx, w.idle.cancel = context.WithCancel(ctx)
				w.startTrace(w.idle.ctx, c, last, w.idle.by, w.idle.done)
				return
			}
		}
	}
	if w.stamps.noticed { // by a run for a trace
		if w.begin(ctx, w.selectStale(ctx), true); w.current != nil {
			return
		}
	}
	w.save()
	w.selector.Rest()
	w.forgetEndings()
	w.own.forget(w.followed)
	// Every case was looked at, or none is to be; the session may rest for hours.
	w.idle.untraced, w.idle.by = nil, nil
	debug.FreeOSMemory()
	w.Session.o.View.Handle(notify.Rested{})
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

// busy stops what can wait: what is to be done now needs the machine.
func (w *watch) busy() {
	w.idle.by = nil // files may have changed
	if w.idle.cancel != nil {
		w.idle.cancel()
	}
}

// leave is busy, and waits for the end of what was stopped.
func (w *watch) leave() {
	w.busy()
	if w.idle.cancel != nil {
		w.finishTrace(w.idle.ctx, <-w.idle.done)
	}
	w.save()
	w.runner.Close()
}
