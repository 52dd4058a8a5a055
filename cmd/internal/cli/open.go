package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/spf13/pflag"

	"hookwatch/cmd/internal/session"
	"hookwatch/cmd/internal/version"
	"hookwatch/config"
	"hookwatch/suites/bench"
	"hookwatch/suites/disk"
	"hookwatch/suites/process"
	"hookwatch/suites/record"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
)

// An opened is a session with the resources to close after it.
type opened struct {
	*session.Session
	store    *record.Store
	before   *record.Snapshot
	lastFull time.Time
	project  *session.Project
	view     session.View
	place    *sandbox.Running
	lockErr  error
}

// openSession opens the project's records and returns a session that is shown in view. Cases run even if
// records cannot be written, but openSession fails if another hookwatch writes them, unless sharing is
// set.
func openSession(a *app, g globals, p *session.Project, view session.View, kept records, sharing bool) (*opened, error) {
	o := &opened{project: p, view: view}
	if err := o.take(kept, sharing); err != nil {
		return nil, err
	}
	a.cleanup.needed.Store(true)
	var err error
	if o.place, err = sandbox.PlaceOf(p.Root()).Open(); err != nil {
		o.close()
		return nil, fmt.Errorf("no place for sandboxes: %w", err)
	}
	o.Session, err = session.New(session.Options{
		Project: p, Store: o.store, Records: g.recordsPlace(p.Config), View: view, Temp: o.place.Dir, Keep: o.place.Keep,
		Env:     os.Environ(),
		Shuffle: g.shuffle,
		Rerun:   g.About(p, "run"),
		Now:     time.Now,
		Closing: func() { a.cleanup.closing.Store(true) },
		Program: version.Number,
	}, o.before)
	if err != nil {
		o.close()
		return nil, err
	}
	if why := o.Outside(); p.Live && why != "" {
		o.close()
		return nil, &liveOutsideError{why}
	}
	o.greet()
	o.lastFull, o.before = o.before.LastFull, nil // the session has copied the data it needs
	return o, nil
}

// records holds a project's records, or the error why they cannot be written.
type records struct {
	store  *record.Store
	before *record.Snapshot
	err    error
}

func (g globals) openRecords(cfg *config.Config) records {
	place := g.recordsPlace(cfg)
	if g.index != nil { // the verdicts are not about the files that the user has
		return records{nil, presentRecords(place), nil}
	}
	store, err := record.Open(record.Options{
		Place: place, KeepRuns: cfg.Results.KeepRuns, KeepDays: cfg.Results.KeepDays,
		RollingSize: int64(cfg.Results.RollingSize),
	})
	if err == nil {
		return records{store, store.Snapshot(), nil}
	}
	return records{nil, presentRecords(place), err}
}

// presentRecords returns the records of a place without locking them, none if they cannot be read.
func presentRecords(place record.Place) *record.Snapshot {
	if r, err := record.OpenReader(place); err == nil {
		defer r.Close()
		if present, err := r.Present(); err == nil {
			return present
		}
	}
	return new(record.Snapshot)
}

// close closes records that no session has taken over.
func (r records) close() error {
	if r.store == nil {
		return nil
	}
	return r.store.Close()
}

// take adopts the records. If they cannot be written it warns, or returns the error if another
// hookwatch has locked them and sharing is not set.
func (o *opened) take(kept records, sharing bool) error {
	o.store, o.before = kept.store, kept.before
	var locked *record.LockedError
	switch {
	case kept.err == nil:
	case errors.As(kept.err, &locked) && !sharing:
		return kept.err
	case errors.As(kept.err, &locked):
		o.view.Handle(session.Warning{Text: locked.Holder() + ": this run compares with them and leaves none"})
	default:
		o.lockErr = kept.err
		o.view.Handle(session.Warning{Text: "records are not kept: " + kept.err.Error()})
	}
	return nil
}

// greet shows warnings before anything runs.
func (o *opened) greet() {
	if o.store != nil {
		if i := o.store.Interruption(); i != nil {
			o.view.Handle(session.Warning{Text: describeInterruption(i)})
		}
	}
	if text := o.Isolation().Describe().Warning; text != "" {
		o.view.Handle(session.Warning{Text: text})
	}
	for _, w := range append(o.before.Warnings, o.project.Warnings...) {
		o.view.Handle(session.Warning{Text: w})
	}
}

// describeInterruption describes the run that the previous process did not finish.
func describeInterruption(i *record.Interruption) string {
	kind := "run of selected cases"
	if i.Full {
		kind = "full run"
	}
	return fmt.Sprintf("the %s of %s was interrupted after %d of %d cases; their verdicts are kept, the others are stale",
		kind, i.Started.Local().Format(time.DateTime), i.Finished, i.Planned)
}

