package session

import (
	"context"
	"maps"
	"os"
	"slices"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/verdict"
	"hookwatch/watcher"
)

// handleBatch handles a batch of saves: it cancels cases that became stale and selects them again.
func (w *watch) handleBatch(ctx context.Context, b watcher.Batch) {
	b.Changes = slices.DeleteFunc(slices.Clone(b.Changes), func(c watcher.Change) bool {
		return w.session.knowledge.Tracker.IsWritten(w.session.project.Rel(c.Path))
	})
	if len(b.Changes) == 0 {
		return
	}
	w.session.opts.View.Handle(Saved{})
	shape := false
	changed := make([]string, len(b.Changes))
	var others, restored []string
	for i, c := range b.Changes {
		changed[i] = w.session.project.Rel(c.Path)
		shape = shape || w.reshapes(c)
		if c.Kind == watcher.Restored || c.Kind == watcher.Removed {
			// A directory that was renamed and renamed back leaves all signatures unchanged: its
			// files may be reported as removed although they are back unmodified. And a file that
			// was made and removed again while a case ran is as absent as when the case began.
			restored = append(restored, changed[i])
		}
		if c.Kind != watcher.Restored {
			others = append(others, changed[i])
		}
	}
	if (shape || w.session.paused) && !w.reload(ctx) {
		return
	}
	w.idle.stop()
	w.checks.due = w.in.Check != nil
	w.retry()
	if w.session.run == nil {
		w.session.equipment.Runner.Prewarm() // while the affected cases are determined
	}
	w.touchedElsewhere(changed)
	w.session.project.Graph.Refresh(changed)
	w.session.supersedeAll(others)
	w.session.retract(restored)
	w.startAffected(ctx, b, changed)
	w.toAudit = w.session.sample(w.session.project.Config.Watch.Audit)
	if w.session.run != nil {
		w.settled.Stop()
		return
	}
	w.session.equipment.Runner.CancelPrewarm()
	w.rest.Rest()
	w.present()
	w.waitToSettle()
}

// retry tries again to set up isolation if it was unavailable, because the resource that ran
// short may be available now.
func (w *watch) retry() {
	if w.session.equipment.Isolation().Refusal() == nil {
		return
	}
	if err := w.session.equipment.Use(w.session.project, w.session.knowledge.Environment.Tools); err != nil {
		w.session.warnError(err)
	}
	w.session.knowledge.setTools(w.session.equipment.Tools)
}

// startAffected starts the stale cases, and announces the save with the cases it selects.
func (w *watch) startAffected(ctx context.Context, b watcher.Batch, changed []string) {
	selected := w.selectStale(ctx)
	own := ownCases(selected, changed, w.session.queue.Has)
	if len(selected) > 0 {
		w.startRun(ctx, selected, len(own) == 0)
	}
	w.show(b, changed, own)
	if len(own) > 0 {
		w.session.announceRun()
	}
}

// reshapes reports whether a change may alter the set of suites, hooks or cases. A restored file
// does so only if the project was read while the file was in its other state: the project uses a
// file that is missing now, or does not use one that exists.
func (w *watch) reshapes(c watcher.Change) bool {
	if w.session.project.Shapes(c.Path) {
		return true
	}
	if c.Kind == watcher.Restored {
		return w.session.project.Follows(w.session.project.Rel(c.Path)) != (c.Digest != "")
	}
	return c.Kind != watcher.Modified
}

// supersede cancels an execution, or lets it end: while the user keeps saving, the case would never have a
// verdict otherwise.
func (e *Session) supersede(x *execution) {
	k := x.c.Key()
	if !x.stale && e.project.Find(k) != nil && e.unseen[k] >= savesUnseen {
		x.allow(e.patience)
	} else {
		x.supersede()
	}
}

