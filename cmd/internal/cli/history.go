package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/record"
	"hookwatch/suites/report"
	"hookwatch/suites/verdict"
)

func newHistoryCmd(a *app, g *globals) *cobra.Command {
	var slow bool
	cmd := &cobra.Command{
		Use:   "history [ID...]",
		Short: "Show past verdicts, durations and flaky cases",
		Long: `Without an ID: each case on record with how often it ran, its verdict and since
when, and whether it is flaky, which is to have had different verdicts on equal
content with equal tools. With IDs, or ranges such as M15-M18: every verdict, with
what changed before it. With --slow: each hook, and each event and tool of
cases with chain, with how long it took for its cases, the slowest first, and the
cases that became slower. The rolling log, the archive
and the present state count.`,
		RunE: func(_ *cobra.Command, ids []string) error { return runHistory(a, *g, slow, ids) },
	}
	cmd.Flags().BoolVar(&slow, "slow", false, "how long hooks took, the slowest first")
	return cmd
}

func runHistory(a *app, g globals, slow bool, ids []string) error {
	r, dir, err := g.reader()
	if err != nil {
		return err
	}
	defer r.Close()
	past, err := r.Past()
	if err != nil {
		return err
	}
	a.warn(past.Warnings)
	var cases []*suites.Case
	if p, _ := g.tryLoad(); p != nil {
		cases = p.Every()
		past.Records, _ = record.Identify(past.Records, cases)
	}
	all, err := pickHistories(past, g.filter.Suites, ids, dir)
	if err != nil {
		return err
	}
	if slow {
		for _, c := range cases {
			i := slices.IndexFunc(all, func(h verdict.CaseHistory) bool { return h.Key == c.Key() })
			if i >= 0 && c.Chain && len(c.Steps) == 1 {
				all[i].Hook = strings.TrimSpace(c.Steps[0].Event+" "+c.Steps[0].Tool) + " (all hooks)"
			}
		}
		doc := timesDocument{1, list(verdict.HookTimes(all))}
		return a.print(doc, jsonLines(doc.Hooks, ranIn{}), func(w io.Writer) { printTimes(w, doc) })
	}
	doc := newHistoryDocument(all, len(ids) > 0)
	return a.print(doc, jsonLines(doc.Cases, ranIn{}), func(w io.Writer) { printHistory(w, doc) })
}

// timesDocument is the JSON document of history --slow.
type timesDocument struct {
	Version int                `json:"version"`
	Hooks   []verdict.HookTime `json:"hooks"` // the slowest first
}

func printTimes(out io.Writer, doc timesDocument) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, h := range doc.Hooks {
		rowf(w, "%s\t%s\tp50 %d ms\tp95 %d ms\n", h.Hook, session.Count(h.Runs, "run"), h.P50, h.P95)
	}
	_ = w.Flush()
	for _, h := range doc.Hooks {
		for _, s := range h.Slower {
			writef(out, "slower: %s of %s: median %d ms in its last 20 runs, %d ms in the 20 before\n", s.Key, h.Hook, s.Now, s.Before)
		}
	}
}

// historyDocument is the JSON document of history.
type historyDocument struct {
	Version int           `json:"version"`
	Cases   []historyCase `json:"cases"`
}

// historyCase is the history of one case. Entries are listed only for cases selected by ID.
type historyCase struct {
	ID       string         `json:"id"`
	Suite    string         `json:"suite"`
	Name     string         `json:"name"`
	Hook     string         `json:"hook"`
	Runs     int            `json:"runs"`
	Status   suites.Status  `json:"status"` // latest
	Since    string         `json:"since"`  // start of the time with that status
	Flaky    bool           `json:"flaky"`  // different verdicts on equal digests
	MedianMS int64          `json:"median_ms"`
	P95MS    int64          `json:"p95_ms"`
	Verdicts suites.Tally   `json:"verdicts"`
	Entries  []historyEntry `json:"entries,omitempty"`
}

// historyEntry is one verdict, oldest first. Changed lists the differences from the previous
// entry: the case, its inputs, or tools.
type historyEntry struct {
	Time       string         `json:"time"`
	RunID      string         `json:"run_id"`
	Status     suites.Status  `json:"status"`
	Exit       *int           `json:"exit"`
	Note       string         `json:"note"`
	DurationMS int64          `json:"duration_ms"`
	Isolation  string         `json:"isolation"`
	Digests    suites.Digests `json:"digests"`
	Tools      []suites.Tool  `json:"tools,omitempty"`
	Changed    []string       `json:"changed,omitempty"`
}

