package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"slices"

	"hookwatch/suites/depend/trace"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/session"
)

func newCoverageCmd(a *app, g *globals) *cobra.Command {
	lcov := ""
	cmd := &cobra.Command{
		Use:   "coverage",
		Short: "Show which functions and lines of the hooks no case runs",
		Long: `Show which functions and lines of the hooks' scripts the cases run, and which none
does. It runs cases once more where it is not known what they execute, and
judges none of these runs. -v names the cases of each function.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runCoverage(cmd.Context(), a, *g, lcov) },
	}
	cmd.Flags().StringVar(&lcov, "lcov", "", "write an lcov `FILE` as well, for genhtml and editors")
	return cmd
}

func runCoverage(ctx context.Context, a *app, g globals, lcov string) error {
	p, err := g.loadCases()
	if err != nil {
		return err
	}
	c, in, err := coverageOf(ctx, a, g, p, false)
	if err != nil {
		return err
	}
	if lcov != "" {
		var text bytes.Buffer
		if err := trace.WriteLCOV(&text, c.Files); err != nil {
			return err
		}
		if err := os.WriteFile(lcov, text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	doc := coverageDocument{1, list(c.Files), list(keyTexts(c.Untraced)), c.Stale, list(c.Opaque), in}
	return a.print(doc, jsonLines(doc.Files, doc.ranIn), func(w io.Writer) { printCoverage(w, c, a.verbose) })
}

// coverageOf returns the coverage of the project's cases. It makes missing traces unless static is set.
func coverageOf(ctx context.Context, a *app, g globals, p *session.Project, static bool) (session.Coverage, ranIn, error) {
	if static || len(p.Cases) == 0 {
		k, err := session.Look(p, os.Environ(), g.recordsPlace(p.Config))
		if err != nil {
			return session.Coverage{}, ranIn{}, err
		}
		return k.Coverage(), ranIn{}, nil
	}
	o, err := openSession(a, g, p, diagnostics{a.log()}, g.openRecords(p.Config), true)
	if err != nil {
		return session.Coverage{}, ranIn{}, err
	}
	defer o.close()
	return o.Coverage(ctx), inIsolation(o.Isolation()), ctx.Err()
}

// traceResults returns the results of traces for verify, or nothing if there are no records.
func traceResults(g globals, p *session.Project) (unentered []session.Unentered, files []trace.Coverage) {
	s, err := session.Look(p, os.Environ(), g.recordsPlace(p.Config))
	if err != nil {
		return nil, nil
	}
	c := s.Coverage()
	if c.Stale > 0 || len(c.Untraced) > 0 {
		return s.UnenteredFunctions(), nil // a case without a current trace may cover anything
	}
	return s.UnenteredFunctions(), slices.DeleteFunc(c.Files, func(f trace.Coverage) bool { return !c.IsComplete(f.Path) })
}

// coverageDocument is the JSON document of coverage.
type coverageDocument struct {
	Version  int              `json:"version"`
	Files    []trace.Coverage `json:"files"`
	Untraced []string         `json:"untraced"` // cases that ran but were not traced
	Stale    int              `json:"stale"`    // cases without a current verdict
	Opaque   []string         `json:"opaque"`   // scripts in languages that are not traced

	ranIn // the isolation of traced cases
}

// printCoverage prints the coverage as text, and with verbose the cases of every function.
func printCoverage(w io.Writer, c session.Coverage, verbose bool) {
	for i := range c.Files {
		f := &c.Files[i]
		writef(w, "%s  %d of %d lines, %d of %s, by %s\n", f.Path, f.Run(), len(f.Lines),
			f.Entered(), session.Count(len(f.Functions), "function"), session.Count(f.Cases, "case"))
		for _, fn := range f.Functions {
			switch {
			case len(fn.Cases) == 0:
				writef(w, "  no case enters %s (line %d)\n", fn.Name, fn.Line)
			case verbose:
				writef(w, "  %s (line %d): %s\n", fn.Name, fn.Line, session.IDs(fn.Cases))
			}
		}
		for _, g := range f.Gaps {
			if !isUnentered(f, g) {
				writef(w, "  no case runs %s\n", g)
			}
		}
	}
	for _, path := range c.Opaque {
		writef(w, "%s  is in no language that can be traced\n", path)
	}
	if len(c.Untraced) > 0 {
		writef(w, "not known of %s: %s\n", session.Count(len(c.Untraced), "case"), some(keyTexts(c.Untraced), false))
	}
	if c.Stale > 0 {
		writef(w, "%s without a verdict on the present files: hookwatch --once --changed runs them\n", session.Count(c.Stale, "case"))
	}
}

// isUnentered reports whether a gap is in a function that no case enters, which is already
// reported.
func isUnentered(f *trace.Coverage, g trace.Gap) bool {
	for _, fn := range f.Functions {
		if fn.Name == g.Function && fn.Line <= g.From && g.To <= fn.End {
			return len(fn.Cases) == 0
		}
	}
	return false
}
