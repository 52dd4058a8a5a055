package cli

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"

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

var (
	pointers = strings.NewReplacer("~", "~0", "/", "~1")                  // of JSON Pointer
	places   = strings.NewReplacer("hujson: line ", "", ", column ", ":") // of an error of the parser
	leading  = pattern.Lazy(`\n([ \t]+)$`)
)

// into returns the text with the value behind the others, with line breaks as in the rest, and unchanged
// if it has the value. An error begins with the line and column.
func (in insertion) into(text []byte) ([]byte, error) {
	rest := bytes.TrimPrefix(text, []byte("\ufeff"))
	mark := text[:len(text)-len(rest)]
	if len(bytes.TrimSpace(rest)) == 0 {
		rest = []byte("{}\n")
	}
	const mostBrackets = 50_000 // the parser takes stack for each that is open
	if bytes.Count(rest, []byte("["))+bytes.Count(rest, []byte("{")) > mostBrackets {
		return nil, errors.New("1:1: too many values: add to it by hand")
	}
	root, err := hujson.Parse(rest)
	if err != nil {
		return nil, errors.New(places.Replace(err.Error()) + ": mend the file, or add to it by hand")
	}
	refused := func(offset int, what string) error {
		line, column := jsontree.NewLines(rest).At(offset)
		return fmt.Errorf("%d:%d: %s", line, column, what)
	}
	if plain := root.Clone(); in.Strict && !root.IsStandard() {
		plain.Standardize()
		standard, at := plain.Pack(), 0
		for rest[at] == standard[at] {
			at++
		}
		return nil, refused(at, "JSON has no comments, and no comma behind the last value: mend the file, or add to it by hand")
	}
	// What exists of the path is kept; the value is put into the last container.
	at, depth := &root, 0
	for depth < len(in.Path) {
		inner := at.Find("/" + pointers.Replace(in.Path[depth]))
		if inner == nil {
			break
		}
		at, depth = inner, depth+1
	}
	key, value := in.Key, in.Value
	for _, name := range slices.Backward(in.Path[depth:]) {
		if key == "" {
			value = []any{value}
		} else {
			value = map[string]any{key: value}
		}
		key = name
	}
	object, isObject := at.Value.(*hujson.Object)
	list, isList := at.Value.(*hujson.Array)
	switch {
	case key == "" && !isList:
		return nil, refused(at.StartOffset, in.Path[depth-1]+" is no list")
	case key != "" && !isObject:
		return nil, refused(at.StartOffset, "want an object")
	case isList && in.isIn(*at), isObject && at.Find("/"+pointers.Replace(key)) != nil:
		return text, nil
	}
	indent, lineEnd := layoutOf(rest, root)
	added, err := jsonv2.Marshal(value, jsontext.WithIndentPrefix(strings.Repeat(indent, depth+1)), jsontext.WithIndent(indent))
	if err != nil {
		return nil, err
	}
	element := hujson.Value{Value: hujson.Literal(bytes.ReplaceAll(added, []byte("\n"), []byte(lineEnd)))}
	if isList {
		element.BeforeExtra = behindLast(&list.AfterExtra, lineEnd, indent, depth)
		list.Elements = append(list.Elements, element)
	} else {
		name := hujson.Value{BeforeExtra: behindLast(&object.AfterExtra, lineEnd, indent, depth), Value: hujson.String(key)}
		element.BeforeExtra = hujson.Extra(" ")
		object.Members = append(object.Members, hujson.ObjectMember{Name: name, Value: element})
	}
	return slices.Concat(mark, root.Pack()), nil
}

// behindLast takes the comments behind the last value from extra, which precedes the closing bracket of
// this depth, and returns them with the beginning of a line. The bracket gets a line of its own.
func behindLast(extra *hujson.Extra, lineEnd, indent string, depth int) hujson.Extra {
	comments := bytes.TrimRight(*extra, " \t\r\n")
	if *extra = (*extra)[len(comments):]; !bytes.Contains(*extra, []byte("\n")) {
		*extra = hujson.Extra(lineEnd + strings.Repeat(indent, depth))
	}
	return hujson.Extra(string(comments) + lineEnd + strings.Repeat(indent, depth+1))
}

// isIn reports whether a list has the value outside of comments.
func (in insertion) isIn(list hujson.Value) bool {
	plain := list.Clone()
	plain.Minimize()
	return bytes.Contains(plain.Pack(), []byte(in.Present))
}

// layoutOf returns the indentation of the first member, and the ends of lines.
func layoutOf(text []byte, root hujson.Value) (indent, lineEnd string) {
	indent, lineEnd = "  ", "\n"
	if object, ok := root.Value.(*hujson.Object); ok && len(object.Members) > 0 {
		if found := leading().FindSubmatch(object.Members[0].Name.BeforeExtra); found != nil {
			indent = string(found[1])
		}
	}
	if bytes.Contains(text, []byte("\r\n")) {
		lineEnd = "\r\n"
	}
	return indent, lineEnd
}
