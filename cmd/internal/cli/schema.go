package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"hookwatch/config"
	"hookwatch/suites/catalog"
)

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:       "schema suite|config",
		Short:     "Print the JSON Schema of a suite file or of .hookwatch.yaml",
		ValidArgs: []string{"suite", "config"},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("schema needs a name: suite or config")
			}
			var text []byte
			switch args[0] {
			case "suite":
				text = catalog.Schema()
			case "config":
				text = config.Schema()
			default:
				return fmt.Errorf("no schema %q: want suite or config", args[0])
			}
			_, err := a.Out.Write(text)
			return err
		},
	}
}
