package session

import (
	"fmt"
	"os"

	"hookwatch/suites"
)

// refresh has the graph read files again, some time after this: what their stamps
// were when it read them before is of no use.
func (p *Project) refresh(paths []string) {
	p.Graph.Refresh(paths)
	if len(paths) > manyPaths { // the graph may have forgotten all
		clear(p.stamps)
	}
	for _, path := range paths {
		delete(p.stamps, path)
	}
}

// manyPaths is a number of paths above which telling files apart is not worth it.
const manyPaths = 100

// freshInputs are the case's inputs as they are now, but for those that keep
// leaves out, with the stamps of the files that they were read from: a file that
// is not as it was when the graph read it is read again.
func (p *Project) freshInputs(c *suites.Case, keep func([]suites.Input) []suites.Input) (inputs []suites.Input, stamps []string) {
	inputs = keep(p.Graph.Inputs(c))
	var old []string
	for _, path := range files(inputs) {
		now := p.fileStamp(path)
		if p.stamps[path] != now {
			p.stamps[path] = now
			old = append(old, path)
		}
	}
	if len(old) > 0 {
		p.Graph.Refresh(old)
		inputs = keep(p.Graph.Inputs(c))
	}
	for _, path := range files(inputs) {
		stamps = append(stamps, p.stamps[path])
	}
	return inputs, stamps
}

// changedSince lists the input files that are not as they were when the case
// started.
func (p *Project) changedSince(e *execution) []string {
	var changed []string
	for i, path := range files(e.inputs) {
		if p.fileStamp(path) != e.stamps[i] {
			changed = append(changed, path)
		}
	}
	return changed
}

// fileStamp tells one state of a file from another, even where the content came
// back to what it was.
func (p *Project) fileStamp(path string) string {
	fi, err := os.Stat(p.Config.Abs(path))
	if err != nil {
		return "-;"
	}
	return fmt.Sprintf("%d %d %o %s;", fi.Size(), fi.ModTime().UnixNano(), fi.Mode(), changeTime(fi))
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
