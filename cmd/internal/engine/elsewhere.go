package engine

import (
	"os"
	"time"

	"hookwatch/suites/isolate"
)

// A span is the time in which cases, or traces, ran without a pause.
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

// has reports whether something happened while cases ran.
func (s *span) has(at time.Time) bool {
	return !s.began.IsZero() && !at.Before(s.began) && (s.running > 0 || !at.After(s.end))
}

// touchedElsewhere notes which files, of those that cases may read although no analysis
// places them, changed while hooks ran in place: what a hook writes itself must not
// start the next run. In other isolations hooks write nothing into the project.
func (w *watch) touchedElsewhere(changed []string) {
	if w.Isolation() != string(isolate.None) {
		return
	}
	var touched []string
	for _, path := range changed {
		if !w.p.Graph.Counts(path) {
			continue
		}
		if info, err := os.Stat(w.p.Config.Abs(path)); err == nil && w.busy.has(info.ModTime()) {
			touched = append(touched, path)
		} else {
			w.known.Freshness.Untouched(path)
		}
	}
	w.touched(touched)
}

// overlooked warns, once a project, of directories that are too many to be watched.
func (w *watch) overlooked() {
	beyond := w.p.Graph.Beyond()
	if len(beyond) == 0 || w.warned == w.p {
		return
	}
	w.warned = w.p
	w.warnf("the project has too many directories: changes in %s and %d more are not noticed, although a hook may read them (watch.ignore in .hookwatch.yaml leaves out others)",
		beyond[0], len(beyond)-1)
}
