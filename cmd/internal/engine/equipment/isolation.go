package equipment

import (
	"errors"
	"fmt"

	"hookwatch/cmd/internal/project"
	"hookwatch/config"
	"hookwatch/suites/isolate"
)

// isolation is what keeps hooks from the user's files, and the options that it was
// chosen for: trying it takes milliseconds.
type isolation struct {
	isolate.Choice
	refused   error // why nothing may run; Mode is Unavailable then
	chosenFor string
	told      map[string]bool // notes of the plan
}

// errNothingRuns is for equipment that is made to look at a project only.
var errNothingRuns = errors.New("no hook is run by this command")

// choose chooses the isolation that a project's configuration asks for; env is what
// hooks get, and temp where they run, "" where none does. After an error nothing can
// run: what was in force before may be weaker than what is asked for now.
func (i *isolation) choose(cfg *config.Config, env []string, temp string, warn func(string)) error {
	if temp == "" {
		*i = isolation{Choice: isolate.Choice{Mode: isolate.Unavailable}, refused: errNothingRuns}
		return nil
	}
	o := project.IsolationOptions(cfg, env)
	chosenFor := fmt.Sprint(cfg.Run.Isolation, o)
	if i.chosenFor == chosenFor {
		return nil
	}
	c, err := isolate.Choose(string(cfg.Run.Isolation), o, temp)
	if err != nil {
		*i = isolation{Choice: isolate.Choice{Mode: isolate.Unavailable, Why: err.Error()}, refused: err}
		var unavailable *isolate.UnavailableError
		if errors.As(err, &unavailable) {
			i.Why, i.Mend = unavailable.Why, unavailable.Mend
		}
		return err
	}
	*i = isolation{Choice: c, chosenFor: chosenFor, told: make(map[string]bool)}
	i.tell(warn)
	return nil
}

// tell warns, once each, of what hooks see differently from other programs.
func (i *isolation) tell(warn func(string)) {
	if i.Plan == nil {
		return
	}
	for _, note := range i.Plan.Notes() {
		if !i.told[note] {
			i.told[note] = true
			warn("isolation: " + note)
		}
	}
}
