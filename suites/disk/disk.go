// Package disk accesses files that someone else may have prepared: a cloned project is
// data, and its links, pipes and devices must not lead hookwatch elsewhere. hookwatch
// writes, replaces and deletes files through a Dir, which follows no link, and reads files
// of a project through a Reader, which only opens regular files of limited size that are
// not hidden.
package disk

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Reason is the reason why a file was refused.
type Reason int

// Reasons for refusing a file.
const (
	Link   Reason = iota + 1 // a symbolic link is in the way
	Shared                   // the file has other names (hard links), which a write would change too
	// A directory, pipe, socket or device instead of a file, or a file instead of a directory.
	Kind
	Size    // the file is larger than the limit
	Outside // it is outside of the project
	Hidden  // it is hidden from hooks, and so from records
	Moved   // it was replaced while it was opened
)

// An Error reports a file that was refused.
type Error struct {
	Path   string // as the caller named it
	Reason Reason
	Detail string // the kind of file, or the target of a link
}

// Error returns the reason and how to fix it.
func (e *Error) Error() string {
	path, detail := printable(e.Path), printable(e.Detail)
	switch e.Reason {
	case Link:
		return fmt.Sprintf("%s is a symbolic link to %s: hookwatch keeps nothing through a link (remove it)", path, detail)
	case Shared:
		return fmt.Sprintf("%s has other names (hard links), and may be a file of something else (remove it)", path)
	case Kind:
		return fmt.Sprintf("%s is a %s (remove it)", path, detail)
	case Size:
		return fmt.Sprintf("%s is too large to read: %s", path, detail)
	case Outside:
		return fmt.Sprintf("%s leads out of the project, to %s: it is not read", path, detail)
	case Hidden:
		return fmt.Sprintf("%s is masked: it is not read", path)
	case Moved:
		return fmt.Sprintf("%s was exchanged while it was opened", path)
	default:
		return path + " is refused"
	}
}

// printable quotes names that a terminal would not show unchanged.
func printable(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) || !utf8.ValidString(name) {
		return strconv.QuoteToGraphic(name)
	}
	return name
}

// kindOf returns the name of a kind of file.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "directory"
	case mode&fs.ModeNamedPipe != 0:
		return "named pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	case mode.IsRegular():
		return "file"
	default:
		return "special file"
	}
}

// within reports whether path is dir or below it. Both must be clean.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
