package suites

import (
	"slices"
	"strings"
)

// An Access is the use of one path by the processes of a case.
type Access struct {
	Path string     // absolute, as named but without . and ..; links in it are not followed
	Kind AccessKind // all uses together
}

// AccessKind is a set of uses of a path.
type AccessKind uint8

// The uses. All but Wrote depend on what was at the path before the case began.
const (
	Looked AccessKind = 1 << iota // its existence or metadata was asked for, successfully or not
	Read                          // it was opened for reading, successfully or not; it may be a directory
	Listed                        // the names in the directory were read
	Ran                           // it was executed, directly or as the interpreter of a script
	Wrote                         // it was created, written, removed or changed
	Data                          // it was opened for reading by a program other than bash
)

var accessNames = []string{"looked", "read", "listed", "ran", "wrote", "by other than bash"}

func (k AccessKind) String() string {
	var names []string
	for i, name := range accessNames {
		if k&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// Input reports whether the case may depend on what was at the path before it began.
func (a Access) Input() bool { return a.Kind&^Wrote != 0 }

// A Use is one kind of use of a path. Created is Wrote of a path at which there was nothing.
type Use struct {
	Kind    AccessKind
	Created bool
}

// NewAccess returns the access for the uses of a path in the order of their first occurrence. What
// the case does with a file after it has created it does not depend on anything before.
func NewAccess(path string, uses []Use) Access {
	a := Access{Path: path}
	created := false
	for _, u := range uses {
		if !created || u.Kind == Wrote {
			a.Kind |= u.Kind
		}
		created = created || u.Created
	}
	return a
}

// MergeAccesses sorts accesses by path and joins those with the same path.
func MergeAccesses(all []Access) []Access {
	slices.SortFunc(all, func(a, b Access) int { return strings.Compare(a.Path, b.Path) })
	out := all[:0]
	for _, a := range all {
		if n := len(out); n > 0 && out[n-1].Path == a.Path {
			out[n-1].Kind |= a.Kind
		} else {
			out = append(out, a)
		}
	}
	return out
}
