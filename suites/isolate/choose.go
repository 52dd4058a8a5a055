package isolate

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"hookwatch/suites/process"
)

// A Choice is the mode in which the hooks of a project run on this machine.
type Choice struct {
	Mode   Mode
	Plan   *Plan   // of Namespaces
	Bounds []Bound // of a case, for the user
	Why    string  // why the mode is not Namespaces; "" when it is
	Mend   string  // what would allow Namespaces; "" when nothing is known to
}

// Choose returns the mode for a wanted one, a Mode or Auto, and tries a sandbox in
// temp, an existing directory. Auto never means less than namespaces: a weaker mode
// is only used when it is asked for by name. The error is an *UnavailableError when
// the system has no namespaces for us, and a *process.ShortageError when the
// machine ran short of something.
func Choose(wanted string, o Options, temp string) (Choice, error) {
	if _, err := process.Room(1); err != nil {
		return Choice{}, err
	}
	switch Mode(wanted) {
	case None, Copy:
		return Choice{Mode: Mode(wanted), Bounds: o.openBounds(), Why: "requested by run.isolation: " + wanted}, nil
	case Namespaces, Auto:
	default:
		return Choice{}, fmt.Errorf("run.isolation: %s is not a mode", wanted)
	}
	c, err := try(o, temp)
	if err == nil {
		return c, nil
	}
	return Choice{}, Explained(err)
}

// try makes a sandbox and throws it away.
func try(o Options, temp string) (Choice, error) {
	p := NewPlan(o)
	dir, err := os.MkdirTemp(temp, "probe-")
	if err != nil {
		return Choice{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	open := func(s process.Setup) (*process.Box, error) {
		s.Limits = o.Limits()
		return process.Open(s)
	}
	s, err := p.Open(open, dir, nil)
	if err != nil {
		return Choice{}, err
	}
	defer s.Discard()
	return Choice{Mode: Namespaces, Plan: p, Bounds: s.Bounds()}, nil
}

// An UnavailableError reports that hooks cannot be isolated here by namespaces.
type UnavailableError struct {
	Why  string
	Mend string // what would allow them; "" when nothing is known to
	Err  error
}

func (e *UnavailableError) Error() string {
	return "no hook is run, because they cannot be isolated here: " + e.Why
}

func (e *UnavailableError) Unwrap() error { return e.Err }

// Advice returns what the user can do, a line each.
func (e *UnavailableError) Advice() []string {
	var lines []string
	if e.Mend != "" {
		lines = append(lines, "  to allow namespaces: "+e.Mend)
	}
	return append(lines, "  to run hooks on a copy of the project instead: --isolation copy, or run.isolation: copy in .hookwatch.yaml and hookwatch trust",
		"  your HOME, all other files and the network are open to hooks then (hookwatch help isolation)")
}

// Explained returns an *UnavailableError or a *process.ShortageError for what kept
// a sandbox from being made, and any other error as it is.
func Explained(err error) error {
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
	if crowded(refused) {
		return &process.ShortageError{
			What:   "too few namespaces: the limits user.max_*_namespaces of the system are reached",
			Remedy: "close programs that use namespaces, or raise the limits: sudo sysctl user.max_user_namespaces=10000", Err: refused,
		}
	}
	why, mend := explain(refused)
	return &UnavailableError{Why: why, Mend: mend, Err: refused}
}

// crowded reports whether namespaces are allowed and all in use.
func crowded(refused *process.ConfineError) bool {
	return len(refused.Step) == 0 && (errors.Is(refused, syscall.ENOSPC) || errors.Is(refused, syscall.EUSERS)) && forbidden() == ""
}

// limits are the settings that bound how many namespaces of each kind there are.
var limits = []string{"max_user_namespaces", "max_mnt_namespaces", "max_pid_namespaces", "max_ipc_namespaces", "max_net_namespaces"}

// forbidden is the first of the limits that is 0.
func forbidden() string {
	for _, name := range limits {
		if setting("user/"+name) == "0" {
			return name
		}
	}
	return ""
}

// explain returns why there are no namespaces, and what would allow them.
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
