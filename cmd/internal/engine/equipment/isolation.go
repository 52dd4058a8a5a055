package equipment

import (
	"fmt"

	"hookwatch/cmd/internal/project"
	"hookwatch/config"
	"hookwatch/suites/isolate"
)

// isolation is what keeps cases from the person's files, and what it was chosen
// for: trying it out takes milliseconds.
type isolation struct {
	isolate.Choice
	chosenFor string
	told      map[string]bool // notes of the plan
}

// choose chooses the isolation that a project's configuration asks for, or the best
// that holds; env is what hooks get, and temp where they run, "" where nothing does.
func (i *isolation) choose(cfg *config.Config, env []string, temp string, warn func(string)) error {
	if temp == "" {
		i.Mode = isolate.Mode(cfg.Run.Isolation)
		return nil
	}
	o := project.IsolationOptions(cfg, env)
	chosenFor := fmt.Sprint(cfg.Run.Isolation, o)
	if i.chosenFor == chosenFor {
		return nil
	}
	c, err := isolate.Choose(string(cfg.Run.Isolation), o, temp)
	if err != nil {
		return err
	}
	*i = isolation{c, chosenFor, make(map[string]bool)}
	if cfg.Run.Isolation == config.IsolationAuto && c.Mode != isolate.Namespaces {
		warn("isolation is " + c.String())
	}
	i.tell(warn)
	return nil
}

// tell says, each once, what cases see otherwise than the rest.
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
