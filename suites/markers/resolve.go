package markers

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"hookwatch/suites"
)

// A Resolver finds what references mean in a project. Its methods may be
// called from several goroutines.
type Resolver struct {
	// Read gives a file's content by its slash path from the project's root.
	Read func(path string) ([]byte, error)
	// Digest tells a file's digest without reading it again, when that is
	// cheaper than Read. It may be nil.
	Digest func(path string) (string, error)
	// Known lists the files among which a bare basename is looked for.
	Known func() []string
	// Aliases are names for sources beside those that documents declare.
	Aliases map[string]string

	mu       sync.Mutex
	outlines map[string]cachedOutline
}

type cachedOutline struct {
	digest string
	*outline
}

// A Resolution is what a reference means. A reference that is not found may
// still name a file, or candidates for one; Why says what is wrong.
type Resolution struct {
	File       string // slash path from the root; "" when there is no such file
	Line       int    // from 1
	EndLine    int
	Rule       Rule
	Found      bool
	Why        string
	Candidates []string // when there is no File: those that the source may mean
	Tried      []string // paths that would have come first, had they been there
	Digest     string   // of the section's content; "" when only the whole file tells
}

// At is the place that the reference means.
func (r *Resolution) At() suites.Position { return suites.Position{File: r.File, Line: r.Line} }

// Resolve finds the place that a reference means. doc is the document that
// makes it, for its aliases and for paths relative to it; nil for none.
func (r *Resolver) Resolve(ref Ref, doc *Document) Resolution {
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
	section := ref.Section
	if at.symbol != "" {
		section = strings.TrimSuffix(at.symbol+" "+sign+section, " "+sign)
	}
	if at.line > 0 {
		r.inLines(&res, o, at)
		return res
	}
	if section == "" {
		res.Line, res.EndLine, res.Rule, res.Found = 1, len(o.lines.starts), ByFile, true
		return res
	}
	e, err := o.find(section)
	if err != nil {
		res.Why = at.file + " " + err.Error()
		return res
	}
	res.Line, res.EndLine = o.lines.line(e.start), o.lines.line(max(e.end-1, e.start))
	res.Rule, res.Found = e.rule, true
	if e.content != nil {
		res.Digest = ContentDigest(e.content())
	}
	return res
}

func (r *Resolver) inLines(res *Resolution, o *outline, at location) {
	if at.line > len(o.lines.starts) || at.endLine > len(o.lines.starts) {
		res.Why = fmt.Sprintf("%s has %d lines", at.file, len(o.lines.starts))
		return
	}
	res.Line, res.EndLine, res.Rule, res.Found = at.line, max(at.line, at.endLine), ByLine, true
}

// SectionDigest is the digest of a section's content. It is false when the
// section is not there, or is known as a place only: then the whole file counts.
func (r *Resolver) SectionDigest(file, section string) (digest string, ok bool) {
	o, err := r.outline(file)
	if err != nil {
		return "", false
	}
	e, err := o.find(section)
	if err != nil || e.content == nil {
		return "", false
	}
	return ContentDigest(e.content()), true
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

// digest tells a file's digest, and its content if it had to be read for that.
func (r *Resolver) digest(file string) (digest string, src []byte, err error) {
	if r.Digest != nil {
		digest, err = r.Digest(file)
		return digest, nil, err
	}
	src, err = r.Read(file)
	return ContentDigest(src), src, err
}

// A location is a source's file, and the line or symbol that it may name.
type location struct {
	file          string
	line, endLine int
	symbol        string
	why           string
	candidates    []string
	tried         []string
}

var (
	lineSuffix   = regexp.MustCompile(`^(.+?)(?::|#L)(\d+)(?:-L?(\d+))?$`)
	symbolSuffix = regexp.MustCompile(`^(.*\.[A-Za-z0-9]+):([A-Za-z_][\w.-]*)(?:\(\))?$`)
)

func (r *Resolver) locate(source string, doc *Document) location {
	if source == "" {
		if doc == nil {
			return location{why: "names no source"}
		}
		return location{file: doc.Path} // a section of the document itself
	}
	if strings.EqualFold(source, unresolved) {
		return location{why: "says itself that it is unresolved"}
	}
	source = r.expand(source, doc)
	at := r.file(source, doc)
	if at.file != "" {
		return at
	}
	if m := lineSuffix.FindStringSubmatch(source); m != nil {
		inner := r.file(m[1], doc)
		inner.tried = append(inner.tried, at.tried...)
		inner.line, _ = strconv.Atoi(m[2])
		inner.endLine, _ = strconv.Atoi(m[3])
		if inner.line > 0 {
			return inner
		}
	}
	if m := symbolSuffix.FindStringSubmatch(source); m != nil {
		inner := r.file(m[1], doc)
		inner.tried = append(inner.tried, at.tried...)
		inner.symbol = m[2]
		return inner
	}
	return at
}

func (r *Resolver) expand(source string, doc *Document) string {
	if doc != nil && doc.Aliases[source] != "" {
		return doc.Aliases[source]
	}
	if r.Aliases[source] != "" {
		return r.Aliases[source]
	}
	return source
}

// file looks for a path from the root, then from the document, then for a bare
// basename among the known files.
func (r *Resolver) file(source string, doc *Document) location {
	tries := []string{path.Clean(source)}
	if doc != nil {
		tries = append(tries, path.Join(path.Dir(doc.Path), source))
	}
	var inside []string
	for _, t := range tries {
		if path.IsAbs(t) || t == ".." || strings.HasPrefix(t, "../") {
			continue
		}
		if _, _, err := r.digest(t); err == nil {
			return location{file: t, tried: inside}
		}
		inside = append(inside, t)
	}
	var known, same []string
	if r.Known != nil {
		known = r.Known()
	}
	for _, k := range known {
		if !strings.Contains(source, "/") && path.Base(k) == source {
			same = append(same, k)
		}
	}
	switch len(same) {
	case 1:
		return location{file: same[0], tried: inside}
	case 0:
		return location{why: "no file " + quote(source) + nearest(source, known), candidates: inside, tried: inside}
	default:
		return location{why: quote(source) + " may be " + strings.Join(same, " or ") + " (write the path)", candidates: same, tried: inside}
	}
}
