package fire

import (
	"fmt"

	"hookwatch/cmd/internal/cli/exit"
	"hookwatch/cmd/internal/notify"
)

// Contradicted is the error, if any, that a live session amounts to: of so many hooks the
// client did otherwise than foretold, and so often it failed itself.
func Contradicted(client string, wrong, faulty int) error {
	switch {
	case wrong > 0:
		return &exit.AbortedError{
			Why:  fmt.Sprintf("hookwatch is wrong about %s: client %s does otherwise than it foretells", notify.Count(wrong, "hook"), client),
			Next: []string{"  this is an error of hookwatch's, not of the hooks: please report it with the output of --format json"},
		}
	case faulty > 0:
		return exit.ErrFailed
	default:
		return nil
	}
}

// Verdict is that of an event which so many hooks were fired for.
func (l *Live) Verdict(hooks int) error {
	wrong, faulty := 0, 0
	if l.Foretold != "" {
		wrong = hooks
	}
	if l.Fault != "" {
		faulty = 1
	}
	return Contradicted(l.Client, wrong, faulty)
}
