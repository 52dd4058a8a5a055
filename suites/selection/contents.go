package selection

import (
	"path"
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/depend"
	"hookwatch/suites/disk"
	"hookwatch/suites/record"
)

// Contents gives files by the digest that an input has of them: the present ones,
// or those that were kept.
type Contents struct {
	Reader  disk.Reader
	Abs     func(path string) string // of a slash path from the project's root
	Records func() Records

	graph *depend.Graph // that knows the content of depend.Elsewhere
}

// keptExtensions are those of files that are worth keeping the content of, to
// compare a later one with. Scripts have others too, or none.
var keptExtensions = []string{".sh", ".bash", ".json", ""}

// keptSize is how large a file may be whose content is looked into, in bytes.
const keptSize = 1 << 20

// Keep keeps the contents of inputs, but for those that are kept already.
func (c *Contents) Keep(to Keeper, inputs []suites.Input, kept map[string]bool) {
	for _, in := range inputs {
		if in.Section != "" || in.Digest == "" || kept[in.Digest] || in.Path != depend.Elsewhere && !slices.Contains(keptExtensions, path.Ext(in.Path)) {
			continue
		}
		kept[in.Digest] = true
		if to.KeepContent(in.Digest, func() []byte { return c.now(in.Path, in.Digest) }) != nil {
			return
		}
	}
}

// of gives a file's content by the digest of an input: the present one, or one that
// was kept. "" asks for the present one, whatever its digest.
func (c *Contents) of(file, digest string) []byte {
	if b := c.now(file, digest); b != nil {
		return b
	}
	if b := c.Records().Content(digest); b != nil && suites.Digest(b) == digest {
		return b
	}
	return nil
}

// Script is the present text of a file.
func (c *Contents) Script(file string) ([]byte, error) {
	return c.Reader.Anywhere().ReadFile(c.Abs(file), keptSize)
}

// now reads a file as it is, in the form that its digest is of; nil when it is not
// the one that was asked for.
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

// Records give what is kept beside verdicts.
type Records interface {
	Evidence(k suites.Key) *record.Evidence
	Content(digest string) []byte
}

// A Keeper writes it.
type Keeper interface {
	KeepEvidence(k suites.Key, e *record.Evidence) error
	KeepContent(digest string, content func() []byte) error
}
