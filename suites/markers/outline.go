package markers

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
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

// newOutline reads a file by its kind. What cannot be parsed has no entries
// and is searched as text.
func newOutline(file string, src []byte) *outline {
	o := &outline{src: src, words: withoutMarkers(src), lines: newLineIndex(src)}
	ext := strings.ToLower(path.Ext(file))
	switch {
	case ext == ".md" || ext == ".markdown":
		o.entries = markdownEntries(src)
	case ext == ".json":
		o.entries = jsonEntries(src)
	case ext == ".sh" || ext == ".bash" || shellShebang.Match(src):
		o.entries = shellEntries(src)
	case ext == ".yaml" || ext == ".yml":
		o.entries = append(yamlEntries(o), commentEntries(src, 0, len(src))...)
	case ext == ".toml":
		o.entries = append(tomlEntries(o), commentEntries(src, 0, len(src))...)
	default:
		o.entries = definitionEntries(src)
	}
	o.entries = o.entries[:min(len(o.entries), mostEntries)]
	o.plain = sync.OnceValue(o.plainLines)
	o.comments = map[int]bool{}
	for i := range o.entries {
		e := &o.entries[i]
		e.plain = strings.Join(words(e.name), " ")
		if e.rule == ByComment {
			o.comments[o.lines.line(e.start)] = true
		}
	}
	return o
}

var shellShebang = regexp.MustCompile(`^#!.*\b(sh|bash|dash|ksh)\b`)

var anyMarker = regexp.MustCompile(`(?i)\[verify\s*:[^\]]*\]`)

// withoutMarkers blanks markers, wherever they stand, at equal length.
func withoutMarkers(src []byte) []byte {
	blanked := bytes.Clone(src)
	for _, at := range anyMarker.FindAllIndex(src, -1) {
		for i := at[0]; i < at[1]; i++ {
			if src[i] != '\n' {
				blanked[i] = ' '
			}
		}
	}
	return blanked
}

// find looks a section up, once: many markers name the same. It fails with what is
// wrong.
func (o *outline) find(section string) (entry, error) {
	type answer struct {
		entry
		err error
	}
	if known, ok := o.found.Load(section); ok {
		a, _ := known.(answer)
		return a.entry, a.err
	}
	e, err := o.search(section)
	if err == nil && e.content != nil {
		e.digest = sync.OnceValue(func() string { return ContentDigest(e.content()) })
	}
	o.found.Store(section, answer{e, err})
	return e, err
}

// search goes level by level.
func (o *outline) search(section string) (entry, error) {
	at := entry{end: len(o.src)}
	for _, name := range strings.Split(section, sign) {
		next, err := o.within(at, strings.TrimSpace(name))
		if err != nil {
			return entry{}, err
		}
		at = next
	}
	return at, nil
}

// The ways in which an entry may match a name, the strictest first.
var matches = []struct {
	how   string
	match func(e, at *entry, n sectionName) bool
}{{"", isNamed}, {"start", beginsWith}, {"end", isKeyBelow}, {"and words", isCalled}}

// A sectionName is one level of a section as it was written, and its words.
type sectionName struct{ text, plain string }

// within finds one name inside a place: by an entry, else by its words. A key
// that occurs more than once means none of them.
func (o *outline) within(at entry, name string) (entry, error) {
	n := sectionName{name, strings.Join(words(name), " ")}
	for _, m := range matches {
		var found []entry
		for i := range o.entries {
			if e := &o.entries[i]; at.holds(e) && m.match(e, &at, n) {
				found = append(found, *e)
				found[len(found)-1].how = m.how
			}
		}
		switch {
		case len(found) == 0:
		case len(found) > 1 && found[0].rule == ByKey:
			return entry{}, fmt.Errorf("has %d keys %s (write the whole path: %s)", len(found), quote(name), listed(found))
		default:
			return merged(code(found)), nil
		}
	}
	if e, ok := o.text(at, name); ok {
		return e, nil
	}
	if first := strings.TrimRight(firstWord(name), "(),:"); first != name && isIdentifier(first) {
		if e, ok := o.text(at, first); ok {
			e.how = "and words"
			return e, nil
		}
	}
	below := ""
	if at.name != "" {
		below = " below " + quote(at.name)
	}
	return entry{}, fmt.Errorf("has no section %s%s%s", quote(name), below, o.nearest(name))
}

// listed names the first entries.
func listed(found []entry) string {
	var names []string
	for _, e := range found[:min(3, len(found))] {
		names = append(names, e.name)
	}
	return strings.Join(names, ", ")
}

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

// isNamed: the entry's whole name, whatever the case and punctuation.
func isNamed(e, at *entry, n sectionName) bool {
	if e.rule == ByKey {
		return e.name == n.text || at.rule == ByKey && e.name == at.name+"."+n.text
	}
	return e.plain == n.plain && n.plain != ""
}

// beginsWith: the name is the start of a heading, label or comment, up to
// punctuation: "D3" of "D3: Scope", but not of "D3 and D4".
func beginsWith(e, _ *entry, n sectionName) bool {
	if e.rule != ByHeading && e.rule != ByLabel && e.rule != ByComment && e.rule != ByPattern || !strings.HasPrefix(e.plain, n.plain) {
		return false
	}
	rest, ok := cutWords(e.name, words(n.text))
	if !ok {
		return false
	}
	next := []rune(strings.TrimLeft(rest, " "))
	if len(next) == 0 || !unicode.IsPunct(next[0]) && !unicode.IsSymbol(next[0]) {
		return false
	}
	joined := rest[0] != ' ' && strings.ContainsRune("-/.'", next[0]) && len(next) > 1 && isWord(next[1])
	return !joined // "Hook" is not "Hook-Specific"
}

// isKeyBelow: a key at any depth, for as long as it is the only one.
func isKeyBelow(e, _ *entry, n sectionName) bool {
	return e.rule == ByKey && strings.HasSuffix(e.name, "."+n.text)
}

// isCalled: a function or a key whose name begins the section, as in "§main
// option -x".
func isCalled(e, at *entry, n sectionName) bool {
	first := strings.TrimRight(firstWord(n.text), "(),:")
	return e.rule == ByFunction && e.name == first || e.rule == ByKey && isNamed(e, at, sectionName{text: first})
}

func firstWord(text string) string {
	first, _, _ := strings.Cut(text, " ")
	return first
}
