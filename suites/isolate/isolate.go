// Package isolate decides what a case may see and change: which directories it
// gets as private copies, which files are hidden from it, and where what it
// writes ends up. It makes the steps of a sandbox and reads back what changed
// in it; the supervisor of suites/process carries them out.
package isolate

import (
	"sync"

	"hookwatch/suites/process"
)

// A Mode is how a case is kept from the person's files.
type Mode string

// The modes, the strongest first. Namespaces needs Linux 6.6 or later.
const (
	Namespaces Mode = "namespaces" // private copy-on-write views, no network, nothing outlives the case
	Copy       Mode = "copy"       // a temporary copy of the project
	None       Mode = "none"       // in place
	// Unavailable runs nothing: isolation cannot be had, and no weaker mode was
	// asked for.
	Unavailable Mode = "unavailable"
)

// Auto asks for Namespaces, like that mode itself: it is never taken for a weaker one.
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

// Hiding makes what answers which files are kept from cases.
func (o Options) Hiding() *Hiding { return o.rules().Hiding() }

func (o Options) rules() Rules {
	return Rules{Root: o.Root, Home: o.Home, OwnHome: o.OwnHome, Mask: o.Mask, Unmask: o.Unmask}
}

// A Plan makes the sandboxes of a session. It is safe for concurrent use.
type Plan struct {
	o       Options
	rules   Rules
	devices []string
	root    bool // hookwatch runs as root

	installed installed // programs that others in PATH lead to

	mu      sync.Mutex
	changed func() bool     // whether anything was mounted or unmounted since it was last asked
	current *layout         // of the mounts as they were last seen
	moved   bool            // another than it was when Fresh was last asked
	deep    []Mask          // as they were at first, looked at to the bottom
	names   OtherNames      // of masked files
	refused map[string]bool // directories of which the system makes no copy-on-write view
}

// The storage of a sandbox: directories below its root.
const (
	caseDir  = "case"   // what is at the case's own directory
	viewDir  = "view-"  // and the number of a view: what lies on top of it, in upper
	placeDir = "place-" // and the number of a private directory
	maskDir  = "mask"
	deviceFS = "dev"
	emptyDir = "empty" // the layer below read-only overlays
	shownDir = "shown" // and a number: overlays that single files are taken from
)
