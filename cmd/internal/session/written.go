package session

import (
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/depend"
)

// maxTouches is how often in a row a file may change under a running case that
// depends on it before the hooks themselves are taken to write it.
const maxTouches = 5

// maxRechecks is how many runs in quiet have to show it too.
const maxRechecks = 3

// written holds the files that hooks write while they run: what a test writes must
// not start the next run.
type written struct {
	touches   map[string]int // in a row
	files     map[string]bool
	rechecked map[string]int // in a row
}

func newWritten() written {
	return written{touches: make(map[string]int), files: make(map[string]bool), rechecked: make(map[string]int)}
}

// Touched notes that files changed while a case ran that depends on them, and lists
// those that hooks are now known to write. Files that make a project what it is, as
// matters tells, are never among them.
func (w *written) Touched(paths []string, matters func(string) bool) (known []string) {
	for _, path := range paths {
		w.touches[path]++
		if w.touches[path] < maxTouches || w.files[path] || matters(path) {
			continue
		}
		w.files[path] = true
		if w.rechecked[path] >= maxRechecks { // before that a person may be saving it again and again
			known = append(known, path)
		}
	}
	return known
}

// Undisturbed notes a case that ended without any of its files changing under it.
func (w *written) Undisturbed(seen Seen) {
	for _, path := range seen.Files() {
		delete(w.touches, path)
		delete(w.rechecked, path)
	}
}

// recheck takes files back, a few times, that were found to be written by hooks while
// a person may have been saving them: now that nobody saves, the next run tells.
func (w *written) recheck() (again []string) {
	for path := range w.files {
		if w.rechecked[path] < maxRechecks {
			again = append(again, path)
		}
	}
	for _, path := range again {
		delete(w.files, path)
		w.rechecked[path]++
		w.touches[path] = maxTouches - 1
	}
	return again
}

// Written reports whether the hooks write a file themselves.
func (w *written) Written(path string) bool { return w.files[path] }

// Without leaves out what the hooks write themselves.
func (w *written) Without(inputs []suites.Input) []suites.Input {
	if len(w.files) == 0 {
		return inputs
	}
	return slices.DeleteFunc(slices.Clone(inputs), func(in suites.Input) bool { return w.files[in.Path] })
}

// Untouched notes that a file changed while no case ran.
func (w *written) Untouched(path string) { delete(w.touches, path) }

// forget gives up what is known of files that no case depends on, by followed, which
// is sorted.
func (w *written) forget(followed []string) {
	if _, all := slices.BinarySearch(followed, depend.Elsewhere); all {
		return
	}
	for path := range w.touches {
		if _, is := slices.BinarySearch(followed, path); !is {
			delete(w.touches, path)
		}
	}
	for path := range w.files {
		if _, is := slices.BinarySearch(followed, path); !is {
			delete(w.files, path)
			delete(w.rechecked, path)
		}
	}
}
