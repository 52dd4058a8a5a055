package markers

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// A Resolver resolves references in a project. Its methods may be called from several
// goroutines.
type Resolver struct {
	// Read returns a file's content by its slash path from the project's root.
	Read func(path string) ([]byte, error)
	// Digest, if not nil, returns a file's digest without reading the file again, where that
	// is cheaper than Read.
	Digest func(path string) (string, error)
	// Known lists the files in which a bare basename is looked up.
	Known func() []string
	// Aliases are names for sources in addition to those that documents declare.
	Aliases map[string]string

	mu       sync.Mutex
	outlines map[string]cachedOutline
}

type cachedOutline struct {
	digest string
	*outline
}

// A Resolution is the result for a reference. A reference that is not found may still have
// a file, or candidates for one; Why states the problem.
type Resolution struct {
	File       string // slash path from the root; "" if there is no such file
	Section    string // the section to find; it includes a symbol of the source
	Line       int    // from 1
	EndLine    int
	Rule       Rule
	Found      bool
	Why        string
	Candidates []string // if there is no File: files that the source may mean
	Tried      []string // paths that would have had priority if they existed
	Digest     string   // of the section's content; "" if the reference depends on the whole file
}

// At returns the position that the reference means.
func (r *Resolution) At() suites.Position { return suites.Position{File: r.File, Line: r.Line} }

// Resolve finds the place that a reference means. doc is the document that makes it, for
// its aliases and for paths relative to it; it may be nil.
func (r *Resolver) Resolve(ref Ref, doc *Document) Resolution {
	if ref == (Ref{}) {
		return Resolution{Why: "names no source (write: path §section)"}
	}
	at := r.locate(ref.Source, doc)
	if at.file == "" {
		return Resolution{Why: at.why, Candidates: at.candidates, Tried: at.tried}
	}
	res := Resolution{File: at.file, Tried: at.tried}
	o, err := r.outline(at.file)
	if err != nil {
		res.Why = err.Error()
		return res
	}
	res.setLines(o, at, ref.Section)
	return res
}

// setLines sets the lines of a section, or the lines that the source names.
func (r *Resolution) setLines(o *outline, at location, section string) {
	last := o.lines.count()
	if at.symbol != "" {
		section = strings.TrimSuffix(at.symbol+" "+sign+section, " "+sign)
	}
	r.Section = section
	rule := ByFile
	if section != "" {
		e, err := o.find(section)
		if err != nil {
			r.Why = at.file + " " + err.Error()
			return
		}
		r.Line, r.EndLine = o.lines.line(e.start), min(o.lines.line(max(e.end-1, e.start)), last)
		rule = e.matchRule()
		if e.content != nil && at.line == 0 {
			r.Digest = e.digest()
		}
	} else {
		r.Line, r.EndLine = 1, last
	}
	if at.line > 0 {
		if at.line > last || at.endLine > last {
			r.Why = fmt.Sprintf("%s has %d lines", at.file, last)
			return
		}
		r.Line, r.EndLine, rule = at.line, max(at.line, at.endLine), ByLine
	}
	r.Rule, r.Found = at.via.then(rule), true
}

// then appends a step to the way in which a reference was matched.
func (r Rule) then(next Rule) Rule {
	if r == "" || next == "" {
		return r + next
	}
	return r + ", " + next
}

// matchRule returns how an entry was found.
func (e *entry) matchRule() Rule {
	if e.how == "" {
		return e.rule
	}
	return e.rule + " " + Rule(e.how)
}

func (r *Resolver) outline(file string) (*outline, error) {
	digest, src, err := r.digest(file)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if c, ok := r.outlines[file]; ok && c.digest == digest {
		return c.outline, nil
	}
	if src == nil {
		if src, err = r.Read(file); err != nil {
			return nil, err
		}
	}
	if r.outlines == nil {
		r.outlines = map[string]cachedOutline{}
	}
	o := newOutline(file, src)
	r.outlines[file] = cachedOutline{digest, o}
	return o, nil
}

// digest returns a file's digest, and its content if it had to be read for that.
func (r *Resolver) digest(file string) (digest string, src []byte, err error) {
	if r.Digest != nil {
		digest, err = r.Digest(file)
		return digest, nil, err
	}
	src, err = r.Read(file)
	return suites.Digest(src), src, err
}

