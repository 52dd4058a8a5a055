package watcher

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// A backend announces changes of the entries of single directories.
type backend interface {
	Add(dir string) error
	Remove(dir string) error
	Close() error // closes both channels
	events() <-chan fsnotify.Event
	failures() <-chan error
}

// A notifier is the system's own backend.
type notifier struct{ *fsnotify.Watcher }

func openNotifier() (backend, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return notifier{w}, nil
}

func (n notifier) events() <-chan fsnotify.Event { return n.Events }
func (n notifier) failures() <-chan error        { return n.Errors }

// Notes tell a person, once for each cause, that polling took over and why.
type notes struct {
	say  func(string)
	poll time.Duration
	said map[string]bool
}

// noEvents says that the system sends no events at all.
func (n *notes) noEvents(err error) {
	text := fmt.Sprintf("file events are not available: %v; files are compared every %v", err, n.poll)
	if runtime.GOOS == "linux" && errors.Is(err, syscall.EMFILE) {
		text += "; to watch again: sysctl fs.inotify.max_user_instances=1024, or a higher ulimit -n"
	}
	n.once("events", text)
}

// unwatched says that a directory sends no events.
func (n *notes) unwatched(dir string, err error) {
	text := fmt.Sprintf("%s cannot be watched: %v; such directories are compared every %v", dir, err, n.poll)
	if exhausted(err) && runtime.GOOS == "linux" {
		text += "; to watch again: sysctl fs.inotify.max_user_watches=1048576"
	}
	n.once(err.Error(), text)
}

func (n *notes) once(cause, text string) {
	if n.say == nil || n.said[cause] {
		return
	}
	if n.said == nil {
		n.said = map[string]bool{}
	}
	n.said[cause] = true
	n.say(text)
}

// exhausted reports whether err is a limit that was reached, on inotify watches
// (ENOSPC) or on open files, which other systems use to watch.
func exhausted(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
