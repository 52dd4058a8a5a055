package disk

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
)

// Pinned caches the content of recently saved files. The watcher opens a changed file
// here; later readers with the same Pinned get the same bytes until the file's signature
// changes. So a version of a file is read once, and all results for it are based on the
// same bytes. The zero value is empty. It is safe for concurrent use.
type Pinned struct {
	mu    sync.Mutex
	files map[string]pinned // by real path
	order []string          // the oldest first
	size  int               // bytes of content
}

type pinned struct {
	info      fs.FileInfo
	signature Signature
	content   []byte
}

// Limits of the cache: the size of a file, and of all files together.
const (
	pinnedFile = 1 << 20 // bytes
	pinnedAll  = 4 << 20 // bytes
)

// Open opens and reads the file with a real path, even if it is cached, and caches its
// content. It does not wait for a writer if the file was replaced by a pipe.
func (p *Pinned) Open(real string) (fs.File, error) {
	f, err := os.OpenFile(real, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		p.forget(real)
		return nil, err
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > pinnedFile {
		p.forget(real)
		return f, nil // reading it reports the error
	}
	v, err := p.take(f, real, info)
	if err != nil {
		return nil, err
	}
	return v.open(), nil
}

// take reads an opened file to its end, closes it and caches its content.
func (p *Pinned) take(f *os.File, real string, info fs.FileInfo) (pinned, error) {
	defer f.Close()
	content, err := readAll(f, real, info.Size(), pinnedFile)
	if err != nil {
		p.forget(real)
		return pinned{}, &fs.PathError{Op: "read", Path: real, Err: err}
	}
	v := pinned{info, SignatureOf(info), content}
	p.hold(real, v)
	return v, nil
}

// outdated reports whether another version of a file is cached: then the file was saved
// recently and is likely to be read again.
func (p *Pinned) outdated(real string, now fs.FileInfo) bool {
	if p == nil || now.Size() > pinnedFile {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.files[real]
	return ok
}

// Rest empties the cache when the results for a save are complete.
func (p *Pinned) Rest() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files, p.order, p.size = nil, nil, 0
}

func (p *Pinned) forget(real string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop(real)
}

func (p *Pinned) drop(real string) {
	if v, ok := p.files[real]; ok {
		p.size -= len(v.content)
		delete(p.files, real)
	}
}

func (p *Pinned) hold(real string, v pinned) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.files == nil {
		p.files = make(map[string]pinned)
	}
	if _, ok := p.files[real]; !ok {
		p.order = append(p.order, real)
	}
	p.drop(real)
	p.files[real] = v
	p.size += len(v.content)
	for p.size > pinnedAll || len(p.order) > pinnedFiles {
		p.drop(p.order[0])
		p.order = p.order[1:]
	}
}

// pinnedFiles is the maximum number of cached files, and of names of those that were
// cached.
const pinnedFiles = 200

// of returns the content of the file with a real path, if it is cached and the file has
// not changed.
func (p *Pinned) of(real string, now fs.FileInfo) (v pinned, ok bool) {
	if p == nil {
		return pinned{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	v, ok = p.files[real]
	return v, ok && v.signature == SignatureOf(now)
}

// open returns the content as an open file.
func (v pinned) open() *held { return &held{Reader: bytes.NewReader(v.content), info: v.info} }

// A held file is an open file with its content in memory.
type held struct {
	*bytes.Reader
	info fs.FileInfo
}

func (h *held) Stat() (fs.FileInfo, error) { return h.info, nil }
func (h *held) Close() error               { return nil }

var _ io.ReadCloser = (*held)(nil)
