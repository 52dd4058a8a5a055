package markers

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// A Rule tells how a reference was matched.
type Rule string

// The rules, the most telling first. Sections found by the last four are known
// as places only: what depends on them depends on the whole file.
const (
	ByHeading  Rule = "heading"
	ByLabel    Rule = "label"
	ByKey      Rule = "key"
	ByFunction Rule = "function"
	ByComment  Rule = "comment"
	ByText     Rule = "text"
	ByLine     Rule = "line"
	ByFile     Rule = "file"
)

// An outline is what a source file is made of.
type outline struct {
	src     []byte
	lines   *lineIndex
	entries []entry // in order of appearance
}

// An entry is a named place. Content is what a digest is taken of; nil when
// the place has no content of its own.
type entry struct {
	rule       Rule
	name       string
	plain      string // the name's words, for comparing
	start, end int    // bytes
	content    func() []byte
}

// newOutline reads a file by its kind. What cannot be parsed has no entries
// and is searched as text.
func newOutline(file string, src []byte) *outline {
	o := &outline{src: src, lines: newLineIndex(src)}
	switch ext := strings.ToLower(path.Ext(file)); {
	case ext == ".md" || ext == ".markdown":
		o.entries = markdownEntries(src)
	case ext == ".json":
		o.entries = jsonEntries(src)
	case ext == ".sh" || ext == ".bash" || shellShebang.Match(src):
		o.entries = shellEntries(src)
	default:
		o.entries = definitionEntries(src)
	}
	for i := range o.entries {
		o.entries[i].plain = strings.Join(words(o.entries[i].name), " ")
	}
	return o
}

var shellShebang = regexp.MustCompile(`^#!.*\b(sh|bash|dash|ksh)\b`)

// find looks a section up, level by level. It fails with what is wrong.
func (o *outline) find(section string) (entry, error) {
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
var matches = []func(e, at entry, n sectionName) bool{isNamed, beginsWith, isKeyBelow, isCalled}

// A sectionName is one level of a section as it was written, and its words.
type sectionName struct{ text, plain string }

// within finds one name inside a place: by an entry, else by its words. A key
// that occurs more than once means none of them.
func (o *outline) within(at entry, name string) (entry, error) {
	n := sectionName{name, strings.Join(words(name), " ")}
	for _, match := range matches {
		var found []entry
		for _, e := range o.entries {
			if at.holds(e) && match(e, at, n) {
				found = append(found, e)
			}
		}
		switch {
		case len(found) == 0:
		case len(found) > 1 && found[0].rule == ByKey:
			return entry{}, fmt.Errorf("has %d keys %s (write the whole path: %s)", len(found), quote(name), found[0].name)
		default:
			return merged(functions(found)), nil
		}
	}
	if e, ok := o.text(at, name); ok {
		return e, nil
	}
	return entry{}, fmt.Errorf("has no section %s%s", quote(name), nearest(name, o.names()))
}

// functions keeps the functions where a comment or case label shares their name.
func functions(found []entry) []entry {
	isOther := func(e entry) bool { return e.rule != ByFunction }
	if only := slices.DeleteFunc(slices.Clone(found), isOther); len(only) > 0 {
		return only
	}
	return found
}

// holds reports whether e lies inside e's place and is not that place itself.
func (at entry) holds(e entry) bool {
	same := e.start == at.start && e.end == at.end && at.rule != ""
	return e.start >= at.start && e.end <= at.end && !same
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
func isNamed(e, at entry, n sectionName) bool {
	if e.rule == ByKey {
		return e.name == n.text || at.rule == ByKey && e.name == at.name+"."+n.text
	}
	return e.plain == n.plain && n.plain != ""
}

// beginsWith: the name is the start of a heading, label or comment, up to
// punctuation: "D3" of "D3: Scope", but not of "D3 and D4".
func beginsWith(e, _ entry, n sectionName) bool {
	if e.rule != ByHeading && e.rule != ByLabel && e.rule != ByComment || !strings.HasPrefix(e.plain, n.plain) {
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
func isKeyBelow(e, _ entry, n sectionName) bool {
	return e.rule == ByKey && strings.HasSuffix(e.name, "."+n.text)
}

// isCalled: a function whose name begins the section, as in "§main option -x".
func isCalled(e, _ entry, n sectionName) bool {
	first, _, _ := strings.Cut(n.text, " ")
	return e.rule == ByFunction && e.name == strings.TrimRight(first, "(),:")
}

// text finds the words of a name in the lines of a place: as they stand, else
// all of them on one line.
func (o *outline) text(at entry, name string) (entry, bool) {
	want := words(name)
	if len(want) == 0 {
		return entry{}, false
	}
	phrase := " " + strings.Join(want, " ") + " "
	var loose *entry
	for line := o.lines.line(at.start); line <= len(o.lines.starts) && o.lines.starts[line-1] < max(at.end, 1); line++ {
		start, end := max(o.lines.starts[line-1], at.start), min(o.lines.end(line), at.end)
		if start > end {
			continue
		}
		have := " " + strings.Join(words(string(o.src[start:end])), " ") + " "
		e := entry{rule: ByText, name: name, start: start, end: end}
		if strings.Contains(have, phrase) {
			return e, true
		}
		if loose == nil && len(want) > 1 && hasAll(have, want) {
			loose = &e
		}
	}
	if loose == nil {
		return entry{}, false
	}
	return *loose, true
}

func hasAll(line string, want []string) bool {
	for _, w := range want {
		if !strings.Contains(line, " "+w+" ") {
			return false
		}
	}
	return true
}

// words are the runs of letters, digits and underscores, in lower case.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !isWord(r) })
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// cutWords drops the leading words of s, and what separates them, when they
// are those wanted.
func cutWords(s string, want []string) (rest string, ok bool) {
	if len(want) == 0 {
		return s, false
	}
	for _, w := range want {
		s = strings.TrimLeftFunc(s, func(r rune) bool { return !isWord(r) })
		end := strings.IndexFunc(s, func(r rune) bool { return !isWord(r) })
		if end < 0 {
			end = len(s)
		}
		if !strings.EqualFold(s[:end], w) {
			return s, false
		}
		s = s[end:]
	}
	return s, true
}
