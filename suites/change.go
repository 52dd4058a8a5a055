package suites

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A ChangeKind is what happened to a file.
type ChangeKind string

// The kinds of changes.
const (
	Created ChangeKind = "created"
	Changed ChangeKind = "changed"
	Deleted ChangeKind = "deleted"
	// Untouched is no change; it can be expected.
	Untouched ChangeKind = "none"
)

// A Change is a file that a case created, changed or deleted. Its path starts
// with {tmp}, {override}, {project} or ~ where the file lies in one of them; that
// of a directory ends with a slash, and counts only where nothing in it does.
type Change struct {
	Kind ChangeKind `json:"kind"`
	Path string     `json:"path"`
	Size int64      `json:"size"` // bytes; 0 when deleted
}

// A Deny is an input that a person says a hook must stop.
type Deny struct {
	At   Position
	Hook string // its ID, or a part of its command or of its script's path
	Tool string // "": Bash for a command, one that writes for a file
	// What is sent, one of them.
	Command, File, Prompt string
}

// Input is what is sent, in a few words.
func (d Deny) Input() string { return d.Command + d.File + d.Prompt }

// A Fixture is a file written before a step. Path is a template over {tmp},
// {project} and {override}, and {session}, the case's number; a relative path lies in {tmp}.
type Fixture struct {
	Path    string
	Content string
	Mode    uint32        // permission bits; 0 means 0644
	Age     time.Duration `json:",omitempty"` // how long ago it was last changed; 0 is now
	Fill    bool          `json:",omitempty"` // Content is a template as Path is, and one of Moments
}

// Moments fills in seconds since 1970 as hooks write them into their state files:
// {now}, and {now-15m} for what was so long ago.
func Moments(text string, now time.Time) (string, error) {
	const open = "{now"
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, open)
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		ago, after, closed := strings.Cut(rest, "}")
		switch length, minus := strings.CutPrefix(ago, "-"); {
		case closed && ago == "":
			out.WriteString(strconv.FormatInt(now.Unix(), 10))
		case closed && minus:
			d, err := time.ParseDuration(length)
			if err != nil || d < 0 {
				return "", fmt.Errorf("%s%s}: no time ago, such as {now-15m}", open, ago)
			}
			out.WriteString(strconv.FormatInt(now.Add(-d).Unix(), 10))
		default: // a word that begins alike
			out.WriteString(open)
			after = rest
		}
		text = after
	}
}

// An Input is one thing a case's verdict depends on: a file, or one section of
// it, with the digest of its content when it was read.
type Input struct {
	Path    string `json:"path"`              // slash path from the project's root
	Section string `json:"section,omitempty"` // "" for the whole file
	Digest  string `json:"digest"`            // "" when the file or section does not exist
	Because string `json:"because"`           // why the case depends on it, in a few words
	By      By     `json:"by,omitempty"`      // what makes it one; the strongest where several do
}

// By tells what makes a file or a section an input of a case. Traces may exempt
// a case an edit of what its hooks merely reach.
type By string

// What makes inputs, the weakest first.
const (
	Reached By = ""       // its hooks run, source or name it, or find it where they look
	Marked  By = "marker" // a marker names it
	Needed  By = "case"   // the case itself names it, or depends on all of it
)

// Name formats the input as "path" or "path §section".
func (i Input) Name() string {
	if i.Section == "" {
		return i.Path
	}
	return i.Path + " §" + i.Section
}