// startEvent returns the first event of a session.
func (o *opened) startEvent() session.Started {
	return session.Started{
		Project: o.project.Name(), Root: o.project.Root(), Hooks: o.project.Hooks(), Cases: len(o.project.Every()), NoSuite: o.project.NoSuite(),
		Isolation: o.Isolation().Describe().Name, Weaker: o.Isolation().Why, State: o.State(), LastFull: session.Time{Time: o.lastFull},
	}
}

func (o *opened) close() {
	if o.Session != nil {
		o.Session.Close()
	}
	if o.place != nil {
		o.place.Close()
	}
	if o.store != nil {
		_ = o.store.Close()
	}
}

// newTrial returns a runner outside a session, which records nothing. close releases the runner and
// its directory.
func newTrial(a *app, p *session.Project) (*trial, error) {
	a.cleanup.needed.Store(true)
	most, err := jobs(p)
	if err != nil {
		return nil, err
	}
	place, err := sandbox.PlaceOf(p.Root()).Open()
	if err != nil {
		return nil, err
	}
	r, err := session.NewRunner(p, place.Dir, os.Environ())
	if err != nil {
		place.Close()
		return nil, err
	}
	t := &trial{Runner: r, bench: bench.New(most, r.Make), ranIn: inIsolation(r.Isolation)}
	t.close = func() { t.progress.end(); r.Close(); place.Close() }
	return t, nil
}

// A trial fires hooks for a command that reports what they do, and records nothing.
type trial struct {
	*run.Runner
	ranIn
	bench    *bench.Bench // of the runner
	progress *progress    // nil if nothing is shown
	close    func()       // also removes the progress from the terminal
	known    *bench.Known
}

// remember lets the trial leave out firings whose outcomes are known, unless fresh is set. Without a place for
// outcomes all are made. It warns of what was refused there, such as an outcome of another user.
func (t *trial) remember(a *app, p *session.Project, fresh bool) {
	warn := func(err error) {
		if disk.IsRefused(err) {
			a.warn([]string{"not known from before: " + err.Error()})
		}
	}
	known, err := session.Remember(p, t.Runner, fresh)
	if err != nil {
		warn(err)
		return
	}
	end := t.close
	t.known, t.close = known, func() { end(); warn(known.Close()) }
}

// leftOut returns the firings that were not made.
func (t *trial) leftOut() (l leftOut) {
	if t.known != nil {
		counts := t.known.Counts()
		l = leftOut{counts.Known, counts.Differing}
	}
	return l
}

// newParallelTrial returns a trial that fires several hooks at a time and shows its progress. inCopy
// is what the command does, if hooks must then not run in the project itself.
func newParallelTrial(a *app, p *session.Project, inCopy string) (*trial, error) {
	t, err := newTrial(a, p)
	if err != nil {
		return nil, err
	}
	if !a.verbose {
		t.progress = newProgress(a.raw.Err, func() int { return columns(a.Err) })
		t.bench.Begun = t.progress.begin
	}
	if inCopy != "" && t.Runner.Isolation.Describe().InPlace {
		t.close()
		return nil, fmt.Errorf("%s, and does so in a copy of the project only, not with isolation %s (hookwatch doctor says what is missing)", inCopy, t.Isolation)
	}
	t.KeepReady(t.bench.Jobs())
	return t, nil
}

// newLiveTrial is newTrial for the real client.
func newLiveTrial(a *app, p *session.Project) (*trial, error) {
	t, err := newTrial(a, p)
	if err != nil {
		return nil, err
	}
	if why := t.Outside(); why != "" {
		t.close()
		return nil, &liveOutsideError{why}
	}
	return t, nil
}

// A liveOutsideError refuses to start the real client in a project outside of namespaces.
type liveOutsideError struct{ why string }

func (e *liveOutsideError) Error() string { return e.why }

// Advice returns the reason and the remedy, one line each.
func (e *liveOutsideError) Advice() []string {
	return []string{
		"  outside it could start what the project names for it, on your machine: apiKeyHelper, MCP servers, core.fsmonitor and others",
		"  leave out --isolation, and use a machine that allows namespaces (hookwatch doctor)",
	}
}

// jobs returns the number of hooks that run at a time outside a session.
func jobs(p *session.Project) (int, error) {
	return process.Room(cmp.Or(p.Config.Run.Jobs, runtime.NumCPU()))
}

// withFresh adds the flag --fresh.
func withFresh(f *pflag.FlagSet, fresh *bool) {
	f.BoolVar(fresh, "fresh", false, "fire also where it is known from before what a hook does")
}

// withUser adds the flag --user.
func withUser(f *pflag.FlagSet, user *bool) {
	f.BoolVar(user, "user", false, "also what your own settings register (~/.claude/settings.json)")
}
