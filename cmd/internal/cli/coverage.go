package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/engine/state"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites/depend/cover"
)

func (a *app) coverageCommand() *cobra.Command {
	lcov := ""
	cmd := &cobra.Command{
		Use:   "coverage",
		Short: "Show which functions and lines of the hooks no case runs",
		Long: `Say which functions and lines of the hooks' shell scripts the cases run, and which
none does. It runs cases once more where it is not known what they execute, and
judges none of these runs. -v names the cases of each function.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.coverage(cmd.Context(), lcov) },
	}
	cmd.Flags().StringVar(&lcov, "lcov", "", "write an lcov `FILE` as well, for genhtml and editors")
	return cmd
}

func (a *app) coverage(ctx context.Context, lcov string) error {
	p, err := a.loadShown()
	if err != nil {
		return err
	}
	o, err := a.open(p, diagnostics{a.log()}, a.openRecords(p.Config), true)
	if err != nil {
		return err
	}
	defer o.close()
	c := o.Coverage(ctx)
	if ctx.Err() != nil {
		return ErrInterrupted
	}
	if lcov != "" {
		if err := writeLCOV(lcov, c.Files); err != nil {
			return err
		}
	}
	doc := newCoverageDocument(c)
	doc.ranIn = ranIn{o.Isolation(), o.Weaker()}
	return a.print(doc, len(doc.Files), doc.Line, func(w io.Writer) { printCoverage(w, c, a.verbose) })
}

func writeLCOV(path string, files []cover.File) error {
	var text bytes.Buffer
	if err := cover.WriteLCOV(&text, files); err != nil {
		return err
	}
	return os.WriteFile(path, text.Bytes(), 0o644)
}

// seen is what traces tell of a project, for verify; without records nothing.
func (a *app) seen(p *project.Project) (unentered []state.Unentered, files []cover.File) {
	s, err := state.Look(p, os.Environ(), a.records(p.Config))
	if err != nil {
		return nil, nil
	}
	c := s.Coverage()
	if c.Stale > 0 || len(c.Untraced) > 0 {
		return s.Unentered(), nil // a case that is not known may cover anything
	}
	return s.Unentered(), slices.DeleteFunc(c.Files, func(f cover.File) bool { return !c.Whole(f.Path) })
}
