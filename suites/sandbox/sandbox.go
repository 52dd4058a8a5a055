// Package sandbox provides the sandboxes in which cases run. A Backend creates sandboxes of one
// kind: with private views (namespaces), on a copy of the project (copy), or in place (none).
// Callers open sandboxes from a Pool and query the Sandbox, or the backend's Description, for its
// properties; they never compare names.
package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/process"
	"hookwatch/suites/process/supervisor"
)

// A Sandbox is the place where one case runs: its commands, files and network.
type Sandbox interface {
	// Dir returns the case's own directory, and Root the project, as the case sees them.
	Dir() string
	Root() string
	// Private reports whether the case has private views, which may lack files that exist outside.
	Private() bool
	// Copied returns the directory of which the case has a copy and the path of the copy, "" if it
	// has none.
	Copied() (original, at string)
	// Run runs commands concurrently, until all of them and their descendants have ended.
	Run(ctx context.Context, commands ...process.Command) ([]process.Result, error)
	// Write creates a file for the case, with its directories.
	Write(path, content string, mode fs.FileMode) error
	Read(path string) ([]byte, error)
	Listen() (net.Listener, error)
	// ReadOwn reads a regular file of at most limit bytes in the case's directory.
	ReadOwn(name string, limit int64) ([]byte, error)
	// ListOwn returns the names of the regular files in a directory of the case's directory, or an
	// error if there are more than limit entries.
	ListOwn(name string, limit int) ([]string, error)
	// LinkOwn creates a symbolic link in the case's directory, unless it exists.
	LinkOwn(name, target string) error
	// Begin records the state before the case starts.
	Begin()
	// Changes returns the case's changes since Begin, with absolute paths, and descriptions of the
	// actions that isolation prevented.
	Changes(e Ended) (changes []suites.Change, stopped []string)
	// Accesses returns the uses of paths by the commands, by path, and why they are not all known, ""
	// if they are.
	Accesses() (all []suites.Access, unobserved string)
	// Unrecorded calls do, which makes the files that the case finds: what it uses is no access.
	Unrecorded(do func() error) error
	// Close ends everything that runs.
	Close()
	// Keep moves or copies the case's files to a directory that does not exist yet, without the
	// largest if they take up more than bound bytes; 0 is no limit.
	Keep(to string, bound int64) error
	// Discard closes the sandbox and frees its storage. The pool removes the case's directory.
	Discard()
}

// accesses returns the accesses that a supervisor recorded.
func accesses(b *process.Supervisor) (all []suites.Access, unobserved string) {
	recorded, unobserved := b.Accesses()
	for _, r := range recorded {
		uses := make([]suites.Use, len(r.Uses))
		for i, kind := range r.Uses {
			uses[i] = kinds[kind]
		}
		all = append(all, suites.NewAccess(r.Path, uses))
	}
	return all, unobserved
}

var kinds = map[rune]suites.Use{
	supervisor.Asked: {Kind: suites.Looked}, supervisor.Opened: {Kind: suites.Read}, supervisor.Listed: {Kind: suites.Listed},
	supervisor.Data: {Kind: suites.Data},
	supervisor.Ran:  {Kind: suites.Ran}, supervisor.Wrote: {Kind: suites.Wrote}, supervisor.Created: {Kind: suites.Wrote, Created: true},
}

// Ended describes how the commands of a case ended.
type Ended struct {
	Processes int      // maximum number of processes that were ended at once
	Refused   []string // names of refused system calls
	TooLarge  bool     // a file would have exceeded the size limit
}

// A Backend creates the sandboxes of a session, all of one kind.
type Backend interface {
	// Describe depends neither on options nor on the machine.
	Describe() Description
	// Probe checks whether the backend works on this machine and returns the limits of a case, and
	// the sandbox that it created, nil for none. w.Dir is an existing directory. The error is an
	// *UnavailableError, or a *process.ShortageError if the machine lacks resources.
	Probe(w Wanted) ([]Bound, Sandbox, error)
	// Open creates the sandbox of a case from a supervisor that open returns.
	Open(ctx context.Context, open Opener, w Wanted) (Sandbox, error)
}

// An Opener starts a supervisor, such as process.Open or that of a reserve.
type Opener func(process.Setup) (*process.Supervisor, error)

// Wanted describes the required sandbox of a case.
type Wanted struct {
	Dir      string   // the case's own directory, which exists
	Dirs     []string // directories to create in it
	Search   []string // directories in which the case looks for programs
	Observed bool     // record the paths that its commands use
	Turns    bool     // and let them take turns
	Watched  []string // directories of the project, relative to it, for which the case has an expectation of changes
}

