package session

import (
	"context"
	"errors"
	"maps"
	"slices"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/plan"
	"hookwatch/suites/toolbox"
	"hookwatch/watcher"
)

// changed takes a batch of saves: what it made stale is cancelled and selected.
func (w *watch) changed(ctx context.Context, b watcher.Batch) {
	shape := false
	b.Changes = slices.DeleteFunc(slices.Clone(b.Changes), func(c watcher.Change) bool { return w.own.files[w.p.Rel(c.Path)] })
	if len(b.Changes) == 0 {
		return
	}
	changed := make([]string, len(b.Changes))
	var others, restored []string
	for i, c := range b.Changes {
		changed[i] = w.p.Rel(c.Path)
		shape = shape || w.reshapes(c)
		if c.Kind == watcher.Restored {
			restored = append(restored, changed[i])
		} else {
			others = append(others, changed[i])
		}
	}
	if (shape || w.paused) && !w.reload(ctx) {
		return
	}
	w.busy()
	if w.current == nil {
		w.runner.Prewarm() // while it is worked out for which case
	}
	w.stamps.refresh(changed)
	w.supersede(others)
	w.retract(restored)
	selected := w.selectStale(ctx)
	own := w.ownSelection(changed, selected)
	if len(selected) > 0 {
		w.startRun(ctx, selected, len(own) == 0)
	}
	w.show(b, changed, own)
	if len(own) > 0 {
		w.begun()
	}
	w.toAudit = w.sample(w.p.Config.Watch.Audit)
	if w.current != nil {
		w.settled.Stop()
		return
	}
	w.runner.CancelPrewarm()
	w.rests()
	w.settled.Reset(w.p.Config.Notify.Settle)
}

