package process

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"syscall"
)

// A Reserve keeps supervisors ready, so that no case waits for the start of one. The
// zero value keeps none. It is safe for concurrent use.
type Reserve struct {
	Advance []Step // of the expected setups; if there are any, supervisors wait in namespaces
	Limits  Limits // of every supervisor

	mu      sync.Mutex
	size    int // how many are kept ready
	ready   []*Supervisor
	coming  int // being started
	closed  bool
	spawner *spawner // nil: that of this process
}

// Open returns a supervisor that is ready, or starts one as the function of this name
// does. The next is started once this one is closed, so that its start takes no processor
// from the commands and the evaluation of their results; if no other is ready, once the
// first commands have started.
func (r *Reserve) Open(s Setup) (*Supervisor, error) {
	s.Limits = r.Limits
	b, err := r.open(s)
	if err != nil {
		r.fill()
		return nil, err
	}
	b.began, b.closed = r.replenish, r.fill
	return b, nil
}

// replenish starts supervisors if none is ready or being started.
func (r *Reserve) replenish() {
	r.mu.Lock()
	empty := len(r.ready)+r.coming == 0
	r.mu.Unlock()
	if empty {
		r.fill()
	}
}

func (r *Reserve) open(s Setup) (*Supervisor, error) {
	if b := r.take(s.Advance); b != nil {
		if b, err := b.carryOut(s.Steps); err == nil {
			return b, nil
		}
	}
	return open(s, cmp.Or(r.spawner, &spawning))
}

func (r *Reserve) take(advance []Step) *Supervisor {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.ready) > 0 && slices.EqualFunc(advance, r.Advance, slices.Equal) {
		b := r.ready[0]
		r.ready = r.ready[1:]
		if b.alive() {
			return b
		}
		go b.Close()
	}
	return nil
}

// Resize sets the number of supervisors to keep ready, and starts or ends some
// accordingly.
func (r *Reserve) Resize(size int) {
	r.mu.Lock()
	r.size = size
	keep := min(size, len(r.ready))
	surplus := r.ready[keep:]
	r.ready = r.ready[:keep:keep]
	r.mu.Unlock()
	for _, b := range surplus {
		b.Close()
	}
	r.fill()
}

func (r *Reserve) fill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.closed && len(r.ready)+r.coming < r.size {
		r.coming++
		go r.add()
	}
}

// add starts one. If the system refuses, Open tries again.
func (r *Reserve) add() {
	b, err := prepare(r.Limits, r.Advance, len(r.Advance) > 0, cmp.Or(r.spawner, &spawning))
	r.mu.Lock()
	r.coming--
	keep := err == nil && !r.closed && len(r.ready) < r.size
	if keep {
		r.ready = append(r.ready, b)
	}
	r.mu.Unlock()
	if err == nil && !keep {
		b.Close()
	}
}

// Close ends the supervisors that are ready. It does not affect supervisors that were opened.
func (r *Reserve) Close() {
	r.mu.Lock()
	ready := r.ready
	r.ready, r.closed = nil, true
	r.mu.Unlock()
	for _, b := range ready {
		b.Close()
	}
	awaitRemoval()
}

// A Setup describes how a supervisor is prepared. The zero value confines nothing.
type Setup struct {
	// Steps are carried out before anything starts, by process 1 of namespaces of
	// its own (see the supervisor); none means no namespaces. Those of Advance come
	// first: a Reserve carries them out before the supervisor is opened.
	Advance, Steps []Step
	// Shared means that steps do not need namespaces.
	Shared bool
	// Limits apply with and without steps.
	Limits Limits
}

// A Step is one call that makes a sandbox: its name and arguments.
type Step []string

// A ConfineError reports the step that the system refused.
type ConfineError struct {
	Step Step // nil: the namespaces themselves
	Err  error
}

func (e *ConfineError) Error() string {
	if len(e.Step) == 0 {
		return "namespaces: " + e.Err.Error()
	}
	text := e.Step[0]
	for _, f := range e.Step[1:] {
		if f != "" {
			text += " " + f
		}
	}
	return text + ": " + e.Err.Error()
}

func (e *ConfineError) Unwrap() error { return e.Err }

