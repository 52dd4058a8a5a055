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

// String returns the kind as a lower-case word.
func (k Kind) String() string {
	switch k {
	case Created:
		return "created"
	case Modified:
		return "modified"
	case Removed:
		return "removed"
	case Restored:
		return "restored"
	}
	return "unknown"
}

// A Change is one file whose content is not what was last reported, or was not
// for a moment: whoever read it in that moment has to read it again.
type Change struct {
	Path   string // the path of interest, also where a symbolic link leads elsewhere
	Kind   Kind
	Digest string      // of the content, see [Digest]; "" when removed
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
