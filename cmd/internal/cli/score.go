package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/bench"
	"hookwatch/suites/catalog"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/mutate"
	"hookwatch/suites/score"
	"hookwatch/suites/verdict"
)

// scoring holds the flags of score.
type scoring struct {
	operators     []string
	seed          uint64
	most          int
	budget        time.Duration
	want          float64
	known, write  string
	minimumTested int
}

func newScoreCmd(a *app, g *globals) *cobra.Command {
	var o scoring
	cmd := &cobra.Command{
		Use:   "score [HOOK]",
		Short: "Break the hooks on purpose, and count how many breaks the cases notice",
		Long: `Break the scripts that the cases execute, one place at a time, and run the cases that
execute the place, until one of them fails. The score is the share of the broken
versions that a case notices; the others are listed with what would notice them.
HOOK is a part of the path of a script, or of the ID of a registered hook. The project
itself is not changed: the cases see the broken script in their sandbox. See hookwatch
help scoring.`,
		Example: `  hookwatch score guard.sh
  hookwatch score --suite guard --budget 30s --write .claude/tests/hooks/suites/missing.yaml
  hookwatch score --want 80 --equivalent .claude/tests/hooks/equivalent.yaml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runScore(cmd.Context(), a, *g, append(args, "")[0], o)
		},
	}
	f := cmd.Flags()
	f.DurationVar(&o.budget, "budget", 50*time.Second, "try broken versions for this `TIME` for each script (0: until all were tried)")
	f.StringVar(&o.known, "equivalent", "", "leave out survivors that this `FILE` explains")
	f.IntVar(&o.most, "most", 0, "try at most `N` broken versions of each script and operator (0: all)")
	f.StringSliceVar(&o.operators, "operator", nil, "only these operators (`NAME`, ...): "+strings.Join(mutate.Operators, ", "))
	f.Uint64Var(&o.seed, "seed", 1, "try them in another order: `N`")
	f.Float64Var(&o.want, "want", 0, "exit with 1 if the score is below `PERCENT`")
	f.IntVar(&o.minimumTested, "least", 0, "with --want: exit with 1 if fewer than `N` broken versions count")
	f.StringVar(&o.write, "write", "", "write a case to start from for each survivor to this new suite `FILE`")
	return cmd
}

func runScore(ctx context.Context, a *app, g globals, hook string, o scoring) error {
	for _, op := range o.operators {
		if !slices.Contains(mutate.Operators, op) {
			return fmt.Errorf("--operator %s: want %s", op, strings.Join(mutate.Operators, ", "))
		}
	}
	options := score.Options{Operators: o.operators, Seed: o.seed, Most: o.most, Budget: o.budget}
	if o.known != "" {
		data, err := os.ReadFile(g.relative(o.known))
		if err == nil {
			options.Known, err = score.ParseNotes(data)
		}
		if err != nil {
			return fmt.Errorf("--equivalent: %s: %w", o.known, err)
		}
	}
	p, err := g.loadToRun(false, "")
	if err != nil {
		return err
	}
	cases, err := scoredCases(p, g.hookName(p, hook), &options)
	if err != nil {
		return err
	}
	t, err := newParallelTrial(a, p, "score runs broken hooks")
	if err != nil {
		return err
	}
	defer t.close()
	if t.progress != nil {
		options.Progress = func(s score.Progress) { showScoring(t.progress, s) }
	}
	began := time.Now()
	res, err := score.Score(ctx, cases, scoreMachine(p, t.bench), options)
	if err != nil {
		return err
	}
	t.progress.end()
	doc := newScoreDocument(p, res, o, time.Since(began))
	doc.Interrupted, doc.ranIn = ctx.Err() != nil, t.ranIn
	counted := doc.Mutants - doc.Equivalent
	failed := o.want > 0 && (doc.Score < o.want || counted < o.minimumTested || len(doc.Contradicted) > 0)
	return a.reportAndWrite(ctx, result{
		doc: doc, items: jsonLines(doc.Survivors, doc.ranIn), text: func(w io.Writer) { printScore(w, doc, a.verbose) },
	}, failed, o.write, func(file string) error { return writeScored(a, g, p, file, res) })
}

// showScoring shows the progress.
func showScoring(l *progress, s score.Progress) {
	if s.Of == 0 {
		l.show("running %d of %s as they are", s.Cases, session.Count(s.CasesOf, "case"))
		return
	}
	if s.Survivor != "" {
		l.result("SURVIVED " + s.Survivor)
	}
	l.show("scoring %d of %d: %s  %.40s", s.Tried, s.Of, session.Count(s.Survivors, "survivor"), s.File)
}

// scoredCases returns the cases that can notice a broken script, with their controls, and limits
// what is broken to the named hook.
func scoredCases(p *session.Project, hook string, o *score.Options) ([]*suites.Case, error) {
	if hook != "" {
		tree := p.Tree(os.Environ())
		tree.Named = hook
		var scripts []string
		for _, h := range tree.Asked() {
			scripts = append(scripts, h.Scripts...)
		}
		o.Breaks = func(file string) bool { return strings.Contains(file, hook) || slices.Contains(scripts, file) }
	}
	var chosen []*suites.Case
	for _, c := range p.Cases {
		if c.Layer != suites.Live && c.Check == nil && (o.Breaks == nil || slices.ContainsFunc(p.Graph.Scripts(c), o.Breaks)) {
			chosen = append(chosen, c)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no case runs a script with %q in its path or in the ID of its hook (hookwatch list shows the cases)", hook)
	}
	var cases []*suites.Case
	for _, s := range verdict.WithControls(verdict.All(chosen, ""), p.Every()) {
		cases = append(cases, s.Case)
	}
	return cases, nil
}

// scoreMachine returns the machine that runs the cases.
func scoreMachine(p *session.Project, b *bench.Bench) score.Machine {
	const most = 1 << 20
	read := func(file string) ([]byte, bool, error) {
		f, err := p.Reader.Anywhere().Open(p.Config.Abs(file), most)
		if err != nil {
			return nil, false, err
		}
		defer f.Close()
		content, err := f.ReadAll(most)
		return content, f.Info.Mode()&0o111 != 0, err
	}
	by := trace.NewScripts(func(file string) ([]byte, error) {
		content, _, err := read(file)
		return content, err
	})
	return score.Machine{
		Bench: b, Read: read,
		Decode: func(c *suites.Case, o *suites.Outcome) (t *trace.Trace) {
			if o.NotRun == nil && o.Trace != nil {
				t = trace.DecodeOutcome(o, p.FiredScripts(c, len(o.Results)), by)
			}
			return t
		},
	}
}

// scoreDocument is the JSON document of score.
type scoreDocument struct {
	Version      int             `json:"version"`
	Project      string          `json:"project"`
	Cases        int             `json:"cases"` // that take part
	LeftOut      []scoreLeft     `json:"left_out"`
	score.Sum                    // of all
	Score        float64         `json:"score"` // percent
	Chosen       int             `json:"chosen"`
	Made         int             `json:"made"`
	Scripts      []scoredPart    `json:"scripts"`
	Operators    []scoredPart    `json:"operators"`
	Unbroken     []scoreUnbroken `json:"unbroken"`
	Survivors    []scoreSurvivor `json:"survivors"`
	Contradicted []string        `json:"contradicted,omitempty"`
	Seed         uint64          `json:"seed"`
	BudgetMS     int64           `json:"budget_ms"`
	Millis       int64           `json:"duration_ms"`
	Interrupted  bool            `json:"interrupted,omitempty"`

	ranIn
}

// scoreLeft is a case that takes no part.
type scoreLeft struct {
	Case   string        `json:"case"`
	Status suites.Status `json:"status"`
	Note   string        `json:"note"`
}

// scoredPart is the score of a script or an operator.
type scoredPart struct {
	Name string `json:"name"`
	score.Sum
	Score float64 `json:"score"`
}

// scoreUnbroken is a script that was not broken.
type scoreUnbroken struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

// scoreSurvivor is a broken script that no case notices.
type scoreSurvivor struct {
	mutate.Identity
	Line     int       `json:"line"`
	Column   int       `json:"column"`
	Before   string    `json:"before"`
	After    string    `json:"after"`
	Executed int       `json:"executed"` // number of cases that execute it
	Gap      score.Gap `json:"gap"`
	Notice   string    `json:"notice"`
	Note     string    `json:"note,omitempty"`
}

func newScoreDocument(p *session.Project, res *score.Result, o scoring, took time.Duration) scoreDocument {
	all := res.Sum(score.Of("", ""))
	doc := scoreDocument{
		Version: 1, Project: p.Name(), Cases: res.Cases, LeftOut: []scoreLeft{}, Sum: all, Score: roundPercent(all), Chosen: res.Of, Made: res.Made,
		Scripts: []scoredPart{}, Operators: []scoredPart{}, Unbroken: []scoreUnbroken{}, Survivors: []scoreSurvivor{}, Contradicted: res.Wrong(),
		Seed: o.seed, BudgetMS: o.budget.Milliseconds(), Millis: took.Milliseconds(),
	}
	for _, l := range res.LeftOut {
		doc.LeftOut = append(doc.LeftOut, scoreLeft{l.Key.String(), l.Status, l.Note})
	}
	for _, file := range res.Files {
		sum := res.Sum(score.Of(file, ""))
		doc.Scripts = append(doc.Scripts, scoredPart{file, sum, roundPercent(sum)})
	}
	for _, op := range res.Operators() {
		sum := res.Sum(score.Of("", op))
		doc.Operators = append(doc.Operators, scoredPart{op, sum, roundPercent(sum)})
	}
	for file, why := range res.Unbroken {
		doc.Unbroken = append(doc.Unbroken, scoreUnbroken{file, why})
	}
	slices.SortFunc(doc.Unbroken, func(a, b scoreUnbroken) int { return strings.Compare(a.File, b.File) })
	for _, f := range res.Survivors() {
		before, after := f.Diff()
		doc.Survivors = append(doc.Survivors, scoreSurvivor{f.ID, f.Line, f.Column, before, after, f.Executed, f.Gap, f.Notice, f.Note.String()})
	}
	return doc
}

// roundPercent returns a score with one decimal.
func roundPercent(s score.Sum) float64 { return float64(int(s.Percent()*10+0.5)) / 10 }

// survivorGroups joins survivors that the same input would reach, those that the same expectation
// would notice, and those of a line. With verbose each stays alone.
func survivorGroups(all []scoreSurvivor, verbose bool) (groups [][]scoreSurvivor) {
	type place struct {
		file, notice string
		line         int
	}
	at := map[place]int{}
	for _, s := range all {
		p := place{s.File, s.Notice, s.Line}
		if s.Gap != score.Same {
			p.line = 0
		}
		i, known := at[p]
		if !known || verbose || s.Note != "" {
			i = len(groups)
			at[p] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], s)
	}
	return groups
}

func printSurvivors(w io.Writer, group []scoreSurvivor, verbose bool) {
	s, in := group[0], ""
	if s.Function != "" {
		in = " in " + s.Function
	}
	more := ""
	if n := len(group) - 1; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
		if last := group[n].Line; last > s.Line {
			more += fmt.Sprintf(" up to line %d", last)
		}
	}
	writef(w, "SURVIVED %s:%d:%d%s  [%s]%s\n", s.File, s.Line, s.Column, output(in), s.Operator, more)
	writef(w, "  - %s\n", output(s.Before))
	if s.After != "" {
		writef(w, "  + %s\n", output(s.After))
	}
	writef(w, "  %s\n", output(s.Notice))
	if s.Note != "" {
		writef(w, "  %s\n", output(s.Note))
	} else if verbose {
		writef(w, "  as an entry of --equivalent: {file: %s, function: %q, operator: %s, change: %q, nth: %d, equivalent: WHY}\n", s.File, s.Function, s.Operator, s.Change, s.Nth)
	}
}

// printScore prints the survivors and the table.
func printScore(w io.Writer, doc scoreDocument, verbose bool) {
	for _, group := range survivorGroups(doc.Survivors, verbose) {
		printSurvivors(w, group, verbose)
	}
	for _, u := range doc.Unbroken {
		writef(w, "not broken: %s: %s\n", u.File, output(u.Why))
	}
	for _, l := range doc.LeftOut {
		if verbose || l.Status != suites.Skip {
			writef(w, "takes no part: %s, %s: %s\n", l.Case, l.Status, output(l.Note))
		}
	}
	for _, c := range doc.Contradicted {
		writef(w, "--equivalent: %s\n", output(c))
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	writef(table, "\tbroken\tnoticed\tsurvived\tnot executed\tequivalent\tscore\t\n")
	for _, part := range slices.Concat(doc.Operators, doc.Scripts, []scoredPart{{"all", doc.Sum, doc.Score}}) {
		writef(table, "%s\t%d\t%d\t%d\t%d\t%d\t%.1f %%\t\n", part.Name, part.Mutants, part.Killed, part.Survived, part.Unexecuted, part.Equivalent, part.Score)
	}
	_ = table.Flush()
	printIsolation(w, doc.ranIn)
	writef(w, "%s noticed %d of %d broken versions, %.1f %%, in %.1f s", session.Count(doc.Cases, "case"), doc.Killed, doc.Mutants-doc.Equivalent, doc.Score, float64(doc.Millis)/1000)
	if doc.Survived > 0 {
		writef(w, "; of the survivors some may be equivalent: no case could notice them")
	}
	writef(w, "\n")
	switch left := doc.Chosen - doc.Mutants; {
	case doc.Interrupted:
		writef(w, "interrupted: %d broken versions were not tried\n", left)
	case left > 0:
		writef(w, "the time was up: %d broken versions were not tried (--budget)\n", left)
	}
}

// writeScored writes a new suite file with a case for each survivor.
func writeScored(a *app, g globals, p *session.Project, file string, res *score.Result) error {
	return appendToSuite(a, g, p, file, func(existing, name string) (string, int, error) {
		if existing != "" {
			return "", 0, errors.New("it exists: name a new file with --write")
		}
		suite := res.Suite(name)
		if len(suite.Cases) == 0 {
			writef(a.Err, "there is no survivor with a case to start from\n")
		}
		text, err := catalog.Write(suite, false)
		return string(text), len(suite.Cases), err
	})
}
