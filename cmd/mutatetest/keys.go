package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites/depend"
	"hookwatch/suites/mutate"
)

// DocumentOperators edit JSON: the configuration of hooks, and settings.
var DocumentOperators = map[string]func(*Document) []mutate.Change{
	"key-value":  func(d *Document) []mutate.Change { return d.each(changeValue) },
	"key-remove": func(d *Document) []mutate.Change { return d.each(removeMember) },
	"key-add":    func(d *Document) []mutate.Change { return d.each(addMember) },
	"key-space":  func(d *Document) []mutate.Change { return d.each(addSpace) },

	"registration": registrations,
}

// A Document is a JSON file that mutants are made of.
type Document struct {
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

// NewDocument reads a JSON file.
func NewDocument(file string, text []byte) (*Document, error) {
	d := &Document{file: file, text: text}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := d.read(dec, "", d.skip(0)); err != nil {
		return nil, err
	}
	return d, nil
}

// skip is the next offset at which something stands.
func (d *Document) skip(at int) int {
	for at < len(d.text) && strings.IndexByte(" \t\r\n,:", d.text[at]) >= 0 {
		at++
	}
	return at
}

// read notes the value that the decoder is at and all that is in it.
func (d *Document) read(dec *json.Decoder, path string, from int) error {
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

// changed returns a change of the bytes from..to.
func changed(from, to int, with, what string) mutate.Change {
	return mutate.Change{From: from, To: to, With: with, What: what}
}

func (d *Document) each(edit func(*Document, member) []mutate.Change) []mutate.Change {
	var list []mutate.Change
	for _, m := range d.members {
		list = append(list, edit(d, m)...)
	}
	return list
}

func (d *Document) valueOf(m member) string { return string(d.text[m.value:m.end]) }

func changeValue(d *Document, m member) []mutate.Change {
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
	return []mutate.Change{changed(m.value, m.end, with, "change "+m.path)}
}

func removeMember(d *Document, m member) []mutate.Change {
	switch {
	case m.path == "":
		return nil
	case m.only:
		return []mutate.Change{changed(m.from, m.end, "", "take away "+m.path)}
	case m.first:
		return []mutate.Change{changed(m.from, d.skip(m.end), "", "take away "+m.path)}
	default:
		comma := bytes.LastIndexByte(d.text[:m.from], ',')
		return []mutate.Change{changed(comma, m.end, "", "take away "+m.path)}
	}
}

// addMember adds one in front of the others of an object or array.
func addMember(d *Document, m member) []mutate.Change {
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
	return []mutate.Change{changed(m.value+1, m.value+1, with, "add to "+m.path)}
}

func addSpace(_ *Document, m member) []mutate.Change {
	return []mutate.Change{changed(m.value, m.value, " \n\t ", "space before "+m.path), changed(m.end, m.end, "\n\n", "space behind "+m.path)}
}

// Mutant returns the document with the change. ok is false if it is no JSON, or changes a value if it
// should not, or none if it should.
func (d *Document) Mutant(op string, c mutate.Change) (mutate.Mutant, bool) {
	content := slices.Concat(d.text[:c.From], []byte(c.With), d.text[c.To:])
	paths, err := depend.ChangedKeys(d.text, content)
	if err != nil || bytes.Equal(content, d.text) || (len(paths) == 0) != mutate.Cosmetic[op] {
		return mutate.Mutant{}, false
	}
	return mutate.Mutant{
		Operator: op, File: d.file, What: c.What, Original: d.text, Content: content,
		Line: 1 + bytes.Count(d.text[:c.From], []byte("\n")),
	}, true
}
