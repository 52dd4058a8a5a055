//go:build !linux

package process

import (
	"context"
	"errors"
	"os/exec"
	"time"
)

// run starts the command in a process group of its own and kills the group when
// the context ends. There is no subreaper here: a grandchild in a session of its
// own can outlive the case.
func run(ctx context.Context, path string, c Command) (Result, error) {
	r := Result{Exit: -1}
	s, child, err := pipes()
	if err != nil {
		return r, err
	}
	defer s.close()
	cmd := exec.CommandContext(ctx, path, c.Argv[1:]...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = child[0], child[1], child[2]
	ownGroup(cmd)
	err = cmd.Start()
	closeAll(child[:])
	if err != nil {
		r.StartError = err
		return r, nil
	}
	s.pump(&r, c.Stdin, c.Limit)
	err = cmd.Wait()
	r.markEnd(ctx)
	if endGroup(cmd) {
		r.LeftBehind = []string{"a process of its group"}
	}
	bound := time.AfterFunc(killBound, s.close) // a descendant may still hold the pipes
	s.wg.Wait()
	bound.Stop()
	r.Started = true
	r.UserTime, r.SystemTime = cmd.ProcessState.UserTime(), cmd.ProcessState.SystemTime()
	r.Exit, r.Signal = cmd.ProcessState.ExitCode(), signalOf(cmd.ProcessState)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		return r, err
	}
	return r, nil
}

// Adopt does nothing here: there are no subreapers.
func Adopt() error { return nil }
