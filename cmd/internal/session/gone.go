package session

import (
	"fmt"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/project"
)

// missing says that the project's directory is gone, or that it is back, and
// reports whether anything can be run. What was about to run waits meanwhile.
func (w *watch) missing() bool {
	is := w.p.Gone()
	switch {
	case is && !w.paused:
		w.say("%s is gone: nothing is run until it is there again", w.p.Root())
	case w.paused && !is:
		w.say("%s is there again", w.p.Root())
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
		w.say("%s: by its configuration the project is %s now, and %s is watched: start hookwatch anew", project.ConfigFile(was), p.Root(), w.p.Root())
		return false
	case was.Path != "" && is.Path == "":
		w.say("%s is gone: the defaults count until it is there again", was.Path)
	case was.Path == "" && is.Path != "":
		w.say("%s counts from now on", is.Path)
	}
	if is.ResultsDir != was.ResultsDir {
		if is.Path != "" {
			w.say("results.dir: records go to %s until hookwatch starts anew", was.ResultsDir)
		}
		is.ResultsDir = was.ResultsDir // which is locked, and of which what is written is no change
	}
	return true
}

func (w *watch) say(format string, args ...any) {
	w.Session.o.View.Handle(notify.Warning{Text: fmt.Sprintf(format, args...)})
}
