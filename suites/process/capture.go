package process

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
)

// streams are our ends of the child's standard streams.
type streams struct {
	stdin          *os.File
	stdout, stderr *os.File
	wg             sync.WaitGroup
}

// pipes makes the three pipes. The child's ends are for the start only; close
// them right after it.
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

// pump moves all three streams at once, so that none can block another.
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
		_, _ = io.Copy(io.Discard, heard) // the child may go on
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

// feed writes the input and closes it. A child need not read it: a broken pipe
// is a fact, not an error.
func feed(w *os.File, b []byte) (unread bool) {
	defer w.Close()
	_, err := w.Write(b)
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, fs.ErrClosed)
}

// drain reads to the end, keeping the first limit bytes and counting the rest:
// a child that floods must not block on a full pipe, nor fill our memory.
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
