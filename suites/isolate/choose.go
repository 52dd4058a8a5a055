package isolate

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"hookwatch/suites/process"
)

// A Choice is the mode that holds on this machine for a project.
type Choice struct {
	Mode   Mode
	Plan   *Plan   // of Namespaces
	Bounds []Bound // of a case, for a person
	Why    string  // why no stronger mode holds; "" for the strongest
	Mend   string  // what would have to be done for it; "" where nothing can be
}

// Choose tries what is wanted, a Mode or Auto, in temp, an existing directory.
// The error says why a mode that was asked for by name cannot be had.
func Choose(wanted string, o Options, temp string) (Choice, error) {
	switch Mode(wanted) {
	case None:
		return Choice{Mode: None, Bounds: o.openBounds(), Why: "asked for (run.isolation: none)"}, nil
	case Copy:
		return Choice{Mode: Copy, Bounds: o.openBounds(), Why: "asked for (run.isolation: copy)"}, nil
	case Namespaces, Auto:
	}
	c, err := try(o, temp)
	if err == nil {
		return c, nil
	}
	why, mend := explain(err)
	if wanted != Auto {
		return Choice{}, errors.New(joined("run.isolation: "+wanted+": "+why, mend))
	}
	return Choice{Mode: Copy, Bounds: o.openBounds(), Why: why, Mend: mend}, nil
}

func joined(text, more string) string {
	if more == "" {
		return text
	}
	return text + " (" + more + ")"
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

// explain tells why there are no namespaces, and what would help.
func explain(err error) (why, mend string) {
	var refused *process.ConfineError
	if !errors.As(err, &refused) {
		return err.Error(), ""
	}
	denied := errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return "namespaces are a thing of Linux", ""
	case setting("kernel/apparmor_restrict_unprivileged_userns") == "1" && denied:
		return "AppArmor keeps ordinary users from namespaces", "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0"
	case setting("kernel/unprivileged_userns_clone") == "0" && denied:
		return "the system keeps ordinary users from namespaces", "sudo sysctl kernel.unprivileged_userns_clone=1"
	case setting("user/max_user_namespaces") == "0":
		return "the system allows no user namespaces", "sudo sysctl user.max_user_namespaces=10000"
	case denied && inContainer():
		return "this container may not make namespaces: " + refused.Error(),
			"run it with --security-opt seccomp=unconfined --security-opt systempaths=unconfined, or leave it so: cases get copies"
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

// String formats the choice as "copy: why (what would help)".
func (c Choice) String() string {
	if c.Why == "" {
		return string(c.Mode)
	}
	return fmt.Sprintf("%s: %s", c.Mode, joined(c.Why, c.Mend))
}
