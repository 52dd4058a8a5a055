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
	"hookwatch/suites/pattern"
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

// registered matches the path of an entry, of its group and of a group's matcher in a
// settings file.
var (
	entryPath   = pattern.Lazy(`^\.hooks\.\w+\[\d+\]\.hooks\[\d+\]$`)
	groupPath   = pattern.Lazy(`^\.hooks\.\w+\[\d+\]$`)
	matcherPath = pattern.Lazy(`^\.hooks\.\w+\[\d+\]\.matcher$`)
)

// registrations switch hooks off: by a matcher that lets nothing through, a time-out
// that no hook meets, an entry that is gone, and the switch for all of them.
func registrations(d *Document) []mutate.Change {
	var list []mutate.Change
	add := func(m member, text string) {
		list = append(list, changed(m.value+1, m.value+1, text+", ", "add "+text+" to "+m.path))
	}
	for _, m := range d.members {
		switch {
		case m.path == "" && bytes.Contains(d.text, []byte(`"hooks"`)) && bytes.Contains(d.text, []byte(`"command"`)):
			add(m, `"disableAllHooks": true`)
		case matcherPath().MatchString(m.path):
			list = append(list, changed(m.value, m.end, `"NoSuchTool"`, "change "+m.path))
		case entryPath().MatchString(m.path) && !strings.Contains(d.valueOf(m), `"timeout"`):
			add(m, `"timeout": 0.001`)
		case groupPath().MatchString(m.path):
			list = append(list, removeMember(d, m)...)
		}
	}
	return list
}

// A Text is a file that is neither a script nor JSON.
type Text struct {
	file string
	text []byte
}

// Lines takes each line away, and changes it.
func (t *Text) Lines() []mutate.Change {
	var list []mutate.Change
	at := 0
	for line := range bytes.Lines(t.text) {
		end := at + len(line)
		if word := bytes.TrimSpace(line); len(word) > 0 {
			list = append(list, changed(at, end, "", "take a line away"), changed(at, at+1, string(line[:1])+"x", "change a line"))
		}
		at = end
	}
	return list
}

// Mutant returns the text with the change.
func (t *Text) Mutant(op string, c mutate.Change) (mutate.Mutant, bool) {
	content := bytes.Join([][]byte{t.text[:c.From], []byte(c.With), t.text[c.To:]}, nil)
	return mutate.Mutant{Operator: op, File: t.file, What: c.What, Original: t.text, Content: content, Line: 1 + bytes.Count(t.text[:c.From], []byte("\n"))}, true
}
