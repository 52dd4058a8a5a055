package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites/jsontree"
	"hookwatch/suites/pattern"
)

// An insertion puts a value into a JSON text that its user maintains, and leaves everything else as it
// is. Containers that are missing on the way are made.
type insertion struct {
	Path    []string // of the list, or of the object, that gets the value
	Key     string   // of the value; "" for an element of a list
	Value   any
	Present string // text of a list that has the value; an object has it if it has the key
	Strict  bool   // comments, and commas behind the last value, are errors
}

// into returns the text with the value behind the others, with line breaks as in the rest, and unchanged
// if it has the value. An error begins with the line and column.
func (in insertion) into(text []byte) ([]byte, error) {
	rest, marked := bytes.CutPrefix(text, []byte("\ufeff"))
	if len(bytes.TrimSpace(rest)) == 0 {
		rest = []byte("{}\n")
	}
	plain, parsed := rest, rest
	if !in.Strict {
		plain = blank(rest, comments())
		parsed = blank(plain, lastCommas())
	}
	refused := func(offset int, what string) error {
		line, column := jsontree.NewLines(rest).At(offset)
		return fmt.Errorf("%d:%d: %s", line, column, what)
	}
	root, err := jsontree.Parse(parsed)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		return nil, refused(int(syntax.Offset)-1, syntax.Error()+": mend the file, or add to it by hand")
	} else if err != nil {
		return nil, refused(0, err.Error())
	}
	indent := "  "
	if len(root.Members) > 0 {
		if lead, ok := leading(rest, root.Members[0].At); ok && lead != "" {
			indent = lead
		}
	}
	// What exists of the path is kept; the value is put into the last container.
	at, depth, missing := root, 1, in.Path
	for at.Kind == '{' && len(missing) > 0 {
		inner, ok := at.Get(missing[0])
		if !ok {
			break
		}
		at, depth, missing = inner, depth+1, missing[1:]
	}
	_, known := at.Get(in.Key)
	switch list := len(missing) == 0 && in.Key == ""; {
	case list && at.Kind != '[':
		return nil, refused(at.Start, in.Path[len(in.Path)-1]+" is no list")
	case !list && at.Kind != '{':
		return nil, refused(at.Start, "want an object")
	case len(missing) == 0 && known, list && bytes.Contains(plain[at.Start:at.End], []byte(in.Present)):
		return text, nil
	}
	key, value := in.Key, in.Value
	for i := len(missing) - 1; i >= 0; i-- {
		if key == "" {
			value = []any{value}
		} else {
			value = map[string]any{key: value}
		}
		key = missing[i]
	}
	out, err := appended(rest, plain, at, depth, indent, key, value)
	if marked {
		out = slices.Concat([]byte("\ufeff"), out)
	}
	return out, err
}

// Strings are matched too, because what they contain is none of the others.
var (
	comments   = pattern.Lazy(`"(?:[^"\\]|\\.)*"|//[^\n]*|(?s:/\*.*?\*/)`)
	lastCommas = pattern.Lazy(`"(?:[^"\\]|\\.)*"|,\s*[\]}]`)
)

// blank replaces matches by spaces, except strings, line ends and closing brackets.
func blank(text []byte, of *regexp.Regexp) []byte {
	return of.ReplaceAllFunc(text, func(found []byte) []byte {
		if found[0] == '"' {
			return found
		}
		keep := "\r\n"
		if found[0] == ',' {
			keep += "]}"
		}
		spaces := bytes.Repeat([]byte(" "), len(found)) // bytes, so that offsets stay
		for i, b := range found {
			if strings.IndexByte(keep, b) >= 0 {
				spaces[i] = b
			}
		}
		return spaces
	})
}

// appended returns a JSON text with a value behind the others of an object or list at this depth. plain
// is the text without comments.
func appended(text, plain []byte, at jsontree.Value, depth int, indent, key string, value any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(strings.Repeat(indent, depth), indent)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	added := "\n" + strings.Repeat(indent, depth)
	if key != "" {
		added += fmt.Sprintf("%q: ", key)
	}
	added += strings.TrimSpace(b.String())
	end := at.End - 1 // the closing bracket
	last, comma := at.Start+1, ""
	if n := len(at.Members); n > 0 {
		last = at.Members[n-1].Value.End
		if !bytes.Contains(plain[last:end], []byte(",")) {
			comma = ","
		}
	}
	shown := last + len(bytes.TrimRight(text[last:end], " \t\r\n")) // behind the comments
	behind := text[shown:]
	if !bytes.Contains(text[shown:end], []byte("\n")) {
		added += "\n" + strings.Repeat(indent, depth-1)
		behind = text[end:]
	}
	if bytes.Contains(text, []byte("\r\n")) {
		added = strings.ReplaceAll(added, "\n", "\r\n")
	}
	return slices.Concat(text[:last], []byte(comma), text[last:shown], []byte(added), behind), nil
}

// leading returns the white space between an offset and the start of its line, if there is nothing else.
func leading(text []byte, at int) (string, bool) {
	start := bytes.LastIndexByte(text[:at], '\n') + 1
	lead := string(text[start:at])
	return lead, start > 0 && strings.TrimSpace(lead) == ""
}
