package disk

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
)

// Pinned holds the content of files that were saved lately. Whoever notices a save
// opens the file here; everybody who asks for it after that, through a Reader that
// has the same Pinned, is given what was read then for as long as the file has the
// same signature. So a version of a file is read once, and all that is said of it
// is said of the same bytes. The zero value holds nothing yet. It is safe for
// concurrent use.
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

// What is held: of larger files nothing, of all together so much at most.
const (
	pinnedFile = 1 << 20 // bytes
	pinnedAll  = 4 << 20 // bytes
)

// Open opens the file that really lies at a path, reads it anew and holds what it
// read. It does not wait for a writer if a pipe took the place of a file.
func (p *Pinned) Open(real string) (fs.File, error) {
	f, err := os.OpenFile(real, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		p.forget(real)
		return nil, err
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > pinnedFile {
		p.forget(real)
		return f, nil // whoever reads it meets the error
	}
	v, err := p.take(f, real, info)
	if err != nil {
		return nil, err
	}
	return v.open(), nil
}

// take reads an opened file to its end, closes it and holds what it read.
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

// outdated reports whether another version of a file was held: it was saved lately, and
// more will be asked about it.
func (p *Pinned) outdated(real string, now fs.FileInfo) bool {
	if p == nil || now.Size() > pinnedFile {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.files[real]
	return ok
}

// Rest gives up what is held, once all has been said of it.
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

// pinnedFiles is how many files are held, and how many names of those that were.
const pinnedFiles = 200

// of gives the content of the file that lies at a path, if it is held and the file
// is as it was.
func (p *Pinned) of(real string, now fs.FileInfo) (v pinned, ok bool) {
	if p == nil {
		return pinned{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	v, ok = p.files[real]
	return v, ok && v.signature == SignatureOf(now)
}

// open gives it as if it were just opened.
func (v pinned) open() *held { return &held{Reader: bytes.NewReader(v.content), info: v.info} }

// A held file is one whose content is in memory.
type held struct {
	*bytes.Reader
	info fs.FileInfo
}

func (h *held) Stat() (fs.FileInfo, error) { return h.info, nil }
func (h *held) Close() error               { return nil }

var _ io.ReadCloser = (*held)(nil)