// newHistoryDocument converts the histories, with the entries of each if entries is set.
func newHistoryDocument(all []verdict.CaseHistory, entries bool) historyDocument {
	doc := historyDocument{Version: 1, Cases: []historyCase{}}
	for i := range all {
		h := &all[i]
		c := historyCase{
			ID: h.Key.ID, Suite: h.Key.Suite, Name: h.Name, Hook: h.Hook, Runs: len(h.Entries), Status: h.Last().Status(),
			Since: h.Since().Timestamp, Flaky: h.Flaky, MedianMS: h.Durations().Quantile(0.5), P95MS: h.Durations().Quantile(0.95), Verdicts: h.Verdicts(),
		}
		for j := range h.Entries {
			if !entries {
				break
			}
			e := &h.Entries[j]
			c.Entries = append(c.Entries, historyEntry{
				Time: e.Timestamp, RunID: e.RunID, Status: e.Status(), Exit: e.ActualExit, Note: e.Note, DurationMS: e.DurationMS,
				Isolation: e.Isolation, Digests: e.Digests, Tools: e.Tools, Changed: changedIn(e),
			})
		}
		doc.Cases = append(doc.Cases, c)
	}
	return doc
}

// changedIn describes the differences from the previous entry.
func changedIn(e *verdict.Entry) []string {
	var out []string
	if e.Edited {
		out = append(out, "the case was edited")
	}
	if e.Inputs {
		out = append(out, "what it tests changed")
	}
	for _, t := range e.Changes {
		out = append(out, t.String())
	}
	if e.ToolsChanged && len(e.Changes) == 0 {
		out = append(out, "a tool changed; which is not on record")
	}
	return out
}

// pickHistories returns the requested histories, limited to the suites in of if there are any. It
// includes cases that the project no longer has.
func pickHistories(past *record.Past, of, asked []string, dir string) ([]verdict.CaseHistory, error) {
	if len(past.Records) == 0 {
		return nil, fmt.Errorf("nothing is on record in %s (hookwatch --once runs all cases)", dir)
	}
	all := slices.DeleteFunc(verdict.Histories(past.Records, past.Environments), func(h verdict.CaseHistory) bool {
		return len(of) > 0 && !slices.Contains(of, h.Key.Suite)
	})
	if len(asked) == 0 {
		return all, nil
	}
	return pickEach(asked, "nothing is on record of %s (hookwatch history lists what is)", func(id string) []verdict.CaseHistory {
		return pickCases(all, id, func(h verdict.CaseHistory) (suites.Key, string) { return h.Key, h.Name })
	})
}

// printHistory prints the document as text.
func printHistory(out io.Writer, doc historyDocument) {
	if len(doc.Cases) > 0 && doc.Cases[0].Entries != nil {
		for i := range doc.Cases {
			ofCase(out, &doc.Cases[i])
		}
		return
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	flaky := 0
	for _, c := range doc.Cases {
		mark := ""
		if c.Flaky {
			mark = "flaky: " + verdictsText(c.Verdicts)
			flaky++
		}
		rowf(w, "%s\t%s\t%s\t%s since %s\t%d ms\t%s\n", c.title(), c.Name, session.Count(c.Runs, "run"), c.Status, c.Since, c.MedianMS, mark)
	}
	_ = w.Flush()
	writef(out, "%s on record, %d flaky\n", session.Count(len(doc.Cases), "case"), flaky)
}

func (c *historyCase) title() string {
	if c.Suite == "" {
		return c.ID
	}
	return c.Suite + "/" + c.ID
}

func ofCase(out io.Writer, c *historyCase) {
	writef(out, "%s %s   %s: %s   median %d ms\n", c.title(), c.Name, session.Count(c.Runs, "run"), verdictsText(c.Verdicts), c.MedianMS)
	if c.Flaky {
		writef(out, "  flaky: different verdicts on equal content with equal tools\n")
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for i := range c.Entries {
		e := &c.Entries[i]
		for _, changed := range e.Changed {
			rowf(w, "  \t%s\n", changed)
		}
		rowf(w, "  %s\t%s\t%d ms\t%s\n", e.Time, e.Status, e.DurationMS, e.Note)
	}
	_ = w.Flush()
	if tools := c.Entries[len(c.Entries)-1].Tools; len(tools) > 0 {
		writef(out, "  tools now: %s\n", toolsText(tools))
	}
	writef(out, "\n")
}

func toolsText(tools []suites.Tool) string {
	var names []string
	for _, t := range tools {
		switch {
		case !t.Present():
			names = append(names, t.Name+" absent")
		case t.Version != "":
			names = append(names, t.Name+" ("+t.Version+")")
		default:
			names = append(names, t.Name)
		}
	}
	return strings.Join(names, ", ")
}

// verdictsText lists the number of each verdict: "3 pass, 1 fail".
func verdictsText(t suites.Tally) string {
	var parts []string
	for i, n := range []int{t.Passed, t.Failed, t.Skipped, t.Unproven, t.Aborted} {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, suites.Statuses[i]))
		}
	}
	return strings.Join(parts, ", ")
}