// supersedeAll cancels cases that run on outdated content.
func (e *Session) supersedeAll(changed []string) {
	under := make(map[string]bool) // changed while a case that depends on it runs
	for _, x := range e.running {
		if verdict.IsSuperseded(x.c, e.project.Find(x.c.Key()), x.seen.Inputs, changed) {
			e.supersede(x)
		}
		for _, path := range x.seen.Files() {
			if slices.Contains(changed, path) {
				under[path] = true
			}
		}
	}
	e.touch(slices.Collect(maps.Keys(under)))
}

// retract retracts verdicts of cases that may have seen another state of a file than the one at their
// beginning, which is the present one again, and cancels such cases if they are running.
func (e *Session) retract(restored []string) {
	e.knowledge.Tracker.Restore(restored, e.opts.Now())
	for _, x := range e.running {
		if e.knowledge.Tracker.Suspect(x.c.Key(), x.seen, restored) {
			x.supersede()
		}
	}
}

// show announces a save and the cases it selects. A source on which no case depends is still
// shown; content that returned to the last state that was run is not, unless the counts change.
func (w *watch) show(b watcher.Batch, changed []string, selected []verdict.Selected) {
	e := Changed{At: Time{Time: b.At}, State: w.session.State()}
	counted := w.session.run == nil && e.State != w.session.counts
	others := slices.ContainsFunc(b.Changes, func(c watcher.Change) bool { return c.Kind != watcher.Restored })
	for i, path := range changed {
		c := b.Changes[i]
		same := w.rest.Same(c.Path, c.Was, c.Digest)
		if c.Was == "" && c.Digest == "" {
			continue // waited for, but never existed
		}
		if !counted && (c.Kind == watcher.Restored && others || len(selected) == 0 && (same || !w.session.project.Matters(path))) {
			continue
		}
		e.Changes = append(e.Changes, Change{Path: path, Sections: sectionsOf(path, selected)})
	}
	if len(e.Changes) == 0 {
		return
	}
	for _, sel := range selected {
		e.Selected = append(e.Selected, sel.Selection())
	}
	e.NotAffected, e.Uncovered = w.session.knowledge.NotAffected(), w.session.knowledge.UncoveredPlaces()
	w.session.counts = e.State
	w.session.opts.View.Handle(e)
}

// A span is the last period in which at least one case or trace was running.
type span struct {
	running    int
	began, end time.Time
}

func (s *span) start(now time.Time) {
	if s.running == 0 {
		s.began = now
	}
	s.running++
}

func (s *span) stop(now time.Time) {
	s.running--
	s.end = now
}

// has reports whether a time is in the period.
func (s *span) has(at time.Time) bool {
	return !s.began.IsZero() && !at.Before(s.began) && (s.running > 0 || !at.After(s.end))
}

// touchedElsewhere records files that changed while hooks ran in place and that cases may read
// without being found by the analysis, because a file written by a hook must not start the next
// run. In other isolations hooks cannot write into the project.
func (w *watch) touchedElsewhere(changed []string) {
	if !w.session.Isolation().Describe().InPlace {
		return
	}
	var touched []string
	for _, path := range changed {
		if !w.session.project.Graph.Counts(path) {
			continue
		}
		if info, err := os.Stat(w.session.project.Config.Abs(path)); err == nil && w.session.busy.has(info.ModTime()) {
			touched = append(touched, path)
		} else {
			w.session.knowledge.Tracker.ForgetTouches(path)
		}
	}
	w.session.touch(touched)
}

// warnOverlooked warns, once per loaded project, that it has too many directories to watch.
func (w *watch) warnOverlooked() {
	beyond := w.session.project.Graph.Beyond()
	if len(beyond) == 0 || w.warned == w.session.project {
		return
	}
	w.warned = w.session.project
	w.session.warnf("the project has too many directories: changes in %s and %d more are not noticed, although a hook may read them (watch.ignore in .hookwatch.yaml leaves out others)",
		beyond[0], len(beyond)-1)
}

