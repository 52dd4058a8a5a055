package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hookwatch/config"
	"hookwatch/suites/catalog"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
)

func (a *app) schemaCommand() *cobra.Command {
	var of string
	cmd := &cobra.Command{
		Use:   "schema suite|config|output EVENT",
		Short: "Print the JSON Schema of suites, configuration or hook output",
		Long: `Print the JSON Schema of a suite file or of .hookwatch.yaml, or of what the client
accepts on stdout from a hook of an event; with --client, another client.`,
		Example:   "  hookwatch schema output PreToolUse",
		ValidArgs: []string{"suite", "config", "output"},
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := schemaOf(args, of)
			if err == nil {
				_, err = a.Out.Write(text)
			}
			return err
		},
	}
	withClients(cmd.Flags(), &of)
	return cmd
}

// schemaOf returns the schema selected by the arguments.
func schemaOf(args []string, of string) ([]byte, error) {
	switch {
	case of != "" && of != clients.Claude:
		return schemaFor(args, of)
	case len(args) == 2 && args[0] == "output":
		of, err := eventNamed(args[1])
		return client.OutputSchema(client.Default, of), err
	case len(args) == 1 && args[0] == "output":
		return nil, errors.New("schema output needs an event, as in hookwatch schema output PreToolUse")
	case len(args) != 1:
		return nil, errors.New("schema needs a name: suite or config, or output and an event")
	case args[0] == "suite":
		return catalog.Schema(), nil
	case args[0] == "config":
		return config.Schema(), nil
	default:
		return nil, fmt.Errorf("no schema %q: want suite or config, or output and an event", args[0])
	}
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
