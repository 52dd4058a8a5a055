package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/bench"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/live"
	"hookwatch/suites/run"
)

type contractOptions struct{ cell, client, against string }

func newContractCmd(a *app, g *globals) *cobra.Command {
	var o contractOptions
	cmd := &cobra.Command{
		Use:   "contract",
		Short: "Compare hookwatch's model of the client with the installed client",
		Long: `Play each measured cell of the client's contract, one output of a hook at one
event, one matcher or one settings file, to the installed client, and report whether it
does what hookwatch predicts: confirmed, changed with what was seen, or not reachable
with the reason. A changed cell makes the exit code 1. Without a client it is skipped.

The client runs against a scripted model on loopback, with a dummy key and a HOME of
its own. --format json gives a document without times or paths, in a fixed order: two
clients are compared by a diff of theirs. --client plays another client's cells.

--against names another version of the client: the cells of both are compared, and the
outputs that your hooks had in recorded runs. If a hook is touched, the exit code is 1.`,
		Example: `  hookwatch contract
  hookwatch contract --cell 'PreToolUse/*' -v
  hookwatch contract --client codex
  hookwatch contract --against 2.1.197
  hookwatch contract --format json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runContract(cmd.Context(), a, *g, o) },
	}
	withClient(cmd.Flags(), &o.client)
	cmd.Flags().StringVar(&o.against, "against", "", "compare with another `VERSION` that was measured, or with the program at this path")
	cmd.Flags().StringVar(&o.cell, "cell", "", "only cells whose ID matches this `GLOB`, such as 'Stop/*'")
	return cmd
}

func runContract(ctx context.Context, a *app, g globals, o contractOptions) error {
	if !g.allCases() {
		return errors.New("--suite and --filter do not go with contract: --cell GLOB chooses its cells")
	}
	other, err := liveClient(o.client)
	if err != nil {
		return err
	}
	all := questions()
	if other.Name != "" {
		if all, err = otherQuestions(other); err != nil {
			return err
		}
	}
	if o.cell != "" {
		if !doublestar.ValidatePattern(o.cell) {
			return fmt.Errorf("--cell %s is no pattern", o.cell)
		}
		all = slices.DeleteFunc(all, func(q question) bool { return !doublestar.MatchUnvalidated(o.cell, q.ID()) })
	}
	if len(all) == 0 {
		return fmt.Errorf("--cell %s matches no cell; hookwatch contract -v lists them", o.cell)
	}
	p, err := g.loadHooks()
	if err != nil {
		return err
	}
	p.LiveOf = other
	t, err := newTrial(a, p)
	if err != nil {
		return err
	}
	defer t.close()
	if o.against != "" {
		return compareClients(ctx, a, g, p, t, all, o.against)
	}
	res, err := playQuestions(ctx, t.Runner, t.bench, all)
	if err != nil {
		return err
	}
	doc := newDocument(res)
	doc.Name, doc.ranIn, doc.Newer = other.Name, t.ranIn, p.NewerEvents(os.Environ())
	return a.report(result{doc: doc, items: jsonLines(doc.Cells, doc.ranIn), text: func(w io.Writer) { printContract(w, doc, a.verbose) }}, doc.Changed > 0 || doc.Fault != "" || len(doc.Elsewhere) > 0)
}

// A contractDocument is the JSON document of contract. Documents of two clients differ only where
// the clients behave differently.
type contractDocument struct {
	Version      int           `json:"version"`
	Name         string        `json:"name,omitempty"` // of another client than Claude Code
	Client       string        `json:"client"`         // its version
	Confirmed    int           `json:"confirmed"`
	Changed      int           `json:"changed"`
	NotReachable int           `json:"not_reachable"`
	Skipped      string        `json:"skipped,omitempty"`
	Fault        string        `json:"fault,omitempty"`
	Elsewhere    []string      `json:"elsewhere,omitempty"` // requests to anything but the model, all refused
	Newer        []string      `json:"newer,omitempty"`     // events of the client that the model lacks
	Cells        []contractRow `json:"cells"`

	ranIn
}

// newDocument converts a result.
func newDocument(r contractResult) contractDocument {
	doc := contractDocument{Version: 1, Client: r.Client, Skipped: r.Absent, Fault: r.Fault, Elsewhere: r.Elsewhere, Cells: r.Rows}
	for _, row := range r.Rows {
		switch row.Verdict {
		case confirmed:
			doc.Confirmed++
		case changed:
			doc.Changed++
		case notReachable:
			doc.NotReachable++
		}
	}
	return doc
}

// printContract prints changed cells, and with verbose every cell.
func printContract(w io.Writer, d contractDocument, verbose bool) {
	if d.Skipped != "" {
		writef(w, "SKIP  absent: %s\n", d.Skipped)
		return
	}
	for _, row := range d.Cells {
		switch {
		case row.Verdict == changed:
			writef(w, "CHANGED  %s on %s: predicted %s, seen %s\n", row.ID, d.Client, row.Predicted, cmp.Or(string(row.Seen), "nothing"))
			writef(w, "         %s\n", row.Because)
		case verbose && row.Verdict == confirmed:
			writef(w, "confirmed  %s  %s\n", row.ID, row.Predicted)
		case verbose:
			writef(w, "not reachable  %s  %s\n", row.ID, row.Because)
		}
	}
	if !verbose {
		reasons(w, d)
	}
	printFault(w, d.Fault, d.Elsewhere)
	printNewer(w, d.Newer)
	writef(w, "%s %s: %d confirmed, %d changed, %d not reachable, of %d cells\n", clientName(d.Name), cmp.Or(d.Client, "unknown"), d.Confirmed, d.Changed, d.NotReachable, len(d.Cells))
}

// printFault prints how a client failed, and what it asked for besides its model.
func printFault(w io.Writer, fault string, elsewhere []string) {
	if fault != "" {
		writef(w, "FAULT  %s\n", fault)
	}
	if len(elsewhere) > 0 {
		writef(w, "ASKED ELSEWHERE  %s (refused)\n", strings.Join(elsewhere, ", "))
	}
}

// reasons prints each reason why cells were not reachable, once.
func reasons(w io.Writer, d contractDocument) {
	of := make(map[string]int)
	var order []string
	for _, row := range d.Cells {
		if row.Verdict != notReachable {
			continue
		}
		if of[row.Because] == 0 {
			order = append(order, row.Because)
		}
		of[row.Because]++
	}
	for _, why := range order {
		writef(w, "not reachable: %s (%s)\n", why, session.Count(of[why], "cell"))
	}
}

// A question is an output of a hook, a matcher or a settings file whose effect is observed by
// playing it to a client.
type question interface{ ID() string }

// questions returns all questions.
func questions() (all []question) {
	for _, c := range client.Cells() {
		all = append(all, c)
	}
	for _, m := range client.Matchers() {
		all = append(all, m)
	}
	for _, c := range client.Conditions() {
		all = append(all, c)
	}
	for _, f := range client.Files() {
		all = append(all, f)
	}
	return all
}

// A play is one client session that answers some questions.
type play interface {
	ids() []string
	hooksAnswer() bool // hooks may answer the permission questions of the client
	asCase(number int) *suites.Case
	judge(i int, r suites.Result, named func(string) string) []contractRow // of a step
}

// playsOf distributes the questions over client sessions.
func playsOf(questions []question) (plays []play) {
	var outputs []client.Cell
	var matchers []client.InForceMatcher
	var conditions []client.InForceCondition
	var files []client.InForceFile
	var others []otherCell
	for _, q := range questions {
		switch q := q.(type) {
		case client.Cell:
			outputs = append(outputs, q)
		case client.InForceMatcher:
			matchers = append(matchers, q)
		case client.InForceCondition:
			conditions = append(conditions, q)
		case client.InForceFile:
			files = append(files, q)
		case otherCell:
			others = append(others, q)
		}
	}
	plays = append(plays, otherSessions(others)...)
	for _, s := range distribute(outputs) {
		plays = append(plays, s)
	}
	for _, s := range together(matchers) {
		plays = append(plays, s)
	}
	for _, s := range conditionsOf(conditions) {
		plays = append(plays, s)
	}
	for _, f := range files {
		plays = append(plays, settingsFile(f))
	}
	return plays
}

// whyUnplayable returns why a question cannot be played with a client, or "".
func whyUnplayable(q question) string {
	if m, ok := q.(client.InForceMatcher); ok && isKnownEvent(m.Event) {
		return live.WayTo(m.Event).Why
	}
	c, ok := q.(client.Cell)
	if !ok {
		return ""
	}
	switch e := c.Output.Entry; {
	case e.Plugin:
		return "the hook is a plugin's, and cells are played by a settings file"
	case e.Type == "prompt" || e.Type == "agent":
		return "the hook asks a model, and the model of a cell has no answer to it"
	case e.Type == "mcp_tool":
		return "the hook is a tool of an MCP server, and none is started"
	case e.AsyncRewake:
		return "a hook with asyncRewake runs in the background of a client that is talked to"
	default:
		return ""
	}
}

// A contractVerdict is the result for a cell.
type contractVerdict string

// The verdicts.
const (
	confirmed    contractVerdict = "confirmed"
	changed      contractVerdict = "changed"
	notReachable contractVerdict = "not reachable"
)

// A contractRow is one question with its verdict. Predicted and Seen are effects for an output,
// whether the hook runs for a matcher, and the hooks that run for a settings file.
type contractRow struct {
	ID        string          `json:"id"`
	Verdict   contractVerdict `json:"verdict"`
	Predicted string          `json:"predicted,omitempty"`
	Seen      string          `json:"seen,omitempty"`
	Because   string          `json:"because,omitempty"` // why it is not confirmed
}

// A contractResult is the observed behaviour of a client.
type contractResult struct {
	Client string        // its version
	Rows   []contractRow // in the order of the questions
	Absent string        // why there is no client, or ""
	Fault  string        // how the client failed, or ""
	// Elsewhere are its requests to anything but the model.
	Elsewhere []string
}

// playQuestions plays the questions with clients as r runs them, at the places of a bench.
func playQuestions(ctx context.Context, r *run.Runner, b *bench.Bench, all []question) (contractResult, error) {
	p := &player{plain: contractRunner(r, nil), asking: contractRunner(r, answering), rows: make(map[string]contractRow)}
	defer p.plain.Close()
	defer p.asking.Close()
	var played []question
	for _, q := range all {
		if why := whyUnplayable(q); why != "" {
			p.markUnreached([]string{q.ID()}, why)
		} else {
			played = append(played, q)
		}
	}
	err := p.all(ctx, b, playsOf(played))
	if err == nil {
		err = p.all(ctx, b, p.replayChanged(played)) // a change is reported only if it is seen in a session of its own, too
	}
	for _, q := range all {
		p.result.Rows = append(p.result.Rows, p.rows[q.ID()])
	}
	return p.result, err
}

// A player plays sessions and collects their results.
type player struct {
	plain, asking *run.Runner

	mu     sync.Mutex
	rows   map[string]contractRow
	result contractResult
}

// contractRunner returns a runner without the project's own hooks.
func contractRunner(r *run.Runner, hooks func(event, value string) []discover.Hook) *run.Runner {
	o := r.Options
	o.Hooks, o.InForce, o.Registered = hooks, nil, nil
	return run.New(o)
}

// answering returns the hook of sessions in which hooks answer permission questions.
func answering(event, _ string) []discover.Hook {
	if event != client.PermissionEvent().Name {
		return nil
	}
	return []discover.Hook{{Entry: client.Entry{Event: event}}}
}

func (p *player) all(ctx context.Context, b *bench.Bench, plays []play) error {
	return b.Each(ctx, len(plays), func(ctx context.Context, i int) error {
		if why := p.whyStopped(); why != "" {
			p.markUnreached(plays[i].ids(), why)
			return nil
		}
		r := p.plain
		if plays[i].hooksAnswer() {
			r = p.asking
		}
		o, err := b.With(r.Make).Fire(ctx, suites.Request{Case: plays[i].asCase(i), Name: plays[i].ids()[0]})
		if err == nil {
			p.take(plays[i], o)
		}
		return err
	})
}

// replayChanged returns the changed questions, each in a client session of its own. Conditions are
// functions of the call, which no earlier turn affects.
func (p *player) replayChanged(played []question) (plays []play) {
	for _, q := range played {
		if _, pure := q.(client.InForceCondition); p.rows[q.ID()].Verdict == changed && !pure {
			plays = append(plays, playsOf([]question{q})...)
		}
	}
	return plays
}

// whyStopped returns why nothing more is played, or "": there is no client, or it failed before its
// first result and would fail again.
func (p *player) whyStopped() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.result.Absent != "":
		return p.result.Absent
	case p.result.Client == "":
		return p.result.Fault
	default:
		return ""
	}
}

// take judges the results of a session.
func (p *player) take(s play, o suites.Outcome) {
	if o.NotRun != nil {
		why := o.NotRun.Note()
		switch o.NotRun.Reason {
		case suites.ToolAbsent:
			p.note(func() { p.result.Absent = o.NotRun.Detail })
		case suites.NotLive:
			why = o.NotRun.Detail
		}
		p.markUnreached(s.ids(), why)
		return
	}
	why := "the client ended before it came to this cell"
	var reached []string
	for i, res := range o.Results {
		if res.Live != nil && i == 0 { // of the whole session
			p.note(func() {
				p.result.Elsewhere = append(p.result.Elsewhere, res.Live.Elsewhere...)
				slices.Sort(p.result.Elsewhere)
				p.result.Elsewhere = slices.Compact(p.result.Elsewhere)
			})
		}
		if fault := faultOf(res); fault != "" {
			why = fault
			p.note(func() { p.result.Fault = fault })
			break
		}
		for _, row := range s.judge(i, res, namedBy(o)) {
			reached = append(reached, row.ID)
			p.note(func() { p.result.Client, p.rows[row.ID] = res.Client, row })
		}
	}
	p.markUnreached(slices.DeleteFunc(s.ids(), func(id string) bool { return slices.Contains(reached, id) }), why)
}

// faultOf returns how the client failed, or "".
func faultOf(r suites.Result) string {
	if r.TimedOut {
		return "the client did not end in " + r.Timeout.String()
	}
	return r.NotStarted
}

func (p *player) note(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	do()
}

func (p *player) markUnreached(ids []string, why string) {
	for _, id := range ids {
		p.note(func() { p.rows[id] = contractRow{ID: id, Verdict: notReachable, Because: why} })
	}
}

// namedBy returns a function that replaces values which differ in each run by the names of their
// templates.
func namedBy(o suites.Outcome) func(string) string {
	pairs := []string{o.Sandbox, "{sandbox}"}
	for i := 0; i+1 < len(o.Named); i += 2 {
		if o.Named[i] == "{server}" && o.Named[i+1] != "" {
			pairs = append(pairs, o.Named[i+1], o.Named[i])
		}
	}
	return strings.NewReplacer(pairs...).Replace
}
