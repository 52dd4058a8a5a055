package markers

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// A Document is a spec document: its markers in order of appearance, and the names that it
// declares for sources.
type Document struct {
	Path    string
	Markers []Marker
	Aliases map[string]string // name -> source
	Refused error             // why it was not read; nil if it was
}

// Read finds the markers of a Markdown document. Markers in code spans, fenced and
// indented code and HTML are ignored. If known is nil, everything in the form of an ID
// counts as one.
func Read(path string, src []byte, known *IDs) *Document {
	d := &Document{Path: path, Aliases: map[string]string{}}
	if isIntricate(src) {
		d.Refused = errIntricate
		return d
	}
	root := reader().Parse(text.NewReader(src))
	var blocks []*block
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && isLeaf(n) {
			blocks = append(blocks, newBlock(n, src))
		}
		return ast.WalkContinue, nil
	})
	for _, b := range blocks {
		b.aliases(d.Aliases)
	}
	at := newAttacher(src, blocks, known)
	lines := newLineIndex(src)
	claims := 0
	for _, b := range blocks {
		for _, m := range b.claims() {
			claims += d.add(b, m, at, lines)
			if len(d.Markers) > mostMarkers || claims > mostClaims {
				return &Document{Path: path, Aliases: map[string]string{}, Refused: errMarkers}
			}
		}
	}
	return d
}

// add turns one bracketed marker into its references, and returns the number of their case
// IDs.
func (d *Document) add(b *block, c claim, at *attacher, lines *lineIndex) (claims int) {
	content := b.text[c.start:c.end]
	where := at.attach(b, c)
	pieces := splitRefs(content, d.Aliases)
	if len(pieces) == 0 {
		pieces = []piece{{at: 0}}
	}
	for _, p := range pieces {
		m := Marker{
			Spec: d.Path, Ref: p.Ref,
			IDs: where.ids, Claim: where.claim, SuiteWide: where.suiteWide,
			Unresolved: strings.EqualFold(p.Source, unresolved),
		}
		m.Line, m.Column = lines.position(b.offset(c.start + p.at))
		d.Markers = append(d.Markers, m)
		claims += len(m.IDs)
	}
	return claims
}

// aliasForm matches "NAME = `path`", in any of the usual quotes.
var aliasForm = pattern.Lazy("(?m)(?:^|[\\s(`*])([A-Za-z][\\w-]*)[`*]*\\s+=\\s+`?([^\\s`=]+\\.[A-Za-z][A-Za-z0-9]*)`?(?:[\\s).,;]|$)")

func (b *block) aliases(into map[string]string) {
	for _, m := range aliasForm().FindAllStringSubmatch(b.text, -1) {
		if _, taken := into[m[1]]; !taken {
			into[m[1]] = m[2]
		}
	}
}

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
		next, err := o.searchIn(at, strings.TrimSpace(name))
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

// searchIn finds one name inside a place: an entry, or else a line with its words. A key
// that occurs more than once is an error.
func (o *outline) searchIn(at entry, name string) (entry, error) {
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
			return entry{}, fmt.Errorf("has %d keys %s (write the whole path: %s)", len(found), quote(name), listNames(found))
		default:
			return merge(code(found)), nil
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
	return entry{}, fmt.Errorf("has no section %s%s%s", quote(name), below, o.suggest(name))
}

