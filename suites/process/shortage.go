package process

import (
	"errors"
	"fmt"
	"syscall"
)

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
		return 0, &ShortageError{
			What:   fmt.Sprintf("too few file descriptors: hookwatch may have %d open (ulimit -n), and needs %d to run hooks", limit, LeastOpenFiles),
			Remedy: "raise the limit: ulimit -n 4096",
		}
	}
	return min(jobs, (limit-ownFiles)/caseFiles), nil
}

// roomFor returns a *ShortageError if a supervisor could not receive the pipes of so many
// concurrent commands.
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

// lostEarly returns the shortage that most likely ended a supervisor. It is used before
// any hook ran that could have ended it.
func lostEarly(err error) error {
	return &ShortageError{
		What:   "too little memory or too few processes: the supervisor of a case ended before the sandbox was made",
		Remedy: "close other programs, raise ulimit -u and ulimit -v, or run fewer cases at a time: --jobs 1", Err: err,
	}
}
