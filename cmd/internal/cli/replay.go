package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/compare"
	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/catalog"
	"hookwatch/suites/client"
	"hookwatch/suites/corpus"
	"hookwatch/suites/disk"
	"hookwatch/suites/record"
)

func newReplayCmd(a *app, g *globals) *cobra.Command {
	var since string
	var most int
	cmd := &cobra.Command{
		Use:   "replay",
		Short: "Fire the hooks with recorded payloads, and show what changed",
		Long: `Fire the hooks with the payloads that hookwatch record keeps of real sessions, in
isolation, and compare what the client would do with the answers of the hooks before
the last edit, or with those of another revision (--since): what is newly blocked and
what is let through, with the smallest example of each. The exit code is 0; with
--strict it is 1 if anything is let through. See hookwatch help replaying.`,
		Example: `  hookwatch replay
  hookwatch replay --since main --strict`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runReplay(cmd.Context(), a, *g, since, most)
		},
	}
	cmd.Flags().StringVar(&since, "since", "", "compare with the hooks of this `REVISION`")
	cmd.Flags().IntVar(&most, "most", corpus.MostPayloads, "fire at most the `N` newest payloads")
	return cmd
}

func runReplay(ctx context.Context, a *app, g globals, since string, most int) error {
	if !g.allCases() {
		return errors.New("--suite and --filter do not go with replay: it fires every hook that a payload was sent to")
	}
	inCopy, states := "", []string{""}
	if since != "" {
		inCopy, states = "replay --since runs the hooks of another revision", []string{since, ""}
	}
	p, c, t, close, err := openRecorded(a, g, inCopy)
	if err != nil {
		return err
	}
	defer close()
	all, err := c.Payloads()
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return errors.New("nothing is recorded yet (hookwatch record says how to)")
	}
	began := time.Now()
	x, err := t.compare(ctx, p, states...)
	if err != nil {
		return err
	}
	defer x.Close()
	payloads := all[:min(len(all), max(most, 0))]
	doc := replayDocument{Version: 1, Project: p.Name(), Payloads: len(payloads), Changes: []replayedChange{}, Effects: map[suites.Effect]int{}, ranIn: t.ranIn}
	calls := compare.Recorded(c, payloads)
	var was, is []compare.Seen
	answers := replayAnswers{Hooks: x.Sides[len(states)-1].Digest(), At: began.UTC(), Effects: map[string]suites.Effect{}}
	if since != "" {
		doc.With = &replayedWith{Revision: since}
		was, is, err = x.Together(calls)
	} else if is, err = x.Ask(x.Sides[0], calls); err == nil {
		was, doc.With, err = earlierAnswers(c, answers.Hooks, payloads)
	}
	if err != nil {
		return cmp.Or(ctx.Err(), err)
	}
	doc.Firings, doc.Millis = int(x.Firings.Load()), time.Since(began).Milliseconds()
	for i, p := range payloads {
		answers.Effects[p.ID] = is[i].Effect
		doc.add(p, was[i].Effect, is[i], c)
	}
	slices.SortStableFunc(doc.Changes, func(a, b replayedChange) int {
		return cmp.Or(slices.Index(compare.Whats, a.What)-slices.Index(compare.Whats, b.What), len(a.Input)-len(b.Input))
	})
	if err := answers.keep(c); err != nil {
		return err
	}
	t.progress.end()
	return a.report(result{
		doc: doc, items: jsonLines(doc.Changes, doc.ranIn), text: func(w io.Writer) { printReplay(w, doc, g.program, a.verbose) },
	}, g.strict && doc.LetThrough > 0)
}

// openRecorded opens a project with its corpus and a trial.
func openRecorded(a *app, g globals, inCopy string) (p *session.Project, c *corpus.Corpus, t *trial, close func(), err error) {
	if p, err = g.loadHooks(); err != nil {
		return nil, nil, nil, nil, err
	}
	if c, err = openCorpus(p.Config); err != nil {
		return nil, nil, nil, nil, err
	}
	if t, err = newParallelTrial(a, p, inCopy); err != nil {
		return nil, nil, nil, nil, errors.Join(err, c.Close())
	}
	return p, c, t, func() { t.close(); _ = c.Close() }, nil
}

// replayAnswers are what the client would do with each payload, with hooks of a digest.
type replayAnswers struct {
	Hooks   string                   `json:"hooks"`
	At      time.Time                `json:"at"`
	Effects map[string]suites.Effect `json:"effects"` // by ID of the payload
}

