package session

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/user"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/check"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/process"
	"hookwatch/suites/sandbox"
)

// RegisteredSuite is the name of the suite made of the hooks that a project registers. If
// the project has no other suite, it has all hooks; otherwise only those that the client
// would drop, could not start, or would never run, and those whose registration was lost.
const RegisteredSuite = suites.Registered

// addRegistered makes a case of each registered hook, which checks that the client can
// fire it and acts on its output. If there are other cases, it does so only for errors in
// the registration.
func (p *loader) addRegistered() {
	p.alone = !slices.ContainsFunc(p.Suites, func(s suites.Suite) bool { return len(s.Cases) > 0 })
	suite := suites.Suite{Name: RegisteredSuite, Agent: RegisteredSuite + "-agent"}
	tree := p.tree()
	findings := check.Registrations(tree)
	for _, h := range p.firedHooks() {
		if wrong := p.faults(h, findings); p.alone || len(wrong) > 0 {
			if c := check.Typical(tree, h); c != nil {
				c.Steps[0].Expect.Sound = p.alone // if there are other cases, only the fault matters
				suite.Cases = append(suite.Cases, p.registeredCase(c, h, wrong))
			}
		}
	}
	suite.Cases = append(suite.Cases, p.unread(findings)...)
	suite.Cases = append(suite.Cases, p.lostCases()...)
	if p.Stops = readStops(p.Config); p.alone {
		suite.Cases = append(suite.Cases, p.stopCases()...)
	}
	if len(suite.Cases) > 0 {
		p.Suites = append(p.Suites, suite)
	}
}

// tree returns the project as the subject of checks of registrations, for which neither permissions
// nor installed programs matter.
func (p *Project) tree() check.Tree {
	return check.Tree{Root: p.Config.Root, At: p.Config.RunRoot, Reader: p.Reader, Registered: p.Registered, Scripts: p.scripts, Stray: p.Stray, PlainShell: check.IsPlainShell(), Newer: p.newer()}
}

// Idle returns, by ID of registered hooks, why the client never starts them or does so in
// vain.
func (p *Project) Idle() map[string]string {
	why := map[string]string{}
	for _, h := range p.Registered.Others {
		if h.Scope == discover.InGuess {
			why[h.ID] = "it is registered nowhere, and its event is a guess"
		}
	}
	for _, f := range check.Registrations(p.tree()) {
		for _, id := range f.Hooks {
			if wrong := f.Severity == suites.Error || f.Rule == "script-missing"; wrong && why[id] == "" {
				why[id] = f.What
			}
		}
	}
	return why
}

// firedHooks returns the hooks with a command that some session starts, or would start if their
// file were not dropped.
func (p *Project) firedHooks() (all []discover.Hook) {
	for _, h := range p.Registered.Hooks {
		if h.WhyNotRun() == "" || h.Type == "command" && h.MatcherError() != nil { // its case fails
			all = append(all, h)
		}
	}
	for _, h := range p.Registered.Others {
		if h.WhyNotRun() == "" && h.Scope != discover.InGuess || h.Dead && h.Type == "command" {
			all = append(all, h)
		}
	}
	return all
}

func (p *loader) registeredCase(c *suites.Case, h discover.Hook, wrong []string) suites.Case {
	c.Suite, c.Agent, c.At = RegisteredSuite, RegisteredSuite+"-agent", h.Source
	c.Name, c.Category = strings.TrimSpace(h.Event+" "+h.Matcher), h.Event
	if len(h.Scripts) > 0 {
		c.Hook = h.Scripts[0]
	}
	c.Faults = wrong
	text, err := json.Marshal(c)
	if err != nil {
		text = []byte(c.ID) // impossible for a case of plain values
	}
	sum := sha256.Sum256(append(text, fmt.Sprint(h.Command, h.Args, h.Matcher, h.Entry.Shell)...))
	c.Digest = hex.EncodeToString(sum[:6])
	return *c
}

