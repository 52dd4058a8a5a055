package markers

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode"

	"hookwatch/suites"
)

// find returns the entry of a section. The result is cached, because many markers name the
// same section. The error states what is wrong.
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
		e.digest = sync.OnceValue(func() string { return suites.Digest(e.content()) })
	}
	o.found.Store(section, answer{e, err})
	return e, err
}

// search looks up the names of a section level by level.
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

// within finds one name inside a place: an entry, or else a line with its words. A key
// that occurs more than once is an error.
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

// listed returns the names of the first entries.
func listed(found []entry) string {
	var names []string
	for _, e := range found[:min(3, len(found))] {
		names = append(names, e.name)
	}
	return strings.Join(names, ", ")
}

// isNamed reports whether n is the entry's whole name, except for case and punctuation.
func isNamed(e, at *entry, n sectionName) bool {
	if e.rule == ByKey {
		return e.name == n.text || at.rule == ByKey && e.name == at.name+"."+n.text
	}
	return e.plain == n.plain && n.plain != ""
}

// beginsWith reports whether n is the start of a heading, label, comment or pattern, up to
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

// isKeyBelow reports whether n is the end of a key at any depth.
func isKeyBelow(e, _ *entry, n sectionName) bool {
	return e.rule == ByKey && strings.HasSuffix(e.name, "."+n.text)
}

// isCalled reports whether a function or key is the first word of n, as in "§main option
// -x".
func isCalled(e, at *entry, n sectionName) bool {
	first := strings.TrimRight(firstWord(n.text), "(),:")
	return e.rule == ByFunction && e.name == first || e.rule == ByKey && isNamed(e, at, sectionName{text: first})
}

// Limits for one document. Usual documents are far below; others would take minutes to
// read, or too much memory for their claims.
const (
	mostMarkers = 4_000
	mostClaims  = 200_000 // IDs of all markers together
	mostQuotes  = 100     // block quotes within each other
	mostLinks   = 50_000_000
	mostEntries = 20_000 // sections of a source
	mostNames   = 500    // number of names to search for the nearest
)

var (
	errIntricate = errors.New("it nests too deep or has too many links in a paragraph: it is not read as Markdown")
	errMarkers   = errors.New("it has too many markers, or markers about too many cases: it is not read (at most 4,000 markers; split it)")
)

// intricate reports whether Markdown would take its parser time that grows with the square
// of its length, because it tries each possible beginning of a link up to the end of the
// paragraph.
func intricate(src []byte) bool {
	length, links := 0, 0
	for line := range bytes.Lines(src) {
		plain := bytes.TrimLeft(line, "> \t")
		if bytes.Count(line[:len(line)-len(plain)], []byte(">")) > mostQuotes {
			return true
		}
		if len(bytes.TrimSpace(plain)) == 0 {
			length, links = 0, 0
			continue
		}
		length += len(line)
		if links += bytes.Count(line, []byte("](")); links*length > mostLinks {
			return true
		}
	}
	return false
}
