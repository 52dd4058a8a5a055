package markers

import (
	"bytes"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"hookwatch/suites/jsontree"
	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// A Rule is the way in which a reference was matched. In a Resolution it has all steps,
// such as "alias, heading".
type Rule string

// Rules for sources that are not paths from the root.
const (
	ByAlias    Rule = "alias"    // a name that a document declares
	ByRelative Rule = "relative" // a path from the document's own directory
	ByBasename Rule = "basename" // the only known file with that name
	ByItself   Rule = "itself"   // a section of the document with the marker
)

// Rules for sections, the most specific first. Those from ByPattern on have no content of
// their own, so references to them depend on the whole file.
const (
	ByHeading  Rule = "heading"
	ByLabel    Rule = "label"
	ByKey      Rule = "key"
	ByFunction Rule = "function"
	ByPattern  Rule = "pattern" // of a case statement
	ByComment  Rule = "comment"
	ByText     Rule = "text"  // the words are in a line, in this order
	ByWords    Rule = "words" // the words are in a line, in another order
	BySymbol   Rule = "symbol"
	ByLine     Rule = "line"
	ByFile     Rule = "file"
)

// An outline is the structure of a source file.
type outline struct {
	src     []byte
	words   []byte // src with blank markers, because a marker must not match its own text
	lines   *lineIndex
	entries []entry // in order of appearance
	// comments are the lines that have only a comment.
	comments map[int]bool
	plain    func() []string // the words of each line, computed when first needed
	found    sync.Map        // see find
}

// An entry is a named place. Its digest is that of content, which is nil if the place has
// no content of its own.
type entry struct {
	rule       Rule
	how        string // how it was matched, if not by its whole name
	name       string
	plain      string // the name's words, for comparisons
	start, end int    // bytes
	content    func() []byte
	digest     func() string // of the content, set by find
}

// A sectionName is one level of a section as written, and its words.
type sectionName struct{ text, plain string }

// code drops comments and patterns that share their name with a function, or else comments
// that share it with other entries.
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

// holds reports whether inner is inside e's place and is not that place itself.
func (e *entry) holds(inner *entry) bool {
	same := inner.start == e.start && inner.end == e.end && e.rule != ""
	return inner.start >= e.start && inner.end <= e.end && !same
}

// merge joins entries with the same name, such as a function defined twice: the first is
// the place, and the content is that of all.
func merge(found []entry) entry {
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
	last   struct{ offset, line, column int } // last result of position; the next offset is usually larger
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

// line returns the 1-based line of a byte offset.
func (x *lineIndex) line(offset int) int {
	return sort.Search(len(x.starts), func(i int) bool { return x.starts[i] > offset })
}

// count returns the number of lines. Text after the last line break counts only if it is
// not empty.
func (x *lineIndex) count() int {
	if n := len(x.starts); n == 1 || x.starts[n-1] < len(x.src) {
		return n
	}
	return len(x.starts) - 1
}

// position returns the line and the column, in characters, of a byte offset.
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

// end returns the offset of the end of a 1-based line, without its line break.
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

// newOutline reads a file by its type. Files that cannot be parsed have no entries and are
// searched as text.
func newOutline(file string, src []byte) *outline {
	o := &outline{src: src, words: blankAll(src), lines: newLineIndex(src)}
	ext := strings.ToLower(path.Ext(file))
	switch {
	case ext == ".md" || ext == ".markdown":
		o.entries = markdownEntries(src)
	case ext == ".json":
		o.entries = jsonEntries(src)
	case isShell(file, src):
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

// isShell reports whether a file is a shell script, by its name or its first line.
func isShell(file string, src []byte) bool {
	if shell.ProgramOf(shell.ByExtension(file)).Language == shell.Shell {
		return true
	}
	line, _, _ := bytes.Cut(src, []byte("\n"))
	words, _ := shell.Interpreter(string(line))
	return shell.LanguageOf(words) == shell.Shell
}

var anyMarker = pattern.Lazy(`(?i)\[verify\s*:[^\]]*\]`)

// blankAll blanks all markers, at equal length.
func blankAll(src []byte) []byte {
	blanked := bytes.Clone(src)
	for _, at := range anyMarker().FindAllIndex(src, -1) {
		for i := at[0]; i < at[1]; i++ {
			if src[i] != '\n' {
				blanked[i] = ' '
			}
		}
	}
	return blanked
}

// markdownEntries returns the headings of a document, each up to the next of the same or a
// higher level, and the bold labels that start a paragraph, each up to the next heading.
func markdownEntries(src []byte) []entry {
	if isIntricate(src) {
		return nil // it is searched as text
	}
	root := reader().Parse(text.NewReader(src))
	var entries []entry
	var open []int // headings that have not ended, outermost first
	levels := map[int]int{}
	labels := 0 // first label that has not ended
	closeFrom := func(level, at int) {
		for len(open) > 0 && levels[open[len(open)-1]] >= level {
			entries[open[len(open)-1]].end = at
			open = open[:len(open)-1]
		}
		for ; labels < len(entries); labels++ {
			if entries[labels].rule == ByLabel {
				entries[labels].end = at
			}
		}
	}
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || !isLeaf(n) {
			return ast.WalkContinue, nil
		}
		at := lineStart(src, n.Lines().At(0).Start)
		if h, ok := n.(*ast.Heading); ok {
			closeFrom(h.Level, at)
			levels[len(entries)] = h.Level
			open = append(open, len(entries))
			entries = append(entries, entry{rule: ByHeading, name: plainText(n, src), start: at})
		} else if label, ok := boldLabel(n, src); ok {
			entries = append(entries, entry{rule: ByLabel, name: label, start: at})
		}
		return ast.WalkContinue, nil
	})
	closeFrom(0, len(src))
	for i := range entries {
		part := src[entries[i].start:entries[i].end]
		entries[i].content = func() []byte { return tidyLines(part) }
	}
	return entries
}

func lineStart(src []byte, at int) int { return bytes.LastIndexByte(src[:at], '\n') + 1 }

// boldLabel returns the bold text that a paragraph or list item starts with.
func boldLabel(n ast.Node, src []byte) (string, bool) {
	e, ok := n.FirstChild().(*ast.Emphasis)
	if !ok || e.Level != 2 || n.Kind() == ast.KindHeading {
		return "", false
	}
	label := oneLine(plainText(e, src))
	return label, label != ""
}

// plainText returns the text of a node without inline syntax.
func plainText(n ast.Node, src []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch c := c.(type) {
		case *ast.Text:
			b.Write(c.Segment.Value(src))
			if c.SoftLineBreak() || c.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(c.Value)
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// tidyLines drops invisible text: white space at line ends, and blank lines at both ends.
func tidyLines(part []byte) []byte {
	lines := bytes.Split(part, []byte("\n"))
	for i, l := range lines {
		lines[i] = bytes.TrimRight(l, spaces)
	}
	return bytes.Trim(bytes.Join(lines, []byte("\n")), "\n")
}

// shellEntries returns a script's functions, the patterns of its case statements and its
// comment lines.
func shellEntries(src []byte) []entry {
	script, err := shell.Read(string(src))
	if err != nil {
		return commentEntries(src, 0, len(src))
	}
	var entries []entry
	for _, f := range script.Functions {
		entries = append(entries, entry{rule: ByFunction, name: f.Name, start: f.Start, end: f.End, content: f.Text})
	}
	for _, c := range script.Cases {
		entries = append(entries, entry{rule: ByPattern, name: string(src[c.Pattern.Start:c.Pattern.End]), start: c.Pattern.Start, end: c.End})
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return a.start - b.start })
	return append(entries, shellComments(src, script.Comments)...)
}

// shellComments returns the comment lines that the shell parser found, which excludes
// here-documents and strings.
func shellComments(src []byte, comments []shell.Comment) []entry {
	var entries []entry
	for _, c := range comments {
		start := lineStart(src, c.Start)
		if len(bytes.TrimSpace(src[start:c.Start])) == 0 {
			entries = append(entries, commentEntries(src, start, c.End)...)
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return a.start - b.start })
	return entries
}

var commentLine = pattern.Lazy(`(?m)^[ \t]*#+[ \t]*(.*?)[ \t]*$`)

// banner strips the decoration of "# --- name ---" and "# === name ===".
var banner = pattern.Lazy(`^[-=#*~\s]*(.*?)[-=#*~\s]*$`)

// commentEntries returns the comment lines between two offsets.
func commentEntries(src []byte, start, end int) []entry {
	var entries []entry
	for _, m := range commentLine().FindAllSubmatchIndex(src[start:end], -1) {
		name := banner().FindStringSubmatch(string(src[start+m[2] : start+m[3]]))[1]
		if strings.ContainsFunc(name, isWord) {
			entries = append(entries, entry{rule: ByComment, name: name, start: start + m[0], end: start + m[1]})
		}
	}
	return entries
}

var definition = pattern.Lazy(`(?m)^[ \t]*(?:(?:export|default|async)[ \t]+)*(?:def|class|function|func)[ \t*]+([A-Za-z_$][\w$]*)`)

// definitionEntries returns the functions and classes of a file in a language that is not
// parsed, and its comments. They have no content.
func definitionEntries(src []byte) []entry {
	var entries []entry
	for _, m := range definition().FindAllSubmatchIndex(src, -1) {
		entries = append(entries, entry{rule: ByFunction, name: string(src[m[2]:m[3]]), start: m[0], end: m[1]})
	}
	return append(entries, commentEntries(src, 0, len(src))...)
}

// Keys of YAML and TOML are read line by line and have no content: a path such as
// "jobs.test" finds its line, and the reference depends on the whole file.
var (
	yamlKey   = pattern.Lazy(`^( *)((?:- +)*)(?:"([^"]+)"|'([^']+)'|([^\s#"'&*!|>%@\[\]{},:-][^#:]*?)) *:(?: |$)`)
	tomlKey   = pattern.Lazy(`^[ \t]*((?:[\w-]+|"[^"]+")(?:[ \t]*\.[ \t]*(?:[\w-]+|"[^"]+"))*)[ \t]*=`)
	tomlTable = pattern.Lazy(`^[ \t]*(\[\[?)[ \t]*([^\[\]]+?)[ \t]*\]`)
)

// yamlEntries returns the keys of a YAML file with their parents, by indentation. Items of
// a list have no number.
func yamlEntries(o *outline) []entry {
	type level struct {
		indent int
		name   string
		entry  int
	}
	var open []level
	var entries []entry
	closeFrom := func(indent, at int) {
		for len(open) > 0 && open[len(open)-1].indent >= indent {
			entries[open[len(open)-1].entry].end = at
			open = open[:len(open)-1]
		}
	}
	for i, start := range o.lines.starts {
		m := yamlKey().FindStringSubmatch(string(o.src[start:o.lines.end(i+1)]))
		if m == nil {
			continue
		}
		indent := len(m[1]) + len(m[2])
		closeFrom(indent, start)
		name := m[3] + m[4] + m[5]
		if len(open) > 0 {
			name = open[len(open)-1].name + "." + name
		}
		open = append(open, level{indent, name, len(entries)})
		entries = append(entries, entry{rule: ByKey, name: name, start: start})
	}
	closeFrom(0, len(o.src))
	return entries
}

// tomlEntries returns the tables and keys of a TOML file. Tables of an array include their
// number.
func tomlEntries(o *outline) []entry {
	var entries []entry
	table, at := "", -1
	seen := map[string]int{}
	for i, start := range o.lines.starts {
		end := o.lines.end(i + 1)
		line := string(o.src[start:end])
		if m := tomlTable().FindStringSubmatch(line); m != nil {
			table = unquote(m[2])
			if m[1] == "[[" {
				seen[table]++
				table += "." + strconv.Itoa(seen[table]-1)
			}
			if at >= 0 {
				entries[at].end = start
			}
			at = len(entries)
			entries = append(entries, entry{rule: ByKey, name: table, start: start, end: len(o.src)})
		} else if m := tomlKey().FindStringSubmatch(line); m != nil {
			name := strings.TrimPrefix(table+"."+unquote(m[1]), ".")
			entries = append(entries, entry{rule: ByKey, name: name, start: start, end: end})
		}
	}
	return entries
}

// unquote returns a dotted key without quotes and white space.
func unquote(key string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("\"' \t", r) {
			return -1
		}
		return r
	}, key)
}

// maxDepth is the maximum nesting of values in JSON.
const maxDepth = 500

// jsonEntries returns the key paths of a document, such as "a.b" and "list.0".
func jsonEntries(src []byte) []entry {
	root, err := jsontree.Parse(src)
	if err != nil {
		return nil
	}
	entries, _ := keyPaths(nil, "", root, 0)
	return entries
}

// keyPaths appends the entries below a value. ok is false if it is nested too deep.
func keyPaths(to []entry, prefix string, v jsontree.Value, depth int) (entries []entry, ok bool) {
	if depth > maxDepth {
		return nil, false
	}
	for i, m := range v.Members {
		name := m.Key
		if v.Kind == '[' {
			name = strconv.Itoa(i)
		}
		if prefix != "" {
			name = prefix + "." + name
		}
		value := m.Value
		to = append(to, entry{
			rule: ByKey, name: name, start: m.At, end: value.End,
			content: func() []byte { return value.Canonical(nil) },
		})
		if to, ok = keyPaths(to, name, value, depth+1); !ok {
			return nil, false
		}
	}
	return to, true
}
