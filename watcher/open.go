package watcher

import "time"

// New watches what o says. What stands there when New returns is the baseline:
// every later difference is reported. A caller that reads files should read
// them after New, so that no save falls between its reading and the baseline.
// It fails when a path is not absolute; a system without file events, or out
// of them, is no error: polling takes over.
func New(o Options) (*Watcher, error) {
	open := openNotifier
	if o.ForcePoll {
		open = nil
	}
	return start(o, open)
}

func start(o Options, open func() (backend, error)) (*Watcher, error) {
	scope, err := newScope(o.Interest)
	if err != nil {
		return nil, err
	}
	if o.Poll <= 0 {
		o.Poll = defaultPoll
	}
	if o.MaxFileSize <= 0 {
		o.MaxFileSize = defaultMaxSize
	}
	w := &Watcher{
		batches:  make(chan Batch),
		requests: make(chan func()),
		done:     make(chan struct{}),
		inbox:    newInbox(),
	}
	notes := &notes{say: o.Note, poll: o.Poll}
	if open != nil {
		if w.backend, err = open(); err != nil {
			notes.noEvents(err)
		} else {
			w.running.Go(func() { w.inbox.drain(w.backend) })
		}
	}
	w.core = newCore(o, system{o.Open}, w.backend, notes, time.Now)
	w.tree.closed = w.done
	w.tree.retarget(scope)
	w.files.Store(int64(w.tree.files()))
	w.running.Go(w.loop)
	return w, nil
}
