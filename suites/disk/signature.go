package disk

import (
	"io/fs"
	"time"
)

// A Signature changes when a file is written, as far as the system can detect it without
// reading the file, even if the content or the modification time is set back. The zero
// value means that there is no file.
type Signature struct {
	ID       FileID
	Size     int64 // bytes
	Modified int64 // nanoseconds since 1970
	// Time of the last change to the content or metadata, in nanoseconds since 1970; 0 if the
	// system does not report it.
	Changed int64
	Mode    fs.FileMode
}

// SignatureOf returns the signature of the file that info describes.
func SignatureOf(info fs.FileInfo) Signature {
	id, changed := systemFacts(info)
	return Signature{id, info.Size(), info.ModTime().UnixNano(), changed, info.Mode()}
}

// IDOf returns the ID of the file that info describes, or zero if the system does not
// report it.
func IDOf(info fs.FileInfo) FileID {
	id, _ := systemFacts(info)
	return id
}

// racyWindow is the age that a file's times must have for its signature to be reliable:
// within it, a second write may not change them. The coarsest file system in use has a
// resolution of two seconds.
const racyWindow = 2 * time.Second

// Racy reports whether a file read at t may be written again without its signature
// changing. This includes files with times in the future.
func (s Signature) Racy(t time.Time) bool {
	return max(s.Modified, s.Changed) > t.Add(-racyWindow).UnixNano()
}
