package session

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/depend"
	"hookwatch/suites/disk"
)

// Seen are the inputs of a case, with the signature of each file.
type Seen struct {
	Inputs []suites.Input
	stamps []disk.Signature // of the files, in their order
}

// Files returns the paths of the inputs without duplicates; inputs are sorted by path. It omits
// depend.Elsewhere, which represents all other files and has no signature: the graph receives
// each of their changes.
func (s Seen) Files() (out []string) {
	for _, in := range s.Inputs {
		if in.Path == depend.Elsewhere {
			continue
		}
		if len(out) == 0 || out[len(out)-1] != in.Path {
			out = append(out, in.Path)
		}
	}
	return out
}

// stamps holds the signature that each file had when the graph read it.
type stamps struct {
	project *Project
	read    map[string]disk.Signature // by path
	noticed bool                      // a change was found that no batch has reported
}

func newStamps(p *Project) stamps {
	return stamps{project: p, read: make(map[string]disk.Signature)}
}

// manyPaths is the number of changed paths above which all signatures are discarded.
const manyPaths = 100

// Refresh makes the graph read files again later. Their signatures are discarded because they
// belong to the earlier read.
func (s *stamps) Refresh(paths []string) {
	s.project.Graph.Refresh(paths)
	if len(paths) > manyPaths { // the graph may have discarded everything
		clear(s.read)
	}
	for _, path := range paths {
		delete(s.read, path)
	}
}

// fresh returns the current inputs of a case, filtered by keep, with the signatures of their
// files. A file that has changed since the graph read it is read again.
func (s *stamps) fresh(c *suites.Case, keep func([]suites.Input) []suites.Input) Seen {
	seen := Seen{Inputs: keep(s.project.Graph.Inputs(c))}
	var old []string
	for _, path := range seen.Files() {
		now := s.now(path)
		if was, known := s.read[path]; !known || was != now {
			s.read[path] = now
			old = append(old, path)
		}
	}
	if len(old) > 0 {
		before := seen.Inputs
		s.project.Graph.Refresh(old)
		seen.Inputs = keep(s.project.Graph.Inputs(c))
		s.noticed = s.noticed || !slices.Equal(before, seen.Inputs)
	}
	for _, path := range seen.Files() {
		seen.stamps = append(seen.stamps, s.read[path])
	}
	return seen
}

// Changed returns the files that have changed since they were seen.
func (s *stamps) Changed(seen Seen) []string {
	var changed []string
	for i, path := range seen.Files() {
		if s.now(path) != seen.stamps[i] {
			changed = append(changed, path)
		}
	}
	return changed
}

// clockStep is the largest difference between the clock and the times of files, which the kernel
// updates only with each tick.
const clockStep = 10 * time.Millisecond

// ChangedSince reports whether one of the paths was changed, created or removed after a time.
func (s *stamps) ChangedSince(paths []string, t time.Time) bool {
	after := t.Add(-clockStep).UnixNano()
	return slices.ContainsFunc(paths, func(p string) bool {
		abs := s.project.Config.Abs(p)
		fi, err := os.Stat(abs)
		for err != nil && abs != filepath.Dir(abs) { // its removal changed the directory
			abs = filepath.Dir(abs)
			fi, err = os.Stat(abs)
		}
		if err != nil {
			return false
		}
		now := disk.SignatureOf(fi)
		return max(now.Modified, now.Changed) >= after
	})
}

// unseen reports whether one of the restored files has the same signature as before.
func (s *stamps) unseen(seen Seen, restored []string) bool {
	for i, f := range seen.Files() {
		if slices.Contains(restored, f) && s.now(f) == seen.stamps[i] {
			return true
		}
	}
	return false
}

// Exists reports whether a file currently exists at a path.
func (s *stamps) Exists(path string) bool { return s.now(path) != disk.Signature{} }

// now returns the current signature of a file, which differs after every write, even if the
// content is the same again.
func (s *stamps) now(path string) disk.Signature {
	fi, err := os.Stat(s.project.Config.Abs(path))
	if err != nil {
		return disk.Signature{}
	}
	return disk.SignatureOf(fi)
}
