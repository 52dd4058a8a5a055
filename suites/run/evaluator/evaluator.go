// Package evaluator evaluates expressions of unknown cost in a child process, within the
// limits of package suites.
//
// The child is hookwatch itself, started again: the init of this package notices that and
// never returns. A single child answers all questions, one after the other. It is started
// for the first question, and again after one that had to be ended by killing it.
package evaluator

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/process"
)

// An Evaluator answers questions. The zero value is ready to use; it is safe for
// concurrent use.
type Evaluator struct {
	MaxTime   time.Duration // of one evaluation; 0 means suites.MaxExpressionTime
	MaxMemory int64         // bytes, of one evaluation; 0 means suites.MaxExpressionMemory

	mu    sync.Mutex // held while the child is started, used or ended
	child *child
}

// startTime is added to a child's first evaluation, because its start may take a while on
// a busy machine.
const startTime = 10 * time.Second

// Answer evaluates one expression. It returns early, with Limit set, if ctx ends.
func (e *Evaluator) Answer(ctx context.Context, q suites.Question) suites.ExpressionResult {
	if q.Cheap() {
		return q.Evaluate(ctx)
	}
	memory := cmp.Or(e.MaxMemory, suites.MaxExpressionMemory)
	e.mu.Lock()
	defer e.mu.Unlock()
	if ctx.Err() != nil {
		return interrupted
	}
	if e.child == nil {
		c, err := start(memory)
		if err != nil {
			return suites.ExpressionResult{Limit: err.Error()}
		}
		e.child = c
	}
	a, alive := e.child.answer(ctx, q, cmp.Or(e.MaxTime, suites.MaxExpressionTime))
	if !alive {
		e.child.end()
		e.child = nil
	}
	if a.Limit == tooMuch {
		a.Limit = fmt.Sprintf("it needs more than %d MB of memory", memory>>20)
	}
	return a
}

// Close ends the child.
func (e *Evaluator) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.child != nil {
		e.child.end()
		e.child = nil
	}
}

var interrupted = suites.ExpressionResult{Limit: "it was interrupted"}

// tooMuch marks an answer for which the memory limit was reached, until Answer formats it.
const tooMuch = "memory"

// A child is one process that evaluates.
type child struct {
	cancel    context.CancelFunc
	questions chan suites.Question
	ready     chan struct{} // closed when the process reads questions
	answers   chan suites.ExpressionResult
	ended     chan struct{} // closed when the process has ended
	started   bool          // it has been ready
}

// start starts a child. If it cannot run, its first answer reports that.
func start(memory int64) (*child, error) {
	program, err := self()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	c := &child{
		cancel: cancel, questions: make(chan suites.Question), ready: make(chan struct{}),
		answers: make(chan suites.ExpressionResult), ended: make(chan struct{}),
	}
	go func() {
		defer close(c.ended)
		// Errors of the process show as the loss of the child.
		_, _ = process.Run(ctx, process.Command{
			Argv: []string{program}, Dir: "/", Env: []string{fmt.Sprintf("%s=%d", Env, memory), "GOMAXPROCS=2", "GOTRACEBACK=none"},
			Limit: 1 << 10, Converse: func(stdin io.WriteCloser, stdout io.Reader) { c.converse(ctx, stdin, stdout) },
		})
	}()
	return c, nil
}

// converse passes questions to the process until ctx or the process ends.
func (c *child) converse(ctx context.Context, stdin io.Writer, stdout io.Reader) {
	in := newReader(stdout)
	if hello, err := in.fields(); err != nil || len(hello) != 0 {
		return
	}
	close(c.ready)
	for {
		select {
		case <-ctx.Done():
			return
		case q := <-c.questions:
			if write(stdin, string(q.Kind), q.Source, q.Text) != nil {
				return
			}
		}
		fields, err := in.fields()
		if err != nil {
			return
		}
		a, ok := decode(fields)
		if !ok {
			return
		}
		select {
		case <-ctx.Done():
			return
		case c.answers <- a:
		}
	}
}

// answer answers one question. alive reports whether the child can take another.
func (c *child) answer(ctx context.Context, q suites.Question, most time.Duration) (a suites.ExpressionResult, alive bool) {
	if !c.started {
		bound := time.NewTimer(startTime)
		defer bound.Stop()
		select {
		case <-c.ready:
			c.started = true
		case <-c.ended:
			return suites.ExpressionResult{Limit: "the process that evaluates it could not be started"}, false
		case <-bound.C:
			return suites.ExpressionResult{Limit: "the process that evaluates it did not start in time"}, false
		case <-ctx.Done():
			return interrupted, false
		}
	}
	bound := time.NewTimer(most)
	defer bound.Stop()
	questions := c.questions
	for {
		select {
		case questions <- q:
			questions = nil
		case a := <-c.answers:
			return a, true
		case <-c.ended:
			return suites.ExpressionResult{Limit: tooMuch}, false
		case <-bound.C:
			return suites.ExpressionResult{Limit: fmt.Sprintf("it takes more than %s", most)}, false
		case <-ctx.Done():
			return interrupted, false
		}
	}
}

// end kills the process and waits for its end.
func (c *child) end() {
	c.cancel()
	<-c.ended
}