// A location is a source's file, and the line or symbol that it may name.
type location struct {
	file          string
	line, endLine int
	symbol        string
	via           Rule // how the file was found
	why           string
	candidates    []string
	tried         []string
}

var (
	lineSuffix   = pattern.Lazy(`^(.+?)(?::|#L)(\d+)(?:-L?(\d+))?$`)
	symbolSuffix = pattern.Lazy(`^([^\s:]+):([A-Za-z_][\w.-]*)(?:\(\))?$`)
	aliasPrefix  = pattern.Lazy(`^([^:#]+)([:#].*)?$`)
)

func (r *Resolver) locate(source string, doc *Document) location {
	if source == "" {
		if doc == nil {
			return location{why: "names no source"}
		}
		return location{file: doc.Path, via: ByItself}
	}
	if strings.EqualFold(source, unresolved) {
		return location{why: "says itself that it is unresolved (name its source)"}
	}
	path, isAlias := r.expand(source, doc)
	at := r.place(path, doc)
	if isAlias {
		at.via = ByAlias.then(at.via)
	}
	return at
}

// place finds a path, with the line or the symbol that may follow it.
func (r *Resolver) place(source string, doc *Document) location {
	at := r.file(source, doc)
	if at.file != "" {
		return at
	}
	if m := lineSuffix().FindStringSubmatch(source); m != nil {
		inner := r.file(m[1], doc)
		inner.tried = append(inner.tried, at.tried...)
		inner.line, _ = strconv.Atoi(m[2])
		inner.endLine, _ = strconv.Atoi(m[3])
		if inner.line > 0 {
			return inner
		}
	}
	if m := symbolSuffix().FindStringSubmatch(source); m != nil {
		inner := r.file(m[1], doc)
		inner.tried = append(inner.tried, at.tried...)
		inner.symbol, inner.via = m[2], inner.via.then(BySymbol)
		return inner
	}
	return at
}

// expand replaces an alias in front of a source, and reports whether there was one. The
// document's own aliases have priority.
func (r *Resolver) expand(source string, doc *Document) (path string, isAlias bool) {
	m := aliasPrefix().FindStringSubmatch(source)
	if m == nil {
		return source, false
	}
	if doc != nil && doc.Aliases[m[1]] != "" {
		return doc.Aliases[m[1]] + m[2], true
	}
	if r.Aliases[m[1]] != "" {
		return r.Aliases[m[1]] + m[2], true
	}
	return source, false
}

// file looks for a path from the root, then from the document, then for a bare basename
// among the known files.
func (r *Resolver) file(source string, doc *Document) location {
	tries := []string{path.Clean(source)}
	if doc != nil {
		tries = append(tries, path.Join(path.Dir(doc.Path), source))
	}
	var inside []string
	for i, t := range tries {
		if path.IsAbs(t) || strings.HasPrefix(t+"/", "../") {
			continue
		}
		if _, _, err := r.digest(t); err == nil {
			return location{file: t, tried: inside, via: []Rule{"", ByRelative}[i]}
		}
		inside = append(inside, t)
	}
	var known, same []string
	if r.Known != nil {
		known = r.Known()
	}
	// It is known, but does not exist.
	known = slices.DeleteFunc(slices.Clone(known), func(k string) bool { return k == source })
	for _, k := range known {
		if !strings.Contains(source, "/") && path.Base(k) == source {
			same = append(same, k)
		}
	}
	switch len(same) {
	case 1:
		return location{file: same[0], tried: inside, via: ByBasename}
	case 0:
		return location{why: "no file " + quote(source) + Nearest(source, known), candidates: inside, tried: inside}
	default:
		return location{why: quote(source) + " may be " + strings.Join(same, " or ") + " (write the path)", candidates: same, tried: inside}
	}
}

// Nearest returns text for a message with the names that are similar to want: "; nearest:
// a, b", or "" if there are none.
func Nearest(want string, names []string) string {
	type scored struct {
		name  string
		score int
	}
	var all []scored
	seen := map[string]bool{}
	for _, n := range names[:min(len(names), mostNames)] {
		if !seen[n] {
			seen[n] = true
			if s := max(likeness(want, n), numberLikeness(want, n)); s > 0 {
				all = append(all, scored{n, s})
			}
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].score > all[j].score })
	if len(all) == 0 {
		return ""
	}
	var best []string
	for _, s := range all[:min(3, len(all))] {
		best = append(best, quote(s.name))
	}
	return "; nearest: " + strings.Join(best, ", ")
}

