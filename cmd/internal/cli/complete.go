package cli

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/revision"
	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/catalog"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/mutate"
	"hookwatch/suites/reference"
)

// A completion is what the user has typed of a command line.
type completion struct {
	cmd  *cobra.Command
	g    globals
	args []string // before the word that is completed
}

// A completer returns the values that exist. It reads the project and starts nothing of it; without one, or
// with errors in it, it returns none.
type completer func(completion) []cobra.Completion

// A completed value is an argument, or that of a flag.
type completed struct {
	of    completer // nil without such values
	files bool      // it may be a file instead
}

// completedArgs are the arguments of commands, one for each position. One that is alone stands for all.
var completedArgs = map[string][]completed{
	"run":     {{of: caseIDs}},
	"history": {{of: caseIDs}},
	"why":     {{of: caseIDs, files: true}},
	"show":    {{of: func(c completion) []cobra.Completion { return append(caseIDs(c), allSuites(c)...) }}},
	"check":   {{of: hookNames, files: true}},
	"prove":   {{of: hookNames, files: true}},
	"score":   {{of: hookNames, files: true}},
	"fire":    {{of: eventNames}, {of: toolNames}, {files: true}},
	"explain": {{of: ruleIDs}},
	"schema":  {{of: choices("suite", "config", "output")}, {of: eventNames}},
	"diff":    {{of: revisions}, {of: revisions}},
}

// completedFlags are the values of flags. Those of lists are separated by commas.
var completedFlags = map[string]completed{
	"suite":    {of: allSuites},
	"client":   {of: func(completion) []cobra.Completion { return clients.Names() }},
	"event":    {of: eventNames},
	"since":    {of: revisions},
	"hook":     {of: hookNames, files: true},
	"operator": {of: choices(mutate.Operators...)},
	"starter":  {of: choices(reference.Names()...)},
}

// complete returns the values that the user can type without quotes.
func (v completed) complete(c completion, before string) (all []cobra.Completion, directive cobra.ShellCompDirective) {
	c.g = c.g.in(c.g.Dir) // no command has run yet
	if v.of != nil {
		for _, value := range v.within(completionTime, c) {
			if word, _, _ := strings.Cut(value, "\t"); quote(word) == word { // others could be a part of the shell's language
				all = append(all, before+value)
			}
		}
	}
	if v.files {
		return all, cobra.ShellCompDirectiveDefault
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// completionTime is the longest time that the user waits for completions: a directory above many projects takes
// longer to read.
const completionTime = 3 * time.Second

// within returns the values if they are found in time.
func (v completed) within(limit time.Duration, c completion) []cobra.Completion {
	found := make(chan []cobra.Completion, 1)
	go func() { found <- v.of(c) }()
	select {
	case all := <-found:
		return all
	case <-time.After(limit): // the process ends before the other goroutine
		return nil
	}
}

// addCompletions completes the arguments and flags of all commands.
func addCompletions(root *cobra.Command, g *globals) {
	for _, cmd := range append(root.Commands(), root) {
		if by := completedArgs[cmd.Name()]; len(by) > 0 {
			cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
				of := completed{} // nothing, behind the last argument
				switch {
				case len(by) == 1:
					of = by[0]
				case len(args) < len(by):
					of = by[len(args)]
				}
				return of.complete(completion{cmd, *g, args}, "")
			}
		}
		for name, of := range completedFlags {
			if cmd.Flags().Lookup(name) == nil && cmd.PersistentFlags().Lookup(name) == nil {
				continue
			}
			_ = cmd.RegisterFlagCompletionFunc(name, func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
				return of.complete(completion{cmd, *g, args}, typed[:strings.LastIndex(typed, ",")+1])
			})
		}
	}
}

// choices completes from a list.
func choices(list ...string) completer {
	return func(completion) []cobra.Completion { return slices.Clone(list) }
}

// project loads the project of the command line; nil if that is not possible.
func (c completion) project() *session.Project {
	cfg, err := c.g.loadConfig()
	if err != nil {
		return nil
	}
	p, _ := c.g.loadProject(cfg)
	return p
}

func caseIDs(c completion) (all []cobra.Completion) {
	p := c.project()
	if p == nil {
		return nil
	}
	for _, one := range p.Cases {
		id := one.ID
		if p.Ambiguous(id) {
			id = one.Key().String()
		}
		all = append(all, cobra.CompletionWithDesc(id, one.Name))
	}
	return all
}

func allSuites(c completion) (all []cobra.Completion) {
	c.g.filter = session.Filter{}
	var own []suites.Suite
	if p := c.project(); p != nil {
		own = p.Suites
	}
	builtin, _ := catalog.Builtin()
	for _, s := range newSuitesDocument(own, builtin, func(string) bool { return true }).Suites {
		if s.Here > 0 || c.cmd.Name() == "show" || c.cmd.Name() == "list" { // which know suites that are not switched on
			all = append(all, cobra.CompletionWithDesc(s.Name, session.Count(s.Cases, "case")))
		}
	}
	return all
}

// hookNames completes the scripts of registered hooks, and the IDs of hooks without one.
func hookNames(c completion) (all []cobra.Completion) {
	p := c.project()
	if p == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, h := range slices.Concat(p.Registered.Hooks, p.Registered.Others, p.Registered.Elsewhere) {
		names := h.Scripts
		if len(names) == 0 && c.cmd.Flag("hook") == nil { // whose value is a script
			names = []string{h.ID}
		}
		for _, name := range names {
			if !seen[name] {
				all = append(all, cobra.CompletionWithDesc(name, strings.TrimSpace(cmp.Or(h.ClientEvent, h.Event)+" "+cmp.Or(h.ClientMatcher, h.Matcher))))
			}
			seen[name] = true
		}
	}
	return all
}

// other returns the client that --client names, if it is one other than Claude Code.
func (c completion) other() (of clients.Client, ok bool) {
	if f := c.cmd.Flag("client"); f != nil {
		of, ok = clients.Named(f.Value.String())
	}
	return of, ok && of.Name != clients.Claude
}

func eventNames(c completion) (all []cobra.Completion) {
	of, other := c.other()
	switch {
	case c.cmd.Name() == "schema" && !slices.Equal(c.args, []string{"output"}):
		return nil
	case other:
		return slices.Sorted(maps.Keys(of.Events))
	}
	for _, e := range client.Events() {
		all = append(all, e.Name)
	}
	return all
}

// toolNames completes the tools of an event's calls.
func toolNames(c completion) []cobra.Completion {
	of, other := c.other()
	name := c.args[0]
	if own, ok := of.Events[name]; ok {
		name = own.As
	}
	switch about, _ := client.EventByName(name); {
	case !about.Tool:
		return nil
	case other:
		return slices.Sorted(maps.Values(of.Tools))
	}
	return client.ToolNames()
}

func ruleIDs(completion) (all []cobra.Completion) {
	for _, r := range client.Rules() {
		all = append(all, cobra.CompletionWithDesc(r.ID, r.What))
	}
	return all
}

func revisions(c completion) []cobra.Completion { return revision.Names(c.g.workDir) }
