package engine

import (
	"context"

	"hookwatch/cmd/internal/project"
	"hookwatch/watcher"
)

// Follow lets a watcher that began with project.FirstInterest follow the project as
// it was read since. What only now comes into its sight is read once more. It is
// given up as soon as ctx ends.
func Follow(ctx context.Context, p *project.Project, w *watcher.Watcher) error {
	i := p.Interest()
	if err := unlessEnded(ctx, func() error { return w.SetInterest(i) }); err != nil {
		return err
	}
	p.Graph.Refresh(p.Late())
	p.Graph.RefreshElsewhere()
	return nil
}

// unlessEnded gives what f does, or why ctx ended before that: f goes on then, and nobody
// waits for it any more. What is read of files can be called off in no other way.
func unlessEnded(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
