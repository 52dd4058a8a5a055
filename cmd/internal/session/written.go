package session

import (
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/depend"
)

// maxTouches is how often in a row a file may change while a case that depends on it runs before
// it counts as written by the hooks.
const maxTouches = 5

// maxRechecks is the number of quiet runs that must confirm it.
const maxRechecks = 3

// written holds the files that hooks write while they run, because a file written by a test must
// not start the next run.
type written struct {
	touches   map[string]int // in a row
	files     map[string]bool
	rechecked map[string]int // in a row
}

func newWritten() written {
	return written{touches: make(map[string]int), files: make(map[string]bool), rechecked: make(map[string]int)}
}

// Touch records that files changed while a case that depends on them ran, and returns the files
// now known to be written by hooks. It never returns files for which matters is true: those that
// define the project.
func (w *written) Touch(paths []string, matters func(string) bool) (known []string) {
	for _, path := range paths {
		w.touches[path]++
		if w.touches[path] < maxTouches || w.files[path] || matters(path) {
			continue
		}
		w.files[path] = true
		if w.rechecked[path] >= maxRechecks { // before that the user may be saving it repeatedly
			known = append(known, path)
		}
	}
	return known
}

// Settle records that a case ended without a change of its files.
func (w *written) Settle(seen CaseInputs) {
	for _, path := range seen.Files() {
		delete(w.touches, path)
		delete(w.rechecked, path)
	}
}

// recheck takes back files, up to maxRechecks times, that were classified as written by hooks
// while the user may have been saving them: the next run, without saves, decides.
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

// IsWritten reports whether the hooks write a file themselves.
func (w *written) IsWritten(path string) bool { return w.files[path] }

// Exclude returns the inputs that the hooks do not write themselves.
func (w *written) Exclude(inputs []suites.Input) []suites.Input {
	if len(w.files) == 0 {
		return inputs
	}
	return slices.DeleteFunc(slices.Clone(inputs), func(in suites.Input) bool { return w.files[in.Path] })
}

// ForgetTouches records that a file changed while no case ran.
func (w *written) ForgetTouches(path string) { delete(w.touches, path) }

// forget discards the state of files that no case depends on; followed must be sorted.
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
