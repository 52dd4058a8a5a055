// Package editstest makes up hostile sequences of edits for tests: the ways in
// which editors, git and people really change files, mixed at random. It touches
// no file itself; a Disk does, a real one or one in memory. Nothing that ships
// imports it: TestShipped in cmd/hookwatch holds that.
package editstest

import (
	"fmt"
	"io/fs"
	"time"
)

// A Verb is one thing that a system call, or git, does to files.
type Verb int

// The verbs. What cannot be done as things stand is left undone.
const (
	Truncate  Verb = iota + 1 // create Path, or empty it
	Append                    // add Text to Path, which is created if need be
	Overwrite                 // put Text over the beginning of Path and end it there
	Copy                      // make To what Path is
	Rename                    // Path becomes To
	Remove                    // Path and everything below
	Mkdir                     // Path, with its parents
	Symlink                   // a link at Path that leads to Text
	Chmod                     // Path to Mode
	Chtimes                   // set Path's times to now and By
	Pause                     // for By
	Flood                     // N files of no concern come and go at Path: the event queue overflows
	Halt                      // whoever watches gets no processor time
	Resume                    // until here
	Checkout                  // git checks the branch Text out
)

var verbs = [...]string{"", "truncate", "append", "overwrite", "copy", "rename", "remove", "mkdir", "symlink", "chmod", "chtimes", "pause", "flood", "halt", "resume", "checkout"}

// An Op is one step of a sequence. Paths are relative, with slashes.
type Op struct {
	Verb     Verb
	Path, To string
	Text     string
	Mode     fs.FileMode
	By       time.Duration
	N        int
}

// String tells an op in one line.
func (o Op) String() string {
	s := verbs[o.Verb]
	for _, part := range []string{o.Path, o.To} {
		if part != "" {
			s += " " + part
		}
	}
	if o.Text != "" {
		s += fmt.Sprintf(" %q", o.Text)
	}
	if o.Mode != 0 {
		s += " " + o.Mode.String()
	}
	if o.By != 0 {
		s += " " + o.By.String()
	}
	if o.N != 0 {
		s += fmt.Sprint(" ", o.N)
	}
	return s
}

// A Disk is where ops take place.
type Disk interface{ Do(Op) }

// A Sequence is a burst of edits, after which everybody rests.
type Sequence struct {
	Ways  []string // what it is made of, for people
	Ops   []Op
	Still bool // at no moment is any content another one
}

// A Project says what there is to edit.
type Project struct {
	Files    []string                            // files of which each save has a new content
	Text     func(file string, nonce int) string // a content
	Dirs     []string                            // directories that are renamed and replaced
	Links    map[string][]string                 // links, and where each may lead
	Branches []string                            // that git knows
	Spare    string                              // a directory that takes files of no concern
	Flood    int                                 // files that overflow the event queue; 0: never
	Many     int                                 // files that come at once
}
