package run

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/process"
)

// takeTurns runs the steps of the case that take turns, each of which fires a registered hook. The last result has
// the files that the last step expects.
func (s *caseRun) takeTurns(ctx context.Context, o *suites.Outcome) error {
	turns := s.c.Turns
	steps, order := s.c.Steps[turns.Before:], []string{"0", strconv.Itoa(len(s.c.Steps) - turns.Before)}
	if turns.Stop {
		order[0] = "1"
	}
	commands, hooks := make([]process.Command, len(steps)), make([]discover.Hook, len(steps))
	for i := range steps {
		stdin, err := s.ready(ctx, turns.Before+i)
		if err != nil {
			return err
		}
		h, found := s.o.Registered(steps[i].Event, cmp.Or(steps[i].Registered, s.c.Registered), steps[i].Matched())
		if why := h.WhyNotStarted(); !found || why != "" {
			return errors.New(cmp.Or(why, "it is not registered"))
		}
		if hooks[i] = h; err == nil {
			commands[i], err = s.registeredCommand(h, &steps[i], stdin)
		}
		if err != nil {
			return err
		}
		order = append(order, strconv.Itoa(turns.Holds[i]))
	}
	for _, path := range turns.Paths {
		order = append(order, s.path(path))
	}
	commands[0].Turns = order
	ended, err := s.Run(ctx, commands...)
	if err != nil {
		return err
	}
	for i := range steps {
		o.Results = append(o.Results, s.result(hooks[i], &steps[i], commands[i].Stdin, ended[i]).Result)
	}
	named := strings.NewReplacer(s.tmp, "{tmp}", s.project(), "{override}")
	for _, a := range ended[0].Accesses {
		at := strings.IndexByte(a, '/')
		o.Turns = append(o.Turns, suites.Turn{Step: int(a[0] - '0'), Uses: a[1:at], Path: named.Replace(a[at:])})
	}
	o.Results[len(o.Results)-1].Files = s.expectedFiles(steps[len(steps)-1].Expect.Files)
	return nil
}
