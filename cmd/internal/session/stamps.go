package session

import (
	"os"
	"slices"

	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/depend"
	"hookwatch/suites/disk"
)

// Seen are the inputs of a case, with the state that each of their files was in.
type Seen struct {
	Inputs []suites.Input
	stamps []disk.Signature // of the files, in their order
}

// Files lists the inputs' files, each once; inputs are sorted by path. What stands for
// all files elsewhere has no stamp: each change of them is passed to the graph.
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

// stamps tell one state of each file from another, as it was when the graph read it.
type stamps struct {
	project *project.Project
	read    map[string]disk.Signature // by path
	noticed bool                      // something changed that no batch has told of so far
}

func newStamps(p *project.Project) stamps {
	return stamps{project: p, read: make(map[string]disk.Signature)}
}

// manyPaths is a number of paths above which telling files apart is not worth it.
const manyPaths = 100

// Refresh has the graph read files again, some time after this: what their stamps
// were when it read them before is of no use.
func (s *stamps) Refresh(paths []string) {
	s.project.Graph.Refresh(paths)
	if len(paths) > manyPaths { // the graph may have forgotten all
		clear(s.read)
	}
	for _, path := range paths {
		delete(s.read, path)
	}
}

// fresh are the case's inputs as they are now, but for those that keep leaves out,
// with the stamps of the files that they were read from: a file that is not as it
// was when the graph read it is read again.
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

// Changed lists the files that are not as they were seen.
func (s *stamps) Changed(seen Seen) []string {
	var changed []string
	for i, path := range seen.Files() {
		if s.now(path) != seen.stamps[i] {
			changed = append(changed, path)
		}
	}
	return changed
}

// unseen reports whether one of the files was restored without its stamp telling.
func (s *stamps) unseen(seen Seen, restored []string) bool {
	for i, f := range seen.Files() {
		if slices.Contains(restored, f) && s.now(f) == seen.stamps[i] {
			return true
		}
	}
	return false
}

// Exists reports whether there is a file at a path now.
func (s *stamps) Exists(path string) bool { return s.now(path) != disk.Signature{} }

// now tells one state of a file from another, even where the content came back to
// what it was.
func (s *stamps) now(path string) disk.Signature {
	fi, err := os.Stat(s.project.Config.Abs(path))
	if err != nil {
		return disk.Signature{}
	}
	return disk.SignatureOf(fi)
}
