package engine

import (
	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
)

// adopt puts another state of the project in force.
func (e *Engine) adopt(p *project.Project) {
	e.p = p
	e.known.Use(p)
	if err := e.with.Use(p, e.known.Environment.Tools); err != nil {
		e.warnError(err)
	}
	e.known.Equip(e.with.Tools)
	e.dropRemoved()
	e.forgetGone()
	for _, c := range e.queue.Clear() {
		if now := p.Find(c.Key()); now != nil {
			e.enqueue(now)
		} else if e.run != nil {
			e.drop(c.Key())
		}
	}
}

// dropRemoved forgets what the current run knows of cases that are no more.
func (e *Engine) dropRemoved() {
	for k, x := range e.held {
		if e.gone(k) {
			delete(e.held, k)
			e.discard(x)
			e.drop(k)
		}
	}
	if e.run == nil {
		return
	}
	for _, r := range e.run.Records(e.p.Order) {
		if e.gone(r.Key()) {
			e.drop(r.Key())
		}
	}
}

// forgetGone gives up what is known of cases that are no more.
func (e *Engine) forgetGone() {
	e.known.ForgetGone(e.gone)
	e.audit.ForgetGone(e.gone)
	e.news.Forget(e.gone)
}

func (e *Engine) gone(k suites.Key) bool { return e.p.Find(k) == nil }
