package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"hookwatch/suites/plan"
)

func (a *app) runCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run ID...",
		Short: "Run single cases, with their controls",
		Long: `Run the named cases, and the controls they need, and update the present state.
An ID is that of a case (P01), of a case in a suite (pm/P01), or a range (P01-P09, M9-M12).`,
		RunE: func(cmd *cobra.Command, ids []string) error {
			if len(ids) == 0 {
				return fmt.Errorf("run needs an ID, such as hookwatch run P01; hookwatch list shows them")
			}
			p, err := a.load()
			if err != nil {
				return err
			}
			cases, err := pick(p, ids)
			if err != nil {
				return err
			}
			return a.runOnce(cmd.Context(), p, func(*opened) ([]plan.Selected, bool, error) {
				return plan.WithControls(plan.All(cases, "asked for"), p.Every()), false, nil
			})
		},
	}
	cmd.Flags().BoolVar(&a.live, "live", false, "have the real client fire the hooks (see hookwatch help client)")
	return cmd
}
