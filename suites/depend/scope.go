package depend

import "hookwatch/suites"

// A via tells which cases a dependency counts for.
type via int

// A scope is the weakest via that a case sees.
type scope = via

// scopeOf tells what a case's overrides leave of the project.
func scopeOf(c *suites.Case) scope {
	if c.Repo == nil && c.Project == nil || setsProject(c.Env) {
		return viaProject
	}
	for i := range c.Steps {
		if setsProject(c.Steps[i].Env) {
			return viaProject
		}
	}
	if c.Repo != nil {
		return always
	}
	return viaCwd
}

// projectVariable is how hooks see the project's directory.
const projectVariable = "CLAUDE_PROJECT_DIR"

func setsProject(env map[string]string) bool {
	_, ok := env[projectVariable]
	return ok
}

const (
	always     via = iota // whatever the case's surroundings
	viaCwd                // unless the case runs in a repository of its own
	viaProject            // unless the case has a project directory of its own
)
