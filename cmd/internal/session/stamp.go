package session

import (
	"fmt"
	"os"
	"strings"

	"hookwatch/suites"
)

// freshInputs are the case's inputs as they are now, with the stamp of the files
// that they were read from: a file that is not as it was when the graph read it
// is read again.
func (p *Project) freshInputs(c *suites.Case) (inputs []suites.Input, stamp string) {
	inputs = p.Graph.Inputs(c)
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
		inputs = p.Graph.Inputs(c)
	}
	var b strings.Builder
	for _, path := range files(inputs) {
		b.WriteString(p.stamps[path])
	}
	return inputs, b.String()
}

// stamp tells one state of the input files from another, even where the content
// came back to what it was.
func (p *Project) stamp(inputs []suites.Input) string {
	var b strings.Builder
	for _, path := range files(inputs) {
		b.WriteString(p.fileStamp(path))
	}
	return b.String()
}

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
