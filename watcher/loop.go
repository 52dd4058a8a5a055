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
		if at, ok := w.wakeAt(now); ok {
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
			w.files.Store(int64(w.tree.files()))
		case out <- batch:
			w.backlog.delivered(batch)
		}
	}
}

// absorb brings the backlog up to date with the events that came in and with
// what is polled.
func (w *Watcher) absorb() {
	mail := w.inbox.take()
	if mail.lost {
		w.backlog.overflow = w.backlog.overflow || mail.overflow
		w.rescan()
	}
	w.tree.apply(mail.ops)
	if !w.pollAt.IsZero() && !time.Now().Before(w.pollAt) {
		w.tree.poll()
		w.pollAt = time.Time{}
	}
	if !w.work() {
		return
	}
	switch {
	case !w.tree.unwatched():
		w.pollAt = time.Time{}
	case w.pollAt.IsZero():
		w.pollAt = time.Now().Add(w.poll)
	}
}

// rescan compares everything and watches it anew. Nothing that the queued
// events could tell is missed by it, but they are applied all the same: one of
// them may be younger than the comparison.
func (w *Watcher) rescan() {
	w.tree.refresh()
	if w.work() {
		w.backlog.settleOverflow()
	}
}

// work looks at everything that is queued, and reports false if the watcher was
// closed meanwhile.
func (w *Watcher) work() bool {
	for w.tree.step() {
		w.files.Store(int64(w.tree.files()))
		if !w.offer() {
			return false
		}
	}
	return true
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

// wakeAt returns when loop must look again without being told to.
func (w *Watcher) wakeAt(now time.Time) (time.Time, bool) {
	at, ok := w.backlog.next(now)
	if !w.pollAt.IsZero() && (!ok || w.pollAt.Before(at)) {
		return w.pollAt, true
	}
	return at, ok
}