// unread makes a case for each file that the client drops completely or in part, so that
// its hooks are unknown. The case fails until the client reads the file.
func (p *loader) unread(findings []check.Finding) (out []suites.Case) {
	for _, f := range findings {
		file := f.Where.File
		reported := func(h discover.Hook) bool { return h.Source.File == file && h.Dead }
		part := f.Rule == "entry-ignored"
		if f.Severity != suites.Error || filepath.IsAbs(file) || !part && (f.Rule != "settings-dropped" || slices.ContainsFunc(p.Registered.Others, reported)) {
			continue
		}
		fault := f.At + ": " + f.What + ": " + f.Effect
		if i := slices.IndexFunc(out, func(c suites.Case) bool { return c.Check.File == file }); i >= 0 {
			out[i].Faults = append(out[i].Faults, fault)
			continue
		}
		sum := sha256.Sum256([]byte(file))
		digest := hex.EncodeToString(sum[:6])
		out = append(out, suites.Case{
			Suite: RegisteredSuite, Agent: RegisteredSuite + "-agent", ID: "settings-" + path.Base(file) + "-" + digest[:8], Name: "hooks of " + file, Category: "settings",
			Layer: suites.Direct, Check: &suites.Check{Need: suites.NeedExpected, File: file}, Steps: make([]suites.Step, 1), At: f.Where, Digest: digest, Faults: []string{fault},
		})
	}
	return out
}

// starting are the rules for errors that keep a hook from starting. They are not needed if
// a case fires the hook, because it fails anyway.
var starting = []string{"script-missing", "script-not-executable", "bad-interpreter", "shell-syntax"}

// faults returns the errors in a hook's registration, except for those that cases which
// fire it report anyway.
func (p *loader) faults(h discover.Hook, findings []check.Finding) (out []string) {
	for _, f := range findings {
		if f.Severity != suites.Error {
			continue
		}
		reported := func() bool {
			how := p.fires(h)
			return how == byRegistration || how == byScript && slices.Contains(starting, f.Rule)
		}
		if slices.Contains(f.Hooks, h.ID) && !reported() {
			out = append(out, f.What+": "+f.Effect)
		}
		if h.Dead && f.Rule == "settings-dropped" && f.Where.File == h.Source.File {
			out = append(out, f.At+": "+f.What+": "+f.Effect)
		}
	}
	return out
}

// A way is how the cases of suites fire a hook: not at all, by its script or with all
// hooks of its event, or by its registration.
type way int

const (
	untried way = iota
	byScript
	byRegistration
)

// fires returns how the suites fire a hook, the most complete way if there are several.
func (p *loader) fires(h discover.Hook) (most way) {
	for _, s := range p.Suites {
		for i := range s.Cases {
			c := &s.Cases[i]
			for j := range c.Steps {
				st := &c.Steps[j]
				switch name := cmp.Or(st.Registered, c.Registered); {
				case name != "" && st.Event == h.Event && h.Answers(name):
					return byRegistration
				case slices.Contains(h.Scripts, cmp.Or(st.Hook, c.Hook)), c.Chain && st.Event == h.Event:
					most = byScript
				}
			}
		}
	}
	return most
}

// locate sets the script of cases and steps that name a registered hook. It also completes
// the path of a script that a case names without a directory.
func (p *loader) locate(c *suites.Case) {
	if found := p.findScript(c.Hook); found != "" {
		c.Hook = found
	}
	if c.Registered != "" && c.Hook == "" {
		c.Hook = p.script(&c.Steps[0], c.Registered)
	}
	named := func(st suites.Step) bool { return st.Registered != "" }
	if !slices.ContainsFunc(c.Steps, named) {
		return
	}
	c.Steps = slices.Clone(c.Steps) // those of a built-in case are shared
	for i := range c.Steps {
		if st := &c.Steps[i]; named(*st) {
			st.Hook = p.script(st, st.Registered)
		}
	}
}

