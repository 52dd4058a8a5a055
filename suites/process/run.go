package process

import (
	"context"
	"errors"
)

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
