package cli

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"hookwatch/suites/disk"
)

// A draft is a file that init writes. One that exists is kept, with what is inserted.
type draft struct {
	name    string // slash path
	content []byte // of a new file, before insertions
	adds    []insertion
	asks    bool // the user must agree to a new file, too
}

// with returns a text of the file with what it lacks.
func (d draft) with(text []byte) (_ []byte, err error) {
	if len(bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))) == 0 {
		text = d.content
	}
	for _, in := range d.adds {
		if text, err = in.into(text); err != nil {
			return nil, fmt.Errorf("%s:%w", d.name, err)
		}
	}
	return text, nil
}

// prepare returns what the file at a path below a directory must be, nil if it is that.
func (d draft) prepare(dir, path string) (content []byte, exists bool, err error) {
	const largest = 1 << 20
	exists, err = disk.Exists(dir, path)
	if err != nil || exists && len(d.adds) == 0 {
		return nil, exists, err
	}
	if exists {
		content, err = disk.Reader{Root: dir}.ReadFile(path, largest)
	}
	if err != nil {
		return nil, exists, err
	}
	before := content
	if content, err = d.with(before); exists && bytes.Equal(before, content) {
		content = nil
	}
	return content, exists, err
}

// writeDrafts writes files below a directory that do not exist or lack something. It asks before it changes
// one that exists. A file to which nothing can be added stays as it is, and what it lacks is printed. It
// fails if there is nothing to write.
func writeDrafts(a *app, dir string, yes bool, drafts []draft) (failed error) {
	var names []string
	var writes []func() error
	asks := false
	for _, d := range drafts {
		path := filepath.Join(dir, filepath.FromSlash(d.name))
		content, exists, err := d.prepare(dir, path)
		switch {
		case err != nil:
			failed = errors.Join(failed, fmt.Errorf("%w; %s is as it was", err, d.name))
			if len(d.adds) > 0 {
				writef(a.Out, "add to %s:\n", d.name)
			}
			lacks, _ := draft{adds: d.adds}.with(nil) // an empty file takes everything
			for line := range strings.Lines(string(lacks)) {
				writef(a.Out, "%s\n", output(strings.TrimSuffix(line, "\n")))
			}
			continue
		case content == nil:
			writef(a.Out, "kept %s (it exists)\n", d.name)
			continue
		case exists:
			writes = append(writes, func() error { return disk.ReplaceFile(dir, path, content) })
		default:
			writes = append(writes, func() error { return disk.WriteNew(dir, path, content, 0o644) })
		}
		names = append(names, d.name)
		asks = asks || exists || d.asks
	}
	switch {
	case len(names) == 0 && failed == nil:
		return errors.New("nothing to write: every file exists")
	case asks && !yes:
		if err := a.agree("Write to "+strings.Join(names, ", ")+", and leave the rest as it is?", "nothing was written"); err != nil {
			return errors.Join(failed, err)
		}
	}
	for i, write := range writes {
		if err := write(); err != nil {
			return errors.Join(failed, err)
		}
		writef(a.Out, "wrote %s\n", names[i])
	}
	return failed
}
