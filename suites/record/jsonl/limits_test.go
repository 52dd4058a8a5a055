package jsonl

import (
	"errors"
	"testing"

	"hookwatch/suites"
)

// endless is a line without an end. It says how much of it was read.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	if e.read > 2*HeldLimit {
		return 0, errors.New("read on and on")
	}
	for i := range p {
		p[i] = 'x'
	}
	e.read += int64(len(p))
	return len(p), nil
}

// TestEndless: what is skipped counts as well.
func TestEndless(t *testing.T) {
	t.Parallel()
	line := new(endless)
	warned, err := Read("x", line, NewBudget(), func(suites.Record) bool { return true })
	if err != nil || len(warned) != 1 || line.read > HeldLimit+1<<20 {
		t.Errorf("%q, %v after %d bytes", warned, err, line.read)
	}
}
