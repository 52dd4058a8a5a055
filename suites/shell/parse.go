// Package shell parses shell text that somebody else wrote. What nests too deep
// for a parser that calls itself is an error, as is what would be too deep a tree.
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
	// framesAtMost is how deep the parser may be in its own calls: some hundred
	// constructs within each other. Scripts have a dozen.
	framesAtMost = 4000
	// levelsAtMost is how deep a tree may be: a chain of ten thousand && is one level
	// each, though the parser does not call itself for them.
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
	if err == nil && len(text) > levelsAtMost && tooDeep(file) { // a level takes a byte at least
		return nil, ErrDeep
	}
	return file, err
}

// stacks are for wary, 32 KB each: a project of a thousand hooks is parsed at once.
var stacks = sync.Pool{New: func() any { return new([framesAtMost]uintptr) }}

// wary hands out text as long as the parser that asks for it is not too deep in
// its own calls: an overflow of its stack would end the program.
type wary struct {
	text   io.Reader
	frames []uintptr
	deep   bool
}

// portion is how much the parser gets at once: it can go no deeper without asking.
const portion = 512

func (w *wary) Read(to []byte) (int, error) {
	if runtime.Callers(0, w.frames) == len(w.frames) {
		w.deep = true
		return 0, ErrDeep
	}
	return w.text.Read(to[:min(len(to), portion)])
}

// tooDeep walks down a tree no further than is allowed.
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
