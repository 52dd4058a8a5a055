package process

import (
	"net"
	"os"
	"sync"
	"time"
)

// self is hookwatch's own program, whatever became of its file.
const self = "/proc/self/exe"

// A Box is where the commands of one case run: one parent process for all of
// them, in namespaces of its own if the Setup has steps.
type Box struct {
	// Storage is the directory that the steps opened as the box's own storage. It
	// can be read after Close. Whoever opened the box closes it. Nil: none.
	Storage *os.File
	// Missed are the steps marked optional that failed.
	Missed []*ConfineError

	process  *os.Process
	conn     *net.UnixConn
	limits   Limits  // with the memory that this machine can give
	cgroup   *cgroup // nil: it has none of its own
	confined bool
	idle     bool        // no command runs, nor anything that one started
	answers  chan answer // closed when the supervisor is gone
	replies  chan answer // to requests about files, which may come while a command runs; closed when answers are
	sending  sync.Mutex  // one message after the other
	began    func()      // called whenever commands have started; nil: nobody asks
	closed   func()      // called when the box is closed; nil: nobody asks
	close    sync.Once
}

// An answer is a message of the supervisor.
type answer struct {
	fields []string
	file   *os.File // nil: none came with it
}

// MemoryBound tells what holds the box to its memory, and how much that is.
func (b *Box) MemoryBound() (MemoryBound, int64) {
	switch {
	case b.limits.Memory <= 0:
		return MemoryUnbounded, 0
	case b.cgroup != nil:
		return MemoryCgroup, b.limits.Memory
	default:
		return MemoryWatched, b.limits.Memory
	}
}

func (b *Box) leaveCgroup() {
	if b.cgroup != nil {
		b.cgroup.remove()
	}
}

// alive reports whether the supervisor is there. No answer of it is awaited.
func (b *Box) alive() bool {
	select {
	case <-b.answers:
		return false
	default:
		return true
	}
}

func tell(listener func()) {
	if listener != nil {
		listener()
	}
}

// reap waits for the supervisor's end. Where that is not its own doing, processes of
// its hooks may be ours now (see Adopt): the kernel hands them over before the wait
// is over.
func (b *Box) reap() {
	bound := time.AfterFunc(killBound, func() { _ = b.process.Kill() })
	state, err := b.process.Wait()
	bound.Stop()
	unregister(b.process.Pid)
	if err != nil || !state.Success() {
		endOrphans()
	}
}

// end waits until the supervisor is gone.
func (b *Box) end() {
	for range b.answers { // no one asks any more
	}
	b.leaveCgroup()
}
