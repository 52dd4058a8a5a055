package engine

import (
	"context"
	"maps"
	"slices"

	"hookwatch/cmd/internal/engine/decide"
	"hookwatch/cmd/internal/engine/state"
	"hookwatch/cmd/internal/notify"
	"hookwatch/suites/plan"
	"hookwatch/watcher"
)

// changed takes a batch of saves: what it made stale is cancelled and selected.
func (w *watch) changed(ctx context.Context, b watcher.Batch) {
	b.Changes = slices.DeleteFunc(slices.Clone(b.Changes), func(c watcher.Change) bool { return w.known.Freshness.Written(w.p.Rel(c.Path)) })
	if len(b.Changes) == 0 {
		return
	}
	w.o.View.Handle(notify.Saved{})
	shape := false
	changed := make([]string, len(b.Changes))
	var others, restored []string
	for i, c := range b.Changes {
		changed[i] = w.p.Rel(c.Path)
		shape = shape || w.reshapes(c)
		if c.Kind == watcher.Restored || c.Kind == watcher.Removed && w.known.Freshness.Exists(changed[i]) {
			// A directory that was renamed and renamed back shows in no stamp: its files
			// may be reported as removed when they are back as they were.
			restored = append(restored, changed[i])
		}
		if c.Kind != watcher.Restored {
			others = append(others, changed[i])
		}
	}
	if (shape || w.paused) && !w.reload(ctx) {
		return
	}
	w.idle.stop()
	w.retry()
	if w.run == nil {
		w.with.Runner.Prewarm() // while it is worked out for which case
	}
	w.touchedElsewhere(changed)
	w.known.Freshness.Refresh(changed)
	w.supersede(others)
	w.retract(restored)
	w.startAffected(ctx, b, changed)
	w.toAudit = w.sample(w.p.Config.Watch.Audit)
	if w.run != nil {
		w.settled.Stop()
		return
	}
	w.with.Runner.CancelPrewarm()
	w.rest.Rest()
	w.waitToSettle()
}

// retry tries isolation again that could not be had: what ran short may be there now.
func (w *watch) retry() {
	if w.with.Refused() == nil {
		return
	}
	if err := w.with.Use(w.p, w.known.Environment.Tools); err != nil {
		w.warnError(err)
	}
	w.known.Equip(w.with.Tools)
}

// startAffected starts what is stale, and tells of the save and of its own cases.
func (w *watch) startAffected(ctx context.Context, b watcher.Batch, changed []string) {
	selected := w.selectStale(ctx)
	own := decide.Own(selected, changed, w.queue.Has)
	if len(selected) > 0 {
		w.startRun(ctx, selected, len(own) == 0)
	}
	w.show(b, changed, own)
	if len(own) > 0 {
		w.begun()
	}
}

// reshapes reports whether a change may make another project. A file that is as
// it was does so if the project was read while it was not.
func (w *watch) reshapes(c watcher.Change) bool {
	if w.p.Shapes(c.Path) {
		return true
	}
	if c.Kind == watcher.Restored {
		return w.p.Follows(w.p.Rel(c.Path)) != (c.Digest != "")
	}
	return c.Kind != watcher.Modified
}

// supersede cancels what runs on content that is no more.
func (e *Engine) supersede(changed []string) {
	under := make(map[string]bool) // changed below a running case
	for _, x := range e.running {
		if plan.Superseded(x.c, e.p.Find(x.c.Key()), x.seen.Inputs, changed) {
			x.supersede()
		}
		for _, path := range x.seen.Files() {
			if slices.Contains(changed, path) {
				under[path] = true
			}
		}
	}
	e.touched(slices.Collect(maps.Keys(under)))
}

// retract takes back verdicts of cases that may not have seen a file which is as it
// was again, and cancels those that run.
func (e *Engine) retract(restored []string) {
	e.known.Freshness.Restored(restored, e.o.Now())
	for _, x := range e.running {
		if e.known.Freshness.Suspect(x.c.Key(), x.seen, restored) {
			x.supersede()
		}
	}
}

// show tells what was saved and what that selects. A source that no case depends
// on is worth a line; content that came back to what was run last is not, unless the
// counts are others by it.
func (w *watch) show(b watcher.Batch, changed []string, selected []plan.Selected) {
	e := notify.Changed{At: b.At, State: w.State()}
	counted := w.run == nil && e.State != w.counts
	others := slices.ContainsFunc(b.Changes, func(c watcher.Change) bool { return c.Kind != watcher.Restored })
	for i, path := range changed {
		c := b.Changes[i]
		same := w.rest.Same(c.Path, c.Was, c.Digest)
		if c.Was == "" && c.Digest == "" {
			continue // looked for, and never there
		}
		if !counted && (c.Kind == watcher.Restored && others || len(selected) == 0 && (same || !w.p.Matters(path))) {
			continue
		}
		e.Changes = append(e.Changes, notify.Change{Path: path, Sections: state.SectionsOf(path, selected)})
	}
	if len(e.Changes) == 0 {
		return
	}
	for _, sel := range selected {
		e.Selected = append(e.Selected, notify.Selection{Key: sel.Case.Key(), Because: sel.Because})
	}
	e.NotAffected, e.Uncovered = w.known.NotAffected(), w.known.Uncovered()
	w.counts = e.State
	w.o.View.Handle(e)
}
