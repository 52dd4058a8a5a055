package watcher

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"hookwatch/suites/disk"
)

// A state is what stands at a path: a file of some content, or nothing.
type state struct {
	digest string // "" when nothing is there
	mode   fs.FileMode
	empty  bool
}

// unfinished reports whether the state looks like a save half-way.
func (s state) unfinished() bool { return s.digest == "" || s.empty }

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
	disk   filesystem
}

func newReader(d filesystem, limit int64) *reader {
	return &reader{limit, make([]byte, 64<<10), d}
}

// read returns what stands at path, and the signature it had before it was
// read, so that a write during reading shows as another signature.
func (r *reader) read(path string) (state, disk.Signature, error) {
	f, err := r.disk.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		return r.unreadable(path)
	}
	if err != nil {
		return state{}, disk.Signature{}, unlessGone(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return state{}, disk.Signature{}, err
	}
	hash := sha256.New()
	n, err := io.CopyBuffer(hash, io.LimitReader(f, r.limit+1), r.buffer)
	if err != nil {
		return state{}, disk.Signature{}, err
	}
	if n > r.limit {
		return standIn(info), disk.SignatureOf(info), nil
	}
	digest := withMode(hex.EncodeToString(hash.Sum(nil)[:16]), info.Mode())
	return state{digest, info.Mode(), n == 0}, disk.SignatureOf(info), nil
}

func (r *reader) unreadable(path string) (state, disk.Signature, error) {
	info, err := r.disk.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return state{}, disk.Signature{}, unlessGone(err)
	}
	return standIn(info), disk.SignatureOf(info), nil
}

// standIn is the state of a file whose content is not looked at.
func standIn(info fs.FileInfo) state {
	digest := fmt.Sprintf("~%x-%x", info.Size(), info.ModTime().UnixNano())
	return state{withMode(digest, info.Mode()), info.Mode(), false}
}
