package watcher

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"time"

	"hookwatch/suites/disk"
)

// A backlog stores the states that were reported and those that are to be reported. For
// each path only the latest state counts. A missing or empty file waits at least for hold,
// unless its content returns before. A path that returns to the state last reported is
// reported as Restored, because someone may have read the other state in the meantime. It
// uses neither goroutines nor the clock.
type backlog struct {
	hold     time.Duration
	reported map[string]state // states that the receiver knows; no entry means no file
	waiting  map[string]pending
	overflow bool
}

// A pending state is one that the receiver does not know yet.
type pending struct {
	state state
	since time.Time // when the path first differed from the reported state
	due   time.Time // not reported before this time
}

func newBacklog(hold time.Duration) *backlog {
	return &backlog{hold: hold, reported: map[string]state{}, waiting: map[string]pending{}}
}

// knows reports whether anything about path was reported or is pending.
func (b *backlog) knows(path string) bool {
	if _, ok := b.reported[path]; ok {
		return true
	}
	_, ok := b.waiting[path]
	return ok
}

// baseline treats s as known to the receiver.
func (b *backlog) baseline(path string, s state) { b.reported[path] = s }

// forget drops everything about path, reported or not.
func (b *backlog) forget(path string) {
	delete(b.reported, path)
	delete(b.waiting, path)
}

// observe notes that path has state s now.
func (b *backlog) observe(path string, s state, now time.Time) {
	before, was := b.waiting[path]
	if b.reported[path].digest == s.digest {
		if was {
			b.stir(path, s, now)
		}
		return
	}
	p := pending{state: s, since: now, due: now}
	if was {
		p.since = before.since
	}
	if s.isUnfinished() {
		p.due = now.Add(b.hold)
		if was && before.state.isUnfinished() {
			p.due = before.due // missing, then empty: still the same save
		}
	}
	b.waiting[path] = p
}

// stir notes that path has the state last reported, but may have been different for a
// moment.
func (b *backlog) stir(path string, s state, now time.Time) {
	if b.reported[path].digest == s.digest {
		b.waiting[path] = pending{state: s, since: now, due: now}
	}
}

// batch returns the changes that are due at now, or false if there are none.
func (b *backlog) batch(now time.Time) (Batch, bool) {
	out := Batch{At: now, Overflow: b.overflow}
	for path, p := range b.waiting {
		if p.due.After(now) {
			continue
		}
		if p.since.Before(out.At) {
			out.At = p.since
		}
		out.Changes = append(out.Changes, b.change(path, p.state))
	}
	slices.SortFunc(out.Changes, func(x, y Change) int { return cmp.Compare(x.Path, y.Path) })
	return out, len(out.Changes) > 0
}

func (b *backlog) change(path string, s state) Change {
	kind := Modified
	_, known := b.reported[path]
	switch {
	case s.digest == b.reported[path].digest:
		kind = Restored
	case s.digest == "":
		kind = Removed
	case !known:
		kind = Created
	}
	return Change{Path: path, Kind: kind, Digest: s.digest, Was: b.reported[path].digest}
}

// deliver notes that the receiver has received out, the last result of batch.
func (b *backlog) deliver(out Batch) {
	for _, c := range out.Changes {
		b.reported[c.Path] = b.waiting[c.Path].state
		if c.Digest == "" {
			delete(b.reported, c.Path)
		}
		delete(b.waiting, c.Path)
	}
	b.overflow = false
}

// settleOverflow clears the overflow if nothing has changed.
func (b *backlog) settleOverflow() {
	if len(b.waiting) == 0 {
		b.overflow = false
	}
}

// next returns when the first of the states held back at now is due.
func (b *backlog) next(now time.Time) (at time.Time, ok bool) {
	for _, p := range b.waiting {
		if p.due.After(now) && (!ok || p.due.Before(at)) {
			at, ok = p.due, true
		}
	}
	return at, ok
}

// A state is the content of a path: that of a file, or none.
type state struct {
	digest string // "" if there is no file
	empty  bool
}

// isUnfinished reports whether the state looks like an incomplete save.
func (s state) isUnfinished() bool { return s.digest == "" || s.empty }

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

// read returns the state of path, and the signature it had before it was read, so that a
// write during the read results in another signature.
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
	return state{digest, n == 0}, disk.SignatureOf(info), nil
}

func (r *reader) unreadable(path string) (state, disk.Signature, error) {
	info, err := r.disk.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return state{}, disk.Signature{}, unlessGone(err)
	}
	return standIn(info), disk.SignatureOf(info), nil
}

// standIn returns the state of a file whose content is not read.
func standIn(info fs.FileInfo) state {
	digest := fmt.Sprintf("~%x-%x", info.Size(), info.ModTime().UnixNano())
	return state{withMode(digest, info.Mode()), false}
}
