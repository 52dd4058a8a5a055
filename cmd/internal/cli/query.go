package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"hookwatch/suites"
	"hookwatch/suites/verdict"
)

type queryOptions struct {
	run     string
	rolling bool
}

func newQueryCmd(a *app, g *globals) *cobra.Command {
	var o queryOptions
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
			records, err := queriedRecords(*g, o)
			if err != nil {
				return err
			}
			enc := a.encoder()
			return q.Run(cmd.Context(), records, func(v any) error { return enc.Encode(v) })
		},
	}
	cmd.Flags().StringVar(&o.run, "run", "", "of this archived run (`STAMP`, or \"latest\")")
	cmd.Flags().BoolVar(&o.rolling, "rolling", false, "every record of the rolling log")
	return cmd
}

func queriedRecords(g globals, o queryOptions) (all []suites.Record, err error) {
	r, dir, err := g.reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if o.rolling {
		warnings, err := r.History(func(_ string, one suites.Record) bool {
			all = append(all, one)
			return true
		})
		g.warn(warnings)
		return all, err
	}
	snap, err := snapshot(r, dir, o.run)
	if err != nil {
		return nil, err
	}
	g.warn(snap.Warnings)
	return snap.Records, nil
}
