package process

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
)

// streams are the parent's ends of the child's standard streams.
type streams struct {
	stdin          *os.File
	stdout, stderr *os.File
	wg             sync.WaitGroup
}

// pipes creates the three pipes. The child's ends must be closed right after the start of
// the child.
func pipes() (s *streams, child [3]*os.File, err error) {
	s = new(streams)
	for i, ours := range []**os.File{&s.stdin, &s.stdout, &s.stderr} {
		r, w, err := os.Pipe()
		if err != nil {
			s.close()
			closeAll(child[:])
			return nil, child, err
		}
		if i == 0 {
			child[i], *ours = r, w
		} else {
			*ours, child[i] = r, w
		}
	}
	return s, child, nil
}

// pump copies all three streams concurrently, so that none can block another.
func (s *streams) pump(r *Result, c *Command) {
	s.wg.Go(func() { r.Stderr = drain(s.stderr, c.Limit) })
	if c.Converse == nil {
		s.wg.Go(func() { r.StdinUnread = feed(s.stdin, c.Stdin) })
		s.wg.Go(func() { r.Stdout = drain(s.stdout, c.Limit) })
		return
	}
	heard, said := io.Pipe()
	s.wg.Go(func() {
		c.Converse(s.stdin, heard)
		_ = s.stdin.Close()
		_, _ = io.Copy(io.Discard, heard) // so that the child does not block
	})
	s.wg.Go(func() {
		defer said.Close()
		r.Stdout = drain(io.TeeReader(s.stdout, said), c.Limit)
	})
}

func (s *streams) close() { closeAll([]*os.File{s.stdin, s.stdout, s.stderr}) }

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}

// feed writes the input and closes w. It reports whether the child did not read all of it,
// which is not an error.
func feed(w *os.File, b []byte) (unread bool) {
	defer w.Close()
	_, err := w.Write(b)
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, fs.ErrClosed)
}

// drain reads to the end, keeps the first limit bytes and counts the rest, because a child
// that floods its output must neither block on a full pipe nor fill the memory of this
// process.
func drain(r io.Reader, limit int) Capture {
	var c Capture
	buf := bufferPool.Get().(*[]byte)
	defer bufferPool.Put(buf)
	for {
		n, err := r.Read(*buf)
		c.Total += int64(n)
		if room := limit - len(c.Bytes); room > 0 {
			c.Bytes = append(c.Bytes, (*buf)[:min(n, room)]...)
		}
		if err != nil {
			return c
		}
	}
}

var bufferPool = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}
