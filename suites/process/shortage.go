package process

import (
	"errors"
	"fmt"
	"syscall"
)

// A ShortageError reports that a limit or the machine left hookwatch too little to
// run a command. It says nothing about the command.
type ShortageError struct {
	What   string // what ran short, with the limit that applies
	Remedy string // what the user can do about it
	Err    error  // what the system reported; nil when hookwatch did not try
}

func (e *ShortageError) Error() string {
	if e.Err == nil {
		return e.What
	}
	return e.What + ": " + e.Err.Error()
}

func (e *ShortageError) Unwrap() error { return e.Err }

// Advice returns what to do about the shortage, a line each.
func (e *ShortageError) Advice() []string { return []string{"  " + e.Remedy} }

// Shortage returns the shortage that an error is about, nil if it is about
// something else. EAGAIN counts only where this package reported it: elsewhere it
// often means that a lock is taken.
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

// shortageOf names the limit behind an error of the system.
func shortageOf(err error) *ShortageError {
	switch {
	case errors.Is(err, syscall.EMFILE):
		return &ShortageError{
			What:   fmt.Sprintf("too few file descriptors: hookwatch may have %d open (ulimit -n)", openFilesLimit()),
			Remedy: "raise the limit: ulimit -n 4096", Err: err,
		}
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

// orShortage returns the shortage behind an error of the system, or else the error
// itself.
func orShortage(err error) error {
	if known := Shortage(err); known != nil {
		return known
	}
	if short := shortageOf(err); short != nil {
		return short
	}
	return err
}

// LeastOpenFiles is how many descriptors a process must be allowed for hooks to be
// run. Hooks inherit the limit, and with fewer they would fail for our shortage;
// their supervisor holds a descriptor for each file in memory that they make.
const LeastOpenFiles = 256

const (
	ownFiles  = 64 // of hookwatch itself: watches, records, what it reads
	caseFiles = 16 // of a case: its supervisor, its storage, the pipes of its hook
)

// Room returns how many cases the descriptors of this process suffice for, at most
// jobs. The error is a *ShortageError when they do not suffice for one.
func Room(jobs int) (int, error) {
	limit := openFilesLimit()
	if limit < LeastOpenFiles {
		return 0, &ShortageError{
			What:   fmt.Sprintf("too few file descriptors: hookwatch may have %d open (ulimit -n), and needs %d to run hooks", limit, LeastOpenFiles),
			Remedy: "raise the limit: ulimit -n 4096",
		}
	}
	return min(jobs, (limit-ownFiles)/caseFiles), nil
}

// roomFor returns a *ShortageError when a supervisor could not take the pipes of so
// many commands that run side by side.
func roomFor(commands int) error {
	limit := min(openFilesLimit(), OpenFiles)
	if need := 3*commands + caseFiles; need > limit {
		return &ShortageError{
			What:   fmt.Sprintf("too few file descriptors: %d hooks side by side need %d open, and hookwatch may have %d (ulimit -n)", commands, need, limit),
			Remedy: "raise the limit: ulimit -n 4096",
		}
	}
	return nil
}

// lostEarly is the shortage that most likely ended a supervisor before any hook ran
// that could have done so.
func lostEarly(err error) error {
	return &ShortageError{
		What:   "too little memory or too few processes: the supervisor of a case ended before the sandbox was made",
		Remedy: "close other programs, raise ulimit -u and ulimit -v, or run fewer cases at a time: --jobs 1", Err: err,
	}
}
