package supervisor

import (
	"strconv"
	"syscall"
	"unsafe"
)

// An ordering makes commands take turns: one runs at a time, so which accesses follow one another is chosen and
// not raced. The observer's lock guards it.
type ordering struct {
	stop    bool     // end all when each is held or has ended
	paths   []string // the accesses to them count; none stands for all
	turns   []turn
	current int      // -1 before the first
	noted   []access // of the pending call
	locking bool     // the pending call waits for a lock
	log     []string
}

// A turn is the state of one command.
type turn struct {
	begun, ended bool
	group        int // of its processes
	hold, count  int // number of the access before which it is held, 0 for none, and of accesses so far
	held         []heldCall
	last         access // that counted
	again        int    // how often it was repeated
	thread       int    // that waits for a lock, if its last call still runs; 0 for none
}

// A heldCall is a call that is not answered yet.
type heldCall struct {
	id       uint64
	accesses []access
}

// An access is a path with its uses by one call, in order.
type access struct{ path, uses string }

// Bounds of an ordering. A command that repeats an access waits for another one: soon if it tries to create or to
// lock something, after a while if it looks whether something is there.
const (
	accessesAtMost = 40_000
	attemptsAtMost = 1
	repeatsAtMost  = 8
)

// takeTurns makes the commands of the next Fire take turns.
func (s *supervising) takeTurns(f []string) {
	n := number(f[1], 10)
	r := &ordering{stop: f[0] == "1", current: -1, turns: make([]turn, n), paths: f[2+n:]}
	for i := range r.turns {
		r.turns[i].hold = number(f[2+i], 10)
	}
	if s.observer.active() {
		s.observer.acquire()
		s.observer.order, s.order = r, r
		s.observer.release()
	}
}

// note adds a use to those of the pending call.
func (r *ordering) note(path []byte, kind byte) {
	counts := len(r.paths) == 0
	for _, p := range r.paths {
		counts = counts || p == string(path)
	}
	switch n := len(r.noted); {
	case !counts || len(r.log) >= accessesAtMost:
	case n > 0 && r.noted[n-1].path == string(path):
		r.noted[n-1].uses += string(rune(kind))
	default:
		r.noted = append(r.noted, access{string(path), string(rune(kind))})
	}
}

// lock notes a call for a lock, by the operation of flock or the command of fcntl; they have different values.
func (r *ordering) lock(path []byte, op uint64) {
	switch {
	case r == nil:
	case op == 5 || op == 6 || op == 37: // LOCK_SH and LOCK_EX with LOCK_NB, F_GETLK, F_SETLK, F_OFD_SETLK
		r.note(path, Tried)
	case op == 1 || op == 2 || op == 7 || op == 38: // LOCK_SH, LOCK_EX, F_SETLKW, F_OFD_SETLKW
		r.locking = true
	}
}

// hold records the accesses of the pending call, and reports whether it must wait.
func (o *observer) hold() bool {
	r, call := o.order, heldCall{o.n.id, o.order.noted}
	locking := r.locking
	r.noted, r.locking = nil, false
	if o.n.pid == o.self || r.current < 0 {
		return false
	}
	i := r.commandOf(int(o.n.pid))
	t := &r.turns[i]
	wait := i != r.current && !t.ended && len(call.accesses) > 0
	for _, a := range call.accesses {
		t.count++
		again := r.repeats(t, a)
		wait = wait || again || t.count == t.hold
	}
	if t.thread = 0; locking {
		t.thread = int(o.n.pid)
	}
	if wait {
		t.held = append(t.held, call)
	} else {
		r.record(i, call)
	}
	return wait
}

// commandOf returns the command of a process: that of its group, or the one that runs.
func (r *ordering) commandOf(pid int) int {
	group, _, errno := syscall.RawSyscall(syscall.SYS_GETPGID, uintptr(pid), 0, 0)
	for i := range r.turns {
		if errno == 0 && r.turns[i].group == int(group) {
			return i
		}
	}
	return r.current
}

// repeats reports whether a command seems to wait for another one, which is held.
func (r *ordering) repeats(t *turn, a access) bool {
	if a != t.last {
		t.last, t.again = a, 0
		return false
	}
	t.again++
	attempt := a.uses == string(rune(Tried)) || len(a.uses) == 2 && a.uses[0] == Asked
	return r.nextHeld() >= 0 && (t.again >= repeatsAtMost || attempt && t.again >= attemptsAtMost)
}

func (r *ordering) record(i int, call heldCall) {
	for _, a := range call.accesses {
		r.log = append(r.log, strconv.Itoa(i)+a.uses+a.path)
	}
}

// nextHeld returns the first command but the current one that is held, -1 if none is.
func (r *ordering) nextHeld() int {
	for i := range r.turns {
		if len(r.turns[i].held) > 0 && i != r.current {
			return i
		}
	}
	return -1
}

// next returns the command whose turn is next, -1 if the current one goes on: one that has had none, then one that
// is held, then one that waits for a lock.
func (r *ordering) next(waits bool) int {
	if r.current >= 0 {
		if t := &r.turns[r.current]; !t.ended && len(t.held) == 0 && !waits {
			return -1
		}
	}
	for i := range r.turns {
		if !r.turns[i].begun {
			return i
		}
	}
	if held := r.nextHeld(); held >= 0 {
		return held
	}
	for i := range r.turns {
		if t := &r.turns[i]; !t.ended && (i != r.current || len(t.held) > 0) {
			return i
		}
	}
	return -1
}

// advance gives the next command its turn once the current one has ended, is held, or waits for a lock.
func (s *supervising) advance() {
	for r := s.order; r != nil; {
		waits := s.waitsForLock(r)
		s.observer.acquire()
		i := r.next(waits)
		stops := i >= 0 && r.turns[i].begun && r.stop
		if i >= 0 && !stops {
			r.current = i
			s.observer.answerHeld(i)
		}
		s.observer.release()
		switch {
		case stops:
			s.kill(-1)
			return
		case i < 0 || r.turns[i].begun:
			return
		}
		r.turns[i].begun = true
		s.begin(i, s.queue[i])
	}
}

// answerHeld carries out the calls of a command that is held.
func (o *observer) answerHeld(i int) {
	t := &o.order.turns[i]
	for _, call := range t.held {
		o.order.record(i, call)
		answer := response{id: call.id, flags: proceed}
		syscall.RawSyscall(syscall.SYS_IOCTL, uintptr(o.listener), answerCall, uintptr(unsafe.Pointer(&answer)))
	}
	t.held, t.again = nil, 0
}

// waitsForLock reports whether the current command is in a call that waits for a lock.
func (s *supervising) waitsForLock(r *ordering) bool {
	if r.current < 0 {
		return false
	}
	b, err := readFile("/proc/" + strconv.Itoa(r.turns[r.current].thread) + "/syscall")
	if err != nil || len(b) == 0 {
		return false
	}
	call := number(split(b, ' ')[0], 10) // "running" if it does not wait
	return call == syscall.SYS_FLOCK || call == syscall.SYS_FCNTL
}

// changeTurn changes the state of a command, if commands take turns.
func (s *supervising) changeTurn(i int, change func(*turn)) {
	if s.order != nil && i < len(s.order.turns) {
		s.observer.acquire()
		change(&s.order.turns[i])
		s.observer.release()
	}
}

// endTurns ends the ordering, and sends its accesses.
func (s *supervising) endTurns() {
	if r := s.order; r != nil {
		s.observer.acquire()
		s.observer.order, s.order = nil, nil
		s.observer.release()
		send(-1, append([]string{Accessed}, r.log...)...)
	}
}
