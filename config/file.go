package config

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
	"hookwatch/suites/disk"
	"hookwatch/suites/yamlform"
)

// mostBytes is how large a configuration file may be: thirty times one in which
// every key is explained, and little enough to be parsed in well under a second.
const mostBytes = 128 << 10

// readFile finds and reads the file; both results are empty when there is none.
func readFile(dir, explicit string) (path string, data []byte, err error) {
	var door disk.Reader
	if path = explicit; path == "" {
		found, ok := Find(dir)
		if !ok {
			return "", nil, nil
		}
		path, door.Root = found, cmp.Or(workTree(filepath.Dir(found)), filepath.Dir(found))
		if !mayRule(dir, path) {
			return "", nil, unread(dir, path, "belongs to another user, who does not own the directory that you are in: it is not read", readAnyway(path))
		}
	} else if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	data, err = door.ReadFile(path, mostBytes)
	if err == nil {
		return path, data, nil
	}
	return "", nil, unreadable(dir, path, explicit != "", err)
}

// unreadable says why a file cannot be read, and what to do.
func unreadable(dir, path string, asked bool, err error) error {
	hint := ""
	var refused *disk.Error
	if errors.As(err, &refused) {
		if refused.Reason == disk.Outside {
			hint = readAnyway(path)
		}
		return unread(dir, path, "cannot be read: "+err.Error(), hint)
	}
	if asked && errors.Is(err, fs.ErrNotExist) {
		hint = "hookwatch init writes a commented one"
	}
	if cause := (*fs.PathError)(nil); errors.As(err, &cause) {
		err = cause.Err
	}
	return unread(dir, path, "cannot be read: "+err.Error(), hint)
}

func unread(dir, path, what, hint string) error {
	return &Error{[]suites.Problem{{At: suites.Position{File: displayPath(dir, path)}, What: what, Hint: hint}}}
}

func readAnyway(path string) string { return "--config " + path + " reads it all the same" }

// parseFile takes the file's text apart.
func parseFile(file string, data []byte) *source {
	s := newSource(file)
	var docs []yaml.Node
	if err := yaml.Load(data, &docs, yaml.WithAllDocuments()); err != nil {
		s.Syntax(data, err)
		return s
	}
	for i, doc := range docs {
		if i > 0 {
			s.Add(&docs[i], "a second document", "keep one and remove the --- line")
			break
		}
		if len(doc.Content) == 1 {
			s.group("", doc.Content[0])
		}
	}
	s.Sort()
	return s
}

// group reads the keys of a mapping: the top level's for "".
func (s *source) group(name string, n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return // a heading whose keys are all commented out
	}
	if n.Kind != yaml.MappingNode {
		s.Wrong(n, cmp.Or(name, "the file"), "keys with values", "known here: "+strings.Join(within(name), ", "))
		return
	}
	s.Each(n, func(k, v *yaml.Node) {
		path := strings.TrimPrefix(name+"."+k.Value, ".")
		if known, ok := find(path); ok && !strings.Contains(k.Value, ".") {
			s.set(known, v)
		} else if name == "" && len(within(k.Value)) > 0 && k.Value != "" {
			s.group(k.Value, v)
		} else {
			s.Add(k, "unknown key "+yamlform.Shown(path, shownText), suggest(name, k.Value))
		}
	})
}