// keptAnswers reads the answers of the last replays with different hooks, newest first.
func keptAnswers(c *corpus.Corpus) (all []replayAnswers, err error) {
	text, err := c.Dir().ReadFile(answersName, record.DocumentLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return all, cmp.Or(err, record.ParseJSON(text, &all))
}

const answersName = "answers.json"

// earlierAnswers returns the answers of the last replay with other hooks, or with these if there is
// none, as far as they are known.
func earlierAnswers(c *corpus.Corpus, hooks string, payloads []corpus.Payload) (was []compare.Seen, with *replayedWith, err error) {
	was = make([]compare.Seen, len(payloads))
	all, err := keptAnswers(c)
	if err != nil || len(all) == 0 {
		return was, nil, err
	}
	one := all[max(slices.IndexFunc(all, func(a replayAnswers) bool { return a.Hooks != hooks }), 0)]
	for i, p := range payloads {
		was[i].Effect = one.Effects[p.ID]
	}
	return was, &replayedWith{Hooks: one.Hooks, At: &one.At, Same: one.Hooks == hooks}, nil
}

// keep writes the answers for the next replay.
func (a replayAnswers) keep(c *corpus.Corpus) error {
	const most = 10
	all, _ := keptAnswers(c) // an unreadable file is replaced
	all = slices.DeleteFunc(all, func(o replayAnswers) bool { return o.Hooks == a.Hooks })
	text, err := json.Marshal(append([]replayAnswers{a}, all[:min(len(all), most-1)]...))
	if err != nil {
		return err
	}
	return c.Dir().Replace(answersName, text, disk.Unsynced)
}

// replayDocument is the JSON document of replay.
type replayDocument struct {
	Version      int                   `json:"version"`
	Project      string                `json:"project"`
	Payloads     int                   `json:"payloads"`
	Fired        int                   `json:"fired"`    // payloads for which the client fires a hook
	Compared     int                   `json:"compared"` // payloads with an earlier answer
	Effects      map[suites.Effect]int `json:"effects"`  // of the fired ones
	With         *replayedWith         `json:"with,omitempty"`
	NewlyBlocked int                   `json:"newly_blocked"`
	LetThrough   int                   `json:"newly_allowed"`
	Changes      []replayedChange      `json:"changes"` // the smallest payload of each kind first
	Firings      int                   `json:"firings"`
	Millis       int64                 `json:"duration_ms"`

	ranIn
}

// replayedWith identifies the answers that are compared with.
type replayedWith struct {
	Revision string     `json:"revision,omitempty"`
	Hooks    string     `json:"hooks,omitempty"` // their digest
	At       *time.Time `json:"at,omitempty"`    // when they were replayed
	Same     bool       `json:"same,omitempty"`  // the hooks did not change since
}

// replayedChange is a payload with which the client would do something else.
type replayedChange struct {
	What    string        `json:"what"` // newly_blocked, newly_allowed or effect
	Was     suites.Effect `json:"was"`
	Is      suites.Effect `json:"is"`
	Because string        `json:"because"`
	corpus.Payload
}

// add adds what the hooks did with a payload, and compares it with an earlier effect if that is known.
func (d *replayDocument) add(p corpus.Payload, was suites.Effect, is compare.Seen, c *corpus.Corpus) {
	if is.Fired {
		d.Fired++
		d.Effects[is.Effect]++
	}
	if was == "" {
		return
	}
	d.Compared++
	what := compare.WhatOf(was, is.Effect)
	switch what {
	case "":
		return
	case compare.NewlyBlocked:
		d.NewlyBlocked++
	case compare.NewlyAllowed:
		d.LetThrough++
	}
	d.Changes = append(d.Changes, replayedChange{What: what, Was: was, Is: is.Effect, Because: c.Text(is.Because), Payload: p})
}

func printReplay(w io.Writer, doc replayDocument, c program, verbose bool) {
	of := map[string]int{compare.NewlyAllowed: doc.LetThrough, compare.NewlyBlocked: doc.NewlyBlocked, compare.Effect: len(doc.Changes) - doc.LetThrough - doc.NewlyBlocked}
	last := ""
	for _, change := range doc.Changes {
		if change.What == last && !verbose {
			continue
		}
		last = change.What
		writef(w, "%s  %s: %s\n", map[string]string{compare.NewlyAllowed: "LET THROUGH", compare.NewlyBlocked: "NEWLY BLOCKED", compare.Effect: "CHANGED"}[change.What], strings.TrimSpace(change.Event+" "+change.Tool), change.Label())
		writef(w, "  was %s, is %s: %s\n", change.Was, change.Is, change.Because)
		if more := of[change.What] - 1; more > 0 && !verbose {
			writef(w, "  and %d more, none smaller (-v shows all)\n", more)
		}
		expect := ""
		if change.What == compare.NewlyAllowed {
			expect = " --expect " + string(change.Was)
		}
		writef(w, "  as a case: %s record --case %s%s\n", c, change.ID, expect)
	}
	var effects []string
	for _, e := range suites.Effects {
		if n := doc.Effects[e]; n > 0 {
			effects = append(effects, fmt.Sprintf("%s %d", e, n))
		}
	}
	printIsolation(w, doc.ranIn)
	writef(w, "%s, %d of them fire a hook: %s; %s in %.1f s\n", session.Count(doc.Payloads, "recorded payload"), doc.Fired, cmp.Or(strings.Join(effects, ", "), "no effect"), session.Count(doc.Firings, "firing"), float64(doc.Millis)/1000)
	switch {
	case doc.With == nil:
		writef(w, "The answers are kept: after an edit of a hook, hookwatch replay compares with them. --since REVISION compares now.\n")
		return
	case doc.With.Same:
		writef(w, "the hooks did not change since the replay of %s: ", doc.With.At.Local().Format(time.DateTime))
	case doc.With.Revision != "":
		writef(w, "since %s: ", doc.With.Revision)
	default:
		writef(w, "since the hooks of the replay of %s: ", doc.With.At.Local().Format(time.DateTime))
	}
	writef(w, "of %s, %d newly blocked, %d let through, %d changed otherwise\n", session.Count(doc.Compared, "payload"), doc.NewlyBlocked, doc.LetThrough, of[compare.Effect])
}

// recordCase prints a recorded payload as a case, or adds it to a suite file. The case expects what
// the hooks do now, unless an effect is given.
func recordCase(ctx context.Context, a *app, g globals, id, file string, expect suites.Effect) error {
	if expect != "" && !slices.Contains(suites.Effects, expect) {
		return fmt.Errorf("--expect %s: want one of %v", expect, suites.Effects)
	}
	p, c, t, close, err := openRecorded(a, g, "")
	if err != nil {
		return err
	}
	defer close()
	now, err := compare.At(ctx, p, t.Runner, "")
	if err != nil {
		return err
	}
	r := now.Runner
	all, err := c.Payloads()
	if err != nil {
		return err
	}
	found := slices.DeleteFunc(all, func(p corpus.Payload) bool { return !strings.HasPrefix(p.ID, id) })
	switch {
	case len(found) == 0:
		return fmt.Errorf("no recorded payload has the ID %q (hookwatch replay shows IDs)", id)
	case len(found) > 1:
		return fmt.Errorf("%d recorded payloads have IDs that begin with %q", len(found), id)
	}
	one := c.Case(found[0])
	step := &one.Steps[0]
	hooks := r.Hooks(step.Event, client.MatchedValue(step.Event, step.Tool, found[0].Input))
	if len(hooks) == 0 {
		return fmt.Errorf("no hook is registered for %s", strings.TrimSpace(step.Event+" "+step.Tool))
	}
	if len(hooks) == 1 {
		one.Registered, one.Chain = registeredName(p)(hooks[0]), false
	}
	for _, h := range hooks {
		one.Verify = append(one.Verify, slices.DeleteFunc(slices.Clone(h.Scripts), func(s string) bool { return !p.Exists(s) })...)
	}
	if step.Expect.Effect = expect; expect == "" {
		o, err := t.bench.With(r.Make).Fire(ctx, suites.Request{Case: one, Name: one.Name})
		if err != nil {
			return err
		}
		if o.NotRun != nil {
			return errors.New(o.NotRun.Note())
		}
		step.Expect.Effect = o.Last().Effect
	}
	more := func(existing, name string) (string, int, error) {
		if strings.Contains(existing, one.Name) {
			return "", 0, nil
		}
		one.Suite, one.ID = name, fmt.Sprintf("RC%03d", catalog.Next(existing, "RC"))
		lines, err := catalog.Append(existing, suites.Suite{Name: name, Cases: []suites.Case{*one}})
		return lines, 1, err
	}
	if file != "" {
		return appendToSuite(a, g, p, file, more)
	}
	text, _, err := more("", "recorded")
	for line := range strings.Lines(text) {
		writef(a.Out, "%s\n", whole(strings.TrimSuffix(line, "\n")))
	}
	return err
}
