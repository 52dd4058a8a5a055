package process

import (
	"context"
	"errors"
)

// A Setup says how a Box is made. The zero value confines nothing.
type Setup struct {
	// Steps are carried out before anything starts, by process 1 of namespaces of
	// its own (see the supervisor); none means no namespaces. Those of Advance come
	// first: a Reserve carries them out before anybody asks for the box.
	Advance, Steps []Step
	// Limits hold with steps and without.
	Limits Limits
}

// A Step is one call that makes a sandbox: its name and arguments.
type Step []string

// A ConfineError says which step the system refused.
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

// Open makes a Box. Without namespaces nothing but the context should fail.
func Open(s Setup) (*Box, error) { return open(s) }

// Run starts the commands side by side in the box and returns when all of them,
// and all of their descendants, are gone. What a command did is its Result; the
// error is for what hookwatch itself could not do. One call at a time.
func (b *Box) Run(ctx context.Context, commands ...Command) ([]Result, error) {
	for i := range commands {
		if len(commands[i].Argv) == 0 {
			return nil, errors.New("run: no command")
		}
		if commands[i].Limit == 0 {
			commands[i].Limit = DefaultLimit
		}
	}
	return b.run(ctx, commands)
}

// Run runs one command in a box of its own.
func Run(ctx context.Context, c Command) (Result, error) {
	b, err := Open(Setup{})
	if err != nil {
		return Result{}, err
	}
	defer b.Close()
	results, err := b.Run(ctx, c)
	if err != nil {
		return Result{}, err
	}
	return results[0], nil
}
