package watcher

import (
	"io/fs"
	"time"
)

// A Kind says what became of a file since it was last reported.
type Kind int

// The kinds of change.
const (
	Created  Kind = iota + 1 // it was not there
	Modified                 // its content or its execute bit is another
	Removed                  // it is not there any more
	Restored                 // it is as it was, but may have been otherwise for a moment
)

// A Change is one file whose content is not what was last reported, or was not
// for a moment: whoever read it in that moment has to read it again.
//
// Its Digest is that of the content and execute bit: the first 16 bytes of the
// content's SHA-256 in hexadecimal, with an x at the end for a file that anybody
// may execute. A file that is too large or may not be read has a digest of another
// form, "~" and its size and modification time.
type Change struct {
	Path   string // the path of interest, also where a symbolic link leads elsewhere
	Kind   Kind
	Digest string      // "" when removed
	Was    string      // the digest last reported; "" when there was no file
	Mode   fs.FileMode // 0 when removed
}

// A Batch holds changes that belong together in time, ordered by path, each
// path at most once.
type Batch struct {
	At      time.Time // when the first of the changes was noticed
	Changes []Change

	// Overflow tells that the system lost events before this batch, so that
	// everything was compared again.
	Overflow bool
}
