package narrow

import (
	"hookwatch/suites"
	"hookwatch/suites/depend"
	"hookwatch/suites/depend/edit"
	"hookwatch/suites/depend/keys"
	"hookwatch/suites/depend/trace"
)

// A Question is whether a change affects a case.
type Question struct {
	Changed []depend.Difference
	Inputs  []suites.Input // all that the case depends on now, sorted
	Scripts []string       // that the case's hooks run, source or may run
	Trace   *trace.Trace   // of the case on the content before; nil when there is none
}

// Contents gives the content of a file that has the digest of an input, with a
// first byte that tells whether it may be executed. nil: it is not to be had.
type Contents func(path, digest string) []byte

// A Reader answers questions. It compares each pair of contents once, and parses
// each script once; it is to be made anew when a file changed.
type Reader struct {
	contents Contents
	edits    map[versions]*edit.Edits
	others   map[versions][]string // files that differ elsewhere; nil where that is not known
	keys     map[jsonVersions]jsonChange
	readings map[string]reading
	parsed   map[string]*trace.Script
}

type versions struct{ path, was, now string }

// NewReader makes a reader over contents.
func NewReader(c Contents) *Reader {
	return &Reader{
		contents: c,
		edits:    map[versions]*edit.Edits{},
		others:   map[versions][]string{},
		keys:     map[jsonVersions]jsonChange{},
		readings: map[string]reading{},
		parsed:   map[string]*trace.Script{},
	}
}

type jsonVersions struct{ was, now string }

// A jsonChange is what differs between two contents of a JSON file.
type jsonChange struct {
	paths   []keys.Path
	unknown string
}

// A reading is what the scripts of a hook, together, read of a JSON file.
type reading struct {
	paths   []keys.Path
	unknown string
	text    string
}