// suits reports whether a sandbox for w can be used for other.
func (w Wanted) suits(other Wanted) bool {
	return w.Observed == other.Observed && w.Turns == other.Turns && slices.Equal(w.Dirs, other.Dirs) && slices.Equal(w.Search, other.Search)
}

// A Description contains the texts about a backend for users, and the properties that callers need
// before a sandbox is open.
type Description struct {
	Name    string   // the value of run.isolation
	Summary string   // the properties of its sandboxes, for doctor
	Open    string   // what hooks that ran in it could access; "" if nothing
	Warning string   // printed at the start of a session; "" for none
	Consent string   // what the user agrees to if a project's configuration chooses it; "" if nothing
	Instead []string // what the user can choose instead, in lines

	Private   bool // see Sandbox.Private
	InPlace   bool // hooks change the user's own files, so no case runs a second time
	HooksOnly bool // only hooks may run in it, and no other program of the project
}

// Auto means the strongest backend, never a weaker one.
const Auto = "auto"

// InPlace is the name of the backend without any isolation.
const InPlace = "none"

// backends lists the backends, the strongest first.
var backends = []func(Options) Backend{newNamespacesBackend, newCopyBackend, newInPlaceBackend}

// unavailable describes the isolation if nothing may run.
var unavailable = Description{
	Name:    "unavailable",
	Summary: "no command runs a hook here",
	Instead: []string{
		"on a copy instead: --isolation copy, or run.isolation: copy in .hookwatch.yaml and hookwatch trust; your HOME,",
		"  all other files and the network are open to hooks then",
	},
	HooksOnly: true,
}

// Descriptions describes all backends, the strongest first.
func Descriptions() []Description {
	all := make([]Description, len(backends))
	for i, make := range backends {
		all[i] = make(Options{}).Describe()
	}
	return all
}

// Describe describes the backend of that name. It sets only Name if there is none.
func Describe(name string) Description {
	for _, d := range append(Descriptions(), unavailable) {
		if d.Name == name {
			return d
		}
	}
	return Description{Name: name}
}

// A Choice is the backend in which the hooks of a project run on this machine. The zero value runs
// nothing.
type Choice struct {
	Backend Backend        // nil: nothing may run
	Limits  process.Limits // of each case
	Bounds  []Bound        // the effective limits, for users
	Why     string         // why it is not the strongest backend; "" if it is
	Mend    string         // what would allow the strongest; "" if unknown
	refused error          // why nothing may run
	probed  *probed        // nil: there was none
	// Currency is how long a sandbox that was opened counts as up to date; 0 means a moment.
	Currency time.Duration
}

// current reports whether a sandbox that was opened then is up to date.
func (c Choice) current(opened time.Time) bool {
	return time.Since(opened) < cmp.Or(c.Currency, currency)
}

// Refusal returns why nothing may run, nil if cases can.
func (c Choice) Refusal() error {
	if c.Backend == nil && c.refused == nil {
		return errors.New("no hook is run, because no isolation was chosen")
	}
	return c.refused
}

// Describe describes the chosen backend.
func (c Choice) Describe() Description {
	if c.Backend == nil {
		return unavailable
	}
	return c.Backend.Describe()
}

// Notes describes the files that cases see differently from the rest, and why.
func (c Choice) Notes() []string {
	if b, ok := c.Backend.(interface{ Notes() []string }); ok {
		return b.Notes()
	}
	return nil
}

// Choose returns the backend with that name, or the strongest for Auto, and probes it in temp, an
// existing directory. A case that wants no more than o.Plain gets the sandbox of the probe if a Pool
// opens it at once. Choose chooses a weaker backend only by its name. If it returns an error, the
// choice runs nothing; the error is one of Backend.Probe, or about the name.
func Choose(name string, o Options, temp string) (Choice, error) {
	if _, err := process.Room(1); err != nil {
		return Refuse(err), err
	}
	for i, newBackend := range backends {
		b := newBackend(o)
		if b.Describe().Name != name && (name != Auto || i > 0) {
			continue
		}
		c := Choice{Backend: b, Limits: o.Limits(), Currency: o.Currency}
		var err error
		if c.Bounds, c.probed, err = probe(b, o, temp); err != nil {
			return Refuse(err), err
		}
		if i > 0 {
			c.Why = "requested by run.isolation: " + name
		}
		return c, nil
	}
	err := fmt.Errorf("run.isolation: %s is not a mode", name)
	return Refuse(err), err
}

// A probed holds the sandbox of a probe for a case. It is discarded when it is no longer current.
type probed struct {
	mu      sync.Mutex
	sandbox Sandbox // nil: used or discarded
	plain   Wanted
}

