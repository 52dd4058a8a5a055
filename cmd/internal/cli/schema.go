package cli

import (
	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/cli/schema"
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
			text, err := schema.Of(args)
			if err == nil {
				_, err = a.Out.Write(text)
			}
			return err
		},
	}
}