// ownSelection leaves out of a selection what waits already for the sake of other files
// than those that changed now: each save answers for its own cases.
func (w *watch) ownSelection(changed []string, selected []plan.Selected) []plan.Selected {
	return slices.DeleteFunc(slices.Clone(selected), func(s plan.Selected) bool {
		return w.queue.Has(s.Case.Key()) && !slices.ContainsFunc(s.Changed, func(in suites.Input) bool { return slices.Contains(changed, in.Path) })
	})
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

// reload reads configuration, suites and documents anew, and reports whether that
// was possible. While they have problems the last good ones stay in force.
func (w *watch) reload(ctx context.Context) bool {
	if w.missing() {
		return false
	}
	var p *project.Project
	var problems []suites.Problem
	err := unlessEnded(ctx, func() error {
		p, problems = w.o.Reload()
		return nil
	})
	if err != nil {
		return false
	}
	view := w.Session.o.View
	if len(problems) > 0 {
		w.troubled = true
		view.Handle(notify.Problems{List: problems, InForce: true})
		return true
	}
	if w.troubled {
		w.troubled = false
		view.Handle(notify.Problems{})
	}
	if !w.accepts(p) {
		return true
	}
	w.adopt(p)
	w.idle.lack(p.Every())
	w.followed = nil // what the new graph comes to know is not followed yet
	if err := Follow(ctx, p, w.o.Watcher); err != nil {
		w.warn(err)
	}
	for _, text := range p.Warnings {
		view.Handle(notify.Warning{Text: text})
	}
	return true
}

// warn tells of an error, unless it is that the session ends.
func (w *watch) warn(err error) {
	if !errors.Is(err, context.Canceled) {
		w.Session.o.View.Handle(notify.Warning{Text: err.Error()})
	}
}

// adopt puts another state of the project in force.
func (s *Session) adopt(p *project.Project) {
	s.use(p)
	if err := s.equip(); err != nil {
		s.o.View.Handle(notify.Warning{Text: err.Error()})
	}
	s.dropRemoved()
	s.forgetGone()
	for _, c := range s.queue.Clear() {
		if now := p.Find(c.Key()); now != nil {
			s.enqueue(now)
		} else if s.current != nil {
			s.drop(c.Key())
		}
	}
}

// dropRemoved forgets what the current run knows of cases that are no more.
func (s *Session) dropRemoved() {
	for key, e := range s.held {
		if s.p.Find(key) == nil {
			delete(s.held, key)
			s.discard(e)
			s.drop(key)
		}
	}
	if s.current == nil {
		return
	}
	for key := range s.current.records {
		if s.p.Find(key) == nil {
			s.drop(key)
		}
	}
}

// drop takes a case out of the current run, with the verdict that it may have
// had there: that one is never filed, so it must not count if the case comes back.
func (s *Session) drop(key suites.Key) {
	delete(s.current.planned, key)
	delete(s.current.records, key)
	if last := s.present[key]; last != nil && last.run == s.current.id {
		s.withdraw(key)
	}
}

// supersede cancels what runs on content that is no more.
func (s *Session) supersede(changed []string) {
	under := make(map[string]bool) // changed below a running case
	for _, e := range s.running {
		if plan.Superseded(e.c, s.p.Find(e.c.Key()), e.inputs, changed) {
			e.stale = true
			e.cancel()
		}
		for _, path := range files(e.inputs) {
			if slices.Contains(changed, path) {
				under[path] = true
			}
		}
	}
	s.touched(slices.Collect(maps.Keys(under)))
}

// stale selects the cases whose latest verdict, on record or under way, is not
// about what is there now; and their controls.
func (s *Session) stale() []plan.Selected {
	s.look = toolbox.NewLook(s.tools, s.sets)
	s.selector.Begin()
	selected := plan.Stale(s.p.Cases, s.past, s.digestsNow, s.sets.MayDiffer, s.unaffected)
	return plan.WithControls(plan.WithDependents(selected, s.p.Cases), s.p.Every())
}

func (s *Session) past(c *suites.Case) plan.Past {
	key := c.Key()
	if e := s.running[key]; e != nil && !e.stale {
		return plan.Past{Known: true, Digests: e.digests}
	}
	if e := s.held[key]; e != nil {
		return plan.Past{Known: true, Digests: e.digests}
	}
	last := s.present[key]
	if last == nil || last.digests.Case == "" || last.status == suites.Aborted {
		return plan.Past{}
	}
	if s.endings[key].retracted {
		return retractedPast(last.digests)
	}
	return plan.Past{Known: true, Digests: last.digests}
}

// show tells what was saved and what that selects. A source that no case depends
// on is worth a line; content that came back to what was run last is not.
func (w *watch) show(b watcher.Batch, changed []string, selected []plan.Selected) {
	e := notify.Changed{At: b.At, Total: len(w.p.Every())}
	for i, path := range changed {
		same := w.settledAs(b.Changes[i])
		if b.Changes[i].Kind == watcher.Restored && changes(b) {
			continue // the others are to be shown
		}
		if len(selected) == 0 && (same || !w.p.Matters(path)) {
			continue
		}
		e.Changes = append(e.Changes, notify.Change{Path: path, Sections: sectionsOf(path, selected)})
	}
	if len(e.Changes) == 0 {
		return
	}
	for _, sel := range selected {
		e.Selected = append(e.Selected, notify.Selection{Key: sel.Case.Key(), Because: sel.Because})
	}
	e.NotAffected, e.Uncovered = w.NotAffected(), w.Uncovered()
	w.Session.o.View.Handle(e)
}

// changes reports whether anything of a batch is of another content.
func changes(b watcher.Batch) bool {
	return slices.ContainsFunc(b.Changes, func(c watcher.Change) bool { return c.Kind != watcher.Restored })
}

// settledAs reports whether the content is the one that stood there when
// nothing was left to run.
func (w *watch) settledAs(c watcher.Change) bool {
	if _, seen := w.rest[c.Path]; !seen {
		w.rest[c.Path] = c.Was
	}
	w.latest[c.Path] = c.Digest
	return w.rest[c.Path] == c.Digest
}

// sectionsOf lists the sections of a file for whose sake cases are selected.
func sectionsOf(path string, selected []plan.Selected) []string {
	for _, c := range ChangesOf(selected) {
		if c.Path == path {
			return c.Sections
		}
	}
	return nil
}
