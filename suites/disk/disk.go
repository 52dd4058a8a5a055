// Package disk is the door to files that somebody else may have laid out: a
// project that was cloned is data, and its links, pipes and devices lead
// nowhere. What hookwatch writes, replaces or deletes goes through a Dir, which
// follows no link; what it reads of a project goes through a Reader, which opens
// nothing but regular files of a bounded size, and none that is hidden.
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

// A Reason says why a file was refused.
type Reason int

// The reasons.
const (
	Link    Reason = iota + 1 // a symbolic link stands in the way
	Shared                    // the file has other names (hard links), which a write would change too
	Kind                      // a directory, pipe, socket or device stands where a file should, or a file where a directory should
	Size                      // the file is larger than what is read
	Outside                   // it lies outside of the project
	Hidden                    // it is hidden from hooks, and so from records
	Moved                     // it was exchanged while it was opened
)

// An Error is a file that was refused.
type Error struct {
	Path   string // as it was named
	Reason Reason
	Detail string // what is there, or where a link leads
}

// Error says what is in the way, and what to do about it.
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

// printable quotes a name that a terminal would not show as it is.
func printable(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) || !utf8.ValidString(name) {
		return strconv.QuoteToGraphic(name)
	}
	return name
}

// kindOf names what is no regular file.
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

// within reports whether path is dir or lies below it. Both are clean.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
