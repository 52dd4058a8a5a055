package run

import (
	"slices"

	"hookwatch/suites"
)

func (o *Options) standing(c *suites.Case) []string {
	if o.Standing == nil {
		return nil
	}
	var out []string
	for _, hook := range o.scripts(c) {
		for _, s := range o.Standing(hook) {
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// scripts lists the scripts that a case can run, those of a chain as well.
func (o *Options) scripts(c *suites.Case) []string {
	out := hooksOf(c)
	if c.Chain && o.Hooks != nil {
		for i := range c.Steps {
			for _, h := range o.Hooks(c.Steps[i].Event, c.Steps[i].Tool) {
				out = append(out, h.Scripts...)
			}
		}
	}
	return out
}

// hooksOf lists the scripts that the case itself names.
func hooksOf(c *suites.Case) []string {
	var hooks []string
	for _, h := range append([]string{c.Hook}, stepHooks(c)...) {
		if h != "" {
			hooks = append(hooks, h)
		}
	}
	return hooks
}

func stepHooks(c *suites.Case) []string {
	hooks := make([]string, len(c.Steps))
	for i := range c.Steps {
		hooks[i] = c.Steps[i].Hook
	}
	return hooks
}

// launch is how a script of the project, as it lies at root, is started.
func (o *Options) launch(root, hook string) Launch {
	return From{Root: o.Root, Env: o.Env, Reader: o.Reader, Interpreted: o.Interpreted, Scripts: o.Scripts}.Of(root, hook)
}