// findScript returns the script for a hook's name without a directory: a registered one, or one
// in the hook directories. It returns "" if there is none, or if a file of that name
// exists in the root. A path with a directory is returned unchanged if it is registered.
func (p *loader) findScript(hook string) string {
	if hook == "" || strings.Contains(hook, "/") {
		if p.registers(hook) {
			return hook
		}
		return ""
	}
	if p.Exists(hook) {
		return ""
	}
	for _, h := range p.Registered.Hooks {
		for _, script := range h.Scripts {
			if path.Base(script) == hook {
				return script
			}
		}
	}
	for _, script := range p.scripts {
		if path.Base(script) == hook {
			return script
		}
	}
	return ""
}

// script returns the script of the registered hook that a step means by a name, or "" if there is none.
func (p *loader) script(st *suites.Step, name string) string {
	if h, ok := p.Registered.Find(st.Event, name, st.Matched()); ok && len(h.Scripts) > 0 {
		return h.Scripts[0]
	}
	return ""
}

// Fires has another client than Claude Code fire the hooks that it reads.
func (p *Project) Fires(of clients.Client) {
	p.Registered, p.LiveOf = p.Registered.Of(of), of
}

// GoLive turns every case that would run a hook directly into one that the client fires.
// The digests change, because their verdicts must not replace those of layer 1.
func (p *Project) GoLive() {
	p.Live = true
	for _, c := range p.every {
		if c.Layer == suites.Live || c.Check != nil {
			continue
		}
		c.Layer, c.AskedLive, c.Timeout = suites.Live, true, 0
		c.Digest += "-live" + p.LiveOf.Name
	}
}

// namedInHome returns the files that commands of the user's own settings name in HOME, which hooks see
// wherever they are kept. Commands of the project do
// not count, because a clone must not choose what its hooks see of HOME.
func (p *Project) namedInHome() (shown []string) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	expand := strings.NewReplacer(`"`, "", "'", "", "${HOME}", home, "$HOME", home)
	for _, h := range p.Registered.Hooks {
		if h.Scope != discover.InUser {
			continue
		}
		for _, word := range append(strings.Fields(h.Command), h.Args...) {
			word = expand.Replace(word)
			if rest, ok := strings.CutPrefix(word, "~/"); ok {
				word = filepath.Join(home, rest)
			}
			if fi, err := os.Stat(word); err == nil && fi.Mode().IsRegular() && disk.Within(home, word) {
				shown = append(shown, word)
			}
		}
	}
	return shown
}

// sandboxOptions returns the configuration of sandboxes; env is the environment of hooks.
func sandboxOptions(cfg *config.Config, env []string) sandbox.Options {
	o := sandbox.Options{
		Root:      cfg.At(),
		Own:       []string{cfg.ResultsDir},
		Mask:      cfg.Sandbox.Mask,
		Unmask:    cfg.Sandbox.Unmask,
		Size:      int64(cfg.Sandbox.Size),
		Processes: cfg.Sandbox.Processes,
		Memory:    int64(cfg.Sandbox.Memory),
	}
	if home := process.Getenv(env, "HOME"); filepath.IsAbs(home) { // a relative one is no place to hide
		o.Home = home
	}
	if u, err := user.Current(); err == nil { // HOME may be unset or different
		o.OwnHome = u.HomeDir
	}
	if self, err := os.Executable(); err == nil {
		o.Shown = []string{self} // stand-ins are links to it
	}
	o.Shown = append(o.Shown, cfg.Agreed...)
	if cfg.State != "" { // it may be outside of HOME
		o.Private = []string{filepath.Join(cfg.State, "hookwatch")}
	}
	if filepath.IsAbs(cfg.Live.Client) { // any other is in PATH or in the project
		o.Shown = append(o.Shown, filepath.Dir(disk.Real(cfg.Live.Client)))
	}
	return o
}
