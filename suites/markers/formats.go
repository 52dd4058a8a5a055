package markers

import (
	"bytes"
	"path"
	"strings"
	"sync"

	"hookwatch/suites/pattern"
)

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
	case ext == ".sh" || ext == ".bash" || shellShebang().Match(src):
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

var shellShebang = pattern.Lazy(`^#!.*\b(sh|bash|dash|ksh)\b`)

var anyMarker = pattern.Lazy(`(?i)\[verify\s*:[^\]]*\]`)

// withoutMarkers blanks markers, wherever they stand, at equal length.
func withoutMarkers(src []byte) []byte {
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
