package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/disk"
	"hookwatch/suites/process"
)

// namespacesBackend is the backend that gives each case private copy-on-write views and no network,
// and ends every process that the case started. It needs Linux 6.6 or later.
type namespacesBackend struct {
	o    Options
	plan func() *plan // examines the machine at the first call
}

func newNamespacesBackend(o Options) Backend {
	return &namespacesBackend{o, sync.OnceValue(func() *plan { return newPlan(o) })}
}

const namespacesName = "namespaces"

func (*namespacesBackend) Describe() Description {
	return Description{
		Name:    namespacesName,
		Summary: "each case has its own views of the project and HOME, and no network",
		Private: true,
	}
}

// Probe creates a sandbox.
func (n *namespacesBackend) Probe(w Wanted) ([]Bound, Sandbox, error) {
	s, err := n.plan().Open(func(s process.Setup) (*process.Supervisor, error) {
		s.Limits = n.o.Limits()
		return process.Open(s)
	}, w)
	if err != nil {
		return nil, nil, Explain(err)
	}
	return s.Bounds(), s, nil
}

// crowdedTries bounds the attempts to create a sandbox while the system lacks resources for
// another.
const crowdedTries = 5

func (n *namespacesBackend) Open(ctx context.Context, open Opener, w Wanted) (Sandbox, error) {
	for try := 1; ; try++ {
		s, err := n.plan().Open(open, w)
		if err == nil {
			return s, nil
		}
		roomLater := process.Shortage(err) != nil || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EUSERS)
		if !roomLater || try == crowdedTries {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Duration(try*try) * 10 * time.Millisecond):
		}
	}
}

// Advance returns the steps of the plan that do not depend on the case.
func (n *namespacesBackend) Advance() []process.Step { return n.plan().Advance() }

func (n *namespacesBackend) Fresh() bool { return n.plan().Fresh() }

func (n *namespacesBackend) Notes() []string { return n.plan().Notes() }

// A plan creates the sandboxes of a session. It is safe for concurrent use.
type plan struct {
	o       Options
	devices []string
	root    bool // hookwatch runs as root

	filterMade sync.Once
	filter     []string // the step that refuses calls, the same for all cases

	installed installed // programs that others in PATH lead to

	mu      sync.Mutex
	changed func() bool     // whether a mount was added or removed since the last call
	current *layout         // for the mounts as last seen
	last    *prospect       // nil: nothing was planned yet
	moved   bool            // the layout changed since the last call of Fresh
	deep    []mask          // found by a deep search at the start
	names   otherNames      // of masked files
	homes   *homesSeen      // nil: not examined yet
	refused map[string]bool // directories that the system makes no overlay of
}

// A prospect is the common plan of sandboxes that are created at nearly the same time: their views
// and masks, and the steps that create them.
type prospect struct {
	of     *layout // the layout from which it was made
	layout *layout // without views in masked directories
	masks  []mask
	search []string
	made   time.Time
	steps  []process.Step
	reach  map[string]bool // paths that the steps create
	copies []copied        // files that no step creates
}

// A homesSeen is what cases with one layout see of homes.
type homesSeen struct {
	of     *layout
	search []string
	needed []string
	masks  []mask
	sight  *sight
	unseen []mask
	read   []stamp // of the directories that were listed
}

// A copied file is one in a directory that is split because of mounts.
type copied struct{ from, to string }

// The storage of a sandbox: directories below its root.
const (
	caseDir  = "case"   // mounted at the case's own directory
	viewDir  = "view-"  // plus the number of a view: its upper layer, in upper
	placeDir = "place-" // plus the number of a private directory
	maskDir  = "mask"
	deviceFS = "dev"
	emptyDir = "empty" // the layer below read-only overlays
	shownDir = "shown" // plus a number: overlays from which single files are mounted
)

// A namespaced sandbox has private views, whose storage is accessible from outside.
type namespaced struct {
	*process.Supervisor
	plan   *plan
	layout *layout
	masks  []mask
	dir    string // the case's own directory
	before snapshot
	after  snapshot // nil before Changes
}

