package session

import (
	"fmt"
	"slices"

	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
	"hookwatch/suites/depend"
)

// maxTouches is how often in a row a file may change under a running case that
// depends on it before the hooks themselves are taken to write it.
const maxTouches = 5

// maxRechecks is how many runs in quiet have to show it too.
const maxRechecks = 3

// A selfWritten set holds the files that hooks write while they run: what a test
// writes must not start the next run. Files that make a project what it is are
// never among them.
type selfWritten struct {
	touches   map[string]int // in a row
	files     map[string]bool
	rechecked map[string]int // in a row
}

func newSelfWritten() selfWritten {
	return selfWritten{touches: make(map[string]int), files: make(map[string]bool), rechecked: make(map[string]int)}
}

// touched notes that files changed while a case ran that depends on them.
func (s *Session) touched(paths []string) {
	for _, path := range paths {
		s.own.touches[path]++
		if s.own.touches[path] < maxTouches || s.own.files[path] || s.p.Matters(path) {
			continue
		}
		s.own.files[path] = true
		if s.own.rechecked[path] < maxRechecks {
			continue // so far a person may be saving it again and again
		}
		s.o.View.Handle(notify.Warning{Text: fmt.Sprintf(
			"%s changes whenever cases run: it is taken to be written by the hooks, and selects nothing until hookwatch starts anew", path)})
	}
}

// undisturbed notes a case that ended without any of its files changing under it.
func (s *Session) undisturbed(inputs []suites.Input) {
	for _, path := range files(inputs) {
		delete(s.own.touches, path)
		delete(s.own.rechecked, path)
	}
}

// recheck takes files back, a few times, that were found to be written by hooks while a
// person may have been saving them, and reports whether there are any: now that
// nobody saves, the next run tells.
func (w *watch) recheck() bool {
	var again []string
	for path := range w.own.files {
		if w.own.rechecked[path] < maxRechecks {
			again = append(again, path)
		}
	}
	for _, path := range again {
		delete(w.own.files, path)
		w.own.rechecked[path]++
		w.own.touches[path] = maxTouches - 1
	}
	w.stamps.refresh(again)
	return len(again) > 0
}

// withoutOwn leaves out what the hooks write themselves.
func (s *Session) withoutOwn(inputs []suites.Input) []suites.Input {
	if len(s.own.files) == 0 {
		return inputs
	}
	return slices.DeleteFunc(slices.Clone(inputs), func(in suites.Input) bool { return s.own.files[in.Path] })
}

// inputsDigest is the digest of a case's inputs.
func (s *Session) inputsDigest(c *suites.Case) string {
	if len(s.own.files) == 0 {
		return s.p.Graph.Digest(c)
	}
	return depend.InputsDigest(s.withoutOwn(s.p.Graph.Inputs(c)))
}
