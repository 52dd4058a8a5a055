package process

import (
	"slices"
	"sync"
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
	spawner spawner
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
	return open(s, &r.spawner)
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
	b, err := prepare(r.Limits, r.Advance, len(r.Advance) > 0, &r.spawner)
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
	r.spawner.close()
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