// reload loads configuration, suites and documents again, and reports whether cases can run. If
// they have problems the last valid ones remain in use.
func (w *watch) reload(ctx context.Context) bool {
	if w.missing() {
		return false
	}
	var p *Project
	var problems []suites.Problem
	err := unlessEnded(ctx, func() error {
		p, problems = w.in.Reload()
		return nil
	})
	if err != nil {
		return false
	}
	if len(problems) > 0 {
		w.troubled = true
		w.session.opts.View.Handle(Problems{List: problems, InForce: true})
		return true
	}
	if w.troubled {
		w.troubled = false
		w.session.opts.View.Handle(Problems{})
	}
	if !w.accepts(p) {
		return true
	}
	before, places := w.session.project.Warnings, w.session.project.Config
	w.session.adopt(p)
	w.idle.lack(p.Every())
	w.followed = nil // files that the new graph discovers are not followed yet
	if err := Follow(ctx, p, w.in.Watcher); err != nil {
		w.warnOf(err)
		return true
	}
	for _, text := range p.Warnings {
		if !slices.Contains(before, text) {
			w.session.warn(text)
		}
	}
	if !samePlaces(places, p.Config) {
		return w.reload(ctx) // changes there between reading and following were not reported
	}
	return true
}

// missing reports whether the project directory is missing, and warns when it disappears or
// returns. Waiting cases remain in the queue meanwhile.
func (w *watch) missing() bool {
	is := w.session.project.IsGone()
	switch {
	case is && !w.session.paused:
		w.session.warnf("%s is gone: nothing is run until it is there again", w.session.project.Root())
	case w.session.paused && !is:
		w.session.warnf("%s is there again", w.session.project.Root())
	}
	w.session.paused = is
	return is
}

// accepts warns of changes in the configuration, and reports whether the project still has the
// root directory that is being watched.
func (w *watch) accepts(p *Project) bool {
	was, is := w.session.project.Config, p.Config
	switch {
	case p.Root() != w.session.project.Root():
		w.session.warnf("%s: by its configuration the project is %s now, and %s is watched: restart hookwatch", configFile(was), p.Root(), w.session.project.Root())
		return false
	case was.Path != "" && is.Path == "":
		w.session.warnf("%s is gone: the defaults count until it is there again", w.session.project.Rel(was.Path))
	case was.Path == "" && is.Path != "":
		w.session.warnf("%s counts from now on", w.session.project.Rel(is.Path))
	}
	if is.ResultsDir != was.ResultsDir {
		if is.Path != "" {
			w.session.warnf("results.dir: records go to %s until hookwatch is restarted", was.ResultsDir)
		}
		is.ResultsDir = was.ResultsDir // already locked, and excluded from the watched changes
	}
	return true
}

// adopt replaces the project with its newly loaded state.
func (e *Session) adopt(p *Project) {
	e.project = p
	e.knowledge.Use(p)
	if err := e.equipment.Use(p, e.knowledge.Environment.Tools); err != nil {
		e.warnError(err)
	}
	e.knowledge.setTools(e.equipment.Tools)
	e.keepRegistrations()
	e.dropRemoved()
	e.forgetGone()
	for _, c := range e.queue.Clear() {
		if now := p.Find(c.Key()); now != nil {
			e.enqueue(now)
		} else if e.run != nil {
			e.drop(c.Key())
		}
	}
}

// dropRemoved discards removed cases from the current run.
func (e *Session) dropRemoved() {
	for k, x := range e.held {
		if e.isRemoved(k) {
			delete(e.held, k)
			e.discard(x)
			e.drop(k)
		}
	}
	if e.run == nil {
		return
	}
	for _, r := range e.run.Records(e.project.Order) {
		if e.isRemoved(r.Key()) {
			e.drop(r.Key())
		}
	}
}

// forgetGone discards the state of removed cases.
func (e *Session) forgetGone() {
	e.knowledge.ForgetGone(e.isRemoved)
	e.audit.ForgetGone(e.isRemoved)
	e.news.Forget(e.isRemoved)
}

func (e *Session) isRemoved(k suites.Key) bool { return e.project.Find(k) == nil }
