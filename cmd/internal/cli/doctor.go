package cli

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/engine"
	"hookwatch/cmd/internal/engine/equipment"
	"hookwatch/cmd/internal/engine/sandboxes"
)

func (a *app) doctorCommand() *cobra.Command {
	compare := false
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Diagnose missing tools and isolation",
		Long: `Tell which isolation holds on this machine and why not a better one, and of each
tool that the project's hooks call where it is, its version, what its absence
means for the cases and how to install it. No hook runs.

With --isolation every case runs twice, in place and isolated, and each verdict
that differs is explained. In place means that hooks do to your files what they
do.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context(), compare) },
	}
	cmd.Flags().BoolVar(&compare, "isolation", false, "run the cases in place and isolated, and compare")
	return cmd
}

func (a *app) doctor(ctx context.Context, compare bool) error {
	p, err := a.loadHooks()
	if err != nil {
		return err
	}
	place := sandboxes.New(p.Root())
	a.inOrder.Store(true)
	temp, keep, err := place.Open(false)
	if err != nil {
		return err
	}
	defer place.Close(temp)
	o := engine.Options{Project: p, Temp: temp, Keep: keep, Env: os.Environ(), Shuffle: a.shuffle, Rerun: a.program().About(p, "run")}
	d, err := equipment.Diagnose(ctx, equipment.Options{Temp: temp, Env: o.Env, Warn: func(string) {}}, p)
	if err != nil {
		return err
	}
	doc := newDoctorDocument(Version, p, d)
	if compare {
		if err := doc.Compare(ctx, o); err != nil {
			return err
		}
	}
	err = a.print(doc, len(doc.Tools), func(i int) any { return doc.Tools[i] }, func(w io.Writer) { printDoctor(w, doc, compare) })
	if err == nil && len(doc.Differ) > 0 {
		return ErrFailed
	}
	return err
}
