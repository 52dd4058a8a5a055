package selection

import (
	"path"

	"hookwatch/suites"
	"hookwatch/suites/depend"
	"hookwatch/suites/disk"
	"hookwatch/suites/record"
	"hookwatch/suites/shell"
)

// Contents returns files by the digest of an input, from the current files or from stored
// contents.
type Contents struct {
	Reader  disk.Reader
	Abs     func(path string) string // of a slash path from the project's root
	Records func() Records

	graph *depend.Graph // has the content of depend.Elsewhere
}

// keeps reports whether the content of a file is stored for comparison with a later one: that of
// JSON, and of files that may be scripts by their name.
func keeps(file string) bool {
	ext := path.Ext(file)
	return ext == "" || ext == ".json" || shell.ByExtension(file) != ""
}

// keptSize is the maximum size in bytes of a file whose content is read.
const keptSize = 1 << 20

// Keep stores the contents of inputs that are not stored yet.
func (c *Contents) Keep(to Keeper, inputs []suites.Input, kept map[string]bool) {
	for _, in := range inputs {
		if in.Section != "" || in.Digest == "" || kept[in.Digest] || in.Path != depend.Elsewhere && !keeps(in.Path) {
			continue
		}
		kept[in.Digest] = true
		if to.KeepContent(in.Digest, func() []byte { return c.now(in.Path, in.Digest) }) != nil {
			return
		}
	}
}

// of returns a file's content for the digest of an input, from the current file or from stored
// contents. If digest is "", it returns the current content.
func (c *Contents) of(file, digest string) []byte {
	if b := c.now(file, digest); b != nil {
		return b
	}
	if b := c.Records().Content(digest); b != nil && suites.Digest(b) == digest {
		return b
	}
	return nil
}

// Script returns the current text of a file.
func (c *Contents) Script(file string) ([]byte, error) {
	return c.Reader.Anywhere().ReadFile(c.Abs(file), keptSize)
}

// now returns the current content of a file in the form that its digest covers, and nil if the
// file has another digest.
func (c *Contents) now(file, digest string) []byte {
	if file == depend.Elsewhere {
		return c.graph.OtherFiles(digest)
	}
	f, err := c.Reader.Anywhere().Open(c.Abs(file), keptSize)
	if err != nil {
		return nil
	}
	defer f.Close()
	b, err := f.ReadAll(keptSize)
	if err != nil {
		return nil
	}
	runnable := byte('-')
	if f.Info.Mode()&0o111 != 0 {
		runnable = depend.Runnable
	}
	b = append([]byte{runnable}, b...)
	if digest != "" && suites.Digest(b) != digest {
		return nil
	}
	return b
}

// Records reads the data that is stored with verdicts.
type Records interface {
	Evidence(k suites.Key) *record.Evidence
	Observed() record.Observed
	Content(digest string) []byte
}

// A Keeper stores that data.
type Keeper interface {
	KeepEvidence(k suites.Key, e *record.Evidence) error
	KeepObserved(o record.Observed) error
	KeepContent(digest string, content func() []byte) error
}