// likeness returns the similarity of two names from 0 to 100, by the pairs of neighbouring
// letters that they share. Values below a third count as 0.
func likeness(a, b string) int {
	pairs := map[string]int{}
	count := func(s string, step int) (total, shared int) {
		s = strings.Join(words(s), " ")
		for i := 0; i+2 <= len(s); i++ {
			total++
			if step < 0 && pairs[s[i:i+2]] > 0 {
				shared++
			}
			pairs[s[i:i+2]] += step
		}
		return total, shared
	}
	inA, _ := count(shorten(a, 80), 1)
	inB, shared := count(shorten(b, 80), -1)
	if inA+inB == 0 || 6*shared < inA+inB {
		return 0
	}
	return 200 * shared / (inA + inB)
}

var numberedWord = pattern.Lazy(`^([A-Za-z]{1,8})(\d{1,4})\b`)

// numberLikeness scores names that begin with the same letters and another number, such as
// "D3" and "D4: Scope": the nearer the numbers, the higher.
func numberLikeness(a, b string) int {
	x, y := numberedWord().FindStringSubmatch(a), numberedWord().FindStringSubmatch(b)
	if x == nil || y == nil || !strings.EqualFold(x[1], y[1]) {
		return 0
	}
	n, _ := strconv.Atoi(x[2])
	m, _ := strconv.Atoi(y[2])
	return max(60-max(n-m, m-n)/2, 1)
}

// suggest returns text with similar names in the file: names of sections, or else
// comments. If the section begins with an identifier, only that is compared.
func (o *outline) suggest(section string) string {
	if first := strings.TrimRight(firstWord(section), "(),:"); isIdentifier(first) {
		section = first
	}
	var named, comments []string
	for _, e := range o.entries {
		if e.rule == ByComment {
			comments = append(comments, e.name)
		} else {
			named = append(named, e.name)
		}
	}
	if near := Nearest(section, named); near != "" {
		return near
	}
	return Nearest(section, comments)
}

// text finds the words of a name in the lines of a place: in the given order, or else all
// of them on one line. Code has priority over comments.
func (o *outline) text(at entry, name string) (entry, bool) {
	want := words(name)
	if len(want) == 0 {
		return entry{}, false
	}
	phrase := " " + strings.Join(want, " ") + " "
	var best [4]*entry // phrase in code, in a comment; words in code, in a comment
	for line := o.lines.line(at.start); line <= len(o.lines.starts) && o.lines.starts[line-1] < max(at.end, 1); line++ {
		start, end := max(o.lines.starts[line-1], at.start), min(o.lines.end(line), at.end)
		if start > end {
			continue
		}
		have := o.plain()[line-1]
		if start > o.lines.starts[line-1] || end < o.lines.end(line) {
			have = plainLine(o.words[start:end])
		}
		e, rank := entry{rule: ByText, name: name, start: start, end: end}, 0
		switch {
		case strings.Contains(have, phrase):
		case len(want) > 1 && hasAll(have, want):
			e.rule, rank = ByWords, 2
		default:
			continue
		}
		if o.comments[line] {
			rank++
		}
		if best[rank] == nil {
			best[rank] = &e
		}
	}
	for _, e := range best {
		if e != nil {
			return *e, true
		}
	}
	return entry{}, false
}

// plainLine returns the words of a line, each between two spaces.
func plainLine(line []byte) string { return " " + strings.Join(words(string(line)), " ") + " " }

func (o *outline) plainLines() []string {
	lines := make([]string, len(o.lines.starts))
	for i, start := range o.lines.starts {
		lines[i] = plainLine(o.words[start:max(start, o.lines.end(i+1))])
	}
	return lines
}

// isIdentifier reports whether a word can only be a name in code.
func isIdentifier(word string) bool {
	return strings.Contains(strings.Trim(word, "_"), "_") && !strings.ContainsFunc(word, func(r rune) bool { return !isWord(r) })
}

func hasAll(line string, want []string) bool {
	for _, w := range want {
		if !strings.Contains(line, " "+w+" ") {
			return false
		}
	}
	return true
}

// words returns the runs of letters, digits and underscores, in lower case.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !isWord(r) })
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// cutWords removes the leading words of s and the text between them, if they are the
// wanted ones.
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
