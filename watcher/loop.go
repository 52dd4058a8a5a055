package watcher

import "time"

// loop is the only goroutine that touches the tree and the backlog. It sleeps
// without a timer as long as everything is watched and nothing is held back.
func (w *Watcher) loop() {
	defer close(w.batches)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		w.absorb()
		now := time.Now()
		var out chan<- Batch
		batch, ready := w.backlog.batch(now)
		if ready {
			out = w.batches
		}
		var alarm <-chan time.Time
		if at, ok := w.core.wakeAt(now); ok {
			timer.Reset(at.Sub(now))
			alarm = timer.C
		}
		select {
		case <-w.done:
			return
		case <-w.inbox.wake:
		case <-alarm:
		case request := <-w.requests:
			request()
		case out <- batch:
			w.backlog.delivered(batch)
		}
	}
}

// absorb brings the backlog up to date with the events that came in and with
// what is polled.
func (w *Watcher) absorb() {
	w.core.take(w.inbox.take())
	w.work()
}

// work looks at everything that is queued, unless the watcher is closed
// meanwhile.
func (w *Watcher) work() {
	for w.core.step() {
		w.files.Store(int64(w.tree.files()))
		if !w.offer() {
			return
		}
	}
}

// offer hands out what is known in the middle of long work if somebody is
// waiting for it, and reports false once the watcher is closed.
func (w *Watcher) offer() bool {
	now := time.Now()
	if now.Sub(w.offered) < offerEvery {
		return true
	}
	w.offered = now
	var out chan<- Batch
	batch, ready := w.backlog.batch(now)
	if ready {
		out = w.batches
	}
	select {
	case <-w.done:
		return false
	case out <- batch:
		w.backlog.delivered(batch)
	default:
	}
	return true
}
