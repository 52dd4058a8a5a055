// Package editstest generates hostile sequences of edits for tests: the ways in which
// editors, git and users really change files, mixed at random. It does not access files; a
// Disk does, which may be real or in memory. The program does not import it:
// TestShipped in cmd/hookwatch checks that.
package editstest

import (
	"fmt"
	"io/fs"
	"time"
)

// A Verb is one thing that a system call, or git, does to files.
type Verb int

// The verbs. A Disk skips an op that is not possible.
const (
	Truncate  Verb = iota + 1 // create Path, or empty it
	Append                    // append Text to Path, which is created if needed
	Overwrite                 // write Text to the beginning of Path and cut the rest
	Copy                      // copy Path to To
	Rename                    // rename Path to To
	Remove                    // remove Path and everything below it
	Mkdir                     // create Path and its parents
	Symlink                   // create a link at Path to Text
	Chmod                     // set the mode of Path to Mode
	Chtimes                   // set Path's times to now plus By
	Pause                     // wait for By
	// Create and remove N files at Path that are not of interest, so that the event queue
	// overflows.
	Flood
	Halt     // the watcher gets no processor time
	Resume   // end of Halt
	Checkout // git checks out the branch Text
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

// String returns the op as one line.
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

// A Disk performs ops.
type Disk interface{ Do(Op) }

// A Sequence is a burst of edits, followed by a pause.
type Sequence struct {
	Ways  []string // names of its edits, for messages
	Ops   []Op
	Still bool // no content changes, not even for a moment
}

// A Project describes the files to edit.
type Project struct {
	Files    []string                            // files whose content is new in each save
	Text     func(file string, nonce int) string // returns a content
	Dirs     []string                            // directories that are renamed and replaced
	Links    map[string][]string                 // possible targets by link
	Branches []string                            // of the git repository
	Spare    string                              // a directory for files that are not of interest
	Flood    int                                 // number of files that overflow the event queue; 0 means never
	Many     int                                 // number of files that appear at once
}
