// Package isolate decides what a case may see and change: which directories it
// gets as private copies, which files are hidden from it, and where what it
// writes ends up. It makes the steps of a sandbox and reads back what changed
// in it; the supervisor of suites/process carries them out.
package isolate

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"hookwatch/suites/disk"
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
	last    *prospect       // nil: nothing was planned yet
	moved   bool            // another than it was when Fresh was last asked
	deep    []Mask          // as they were at first, looked at to the bottom
	names   OtherNames      // of masked files
	refused map[string]bool // directories of which the system makes no copy-on-write view
}

// A prospect is what sandboxes that are made within a moment have in common: what they
// show and hide, and the steps that make it.
type prospect struct {
	of     *layout // that it was made from
	layout *layout // without what is in masked directories
	masks  []Mask
	search []string
	made   time.Time
	steps  []process.Step
	reach  map[string]bool // what the steps make
	copies []copied        // files that no step makes
}

// A copied file is one that lies on the way to mounts.
type copied struct{ from, to string }

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

// A Sandbox is a box with views of its own, which can be looked at from outside.
type Sandbox struct {
	*process.Box
	plan   *Plan
	layout *layout
	masks  []Mask
	dir    string // the case's own directory
	before Snapshot
}

// Begin notes what is there before the case does anything.
func (s *Sandbox) Begin() { s.before = s.take() }

// Discard gives the storage back, with all that was written. The box is closed
// first.
func (s *Sandbox) Discard() {
	s.Close()
	if s.Storage != nil {
		_ = s.Storage.Close()
	}
}

// path is the storage, whatever became of the box.
func (s *Sandbox) path() string { return "/proc/self/fd/" + strconv.Itoa(int(s.Storage.Fd())) }

// Dir is the case's own directory, as it is seen from outside.
func (s *Sandbox) Dir() string { return s.path() + "/" + caseDir }

func (s *Sandbox) take() Snapshot {
	trees := []string{caseDir, deviceFS + "/shm", maskDir}
	for i := range s.layout.private {
		trees = append(trees, placeDir+strconv.Itoa(i))
	}
	for i, v := range s.layout.views {
		if v.write {
			trees = append(trees, s.upper(i))
		}
	}
	return Take(s.path(), trees...)
}

func (s *Sandbox) upper(view int) string { return viewDir + strconv.Itoa(view) + "/upper" }

// reservedPIDs are those that the kernel keeps for the start of a machine.
const reservedPIDs = 300

// processes is how many a case may have at a time, threads included.
func (p *Plan) processes() int { return max(p.o.Processes, 1) }

// A Bound is a limit that holds for every case.
type Bound struct{ What, By string }

func megabytes(n int64) string { return strconv.FormatInt(n/1_000_000, 10) + " MB" }

// limitBounds tells the limits that hold with namespaces and without.
func limitBounds(b *process.Box) []Bound {
	kind, most := b.MemoryBound()
	memory := "not bounded"
	switch kind {
	case process.MemoryUnbounded:
		return []Bound{{"memory", memory}}
	case process.MemoryCgroup:
		memory = megabytes(most) + " a case (cgroup)"
	case process.MemoryWatched:
		memory = megabytes(most) + " a case (watched by its supervisor)"
	}
	return []Bound{{"memory", memory}, {"open files", fmt.Sprintf("%d a process", process.OpenFiles)}, {"core dumps", "none"}}
}

// unmapped is what processes may have in memory without a page of it mapped.
const unmapped = "memfds, IPC, sockets, pipes"

// openBounds tells what holds without namespaces.
func (o Options) openBounds() []Bound {
	b, err := process.Open(process.Setup{Limits: o.Limits()})
	if err != nil {
		return nil
	}
	defer b.Close()
	bounds := limitBounds(b)
	if len(bounds) > 1 {
		bounds = append(bounds, Bound{"file", megabytes(o.Size)})
	}
	if kind, _ := b.MemoryBound(); kind == process.MemoryWatched {
		bounds = append(bounds, Bound{unmapped, "not bounded without namespaces or a cgroup"})
	}
	return bounds
}

