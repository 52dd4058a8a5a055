package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"hookwatch/config"
	"hookwatch/suites/catalog"
	"hookwatch/suites/client"
)

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema suite|config|output EVENT",
		Short: "Print the JSON Schema of suites, configuration or hook output",
		Long: `Print the JSON Schema of a suite file or of .hookwatch.yaml, or of what the client
accepts on stdout from a hook of an event.`,
		Example:   "  hookwatch schema output PreToolUse",
		ValidArgs: []string{"suite", "config", "output"},
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := schemaOf(args)
			if err == nil {
				_, err = a.Out.Write(text)
			}
			return err
		},
	}
}

// schemaOf returns the schema selected by the arguments.
func schemaOf(args []string) ([]byte, error) {
	switch {
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