// currency is how long the plan of a sandbox is considered up to date. Files created while a case
// runs are visible in its directories anyway.
const currency = 100 * time.Millisecond

// probe probes a backend with the sandbox of a plain case.
func probe(b Backend, o Options, temp string) ([]Bound, *probed, error) {
	plain := o.Plain
	w := plain
	var err error
	if w.Dir, err = os.MkdirTemp(temp, "probe-"); err != nil {
		return nil, nil, err
	}
	bounds, s, err := b.Probe(w)
	if s == nil {
		_ = os.Remove(w.Dir)
		return bounds, nil, err
	}
	p := &probed{sandbox: s, plain: plain}
	if len(plain.Dirs) == 0 { // no case wants such a sandbox
		p.discard()
	} else {
		time.AfterFunc(cmp.Or(o.Currency, currency), p.discard)
	}
	return bounds, p, nil
}

// take returns the sandbox if it meets w, and nil otherwise and from then on.
func (p *probed) take(w Wanted) Sandbox {
	if p == nil || !p.plain.suits(w) {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.sandbox
	p.sandbox = nil
	return s
}

func (p *probed) discard() {
	if p == nil {
		return
	}
	if s := p.take(p.plain); s != nil {
		s.Discard()
		_ = remove(s.Dir())
	}
}

// Refuse returns a choice that runs nothing, because of err.
func Refuse(err error) Choice {
	c := Choice{refused: err, Why: err.Error()}
	if u := (*UnavailableError)(nil); errors.As(err, &u) {
		c.Why, c.Mend = u.Why, u.Mend
	}
	return c
}

// An UnavailableError reports that hooks cannot be isolated here as requested.
type UnavailableError struct {
	Backend string // its name
	Why     string
	Mend    string // what would allow it; "" if unknown
	Err     error
}

func (e *UnavailableError) Error() string {
	return "no hook is run, because they cannot be isolated here: " + e.Why
}

func (e *UnavailableError) Unwrap() error { return e.Err }

// Advice returns what the user can do, in lines.
func (e *UnavailableError) Advice() []string {
	var lines []string
	if e.Mend != "" {
		lines = append(lines, "  to allow "+e.Backend+": "+e.Mend)
	}
	return append(lines, "  to run hooks on a copy of the project instead: --isolation copy, or run.isolation: copy in .hookwatch.yaml and hookwatch trust",
		"  your HOME, all other files and the network are open to hooks then (hookwatch help isolation)")
}

// Options are common to all cases of a session. Paths are absolute, except in Mask and Unmask.
type Options struct {
	Root      string        // the project, as named to hooks
	Own       []string      // directories of the project that hookwatch writes: neither copied nor watched
	Home      string        // HOME of the hooks; "" for none
	OwnHome   string        // the user's home directory by the system's records; "" for none
	Shown     []string      // files and directories besides PATH that private directories do not hide
	Private   []string      // directories that cases see empty, besides those for temporary files and homes
	Mask      []string      // paths to hide, besides the known ones, relative to each home
	Unmask    []string      // paths not to hide, relative to each home
	Size      int64         // bytes that a case may write
	Processes int           // that a case may have at a time
	Memory    int64         // bytes that its processes may use together
	Plain     Wanted        // of a case without special needs, without Dir
	Currency  time.Duration // see Choice
}

// Limits returns the limits that every backend enforces.
func (o Options) Limits() process.Limits {
	return process.Limits{Memory: o.Memory, FileSize: o.Size, Processes: o.processes()}
}

// processes returns the maximum number of processes and threads of a case at a time.
func (o Options) processes() int { return max(o.Processes, 1) }

func (o Options) rules() rules {
	r := rules{Root: o.Root, Home: o.Home, OwnHome: o.OwnHome, Mask: o.Mask, Unmask: o.Unmask}
	w := r.whose()
	r.found = &w
	return r
}

// A Bound is a limit of every case.
type Bound struct{ What, By string }

func megabytes(n int64) string { return strconv.FormatInt(n/1_000_000, 10) + " MB" }

// limitBounds returns the limits that every backend enforces.
func limitBounds(b *process.Supervisor) []Bound {
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

// unmapped is memory that processes can use without mapping a page of it.
const unmapped = "memfds, IPC, sockets, pipes"

// describeRefusals describes what was refused to a case.
func (o Options) describeRefusals(e Ended) []string {
	var calls, out []string
	large := e.TooLarge
	for _, n := range e.Refused {
		if n == tooLargeFile {
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

// Names in Ended.Refused that are not the name of one system call.
const (
	tooLargeFile = "a file that is too large" // a file would have exceeded the size limit
	otherSocket  = "socket"                   // of a family other than those of the network and of unix sockets
)
