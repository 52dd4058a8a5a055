package doubt

import (
	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// Seen are the inputs of a case, with the state that each of their files was in.
type Seen struct {
	Inputs []suites.Input
	stamps []disk.Signature // of the files, in their order
}

// Files lists the inputs' files, each once; inputs are sorted by path.
func (s Seen) Files() (out []string) {
	for _, in := range s.Inputs {
		if len(out) == 0 || out[len(out)-1] != in.Path {
			out = append(out, in.Path)
		}
	}
	return out
}