func newCompareCmd(a *app, g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "compare [A [B]]",
		Short: "Compare two runs",
		Long: `Say what differs between two archived runs: the latest two, run A and the present
state, or runs A and B. A run is named by its folder in the archive.`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error { return runCompare(a, *g, args) },
	}
}

func runCompare(a *app, g globals, args []string) error {
	r, dir, err := g.reader()
	if err != nil {
		return err
	}
	defer r.Close()
	before, after, err := pair(r, dir, args)
	if err != nil {
		return err
	}
	a.warn(append(before.Warnings, after.Warnings...))
	was, is := session.RunOf(before), session.RunOf(after)
	if p, _ := g.tryLoad(); p != nil {
		is.Concerns = p.Concerning(session.UsedBy(r.ReadObserved()))
	}
	c := verdict.Compare(was, is)
	c.Warn("the earlier run is not whole: ", session.Incomplete(before, after))
	if len(args) != 1 { // the present state need not have every case
		c.Warn("the later run is not whole: ", session.Incomplete(after, before))
	}
	doc := newCompareDocument(c)
	return a.print(doc, jsonLines(doc.Deltas, ranIn{}), func(w io.Writer) {
		_, _ = w.Write(report.Comparison(c))
	})
}

// compareDocument is the JSON document of compare. Counts has every kind; the counts add up to
// the number of cases in either run.
type compareDocument struct {
	Version     int                  `json:"version"`
	Before      verdict.RunSummary   `json:"before"`
	After       verdict.RunSummary   `json:"after"`
	Counts      map[verdict.Kind]int `json:"counts"`
	Deltas      []delta              `json:"deltas"`
	Environment []comparedTool       `json:"environment"`
	Warnings    []string             `json:"warnings"`
}

// delta is a case that differs; a side without the case is null.
type delta struct {
	verdict.Delta
	Tools []string `json:"tools"` // changed tools that the case uses
}

// comparedTool describes a tool that changed between the runs.
type comparedTool struct {
	Name string `json:"name"`
	What string `json:"what"`
}

// newCompareDocument converts a comparison.
func newCompareDocument(c verdict.Comparison) compareDocument {
	doc := compareDocument{
		Version: 1, Counts: c.Counts, Warnings: append([]string{}, c.Warnings...), Deltas: []delta{},
		Before: c.Prev, After: c.Cur,
		Environment: []comparedTool{},
	}
	for _, d := range c.Deltas {
		delta := delta{Delta: d, Tools: []string{}}
		for _, t := range d.Tools {
			delta.Tools = append(delta.Tools, t.Name)
		}
		doc.Deltas = append(doc.Deltas, delta)
	}
	for _, t := range c.Environment {
		doc.Environment = append(doc.Environment, comparedTool{t.Name, t.String()})
	}
	return doc
}

// snapshot reads an archived run, or the present state if run is "".
func snapshot(r *record.Reader, dir, run string) (*record.Snapshot, error) {
	if run == "" {
		return r.Read()
	}
	runs, err := r.Runs()
	if err != nil {
		return nil, err
	}
	for _, full := range runs {
		if full.Stamp == run || run == "latest" {
			return r.ReadRun(full)
		}
	}
	return nil, fmt.Errorf("no archived run %s in %s (there are %d)", run, dir, len(runs))
}

// pair reads the two runs to compare.
func pair(r *record.Reader, dir string, args []string) (before, after *record.Snapshot, err error) {
	names := args
	if len(names) == 0 {
		runs, err := r.Runs()
		if err != nil {
			return nil, nil, err
		}
		if len(runs) < 2 {
			return nil, nil, fmt.Errorf("%d full runs in %s: two are needed (hookwatch --once makes one)", len(runs), dir)
		}
		names = []string{runs[1].Stamp, runs[0].Stamp}
	}
	if before, err = snapshot(r, dir, names[0]); err != nil {
		return nil, nil, err
	}
	second := ""
	if len(names) == 2 {
		second = names[1]
	}
	after, err = snapshot(r, dir, second)
	if err == nil && len(after.Records) == 0 {
		err = errors.New("there is no present state to compare with: hookwatch --once makes one")
	}
	return before, after, err
}
