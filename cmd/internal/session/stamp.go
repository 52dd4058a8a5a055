package session

import (
	"os"
	"slices"

	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// stamps tell one state of each file from another, as it was when the graph read it.
type stamps struct {
	p       *project.Project
	read    map[string]disk.Signature // by path
	noticed bool                      // something changed that no batch has told of so far
}

func newStamps(p *project.Project) stamps {
	return stamps{p: p, read: make(map[string]disk.Signature)}
}

// manyPaths is a number of paths above which telling files apart is not worth it.
const manyPaths = 100

// refresh has the graph read files again, some time after this: what their stamps
// were when it read them before is of no use.
func (s *stamps) refresh(paths []string) {
	s.p.Graph.Refresh(paths)
	if len(paths) > manyPaths { // the graph may have forgotten all
		clear(s.read)
	}
	for _, path := range paths {
		delete(s.read, path)
	}
}

// freshInputs are the case's inputs as they are now, but for those that keep
// leaves out, with the stamps of the files that they were read from: a file that
// is not as it was when the graph read it is read again.
func (s *stamps) freshInputs(c *suites.Case, keep func([]suites.Input) []suites.Input) (inputs []suites.Input, of []disk.Signature) {
	inputs = keep(s.p.Graph.Inputs(c))
	var old []string
	for _, path := range files(inputs) {
		now := s.now(path)
		if was, known := s.read[path]; !known || was != now {
			s.read[path] = now
			old = append(old, path)
		}
	}
	if len(old) > 0 {
		before := inputs
		s.p.Graph.Refresh(old)
		inputs = keep(s.p.Graph.Inputs(c))
		s.noticed = s.noticed || !slices.Equal(before, inputs)
	}
	for _, path := range files(inputs) {
		of = append(of, s.read[path])
	}
	return inputs, of
}

// changedSince lists the input files that are not as they were when the case
// started.
func (s *stamps) changedSince(e *execution) []string {
	var changed []string
	for i, path := range files(e.inputs) {
		if s.now(path) != e.stamps[i] {
			changed = append(changed, path)
		}
	}
	return changed
}

// now tells one state of a file from another, even where the content came back to
// what it was.
func (s *stamps) now(path string) disk.Signature {
	fi, err := os.Stat(s.p.Config.Abs(path))
	if err != nil {
		return disk.Signature{}
	}
	return disk.SignatureOf(fi)
}

// files lists the inputs' files, each once; inputs are sorted by path.
func files(inputs []suites.Input) []string {
	var out []string
	for _, in := range inputs {
		if len(out) == 0 || out[len(out)-1] != in.Path {
			out = append(out, in.Path)
		}
	}
	return out
}
