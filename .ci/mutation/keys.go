package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites/depend/keys"
)

// documentOperators edit JSON: the configuration of hooks, and settings.
var documentOperators = map[string]func(*document) []change{
	"key-value":  func(d *document) []change { return d.each(changeValue) },
	"key-remove": func(d *document) []change { return d.each(removeMember) },
	"key-add":    func(d *document) []change { return d.each(addMember) },
	"key-space":  func(d *document) []change { return d.each(addSpace) },
}

// A document is a JSON file that mutants are made of.
type document struct {
	file    string
	text    []byte
	members []member
}

// A member is a value of an object or array, or the whole document.
type member struct {
	path       string
	from       int // of its key, or of the value where it has none
	value, end int
	only       bool // of its object or array
	first      bool
}

func newDocument(file string, text []byte) (*document, error) {
	d := &document{file: file, text: text}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := d.read(dec, "", d.skip(0)); err != nil {
		return nil, err
	}
	return d, nil
}

// skip is the next offset at which something stands.
func (d *document) skip(at int) int {
	for at < len(d.text) && strings.IndexByte(" \t\r\n,:", d.text[at]) >= 0 {
		at++
	}
	return at
}

// read notes the value that the decoder is at and all that is in it.
func (d *document) read(dec *json.Decoder, path string, from int) error {
	m := member{path: path, from: from, value: d.skip(int(dec.InputOffset()))}
	token, err := dec.Token()
	if err != nil {
		return err
	}
	at := len(d.members)
	d.members = append(d.members, m)
	if open, ok := token.(json.Delim); ok {
		var inner []int
		for dec.More() {
			start, name := d.skip(int(dec.InputOffset())), "["+strconv.Itoa(len(inner))+"]"
			if open == '{' {
				key, err := dec.Token()
				if err != nil {
					return err
				}
				name = fmt.Sprintf(".%v", key)
			}
			inner = append(inner, len(d.members))
			if err := d.read(dec, path+name, start); err != nil {
				return err
			}
		}
		if _, err := dec.Token(); err != nil {
			return err
		}
		for i, n := range inner {
			d.members[n].first, d.members[n].only = i == 0, len(inner) == 1
		}
	}
	d.members[at].end = int(dec.InputOffset())
	return nil
}

func (d *document) each(edit func(*document, member) []change) []change {
	var list []change
	for _, m := range d.members {
		list = append(list, edit(d, m)...)
	}
	return list
}

func (d *document) valueOf(m member) string { return string(d.text[m.value:m.end]) }

func changeValue(d *document, m member) []change {
	with := ""
	switch text := d.valueOf(m); {
	case text == "true":
		with = "false"
	case text == "false", text == "null":
		with = "true"
	case text[0] == '"':
		with = text[:len(text)-1] + `x"`
	case text == "[]":
		with = `["changed"]`
	case text[0] == '[':
		with = "[]"
	case text[0] == '{':
		with = `"changed"`
	default:
		with = "1" + text
	}
	return []change{{m.value, m.end, with, "change " + m.path}}
}

func removeMember(d *document, m member) []change {
	switch {
	case m.path == "":
		return nil
	case m.only:
		return []change{{m.from, m.end, "", "take away " + m.path}}
	case m.first:
		return []change{{m.from, d.skip(m.end), "", "take away " + m.path}}
	default:
		comma := bytes.LastIndexByte(d.text[:m.from], ',')
		return []change{{comma, m.end, "", "take away " + m.path}}
	}
}

// addMember adds one in front of the others of an object or array.
func addMember(d *document, m member) []change {
	text := d.valueOf(m)
	with := ""
	switch text[0] {
	case '{':
		with = `"added": "yes"`
	case '[':
		with = `"added"`
	default:
		return nil
	}
	if strings.TrimSpace(text[1:len(text)-1]) != "" {
		with += ", "
	}
	return []change{{m.value + 1, m.value + 1, with, "add to " + m.path}}
}

func addSpace(_ *document, m member) []change {
	return []change{{m.value, m.value, " \n\t ", "space before " + m.path}, {m.end, m.end, "\n\n", "space behind " + m.path}}
}

// mutant is the document with the change; one that is no JSON is none, nor one
// that changes a value where it should not, or none where it should.
func (d *document) mutant(op string, c change) (mutant, bool) {
	content := slices.Concat(d.text[:c.from], []byte(c.with), d.text[c.to:])
	paths, err := keys.Diff(d.text, content)
	if err != nil || bytes.Equal(content, d.text) || (len(paths) == 0) != cosmetic[op] {
		return mutant{}, false
	}
	return mutant{
		operator: op, file: d.file, what: c.what, original: d.text, content: content,
		line: 1 + bytes.Count(d.text[:c.from], []byte("\n")),
	}, true
}