// A ShortageError reports that a limit or the machine left hookwatch too few resources to
// run a command. It is not about the command.
type ShortageError struct {
	What   string // the resource that ran short, with the limit that applies
	Remedy string // how the user can fix it
	Err    error  // the system's error; nil if hookwatch did not try
}

func (e *ShortageError) Error() string {
	if e.Err == nil {
		return e.What
	}
	return e.What + ": " + e.Err.Error()
}

func (e *ShortageError) Unwrap() error { return e.Err }

// Advice returns the lines of text on how to fix the shortage.
func (e *ShortageError) Advice() []string { return []string{"  " + e.Remedy} }

// Shortage returns the shortage behind an error, or nil if there is none. EAGAIN counts
// only if this package reported it, because elsewhere it often means that a lock is taken.
func Shortage(err error) *ShortageError {
	var known *ShortageError
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, syscall.EAGAIN):
		return nil
	default:
		return shortageOf(err)
	}
}

// shortageOf returns the shortage behind an error of the system, or nil.
func shortageOf(err error) *ShortageError {
	switch {
	case errors.Is(err, syscall.EMFILE):
		return tooFewDescriptors(err, "hookwatch may have %d open (ulimit -n)", openFilesLimit())
	case errors.Is(err, syscall.ENFILE):
		return &ShortageError{
			What:   "too few file descriptors: the machine has none left (sysctl fs.file-max)",
			Remedy: "close other programs, or raise the limit: sudo sysctl fs.file-max=1000000", Err: err,
		}
	case errors.Is(err, syscall.ENOMEM):
		return &ShortageError{
			What:   "too little memory: the machine has none left for another process",
			Remedy: "close other programs, or run fewer cases at a time: --jobs 1", Err: err,
		}
	case errors.Is(err, syscall.EAGAIN):
		return &ShortageError{
			What:   "too few processes: the system starts no more of them for you (ulimit -u, or pids.max of the cgroup)",
			Remedy: "raise the limit: ulimit -u 4096, or run fewer cases at a time: --jobs 1", Err: err,
		}
	default:
		return nil
	}
}

func tooFewDescriptors(err error, why string, args ...any) *ShortageError {
	return &ShortageError{What: "too few file descriptors: " + fmt.Sprintf(why, args...), Remedy: "raise the limit: ulimit -n 4096", Err: err}
}

// orShortage returns the shortage behind an error of the system, or err itself.
func orShortage(err error) error {
	if known := Shortage(err); known != nil {
		return known
	}
	if short := shortageOf(err); short != nil {
		return short
	}
	return err
}

// LeastOpenFiles is the number of descriptors that a process must be allowed to have for
// hooks to run. Hooks inherit the limit, and with fewer they would fail because of
// hookwatch's shortage; their supervisor keeps a descriptor open for each file in memory
// that they make.
const LeastOpenFiles = 256

const (
	ownFiles  = 64 // of hookwatch itself: watches, records, files that it reads
	caseFiles = 16 // of a case: its supervisor, its storage, the pipes of its hook
)

// Room returns the number of concurrent cases that the descriptors of this process suffice
// for, at most jobs. The error is a *ShortageError if they do not suffice for one.
func Room(jobs int) (int, error) {
	limit := openFilesLimit()
	if limit < LeastOpenFiles {
		return 0, tooFewDescriptors(nil, "hookwatch may have %d open (ulimit -n), and needs %d to run hooks", limit, LeastOpenFiles)
	}
	return min(jobs, (limit-ownFiles)/caseFiles), nil
}

// roomFor returns a *ShortageError if a supervisor could not receive the pipes of so many
// concurrent commands.
func roomFor(commands int) error {
	limit := min(openFilesLimit(), OpenFiles)
	if need := 3*commands + caseFiles; need > limit {
		return tooFewDescriptors(nil, "%d hooks side by side need %d open, and hookwatch may have %d (ulimit -n)", commands, need, limit)
	}
	return nil
}

// lostEarly returns the shortage that most likely ended a supervisor. It is used before
// any hook ran that could have ended it.
func lostEarly(err error) error {
	return &ShortageError{
		What:   "too little memory or too few processes: the supervisor of a case ended before the sandbox was made",
		Remedy: "close other programs, raise ulimit -u and ulimit -v, or run fewer cases at a time: --jobs 1", Err: err,
	}
}
