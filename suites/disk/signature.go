package disk

import (
	"io/fs"
	"time"
)

// A Signature changes when a file is written, as far as the system can tell without
// reading it: even where the content or the modification time is set back. The zero
// value is that of no file.
type Signature struct {
	ID       FileID
	Size     int64 // bytes
	Modified int64 // nanoseconds since 1970
	Changed  int64 // when anything about it last changed, the same way; 0 where the system does not say
	Mode     fs.FileMode
}

// SignatureOf gives the signature of the file that info describes.
func SignatureOf(info fs.FileInfo) Signature {
	id, changed := systemFacts(info)
	return Signature{id, info.Size(), info.ModTime().UnixNano(), changed, info.Mode()}
}

// IDOf tells which file info describes. It is zero where the system does not say.
func IDOf(info fs.FileInfo) FileID {
	id, _ := systemFacts(info)
	return id
}

// racyWindow is how young a file's times may be for its signature to prove
// nothing: within it, a second write can leave them as they are. The coarsest
// file system in use keeps times to two seconds.
const racyWindow = 2 * time.Second

// Racy reports whether a file read at t may be written again without its
// signature changing. A time in the future never proves anything.
func (s Signature) Racy(t time.Time) bool {
	return max(s.Modified, s.Changed) > t.Add(-racyWindow).UnixNano()
}
