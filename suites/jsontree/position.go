package jsontree

import (
	"bytes"
	"sort"
	"unicode/utf8"
)

// Lines converts offsets in a text to lines and columns.
type Lines struct {
	text   []byte
	starts []int
}

// NewLines returns the Lines of a text.
func NewLines(text []byte) Lines {
	l := Lines{text: text, starts: []int{0}}
	for at := 0; ; {
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			return l
		}
		at += end + 1
		l.starts = append(l.starts, at)
	}
}

// At returns the line of an offset and its column in characters, both from 1. Offsets outside the
// text are clamped to it.
func (l Lines) At(offset int) (line, column int) {
	offset = min(max(offset, 0), len(l.text))
	line = sort.SearchInts(l.starts, offset+1)
	return line, utf8.RuneCount(l.text[l.starts[line-1]:offset]) + 1
}
