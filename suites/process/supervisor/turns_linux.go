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
	turns   []turn   // of the commands
	current int      // -1 before the first
	noted   []access // of the pending call
	log     []access
}

// A turn is the state of one command: the group of its processes, the number of the access before which it is held, 0
// for none, that of accesses so far, and the calls that are not answered yet.
type turn struct {
	begun, ended       bool
	group, hold, count int
	held               []heldCall
}

type heldCall struct {
	id       uint64
	accesses []access
}

// An access is the uses of a path by one call of a command, in order.
type access struct {
	command    int
	uses, path string
}

const accessesAtMost = 40_000

// takeTurns makes the commands of the next Fire take turns.
func (s *supervising) takeTurns(f []string) {
	n := number(f[1], 10)
	s.order = &ordering{stop: f[0] == "1", current: -1, turns: make([]turn, n), paths: f[2+n:]}
	for i := range n {
		s.order.turns[i].hold = number(f[2+i], 10)
	}
	if s.observer.active() {
		s.changeOrder(func(r *ordering) { s.observer.order = r })
	} else {
		s.order = nil
	}
}

// changeOrder changes the state of commands that take turns, if they do.
func (s *supervising) changeOrder(change func(*ordering)) {
	if s.order != nil {
		s.observer.acquire()
		change(s.order)
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
		r.noted = append(r.noted, access{0, string(rune(kind)), string(path)})
	}
}

// hold records the accesses of the pending call, and reports whether it must wait.
func (o *observer) hold() (wait bool) {
	r := o.order
	all := r.noted
	r.noted = nil
	if o.n.pid == o.self || r.current < 0 || len(all) == 0 {
		return false
	}
	i := r.current // unless its group is that of another one
	group, _, _ := syscall.RawSyscall(syscall.SYS_GETPGID, uintptr(o.n.pid), 0, 0)
	for n := range r.turns {
		if r.turns[n].group == int(group) {
			i = n
		}
	}
	t := &r.turns[i]
	wait = i != r.current && !t.ended
	for n := range all {
		all[n].command = i
		t.count++
		wait = wait || t.count == t.hold || r.meets(all[n])
	}
	if wait {
		t.held = append(t.held, heldCall{o.n.id, all})
	} else {
		r.log = append(r.log, all...)
	}
	return wait
}

// meets reports whether a command is about to look at, to make or to lock what another one has made or locked that is
// held. It would wait for that one, or behave as if it had seen it at work, so the other one goes on first.
func (r *ordering) meets(a access) bool {
	if a.uses[0] == Wrote || a.uses[0] == Created {
		return false
	}
	for _, b := range r.log {
		made := b.uses[len(b.uses)-1] == Created && a.uses[0] != Tried
		if b.path == a.path && b.command != a.command && (made || b.uses[0] == Tried && a.uses[0] == Tried) && len(r.turns[b.command].held) > 0 {
			return true
		}
	}
	return false
}

// next returns the command whose turn is next: one that has had none, then one that is held, but not for another one
// if that can be avoided; -1 if the current one goes on.
func (r *ordering) next() int {
	if r.current >= 0 && !r.turns[r.current].ended && len(r.turns[r.current].held) == 0 {
		return -1
	}
	best, rank := -1, 0
	for i := range r.turns {
		if t := &r.turns[i]; !t.begun {
			return i
		} else if len(t.held) > 0 {
			own := 3
			for _, a := range t.held[0].accesses {
				if r.meets(a) {
					own = 1
				} else if i == r.current {
					own = min(own, 2)
				}
			}
			if own > rank {
				best, rank = i, own
			}
		}
	}
	return best
}

// advance gives the next command its turn once the current one has ended or is held.
func (s *supervising) advance() {
	for again := true; again; {
		next, stops := -1, false
		again = false
		s.changeOrder(func(r *ordering) {
			next = r.next()
			if next < 0 {
				return
			}
			t := &r.turns[next]
			stops, again = t.begun && r.stop, !t.begun
			r.current, t.begun = next, true
			for _, call := range t.held {
				answer := response{id: call.id, flags: proceed}
				if !stops {
					r.log = append(r.log, call.accesses...)
					syscall.RawSyscall(syscall.SYS_IOCTL, uintptr(s.observer.listener), answerCall, uintptr(unsafe.Pointer(&answer)))
				}
			}
			t.held = nil
		})
		if stops {
			s.kill(-1)
		} else if again {
			s.begin(next, s.queue[next])
		}
	}
}

// endTurns ends the ordering, and sends its accesses.
func (s *supervising) endTurns() {
	if s.order == nil {
		return
	}
	answer := []string{Accessed}
	for _, a := range s.order.log {
		answer = append(answer, strconv.Itoa(a.command)+a.uses+a.path)
	}
	s.changeOrder(func(*ordering) { s.observer.order = nil })
	s.order = nil
	send(-1, answer...)
}
