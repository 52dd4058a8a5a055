package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"hookwatch/cmd/internal/engine/decide"
	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/plan"
	"hookwatch/suites/tracing"
	"hookwatch/watcher"
)

// WatchOptions are what a watching engine needs beyond an engine.
type WatchOptions struct {
	Started  notify.Started // reported with the number of files that are watched, once that is known
	Watcher  *watcher.Watcher
	Notes    <-chan string // lines of the watcher that a person should read
	Commands <-chan Command
	Reload   func() (*project.Project, []suites.Problem)
}

// A watch is an engine that follows the files.
type watch struct {
	*Engine
	in       WatchOptions
	settled  *time.Timer // runs while there may be news that has to settle
	troubled bool        // configuration or suites have problems
	lastRun  string
	followed []string // files that the watcher follows for the cases' sake
	again    bool     // failures that were seen once have been run again
	rest     *decide.AtRest
	idle     idling
	toAudit  []*suites.Case   // not affected by the latest save
	toReload bool             // hooks were seen to stop more than the project has cases of
	warned   *project.Project // whose directories were reported as too many
}

// An idling engine makes the traces that are missing, one at a time, until
// something is saved.
type idling struct {
	untraced map[suites.Key]bool // cases that may lack a trace
	done     chan *tracedRun
	trial    chan *trialRun     // of the hook that is tried; nil while none is
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

// stop stops what can wait: what is to be done now needs the machine.
func (i *idling) stop() {
	i.by = nil // files may have changed
	if i.cancel != nil {
		i.cancel()
	}
}

// waitToSettle waits anew until nothing changes any more.
func (w *watch) waitToSettle() { w.settled.Reset(w.p.Config.Notify.Settle) }

// selectStale selects what is stale, and lets the watcher follow what the graph
// has come to know by it: a file that a hook sources from anywhere.
func (w *watch) selectStale(ctx context.Context) []plan.Selected {
	w.known.Freshness.Selected()
	for {
		selected := w.Stale()
		now := w.p.Graph.Files()
		if slices.Equal(now, w.followed) {
			return selected
		}
		w.followed = now
		// What only now is followed was read anew: it may have changed since.
		if err := Follow(ctx, w.p, w.in.Watcher); err != nil {
			w.warnOf(err)
			return selected
		}
	}
}

// warnOf tells of an error, unless it is that the engine ends.
func (w *watch) warnOf(err error) {
	if !errors.Is(err, context.Canceled) {
		w.warn(err.Error())
	}
}

// begin starts what is selected, if anything is, and tells of it.
func (w *watch) begin(ctx context.Context, selected []plan.Selected, quiet bool) {
	if len(selected) == 0 {
		return
	}
	w.startRun(ctx, selected, quiet)
	w.begun()
}

// startRun starts what is selected before anything is written of it: the hooks
// are what a person waits for.
func (w *watch) startRun(ctx context.Context, selected []plan.Selected, quiet bool) {
	if w.run == nil {
		w.open(false)
		w.run.Quiet = quiet
	}
	w.run.Quiet = w.run.Quiet && quiet
	w.lineUp(selected, false)
	w.fill(ctx)
}