func listNames(found []entry) string {
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
	if !slices.Contains([]Rule{ByHeading, ByLabel, ByComment, ByPattern}, e.rule) || !strings.HasPrefix(e.plain, n.plain) {
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
	mostNested  = 100     // block quotes and lists within each other that begin in one line
	mostLinks   = 50_000_000
	mostOpened  = 100_000_000
	mostEntries = 20_000 // sections of a source
	mostNames   = 500    // number of names to search for the nearest
)

var (
	errIntricate = errors.New("it nests too deep, or has too many links, brackets or emphases in a paragraph: it is not read as Markdown")
	errMarkers   = errors.New("it has too many markers, or markers about too many cases: it is not read (at most 4,000 markers; split it)")
)

// isIntricate reports whether Markdown would take its parser time that grows with the square of its
// length, because it tries each possible beginning of a link up to the end of the paragraph, looks for
// the beginning of each bracket and emphasis among all before it, and continues each open list.
func isIntricate(src []byte) bool {
	var length, links, opening, closing, emphases int // of the paragraph
	for line := range bytes.Lines(src) {
		depth, plain := nesting(line)
		if depth > mostNested {
			return true
		}
		if len(bytes.TrimSpace(plain)) == 0 {
			length, links, opening, closing, emphases = 0, 0, 0, 0, 0
			continue
		}
		length += len(line)
		links += bytes.Count(line, []byte("]("))
		opening += bytes.Count(line, []byte("["))
		closing += bytes.Count(line, []byte("]"))
		emphases += marks(line)
		if links*length > mostLinks || opening*closing > mostOpened || emphases*emphases > mostOpened {
			return true
		}
	}
	return false
}

// marks returns the number of places in a line that may begin or end emphasis: stars, and underscores
// that are not inside a word.
func marks(line []byte) (n int) {
	for i, c := range line {
		outside := i == 0 || i+1 == len(line) || !isWord(rune(line[i-1])) || !isWord(rune(line[i+1]))
		if (c == '*' || c == '_' && outside) && (i == 0 || line[i-1] != c) {
			n++
		}
	}
	return n
}

// nesting returns the number of block quotes and list items that begin at the start of a line, and the
// text after them.
func nesting(line []byte) (depth int, plain []byte) {
	for {
		line = bytes.TrimLeft(line, " \t")
		marker := bytes.TrimLeft(line, "0123456789")
		switch {
		case bytes.HasPrefix(line, []byte(">")):
			line = line[1:]
		case len(marker) > 1 && strings.IndexByte("-+*.)", marker[0]) >= 0 && strings.IndexByte(" \t", marker[1]) >= 0:
			line = marker[1:]
		default:
			return depth, line
		}
		depth++
	}
}

// maxRange is the maximum number of IDs in a range such as "P01–P999".
const maxRange = 1000

var (
	// idToken matches P01, DEP09, M16b and pm/P01.
	idToken = pattern.Lazy(`(?:([a-z][a-z0-9-]*)/)?\b([A-Z]{1,8})(\d{1,4})([a-z]?)\b`)
	usualID = pattern.Lazy(`^([A-Z]{1,8})(\d{1,4})[a-z]?$`)
	// ownToken matches IDs of other forms, which count only if they are known.
	ownToken = pattern.Lazy(`[A-Za-z0-9]+(?:[_.-]+[A-Za-z0-9]+)*`)
)

// IDs are the case IDs of a project. They distinguish IDs in documents from text in the
// same form, such as a linter's rule or a section. A nil *IDs accepts everything in the
// usual form.
type IDs struct {
	all    map[string]bool
	spelt  map[numbered][]string
	digits map[string]int // by prefix, the largest number of digits
}

// A numbered ID is its letters and its number: P01 and P1 are the same.
type numbered struct {
	prefix string
	n      int
}

// NewIDs returns the set of the given IDs.
func NewIDs(all []string) *IDs {
	k := &IDs{all: map[string]bool{}, spelt: map[numbered][]string{}, digits: map[string]int{}}
	for _, id := range all {
		if k.all[id] {
			continue
		}
		k.all[id] = true
		if m := usualID().FindStringSubmatch(id); m != nil {
			n, _ := strconv.Atoi(m[2])
			k.digits[m[1]] = max(k.digits[m[1]], len(m[2]))
			if strings.HasSuffix(id, m[2]) {
				at := numbered{m[1], n}
				k.spelt[at] = append(k.spelt[at], id)
			}
		}
	}
	return k
}

// has reports whether a case has the ID.
func (k *IDs) has(id string) bool { return k != nil && k.all[id] }

// plausible reports whether an unknown ID may still be meant as one, which is worth a
// warning. It may if it has two digits, or at most as many as the cases with that prefix;
// F841 and UTF8 are no IDs.
func (k *IDs) plausible(prefix, digits string, inRange bool) bool {
	if k == nil || k.uses(prefix) {
		return k == nil || len(digits) <= k.digits[prefix]
	}
	return inRange || len(digits) == 2
}

// uses reports whether any IDs begin with the letters.
func (k *IDs) uses(prefix string) bool { return k == nil || k.digits[prefix] > 0 }

// An idReader finds case IDs in running text. Names of sections, such as "D3", do not
// count unless there are IDs with that letter.
type idReader struct {
	known    *IDs
	sections map[string]bool
}

// find returns the case IDs of a text in order of appearance, each once: those of the usual
// form that the reader does not rule out, and known ones of any form with a digit, a
// hyphen or an underscore.
func (r *idReader) find(text string) []string {
	var c idList
	for rest := text; ; {
		m := idToken().FindStringSubmatchIndex(rest)
		if m == nil {
			break
		}
		number, tail := sub(rest, m, 3), sub(rest, m, 4)
		s := suites.IDRange{Suite: sub(rest, m, 1), Prefix: sub(rest, m, 2), First: number, Last: number}
		if rest = rest[m[1]:]; tail == "" {
			s, rest = s.Extend(rest)
		}
		r.addRange(&c, s, tail)
	}
	if r.known != nil {
		for _, w := range ownToken().FindAllString(text, -1) {
			if strings.ContainsAny(w, "0123456789-_") && !usualID().MatchString(w) && r.known.has(w) {
				c.add(w)
			}
		}
	}
	return c.ids
}

func sub(s string, m []int, group int) string {
	if m[2*group] < 0 {
		return ""
	}
	return s[m[2*group]:m[2*group+1]]
}

// addRange adds the IDs of a range. Numbers are spelt as in the known IDs, or else with
// the width of the first one; tail is the letter after a single ID.
func (r *idReader) addRange(c *idList, s suites.IDRange, tail string) {
	from, to := s.Numbers()
	if to < from || to-from >= maxRange {
		to = from
	}
	section := !r.known.uses(s.Prefix) && (r.sections[s.Prefix+s.First] || r.sections[s.Prefix+s.Last])
	for n := from; n <= to && !section; n++ {
		number := strconv.Itoa(n)
		if pad := len(s.First) - len(number); pad > 0 {
			number = strings.Repeat("0", pad) + number
		}
		for _, id := range r.spellings(s.Prefix, number, tail, n, to > from) {
			if s.Suite != "" {
				id = s.Suite + "/" + id
			}
			c.add(id)
		}
	}
}

// spellings returns the IDs for one number of a range.
func (r *idReader) spellings(prefix, number, tail string, n int, inRange bool) []string {
	id := prefix + number + tail
	switch {
	case r.known.has(id):
		return []string{id}
	case inRange && r.known != nil && len(r.known.spelt[numbered{prefix, n}]) > 0:
		return r.known.spelt[numbered{prefix, n}]
	case !r.known.plausible(prefix, number, inRange):
		return nil
	}
	return []string{id}
}

// sectionNames returns the short names of sections in a document, such as "D3": the first
// words of headings and of the sections that markers name.
func sectionNames(blocks []*block, src []byte) map[string]bool {
	names := map[string]bool{}
	note := func(name string) {
		name = strings.TrimLeft(name, spaces)
		if m := idToken().FindStringIndex(name); m != nil && m[0] == 0 {
			names[name[:m[1]]] = true
		}
	}
	for _, b := range blocks {
		if isHeading(b.node) {
			note(plainText(b.node, src))
		}
		for _, c := range b.claims() {
			for _, section := range strings.Split(b.text[c.start:c.end], sign)[1:] {
				note(section)
			}
		}
	}
	return names
}

// An idList keeps IDs in order, each once.
type idList struct {
	ids  []string
	seen map[string]bool
}

// mostIDs is the maximum number of cases of one claim.
const mostIDs = 5000

func (c *idList) add(ids ...string) {
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	for _, id := range ids {
		if !c.seen[id] && len(c.ids) < mostIDs {
			c.seen[id] = true
			c.ids = append(c.ids, id)
		}
	}
}