func (s *namespaced) Dir() string { return s.dir }

func (s *namespaced) Root() string { return s.plan.o.Root }

func (s *namespaced) Private() bool { return true }

func (s *namespaced) Copied() (original, at string) { return "", "" }

func (s *namespaced) Write(path, content string, mode fs.FileMode) error {
	return s.WriteFile(path, content, mode)
}

func (s *namespaced) Read(path string) ([]byte, error) { return s.ReadFile(path) }

func (s *namespaced) ReadOwn(name string, limit int64) ([]byte, error) {
	return readBelow(s.outside(), name, limit)
}

func (s *namespaced) ListOwn(name string, limit int) ([]string, error) {
	root, err := os.OpenRoot(s.outside())
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return listIn(root, name, limit)
}

func (s *namespaced) LinkOwn(name, target string) error { return linkBelow(s.outside(), name, target) }

// Begin records the state before the case starts.
func (s *namespaced) Begin() { s.before = s.take() }

// Renew removes the files that were put into a subdirectory of the case's own directory before Begin,
// and reports whether the sandbox is then as it was created. That was to be found by Changes.
func (s *namespaced) Renew(dir string) bool {
	if s.after == nil || !maps.Equal(s.before, s.after) {
		return false
	}
	for _, kind := range []string{"shm", "sem", "msg"} { // objects that outlive their processes
		list, err := s.ReadFile("/proc/sysvipc/" + kind)
		if err != nil || bytes.Count(list, []byte("\n")) != 1 { // the heading
			return false
		}
	}
	return emptyBelow(s.outside(), dir) == nil
}

func (s *namespaced) Accesses() ([]suites.Access, string) {
	all, unobserved := accesses(s.Supervisor)
	// Next to the case's directory are other files of the session, such as links to programs.
	given, real := filepath.Dir(s.dir), filepath.Dir(disk.Real(s.dir))
	own := func(a suites.Access) bool { return disk.Within(given, a.Path) || disk.Within(real, a.Path) }
	return slices.DeleteFunc(all, own), unobserved
}

// Discard frees the storage with everything that was written. It closes the supervisor first.
func (s *namespaced) Discard() {
	s.Close()
	if s.Storage != nil {
		_ = s.Storage.Close()
	}
}

// path returns the path of the storage, which is valid even if the supervisor is gone.
func (s *namespaced) path() string { return "/proc/self/fd/" + strconv.Itoa(int(s.Storage.Fd())) }

// outside returns the path of the case's own directory outside the sandbox.
func (s *namespaced) outside() string { return s.path() + "/" + caseDir }

func (s *namespaced) take() snapshot {
	trees := []string{caseDir, deviceFS + "/shm", maskDir}
	for i := range s.layout.private {
		trees = append(trees, placeDir+strconv.Itoa(i))
	}
	for i, v := range s.layout.views {
		if v.write {
			trees = append(trees, s.upper(i))
		}
	}
	return takeSnapshot(s.path(), trees...)
}

func (s *namespaced) upper(view int) string { return viewDir + strconv.Itoa(view) + "/upper" }

// reservedPIDs is the number of PIDs that the kernel reserves for the start of the machine.
const reservedPIDs = 300

// describeStops describes the actions that the sandbox prevented, as far as the system reports them.
// network is the content of /proc/net/snmp in the sandbox.
func (s *namespaced) describeStops(after snapshot, network string, e Ended) []string {
	out := s.masksRead(after)
	out = append(out, networkTried(network)...)
	if left, size, files := freeSpace(s.path()); size > 0 && (left < size/100 || files == 0) {
		out = append(out, fmt.Sprintf("filled the disk: all of its %d MB are used (sandbox.size)", s.plan.o.Size/1_000_000))
	}
	if limit := s.plan.o.processes(); e.Processes*2 >= limit {
		out = append(out, fmt.Sprintf("had %d processes and threads when it was ended (sandbox.processes: %d)", e.Processes, limit))
	}
	return append(out, s.plan.o.describeRefusals(e)...)
}

