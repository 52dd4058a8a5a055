package watcher

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// racyWindow is how young a file's times may be for its signature to prove
// nothing: within it, a second write can leave them as they are. The coarsest
// file system in use keeps times to two seconds.
const racyWindow = 2 * time.Second

// A state is what stands at a path: a file of some content, or nothing.
type state struct {
	digest string // "" when nothing is there
	mode   fs.FileMode
	empty  bool
}

// unfinished reports whether the state looks like a save half-way.
func (s state) unfinished() bool { return s.digest == "" || s.empty }

// A signature changes when a file is written, as far as the system can tell
// without reading it.
type signature struct {
	id       fileID
	size     int64
	modified int64 // nanoseconds
	changed  int64 // nanoseconds; 0 where the system does not say
	mode     fs.FileMode
}

func signatureOf(info fs.FileInfo) signature {
	id, changed := systemFacts(info)
	return signature{id, info.Size(), info.ModTime().UnixNano(), changed, info.Mode()}
}

// racy reports whether a file read at t may be written again without its
// signature changing. A time in the future never proves anything.
func (s signature) racy(t time.Time) bool {
	return max(s.modified, s.changed) > t.Add(-racyWindow).UnixNano()
}

// Digest returns the digest of a file's content and execute bit: the first 16
// bytes of the content's SHA-256 in hexadecimal, with an x at the end for a file
// that anybody may execute. A file that is too large or may not be read has a
// digest of another form, "~" and its size and modification time.
func Digest(content []byte, mode fs.FileMode) string {
	sum := sha256.Sum256(content)
	return withMode(hex.EncodeToString(sum[:16]), mode)
}

func withMode(digest string, mode fs.FileMode) string {
	if mode&0o111 != 0 {
		return digest + "x"
	}
	return digest
}

// A reader reads files one after the other.
type reader struct {
	limit  int64 // in bytes; larger files are not digested
	buffer []byte
	disk   disk
}

func newReader(d disk, limit int64) *reader {
	return &reader{limit, make([]byte, 64<<10), d}
}

// read returns what stands at path, and the signature it had before it was
// read, so that a write during reading shows as another signature.
func (r *reader) read(path string) (state, signature, error) {
	f, err := r.disk.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		return r.unreadable(path)
	}
	if err != nil {
		return state{}, signature{}, unlessGone(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return state{}, signature{}, err
	}
	hash := sha256.New()
	n, err := io.CopyBuffer(hash, io.LimitReader(f, r.limit+1), r.buffer)
	if err != nil {
		return state{}, signature{}, err
	}
	if n > r.limit {
		return standIn(info), signatureOf(info), nil
	}
	digest := withMode(hex.EncodeToString(hash.Sum(nil)[:16]), info.Mode())
	return state{digest, info.Mode(), n == 0}, signatureOf(info), nil
}

func (r *reader) unreadable(path string) (state, signature, error) {
	info, err := r.disk.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return state{}, signature{}, unlessGone(err)
	}
	return standIn(info), signatureOf(info), nil
}

// standIn is the state of a file whose content is not looked at.
func standIn(info fs.FileInfo) state {
	digest := fmt.Sprintf("~%x-%x", info.Size(), info.ModTime().UnixNano())
	return state{withMode(digest, info.Mode()), info.Mode(), false}
}
