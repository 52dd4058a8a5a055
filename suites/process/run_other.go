//go:build !linux

package process

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"sync"
	"time"
)

// A Supervisor runs the commands of one case. There are no namespaces here,
// and no subreaper: a grandchild in a session of its own can outlive the case.
type Supervisor struct {
	Storage *os.File        // always nil here
	Missed  []*ConfineError // always nil here

	began, closed func() // never called, because no supervisor is kept ready
}

func open(s Setup, _ *spawner) (*Supervisor, error) {
	if len(s.Advance)+len(s.Steps) > 0 {
		return nil, &ConfineError{Err: errors.ErrUnsupported}
	}
	return new(Supervisor), nil
}

func prepare(Limits, []Step, bool, *spawner) (*Supervisor, error) { return nil, errors.ErrUnsupported }

func awaitRemoval() {}

// A spawner is not needed here.
type spawner struct{}

var spawning spawner

func (b *Supervisor) carryOut([]Step) (*Supervisor, error) { return b, nil }

func (b *Supervisor) alive() bool { return true }

// MemoryBound is none here.
func (b *Supervisor) MemoryBound() (MemoryBound, int64) { return MemoryUnbounded, 0 }

// Close does nothing here.
func (b *Supervisor) Close() {}

// WriteFile is for namespaces only.
func (b *Supervisor) WriteFile(string, string, os.FileMode) error { return errors.ErrUnsupported }

// ReadFile is for namespaces only.
func (b *Supervisor) ReadFile(string) ([]byte, error) { return nil, errors.ErrUnsupported }

// Listen is for namespaces only.
func (b *Supervisor) Listen() (net.Listener, error) { return nil, errors.ErrUnsupported }

// Unrecorded calls do.
func (b *Supervisor) Unrecorded(do func() error) error { return do() }

// Accesses returns nothing, because calls are not observed here.
func (b *Supervisor) Accesses() ([]Access, string) {
	return nil, "only Linux can observe the calls of processes"
}

func (b *Supervisor) run(ctx context.Context, commands []Command) ([]Result, error) {
	results := make([]Result, len(commands))
	errs := make([]error, len(commands))
	var wg sync.WaitGroup
	for i, c := range commands {
		wg.Go(func() { results[i], errs[i] = runOne(ctx, c) })
	}
	wg.Wait()
	return results, errors.Join(errs...)
}

var errTimeout = errors.New("timed out")

// runOne starts the command in a process group of its own and kills the group when the
// context ends.
func runOne(ctx context.Context, c Command) (Result, error) {
	r := Result{Exit: -1}
	path, err := LookPath(c.Argv[0], c.Dir, c.Env)
	if err != nil {
		r.StartError = err
		return r, nil
	}
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.Timeout, errTimeout)
		defer cancel()
	}
	s, child, err := connect(os.Pipe)
	if err != nil {
		return r, orShortage(err)
	}
	defer s.close()
	cmd := exec.CommandContext(ctx, path, c.Argv[1:]...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = child[0], child[1], child[2]
	ownGroup(cmd)
	begin := time.Now()
	err = cmd.Start()
	closeAll(child[:])
	if short := shortageOf(err); short != nil {
		return r, short
	}
	if err != nil {
		r.StartError = err
		return r, nil
	}
	s.pump(&r, &c)
	err = cmd.Wait()
	r.Duration = time.Since(begin)
	r.TimedOut = ctx.Err() != nil && errors.Is(context.Cause(ctx), errTimeout)
	if endGroup(cmd) {
		r.LeftBehind, r.Left = []string{"a process of its group"}, 1
	}
	bound := time.AfterFunc(killBound, s.close) // a descendant may keep the pipes open
	s.wg.Wait()
	bound.Stop()
	r.Exit, r.Signal = cmd.ProcessState.ExitCode(), signalOf(cmd.ProcessState)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		return r, err
	}
	return r, nil
}

// Adopt does nothing here, because there are no subreapers.
func Adopt() error { return nil }
