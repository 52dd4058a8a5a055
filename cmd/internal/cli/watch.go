package cli

import (
	"context"
	"errors"
	"fmt"

	"hookwatch/cmd/internal/cli/terminal"
	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/watcher"
)

// watch follows saves until the user quits, which is no error because a session has no verdict of
// its own. A signal interrupts it.
func (a *app) watch(ctx context.Context) error {
	cfg, err := a.loadConfig()
	if err != nil {
		return err
	}
	notes := make(chan string, 16)
	// Watching starts before anything is read, so that every save is either read or reported.
	note := func(text string) {
		select {
		case notes <- text:
		default: // the buffer is full, which is rare because notes are few: drop it
		}
	}
	w, err := watcher.New(watcher.Options{Interest: session.FirstInterest(cfg), Open: a.pinned.Open, Note: note})
	if err != nil {
		return err
	}
	defer w.Close()
	kept := make(chan records, 1)
	go func() { kept <- a.openRecords(cfg) }() // in parallel with loading the project
	p, err := a.load()
	if err != nil {
		return errors.Join(err, (<-kept).close())
	}
	if err := session.Follow(ctx, p, w); err != nil {
		return errors.Join(err, (<-kept).close())
	}
	return a.follow(ctx, p, w, notes, note, <-kept)
}

// follow runs the session once the watcher follows the project.
func (a *app) follow(ctx context.Context, p *session.Project, w *watcher.Watcher, notes <-chan string, note func(string), kept records) error {
	view := a.view(p, true, note)
	o, err := a.open(p, view, kept, false)
	if err != nil {
		return errors.Join(err, view.Close())
	}
	defer o.close()
	var commands <-chan session.Command
	if keys := terminal.Open(ctx, a.In, a.Out); keys != nil {
		defer keys.Close()
		done := make(chan struct{})
		defer close(done)
		commands = listen(keys, done)
	}
	sum := o.Watch(ctx, session.WatchOptions{
		Started: o.started(), Watcher: w, Notes: notes, Commands: commands, Prove: proveInSession,
		Reload: func() (*session.Project, []suites.Problem) {
			p, problems, err := a.tryLoad()
			if err != nil && len(problems) == 0 {
				problems = []suites.Problem{{What: err.Error()}}
			}
			return p, problems
		},
	})
	if err := view.Close(); err != nil {
		return &AbortedError{Why: fmt.Sprintf("output: %v", err)}
	}
	if o.lockErr != nil {
		sum.RecordError = o.lockErr
	}
	if sum.RecordError != nil {
		return &AbortedError{Why: sum.RecordError.Error()}
	}
	if ctx.Err() != nil {
		return ErrInterrupted
	}
	return nil
}
