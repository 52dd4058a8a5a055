package engine

import (
	"context"
	"slices"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
)

// reload reads configuration, suites and documents anew, and reports whether that
// was possible. While they have problems the last good ones stay in force.
func (w *watch) reload(ctx context.Context) bool {
	if w.missing() {
		return false
	}
	var p *project.Project
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
		w.o.View.Handle(notify.Problems{List: problems, InForce: true})
		return true
	}
	if w.troubled {
		w.troubled = false
		w.o.View.Handle(notify.Problems{})
	}
	if !w.accepts(p) {
		return true
	}
	before := w.p.Warnings
	w.adopt(p)
	w.idle.lack(p.Every())
	w.followed = nil // what the new graph comes to know is not followed yet
	if err := Follow(ctx, p, w.in.Watcher); err != nil {
		w.warnOf(err)
	}
	for _, text := range p.Warnings {
		if !slices.Contains(before, text) {
			w.warn(text)
		}
	}
	return true
}

// missing says that the project's directory is gone, or that it is back, and
// reports whether anything can be run. What was about to run waits meanwhile.
func (w *watch) missing() bool {
	is := w.p.Gone()
	switch {
	case is && !w.paused:
		w.warnf("%s is gone: nothing is run until it is there again", w.p.Root())
	case w.paused && !is:
		w.warnf("%s is there again", w.p.Root())
	}
	w.paused = is
	return is
}

// accepts says what became of the configuration, and reports whether the project
// that it makes is the one that is watched.
func (w *watch) accepts(p *project.Project) bool {
	was, is := w.p.Config, p.Config
	switch {
	case p.Root() != w.p.Root():
		w.warnf("%s: by its configuration the project is %s now, and %s is watched: start hookwatch anew", project.ConfigFile(was), p.Root(), w.p.Root())
		return false
	case was.Path != "" && is.Path == "":
		w.warnf("%s is gone: the defaults count until it is there again", was.Path)
	case was.Path == "" && is.Path != "":
		w.warnf("%s counts from now on", is.Path)
	}
	if is.ResultsDir != was.ResultsDir {
		if is.Path != "" {
			w.warnf("results.dir: records go to %s until hookwatch starts anew", was.ResultsDir)
		}
		is.ResultsDir = was.ResultsDir // which is locked, and of which what is written is no change
	}
	return true
}
