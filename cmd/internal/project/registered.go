package project

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/conform"
	"hookwatch/suites/discover"
)

// RegisteredSuite is the name of the suite that is made of the hooks that a project
// registers, where it has no other.
const RegisteredSuite = "registered"

// addRegistered makes a case of every registered hook of a project without cases:
// that the client can fire it, and heeds what it says.
func (p *Project) addRegistered() {
	for _, s := range p.Suites {
		if len(s.Cases) > 0 {
			return
		}
	}
	suite := suites.Suite{Name: RegisteredSuite, Agent: RegisteredSuite + "-agent"}
	tree := conform.Tree{Root: p.Root(), Reader: p.Reader, Registered: p.Registered, Scripts: p.scripts, Stray: p.Stray}
	findings := conform.Static(tree)
	for _, h := range p.fired() {
		if c := conform.Typical(tree, h); c != nil {
			suite.Cases = append(suite.Cases, p.registeredCase(c, h, findings))
		}
	}
	if len(suite.Cases) > 0 {
		p.Suites = append(p.Suites, suite)
	}
}

// fired are the hooks that some session launches, or would if their file were not
// dropped, and that have a command.
func (p *Project) fired() (all []discover.Hook) {
	for _, h := range p.Registered.Hooks {
		if h.NotRun() == "" {
			all = append(all, h)
		}
	}
	for _, h := range p.Registered.Others {
		if h.NotRun() == "" && h.Scope != discover.InGuess || h.Dead && h.Type == "command" {
			all = append(all, h)
		}
	}
	return all
}

func (p *Project) registeredCase(c *suites.Case, h discover.Hook, findings []conform.Finding) suites.Case {
	c.Suite, c.Agent, c.At = RegisteredSuite, RegisteredSuite+"-agent", h.Source
	c.Name, c.Category = strings.TrimSpace(h.Event+" "+h.Matcher), h.Event
	if len(h.Scripts) > 0 {
		c.Hook = h.Scripts[0]
	}
	c.Faults = faults(h, findings)
	c.Steps[0].Expect.Sound = true
	text, err := json.Marshal(c)
	if err != nil {
		text = []byte(c.ID) // a case of plain values always encodes
	}
	sum := sha256.Sum256(append(text, fmt.Sprint(h.Command, h.Args, h.Matcher, h.Entry.Shell)...))
	c.Digest = hex.EncodeToString(sum[:6])
	return *c
}

// faults are the errors that are found of a hook's registration.
func faults(h discover.Hook, findings []conform.Finding) (out []string) {
	for _, f := range findings {
		if f.Severity != suites.Error {
			continue
		}
		for _, id := range f.Hooks {
			if id == h.ID {
				out = append(out, f.What+": "+f.Effect)
			}
		}
		if h.Dead && f.Rule == "settings-dropped" && f.Where.File == h.Source.File {
			out = append(out, f.At+": "+f.What+": "+f.Effect)
		}
	}
	return out
}

// locate gives a case, or step, that names a registered hook the script that its verdict
// depends on.
func (p *Project) locate(c *suites.Case) {
	if c.Registered != "" && c.Hook == "" {
		c.Hook = p.script(c.Steps[0].Event, c.Registered)
	}
	named := func(st suites.Step) bool { return st.Registered != "" }
	if !slices.ContainsFunc(c.Steps, named) {
		return
	}
	c.Steps = slices.Clone(c.Steps) // those of a built-in case are everybody's
	for i := range c.Steps {
		if st := &c.Steps[i]; named(*st) {
			st.Hook = p.script(st.Event, st.Registered)
		}
	}
}

// script is the script that a registered hook runs; "" where there is none.
func (p *Project) script(event, registered string) string {
	if h, ok := p.Registered.Named(event, registered); ok && len(h.Scripts) > 0 {
		return h.Scripts[0]
	}
	return ""
}
