package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"hookwatch/suites"
	"hookwatch/suites/record"
	"hookwatch/suites/verdict"
)

func (a *app) queryCommand() *cobra.Command {
	var run string
	var rolling bool
	cmd := &cobra.Command{
		Use:   "query FILTER",
		Short: "Query the records with a jq filter",
		Long: `Run a jq filter over the array of records: those of the present state, of an
archived run (--run), or every one of the rolling log (--rolling).`,
		Example: `  hookwatch query 'map(select(.pass == false)) | .[].id'
  hookwatch query 'group_by(.suite) | map({(.[0].suite): length}) | add'`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("query needs one jq filter, such as hookwatch query 'length'")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := verdict.CompileQuery(args[0])
			if err != nil {
				return err
			}
			r, dir, err := a.reader()
			if err != nil {
				return err
			}
			defer r.Close()
			records, err := a.queried(r, dir, run, rolling)
			if err != nil {
				return err
			}
			enc := a.encoder()
			return q.Run(cmd.Context(), records, func(v any) error { return enc.Encode(v) })
		},
	}
	cmd.Flags().StringVar(&run, "run", "", "of this archived run (`STAMP`, or \"latest\")")
	cmd.Flags().BoolVar(&rolling, "rolling", false, "every record of the rolling log")
	return cmd
}

// queried reads the records for a query.
func (a *app) queried(r *record.Reader, dir, run string, rolling bool) ([]suites.Record, error) {
	if rolling {
		var all []suites.Record
		warnings, err := r.History(func(_ string, one suites.Record) bool {
			all = append(all, one)
			return true
		})
		a.warn(warnings)
		return all, err
	}
	snap, err := snapshot(r, dir, run)
	if err != nil {
		return nil, err
	}
	a.warn(snap.Warnings)
	return snap.Records, nil
}
