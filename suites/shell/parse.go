// Package shell parses untrusted shell text. Text that nests too deep for the recursive parser,
// or whose tree is too deep, is an error.
package shell

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

const (
	// framesAtMost limits the call depth of the parser: some hundred nested constructs. Scripts
	// have a dozen.
	framesAtMost = 4000
	// levelsAtMost limits the depth of a tree, because a chain of ten thousand && has a level
	// for each although the parser does not call itself for them.
	levelsAtMost = 10_000
)

// ErrDeep is the error for text that nests too deep.
var ErrDeep = errors.New("it nests too deep to be looked into")

// Parse parses text as bash.
func Parse(text string, options ...syntax.ParserOption) (*syntax.File, error) {
	frames := stacks.Get().(*[framesAtMost]uintptr)
	defer stacks.Put(frames)
	r := &wary{text: strings.NewReader(text), frames: frames[:]}
	file, err := syntax.NewParser(options...).Parse(r, "")
	if r.deep {
		return nil, ErrDeep
	}
	if err == nil && len(text) > levelsAtMost && tooDeep(file) { // a level takes at least one byte
		return nil, ErrDeep
	}
	return file, err
}

// stacks are buffers for wary, 32 KB each, because a project of a thousand hooks is parsed at
// once.
var stacks = sync.Pool{New: func() any { return new([framesAtMost]uintptr) }}

// A wary returns text only if the parser that reads it is not too deep in its own calls, because
// a stack overflow would end the program.
type wary struct {
	text   io.Reader
	frames []uintptr
	deep   bool
}

// portion is the maximum number of bytes per read, so that the parser cannot go much deeper
// between reads.
const portion = 512

func (w *wary) Read(to []byte) (int, error) {
	if runtime.Callers(0, w.frames) == len(w.frames) {
		w.deep = true
		return 0, ErrDeep
	}
	return w.text.Read(to[:min(len(to), portion)])
}

// tooDeep reports whether a tree has more levels than allowed, and stops there.
func tooDeep(file *syntax.File) (deep bool) {
	level := 0
	syntax.Walk(file, func(n syntax.Node) bool {
		if n == nil {
			level--
			return true
		}
		if deep || level >= levelsAtMost {
			deep = true
			return false
		}
		level++
		return true
	})
	return deep
}
