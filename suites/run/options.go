package run

import (
	"cmp"
	"time"

	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/isolate"
	"hookwatch/suites/live"
)

// Options are what every case of a session has in common.
type Options struct {
	Root    string        // the project's root, absolute
	Temp    string        // where sandboxes are made; must exist
	Env     []string      // see Environment
	Timeout time.Duration // of a step whose case names none
	// Backstop is the longest that a step may take, whatever its case or the
	// settings that register its hook say; 0: no limit.
	Backstop time.Duration
	Client   client.Version
	Live     Live
	// Isolation is Namespaces, Copy or None; "" is None. Plan makes the sandboxes
	// of the first.
	Isolation isolate.Mode
	Weaker    string // why Isolation is not Namespaces
	Refused   error  // why nothing may be run; nil: cases are run
	Plan      *isolate.Plan
	Bounds    isolate.Options // the limits among them hold in every mode
	Uncopied  []string        // directories of the project that copies do without
	KeepSize  int64           // bytes that a kept sandbox may take up; 0: no bound
	EmptyHome bool            // each case has a HOME of its own, with nothing in it
	// Hooks tells which registered hooks fire for an event and the value its
	// matchers are compared with, in order. Nil: none are registered.
	Hooks func(event, value string) []discover.Hook
	// InForce lists the registered hooks. Nil: none are registered.
	InForce func() []discover.Hook
	// Registered gives the registered hook of an event that a case names. Nil: none
	// are registered.
	Registered func(event, name string) (discover.Hook, bool)
	// Interpreted reports whether every registered command that names the script
	// starts it through an interpreter, so that it needs no execute bit.
	Interpreted func(hook string) bool
	Scripts     []string // the project's hook scripts, from its root
	// Reader reads scripts, wherever they lie. What is masked from cases is not read
	// for them either.
	Reader disk.Reader
	// StandIns tells what stands in for tools that the machine does not have.
	StandIns map[string]string
	// Standing names, for a hook's path, the stand-ins that it can reach.
	Standing func(hook string) []string
}

// Live says how cases of layer 2 run.
type Live struct {
	Client  string        // the program; "" is that of PATH
	Timeout time.Duration // of a case that names none
	Alone   bool          // InForce is all that the client is told of: the project's own settings are not read
}

// bounded returns a time-out that does not exceed the backstop.
func (o *Options) bounded(timeout time.Duration) time.Duration {
	if o.Backstop > 0 && (timeout == 0 || timeout > o.Backstop) {
		return o.Backstop
	}
	return timeout
}

// Program is the client's program as people name it.
func (l Live) Program() string { return cmp.Or(l.Client, live.Program) }
