package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites/check"
	"hookwatch/suites/client/clients"
)

// withClients adds the flag --client.
func withClients(f *pflag.FlagSet, names *string) {
	f.StringVar(names, "client", "", "as these clients do, `NAME[,NAME]`, such as claude,codex (see hookwatch help clients)")
}

// withClient adds the flag --client for one client.
func withClient(f *pflag.FlagSet, name *string) {
	f.StringVar(name, "client", "", "as the client `NAME` does, such as codex (see hookwatch help clients)")
}

// liveClient returns the client that --client names for a command that runs it; the zero value for
// Claude Code.
func liveClient(name string) (of clients.Client, err error) {
	if name == "" || name == clients.Claude {
		return of, nil
	}
	if of, err = oneClient(name); err == nil && of.Live.Program == "" {
		err = fmt.Errorf("--client %s: hookwatch does not know how to run %s, of which the facts are only documented", name, of.Title)
	}
	return of, err
}

// clientName returns a client's name in text; "client" for Claude Code.
func clientName(name string) string { return cmp.Or(name, "client") }

// useClient has another client than Claude Code fire the hooks of a project.
func useClient(p *session.Project, of clients.Client) error {
	if of.Name == "" {
		return nil
	}
	if p.Fires(of); len(p.Registered.Hooks) == 0 {
		return noHooksError([]clients.Client{of})
	}
	return nil
}

// clientsOf returns the clients that the flag or the configuration names; without either, Claude
// Code and those whose own files in the project register hooks. asked reports that they were named.
func clientsOf(p *session.Project, names string) (all []clients.Client, asked bool, err error) {
	if names == "" {
		names = strings.Join(p.Config.Clients, ",")
	}
	others := p.Registered.Clients()
	if names == "" && len(others) == 0 {
		return nil, false, nil // Claude Code alone: the facts of others need not be read
	}
	if names == "" {
		claude, _ := clients.ByName(clients.Claude)
		return append([]clients.Client{claude}, others...), false, nil
	}
	all, err = clients.Parse(names)
	return all, true, err
}

// treeOf returns what check examines: the project with the clients that clientsOf returns.
func treeOf(p *session.Project, names string) (tree check.Tree, of []clients.Client, asked bool, err error) {
	of, asked, err = clientsOf(p, names)
	tree = p.Tree(os.Environ())
	tree.For(of, asked)
	return tree, of, asked, err
}

// knownClient is a client, and how its behavior is known.
type knownClient struct {
	Name  string `json:"name"`
	Known string `json:"known"` // "measured on VERSION", or "documented, not measured"
}

// knownClients returns the clients of a document; none for Claude Code alone.
func knownClients(of []clients.Client) (all []knownClient) {
	for _, c := range of {
		all = append(all, knownClient{c.Name, c.Known()})
	}
	if len(all) == 1 && all[0].Name == clients.Claude {
		return nil
	}
	return all
}

// foreignText prints one line for each hook file of other clients.
func foreignText(w io.Writer, files []string, judged []knownClient) {
	if len(judged) > 0 && !slices.ContainsFunc(judged, func(k knownClient) bool { return k.Name == clients.Claude }) {
		writef(w, "hooks as Claude Code runs them are left out (--client %s)\n", clients.Claude)
	}
	for _, file := range files {
		for _, c := range clients.ReadBy(file) {
			switch is := func(k knownClient) bool { return k.Name == c.Name }; {
			case c.NamedOnly:
				writef(w, "%s: hooks of %s, not looked at\n", file, c.Title)
			case slices.ContainsFunc(judged, is):
				writef(w, "%s: hooks of %s (%s)\n", file, c.Title, c.Known())
			default:
				writef(w, "%s: hooks of %s, left out (--client %s)\n", file, c.Title, c.Name)
			}
		}
	}
}

// noHooksError is the error for clients that run no hook of a project.
func noHooksError(of []clients.Client) error {
	var titles, files []string
	for _, c := range of {
		titles, files = append(titles, c.Title), append(files, c.Files...)
	}
	return fmt.Errorf("no hook is registered for %s in this project (read are %s)", strings.Join(titles, " or "), strings.Join(files, ", "))
}

// schemaFor returns the schema of outputs for another client than Claude Code.
func schemaFor(args []string, of string) ([]byte, error) {
	named, err := clients.Parse(of)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--client: %w", err)
	case len(named) > 1 || len(args) != 2 || args[0] != "output":
		return nil, errors.New("schema --client takes one client, as in hookwatch schema output PreToolUse --client codex")
	}
	c, event := named[0], args[1]
	if text, ok := c.OutputSchema(event); ok {
		return text, nil
	}
	if own, ok := c.EventFor(event, ""); ok {
		if text, ok := c.OutputSchema(own); ok {
			return text, nil
		}
	}
	events := slices.Sorted(maps.Keys(c.Accepts.Keys))
	events = slices.DeleteFunc(events, func(name string) bool { return name == clients.Common })
	if len(events) == 0 {
		return nil, fmt.Errorf("what %s accepts on stdout is not known as a schema", c.Title)
	}
	return nil, fmt.Errorf("what %s accepts at %s is not known (known for %s)", c.Title, event, strings.Join(events, ", "))
}