// masksRead describes the hidden files that the case opened, detected by their access times.
func (s *namespaced) masksRead(after snapshot) []string {
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

func (p *plan) short(path string) string {
	if home := disk.Real(p.o.Home); p.o.Home != "" && disk.Within(home, path) {
		return "~" + strings.TrimPrefix(path, home)
	}
	return path
}

// networkTried interprets the counters of a network that has only loopback.
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

// parseCounters parses pairs of lines, names and values. Its keys are like "Ip.OutNoRoutes".
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

// Explain returns an *UnavailableError or a *process.ShortageError for the reason why no sandbox
// could be created, and any other error unchanged.
func Explain(err error) error {
	var known *UnavailableError
	if errors.As(err, &known) {
		return known
	}
	if short := process.Shortage(err); short != nil {
		return short
	}
	var refused *process.ConfineError
	if !errors.As(err, &refused) {
		return err
	}
	if isCrowded(refused) {
		return &process.ShortageError{
			What:   "too few namespaces: the limits user.max_*_namespaces of the system are reached",
			Remedy: "close programs that use namespaces, or raise the limits: sudo sysctl user.max_user_namespaces=10000", Err: refused,
		}
	}
	why, mend := explain(refused)
	return &UnavailableError{Backend: namespacesName, Why: why, Mend: mend, Err: refused}
}

// isCrowded reports whether namespaces are allowed but all in use.
func isCrowded(refused *process.ConfineError) bool {
	return len(refused.Step) == 0 && (errors.Is(refused, syscall.ENOSPC) || errors.Is(refused, syscall.EUSERS)) && forbidden() == ""
}

// limits are the settings that limit the number of namespaces of each kind.
var limits = []string{"max_user_namespaces", "max_mnt_namespaces", "max_pid_namespaces", "max_ipc_namespaces", "max_net_namespaces"}

// forbidden returns the first of the limits that is 0.
func forbidden() string {
	for _, name := range limits {
		if setting("user/"+name) == "0" {
			return name
		}
	}
	return ""
}

// explain returns why namespaces are unavailable, and what would allow them.
func explain(refused *process.ConfineError) (why, mend string) {
	denied := errors.Is(refused, syscall.EPERM) || errors.Is(refused, syscall.EACCES)
	switch {
	case errors.Is(refused, errors.ErrUnsupported):
		return "only Linux has namespaces", ""
	case setting("kernel/apparmor_restrict_unprivileged_userns") == "1" && denied:
		return "AppArmor keeps ordinary users from namespaces", "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0"
	case setting("kernel/unprivileged_userns_clone") == "0" && denied:
		return "the system keeps ordinary users from namespaces", "sudo sysctl kernel.unprivileged_userns_clone=1"
	case forbidden() != "":
		name := strings.TrimSuffix(strings.TrimPrefix(forbidden(), "max_"), "_namespaces")
		return "the system allows no " + name + " namespaces", "sudo sysctl user." + forbidden() + "=10000"
	case denied && inContainer():
		return "this container may not make namespaces: " + refused.Error(),
			"run it with --security-opt seccomp=unconfined --security-opt systempaths=unconfined"
	case len(refused.Step) > 0 && refused.Step[0] == "xattr":
		return "tmpfs keeps no marks for overlays here: " + refused.Error(), "Linux 6.6 or later"
	default:
		return "the system refuses: " + refused.Error(), ""
	}
}

func setting(name string) string {
	b, err := os.ReadFile("/proc/sys/" + name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

func inContainer() bool {
	for _, mark := range []string{"/.dockerenv", "/run/.containerenv"} {
		if _, err := os.Stat(mark); err == nil {
			return true
		}
	}
	b, err := os.ReadFile("/proc/self/status")
	return err == nil && strings.Contains(string(b), "Seccomp:\t2")
}
