package cli

import (
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/contract"
	"hookwatch/cmd/internal/engine/sandboxes"
	"hookwatch/suites/client/cells"
)

func (a *app) contractCommand() *cobra.Command {
	var only string
	cmd := &cobra.Command{
		Use:   "contract",
		Short: "Hold what hookwatch knows of the client against the one that is installed",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.contract(cmd, only) },
	}
	cmd.Flags().StringVar(&only, "cell", "", "only cells whose ID matches `GLOB`")
	return cmd
}

func (a *app) contract(cmd *cobra.Command, only string) error {
	p, err := a.loadHooks()
	if err != nil {
		return err
	}
	r, temp, err := a.bare(p)
	if err != nil {
		return err
	}
	defer sandboxes.New(p.Root()).Close(temp)
	defer r.Close()
	all := slices.DeleteFunc(cells.All(), func(c cells.Cell) bool { ok, _ := doublestar.Match(only, c.ID()); return only != "" && !ok })
	res, err := contract.Play(cmd.Context(), r, runtime.NumCPU(), all)
	if err != nil {
		return err
	}
	return a.print(res, len(res.Rows), func(i int) any { return res.Rows[i] }, func(w io.Writer) { fmt.Fprintln(w, res.Client, len(res.Rows)) })
}
