package markers

import (
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// A Rule tells how a reference was matched. In a Resolution it names every
// step, such as "alias, heading".
type Rule string

// How a source was found, where it is no path from the root.
const (
	ByAlias    Rule = "alias"    // a name that a document declares
	ByRelative Rule = "relative" // a path from the document's own directory
	ByBasename Rule = "basename" // the only known file that is called so
	ByItself   Rule = "itself"   // a section of the document that makes the claim
)

// How a section was found, the most telling first. Those from pattern on are
// known as places only: what depends on them depends on the whole file.
const (
	ByHeading  Rule = "heading"
	ByLabel    Rule = "label"
	ByKey      Rule = "key"
	ByFunction Rule = "function"
	ByPattern  Rule = "pattern" // of a case statement
	ByComment  Rule = "comment"
	ByText     Rule = "text"  // the words stand in a line
	ByWords    Rule = "words" // they do, in another order
	BySymbol   Rule = "symbol"
	ByLine     Rule = "line"
	ByFile     Rule = "file"
)

// An outline is what a source file is made of.
type outline struct {
	src     []byte
	words   []byte // src without markers: what one asks for is no answer to it
	lines   *lineIndex
	entries []entry // in order of appearance
	// comments are the lines that are nothing but a comment.
	comments map[int]bool
	plain    func() []string // of each line, its words; made when it is asked for
	found    sync.Map        // see find
}

// An entry is a named place. Content is what a digest is taken of; nil when
// the place has no content of its own.
type entry struct {
	rule       Rule
	how        string // it was matched, where not by its whole name
	name       string
	plain      string // the name's words, for comparing
	start, end int    // bytes
	content    func() []byte
	digest     func() string // of the content, where find found it
}

// A sectionName is one level of a section as it was written, and its words.
type sectionName struct{ text, plain string }

// code keeps the functions, else what is no comment, where a comment or a
// pattern shares their name.
func code(found []entry) []entry {
	for _, other := range []func(entry) bool{
		func(e entry) bool { return e.rule != ByFunction },
		func(e entry) bool { return e.rule == ByComment },
	} {
		if only := slices.DeleteFunc(slices.Clone(found), other); len(only) > 0 {
			return only
		}
	}
	return found
}

// holds reports whether inner lies inside e's place and is not that place itself.
func (e *entry) holds(inner *entry) bool {
	same := inner.start == e.start && inner.end == e.end && e.rule != ""
	return inner.start >= e.start && inner.end <= e.end && !same
}

// merged joins what shares a name, such as a function defined twice: the first
// is the place, the contents of all count.
func merged(found []entry) entry {
	e := found[0]
	for _, f := range found {
		if f.content == nil || f.rule != e.rule {
			return e
		}
	}
	e.content = func() []byte {
		var all []byte
		for _, f := range found {
			all = append(all, f.content()...)
		}
		return all
	}
	return e
}

// A lineIndex maps byte offsets to lines and columns.
type lineIndex struct {
	src    []byte
	starts []int
	last   struct{ offset, line, column int } // that position told; the next is mostly further on
}

func newLineIndex(src []byte) *lineIndex {
	starts := []int{0}
	for i, c := range src {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return &lineIndex{src: src, starts: starts}
}

// line is the 1-based line of a byte offset.
func (x *lineIndex) line(offset int) int {
	return sort.Search(len(x.starts), func(i int) bool { return x.starts[i] > offset })
}

// count is the number of lines. What follows the last line break is one only if
// there is something.
func (x *lineIndex) count() int {
	if n := len(x.starts); n == 1 || x.starts[n-1] < len(x.src) {
		return n
	}
	return len(x.starts) - 1
}

// position is the line and the column, in characters, of a byte offset.
func (x *lineIndex) position(offset int) (line, column int) {
	offset = min(max(offset, 0), len(x.src))
	line, column = x.line(offset), 1
	from := x.starts[line-1]
	if x.last.line == line && x.last.offset <= offset {
		from, column = x.last.offset, x.last.column
	}
	column += utf8.RuneCount(x.src[from:offset])
	x.last.offset, x.last.line, x.last.column = offset, line, column
	return line, column
}

// end is the offset just after a 1-based line, without its line break.
func (x *lineIndex) end(line int) int {
	if line >= len(x.starts) {
		return len(x.src)
	}
	return x.starts[line] - 1
}

func firstWord(text string) string {
	first, _, _ := strings.Cut(text, " ")
	return first
}
