package suites

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A ChangeKind is how a file changed.
type ChangeKind string

// The kinds of changes.
const (
	Created ChangeKind = "created"
	Changed ChangeKind = "changed"
	Deleted ChangeKind = "deleted"
	// Untouched is no change; only expectations use it.
	Untouched ChangeKind = "none"
)

// A Change is a file that a case created, changed or deleted. Its path starts with {tmp},
// {override}, {project} or ~ if it is in one of them. A directory's path ends with a slash; it is
// reported only if nothing in it changed.
type Change struct {
	Kind ChangeKind `json:"kind"`
	Path string     `json:"path"`
	Size int64      `json:"size"` // bytes; 0 if deleted
}

// A Deny is an input that a hook must block according to the user.
type Deny struct {
	At   Position
	Hook string // its ID, or part of its command or of its script's path
	Tool string // "": Bash for a command, a tool that writes for a file
	// Exactly one is set.
	Command, File, Prompt string
}

// Input returns the command, the file or the prompt.
func (d Deny) Input() string { return d.Command + d.File + d.Prompt }

// A Fixture is a file written before a step. Path is a template with {tmp}, {project}, {override}
// and {session}, the case's number. A relative path is in {tmp}.
type Fixture struct {
	Path    string
	Content string
	Mode    uint32        // permission bits; 0 means 0644
	Age     time.Duration `json:",omitempty"` // time since its last change; 0 is now
	Fill    bool          `json:",omitempty"` // Content is a template as Path is, and for Moments
}

// Moments replaces {now} with the current time in seconds since 1970, as hooks write it into their
// state files, and {now-15m} with the time 15 minutes ago.
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
		default: // another word with this prefix
			out.WriteString(open)
			after = rest
		}
		text = after
	}
}

// An Input is a file, or a section of one, that a case's verdict depends on, with the digest of its
// content when it was read.
type Input struct {
	Path    string `json:"path"`              // slash path from the project's root
	Section string `json:"section,omitempty"` // "" for the whole file
	Digest  string `json:"digest"`            // "" when the file or section does not exist
	Because string `json:"because"`           // why the case depends on it, in a few words
	By      By     `json:"by,omitempty"`      // the strongest if several apply
}

// By is the relation that makes a file or section an input of a case. It matters because traces can
// exempt a case from edits of files that its hooks only reach.
type By string

// The relations, weakest first.
const (
	Reached By = ""       // its hooks run, source or name it, or find it where they search
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
