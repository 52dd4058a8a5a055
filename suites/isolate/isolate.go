// Package isolate decides what a case may see and change: which directories it
// gets as private copies, which files are hidden from it, and where what it
// writes ends up. It makes the steps of a sandbox and reads back what changed
// in it; the supervisor of suites/process carries them out.
package isolate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"hookwatch/suites/process"
)

// A Mode is how a case is kept from the person's files.
type Mode string

// The modes, the strongest first. Namespaces needs Linux 6.6 or later.
const (
	Namespaces Mode = "namespaces" // private copy-on-write views, no network, nothing outlives the case
	Copy       Mode = "copy"       // a temporary copy of the project
	None       Mode = "none"       // in place
)

// Auto asks for the strongest mode that holds.
const Auto = "auto"

// Options are what the cases of a session have in common. All paths are absolute.
type Options struct {
	Root      string   // the project, as it is named to hooks
	Home      string   // HOME of the hooks; "" for none
	OwnHome   string   // the person's, as the system has it; "" for none
	Shown     []string // files and directories beside PATH that stay visible in private places
	Mask      []string // paths below Home to be hidden, beside the known ones
	Unmask    []string // paths below Home not to be hidden
	Size      int64    // bytes that a case may write
	Processes int      // that a case may have at a time
	Memory    int64    // bytes that its processes may use together
}

// Limits are those of the options that hold in every mode.
func (o Options) Limits() process.Limits {
	return process.Limits{Memory: o.Memory, FileSize: o.Size, Processes: max(o.Processes, 1)}
}

// A Plan makes the sandboxes of a session. It is safe for concurrent use.
type Plan struct {
	o       Options
	devices []string
	root    bool // hookwatch runs as root

	elsewhere struct { // sockets that are not in our list
		sync.Mutex
		paths []string
		at    time.Time
	}

	mu      sync.Mutex
	changed func() bool     // whether anything was mounted or unmounted since it was last asked
	current *layout         // of the mounts as they were last seen
	moved   bool            // another than it was when Fresh was last asked
	deep    []mask          // as they were at first, looked at to the bottom
	names   otherNames      // of masked files
	refused map[string]bool // directories of which the system makes no copy-on-write view
}

// A layout is what the cases see where, as long as nothing is mounted or
// unmounted.
type layout struct {
	roots   []string // what is shown as views, each on one mount
	views   []view   // outer ones first
	private []string // directories of which each case has its own, empty one
	mounts  []mount
	notes   []string // what is shown otherwise than the rest, for a person
}

// The storage of a sandbox: directories below its root.
const (
	caseDir  = "case"   // what is at the case's own directory
	viewDir  = "view-"  // and the number of a view: what lies on top of it, in upper
	placeDir = "place-" // and the number of a private directory
	maskDir  = "mask"
	deviceFS = "dev"
	// socketFile stands in the place of sockets outside.
	socketFile = "socket"
)

// Within reports whether path is dir or lies below it. Both are clean and
// absolute.
func Within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// real is the path without symbolic links, as far as it exists.
func real(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		return p
	}
	return filepath.Clean(path)
}

func isDir(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// byDepth puts outer paths before inner ones.
func byDepth(a, b string) int {
	if n := strings.Count(a, "/") - strings.Count(b, "/"); n != 0 {
		return n
	}
	return strings.Compare(a, b)
}

func sortedSet(paths []string) []string {
	slices.SortFunc(paths, byDepth)
	return slices.Compact(paths)
}
