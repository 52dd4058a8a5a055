package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/revision"
	"hookwatch/cmd/internal/session"
	"hookwatch/suites/catalog"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
)

// A completer returns the values of an argument that exist. It reads the project, and starts nothing of it.
type completer func(g globals, args []string) []cobra.Completion

// completedArgs are the arguments of commands by position. One that is alone stands for all; nil is for files.
var completedArgs = map[string][]completer{
	"run": {caseIDs}, "history": {caseIDs}, "why": {caseIDs},
	"show": {func(g globals, args []string) []cobra.Completion {
		return append(caseIDs(g, args), allSuites(g, args)...)
	}},
	"check": {hookNames}, "prove": {hookNames}, "score": {hookNames},
	"fire":    {eventNames, toolNames, nil},
	"explain": {ruleIDs},
	"diff":    {revisions, revisions},
}

// completedFlags are the values of flags. Those of lists are separated by commas.
var completedFlags = map[string]completer{
	"suite": allSuites, "event": eventNames, "since": revisions, "format": formatsOf,
	"client": func(globals, []string) []cobra.Completion { return clients.Names() },
}

// addCompletions completes the arguments and flags of all commands.
func addCompletions(root *cobra.Command, g *globals) {
	complete := func(by completer, args []string, typed, before string) (all []cobra.Completion, _ cobra.ShellCompDirective) {
		if by != nil {
			all = slices.DeleteFunc(by(g.in(g.Dir), args), func(value string) bool { // no command has run yet
				word, _, _ := strings.Cut(value, "\t")
				return quote(word) != word // it could be a part of the shell's language
			})
		}
		for i := range all {
			all[i] = before + all[i]
		}
		if by == nil || strings.Contains(typed, "/") {
			return all, cobra.ShellCompDirectiveDefault // files, if no value begins so
		}
		return all, cobra.ShellCompDirectiveNoFileComp
	}
	for _, cmd := range append(root.Commands(), root) {
		if by := completedArgs[cmd.Name()]; len(by) > 0 {
			cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
				if len(by) > 1 && len(args) >= len(by) {
					return nil, cobra.ShellCompDirectiveNoFileComp
				}
				return complete(by[min(len(args), len(by)-1)], args, typed, "")
			}
		}
		for name, by := range completedFlags { // an error means that the command has no such flag
			_ = cmd.RegisterFlagCompletionFunc(name, func(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
				return complete(by, args, "", typed[:strings.LastIndex(typed, ",")+1])
			})
		}
	}
}

// read loads the project. One with errors has nothing to complete.
func (g globals) read() *session.Project {
	if p, _ := g.tryLoad(); p != nil {
		return p
	}
	return &session.Project{}
}

func caseIDs(g globals, _ []string) (all []cobra.Completion) {
	p := g.read()
	for _, one := range p.Cases {
		id := one.ID
		if p.Ambiguous(id) {
			id = one.Key().String()
		}
		all = append(all, cobra.CompletionWithDesc(id, one.Name))
	}
	return all
}

// allSuites completes the suites of the project and the built-in ones, which list and show take as well.
func allSuites(g globals, _ []string) (all []cobra.Completion) {
	g.filter = session.Filter{}
	builtin, _ := catalog.Builtin()
	for _, s := range newSuitesDocument(g.read().Suites, builtin, func(string) bool { return true }).Suites {
		all = append(all, cobra.CompletionWithDesc(s.Name, session.Count(s.Cases, "case")))
	}
	return all
}

// hookNames completes the scripts of registered hooks, and the IDs of hooks without one.
func hookNames(g globals, _ []string) (all []cobra.Completion) {
	p := g.read()
	for _, h := range slices.Concat(p.Registered.Hooks, p.Registered.Others, p.Registered.Elsewhere) {
		if len(h.Scripts) == 0 {
			all = append(all, h.ID)
		}
		all = append(all, h.Scripts...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func eventNames(globals, []string) (all []cobra.Completion) {
	for _, e := range client.Events() {
		all = append(all, e.Name)
	}
	return all
}

// toolNames completes the tools of an event's calls.
func toolNames(_ globals, args []string) []cobra.Completion {
	if about, _ := client.EventByName(args[0]); !about.Tool {
		return nil
	}
	return client.ToolNames()
}

func ruleIDs(globals, []string) (all []cobra.Completion) {
	for _, r := range client.Rules() {
		all = append(all, cobra.CompletionWithDesc(r.ID, r.What))
	}
	return all
}

func formatsOf(globals, []string) (all []cobra.Completion) {
	for _, name := range formatNames() {
		all = append(all, cobra.CompletionWithDesc(name, formats[name].help))
	}
	return all
}

func revisions(g globals, _ []string) []cobra.Completion { return revision.Names(g.workDir) }