// Refused tells, in words, what was refused to a case: names of a Result, and
// whether a file was to become larger than it may.
func (o Options) Refused(names []string, large bool) []string {
	var calls, out []string
	for _, n := range names {
		if n == TooLarge {
			large = true
		} else {
			calls = append(calls, n)
		}
	}
	if large {
		out = append(out, "wanted a file of more than "+megabytes(o.Size)+" (sandbox.size)")
	}
	if slices.Sort(calls); len(calls) > 0 {
		out = append(out, "wanted system calls that are refused: "+strings.Join(slices.Compact(calls), ", "))
	}
	return out
}

// stopped tells, in words, what a case tried that its sandbox kept from it, as
// far as the system lets us know. network is the content of /proc/net/snmp as
// the case sees it.
func (s *Sandbox) stopped(after Snapshot, network string, processes int) []string {
	out := s.masksRead(after)
	out = append(out, networkTried(network)...)
	if left, size, files := Free(s.path()); size > 0 && (left < size/100 || files == 0) {
		out = append(out, fmt.Sprintf("filled the disk: all of its %d MB are used (sandbox.size)", s.plan.o.Size/1_000_000))
	}
	if limit := s.plan.processes(); processes*2 >= limit {
		out = append(out, fmt.Sprintf("had %d processes and threads when it was ended (sandbox.processes: %d)", processes, limit))
	}
	return out
}

// masksRead lists the hidden files that were opened all the same, by their times
// of access.
func (s *Sandbox) masksRead(after Snapshot) []string {
	var out []string
	for i, m := range s.masks {
		top := maskDir + "/" + strconv.Itoa(i)
		if v, rel := s.layout.viewOf(m.Path); v >= 0 && s.layout.views[v].write {
			top = s.upper(v) + "/" + rel
		}
		for _, n := range append([]string{""}, m.Names...) {
			n = strings.TrimSuffix(n, "/")
			name := path.Join(top, n)
			a, still := after[name]
			if b, was := s.before[name]; still && was && a.atime != b.atime {
				out = append(out, "read "+s.plan.short(path.Join(m.Path, n))+", which is masked")
			}
		}
	}
	slices.Sort(out)
	return out
}

func (p *Plan) short(path string) string {
	if home := disk.Real(p.o.Home); p.o.Home != "" && disk.Within(home, path) {
		return "~" + strings.TrimPrefix(path, home)
	}
	return path
}

// networkTried reads the counters of a network that has nothing but loopback.
func networkTried(snmp string) []string {
	counters := parseCounters(snmp)
	var out []string
	if n := counters["Ip.OutNoRoutes"]; n > 0 {
		out = append(out, fmt.Sprintf("wanted the network: %d times no route (there is loopback only)", n))
	}
	if n := counters["Tcp.AttemptFails"]; n > 0 {
		out = append(out, fmt.Sprintf("connected to loopback, where nothing listens for it: %d times", n))
	}
	if n := counters["Udp.NoPorts"]; n > 0 {
		out = append(out, fmt.Sprintf("asked a name server or another service on loopback, which is not there: %d times", n))
	}
	return out
}

// parseCounters reads pairs of lines, names and values, as "Ip.OutNoRoutes".
func parseCounters(snmp string) map[string]int64 {
	counters := make(map[string]int64)
	lines := strings.Split(snmp, "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		keys, values := strings.Fields(lines[i]), strings.Fields(lines[i+1])
		if len(keys) != len(values) || len(keys) == 0 || keys[0] != values[0] {
			continue
		}
		for j := 1; j < len(keys); j++ {
			n, err := strconv.ParseInt(values[j], 10, 64)
			if err == nil {
				counters[strings.TrimSuffix(keys[0], ":")+"."+keys[j]] = n
			}
		}
	}
	return counters
}
