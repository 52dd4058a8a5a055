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
	"sync"
	"time"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/cli/terminal"
	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/catalog"
	"hookwatch/suites/client"
	"hookwatch/suites/conform"
	"hookwatch/suites/corpus"
	"hookwatch/suites/depend"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/record"
	"hookwatch/suites/run"
)

func (a *app) replayCommand() *cobra.Command {
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
			return a.replay(cmd, since, most)
		},
	}
	cmd.Flags().StringVar(&since, "since", "", "compare with the hooks of this `REVISION`")
	cmd.Flags().IntVar(&most, "most", corpus.MostPayloads, "fire at most the `N` newest payloads")
	return cmd
}

func (a *app) replay(cmd *cobra.Command, since string, most int) error {
	if len(a.suites) > 0 || a.filter != "" {
		return errors.New("--suite and --filter do not go with replay: it fires every hook that a payload was sent to")
	}
	p, c, r, close, err := a.recorded()
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
	y := replayer{ctx: cmd.Context(), corpus: c, payloads: all[:min(len(all), max(most, 0))]}
	if y.jobs, err = jobs(p); err != nil {
		return err
	}
	r.Reuse = true
	r.KeepReady(y.jobs)
	now, err := a.side(y.ctx, p, r, "")
	if err != nil {
		return err
	}
	if terminal.Is(cmd.ErrOrStderr()) && !a.verbose {
		y.progress = func(done, of int) { writef(cmd.ErrOrStderr(), clearLine+"firing hooks: %d of %d", done, of) }
		defer writef(cmd.ErrOrStderr(), clearLine)
	}
	began := time.Now()
	doc := replayDocument{Version: 1, Project: p.Name(), Payloads: len(y.payloads), Changes: []replayedChange{}, Effects: map[suites.Effect]int{}, ranIn: inIsolation(r.Isolation)}
	if since == "" {
		err = y.withEarlier(&doc, now)
	} else {
		err = y.withRevision(a, &doc, p, r, now, since)
	}
	doc.Millis, doc.Interrupted = time.Since(began).Milliseconds(), y.ctx.Err() != nil
	if err != nil {
		return cmp.Or(y.ctx.Err(), err)
	}
	if y.progress != nil {
		writef(cmd.ErrOrStderr(), clearLine)
	}
	if err := a.print(doc, len(doc.Changes), doc.Line, func(w io.Writer) { printReplay(w, doc, a.program(), a.verbose) }); err != nil {
		return err
	}
	if a.strict && doc.LetThrough > 0 {
		return ErrFailed
	}
	return nil
}

// recorded opens a project with its corpus and a runner that fires commands alone.
func (a *app) recorded() (p *session.Project, c *corpus.Corpus, r *run.Runner, close func(), err error) {
	if p, err = a.loadHooks(); err != nil {
		return nil, nil, nil, nil, err
	}
	if c, err = openCorpus(p.Config, false); err != nil {
		return nil, nil, nil, nil, err
	}
	r, end, err := a.bare(p)
	if err != nil {
		return nil, nil, nil, nil, errors.Join(err, c.Close())
	}
	onlyCommands(r)
	return p, c, r, func() { end(); _ = c.Close() }, nil
}

// onlyCommands leaves out the hooks that only the client can run.
func onlyCommands(r *run.Runner) {
	hooks := r.Hooks
	r.Hooks = func(event, value string) []discover.Hook {
		return slices.DeleteFunc(slices.Clone(hooks(event, value)), func(h discover.Hook) bool { return h.NotRun() != "" })
	}
}

// A replayer fires hooks with the payloads of a corpus.
type replayer struct {
	ctx      context.Context
	corpus   *corpus.Corpus
	payloads []corpus.Payload
	jobs     int
	progress func(done, of int)
	firings  int
}

// replayed is what the hooks did with a payload.
type replayed struct {
	seen
	hooks int // that the client fires
}

// fire fires the hooks of a side with the payloads at some indexes, all without any.
func (y *replayer) fire(s *side, at []int) ([]replayed, error) {
	if at == nil {
		for i := range y.payloads {
			at = append(at, i)
		}
	}
	out, errs := make([]replayed, len(y.payloads)), make([]error, len(at))
	var mu sync.Mutex // guards done
	done := 0
	inParallel(len(at), y.jobs, func(i int) {
		if y.ctx.Err() != nil {
			return
		}
		p := y.payloads[at[i]]
		result := replayed{seen: unfired, hooks: len(s.runner.Hooks(p.Event, client.MatchedValue(p.Event, p.Tool, p.Input)))}
		if result.hooks > 0 {
			o, err := s.run(y.ctx, y.corpus.Restore(y.corpus.Case(p)), false)
			if errs[i] = err; err != nil {
				return
			}
			result.seen = seenIn(o.Last(), strings.NewReplacer(cmp.Or(o.Sandbox, "\x00"), "{sandbox}"))
			if o.NotRun != nil {
				result.seen = seen{effect: suites.Proceeds, because: o.NotRun.Note()}
			}
		}
		out[at[i]] = result
		mu.Lock()
		defer mu.Unlock()
		y.firings += result.hooks
		if done++; y.progress != nil {
			y.progress(done, len(at))
		}
	})
	return out, cmp.Or(y.ctx.Err(), errors.Join(errs...))
}

// withRevision compares with the hooks of a revision. What differs is fired again on both sides, and
// counts if it was the same twice.
func (y *replayer) withRevision(a *app, doc *replayDocument, p *session.Project, r *run.Runner, now *side, name string) error {
	if err := refuseInPlace(r, "replay --since runs the hooks of another revision"); err != nil {
		return err
	}
	before, err := a.side(y.ctx, p, r, name)
	if err != nil {
		return err
	}
	defer before.close()
	onlyCommands(before.runner)
	doc.With = &replayedWith{Revision: name}
	is, err := y.fire(now, nil)
	if err != nil {
		return err
	}
	was, err := y.fire(before, nil)
	if err != nil {
		return err
	}
	differ := []int{}
	for i := range is {
		if is[i].effect != was[i].effect {
			differ = append(differ, i)
		}
	}
	for _, s := range []struct {
		*side
		first []replayed
	}{{now, is}, {before, was}} {
		again, err := y.fire(s.side, differ)
		if err != nil {
			return err
		}
		for _, i := range differ {
			if s.first[i].effect != again[i].effect {
				is[i].seen = was[i].seen // by chance
			}
		}
	}
	doc.add(y, is, func(i int) (suites.Effect, bool) { return was[i].effect, true })
	return y.keep(now, is)
}

// withEarlier compares with the answers of the last replay with other hooks, or with these if there
// is none.
func (y *replayer) withEarlier(doc *replayDocument, now *side) error {
	is, err := y.fire(now, nil)
	if err != nil {
		return err
	}
	earlier, err := y.earlier(y.digest(now.project))
	if err != nil {
		return err
	}
	if earlier != nil {
		doc.With = &replayedWith{Hooks: earlier.Hooks, At: &earlier.At, Same: earlier.Hooks == y.digest(now.project)}
	}
	doc.add(y, is, func(i int) (suites.Effect, bool) {
		if earlier == nil {
			return "", false
		}
		effect, known := earlier.Effects[y.payloads[i].ID]
		return effect, known
	})
	return y.keep(now, is)
}

// replayAnswers are what the client would do with each payload, with hooks of a digest.
type replayAnswers struct {
	Version int                      `json:"version"`
	Hooks   string                   `json:"hooks"`
	At      time.Time                `json:"at"`
	Effects map[string]suites.Effect `json:"effects"` // by ID of the payload
}

const (
	answersName = "answers"
	mostAnswers = 10 // replays with different hooks that are kept
)

// digest returns the digest of the registrations and of all files that the hooks run, source or
// name. Files that they may also read do not make them other hooks.
func (y *replayer) digest(p *session.Project) string {
	var all strings.Builder
	for _, e := range client.Events() {
		c := &suites.Case{Suite: "replay", ID: e.Name, Layer: suites.Direct, Chain: true, Steps: []suites.Step{{Event: e.Name}}}
		for _, in := range p.Graph.Inputs(c) {
			if in.Path != depend.Elsewhere {
				fmt.Fprintln(&all, in.Name(), in.Digest)
			}
		}
	}
	return suites.Digest([]byte(all.String()))
}

// kept reads the answers of earlier replays, the newest first.
func (y *replayer) kept(d *disk.Dir) (all []replayAnswers) {
	entries, _ := d.ReadDir()
	for _, e := range entries {
		var one replayAnswers
		text, err := d.ReadFile(e.Name(), record.DocumentLimit)
		if err == nil && record.ParseJSON(text, &one) == nil && one.Hooks+".json" == e.Name() {
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b replayAnswers) int { return b.At.Compare(a.At) })
	return all
}

// earlier returns the answers to compare with, or nil.
func (y *replayer) earlier(digest string) (*replayAnswers, error) {
	d, err := y.corpus.Dir().Sub(answersName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer d.Close()
	all := y.kept(d)
	i := slices.IndexFunc(all, func(a replayAnswers) bool { return a.Hooks != digest })
	if i = max(i, 0); i == len(all) {
		return nil, nil
	}
	return &all[i], nil
}

// keep writes the answers for the next replay.
func (y *replayer) keep(now *side, is []replayed) error {
	a := replayAnswers{Version: 1, Hooks: y.digest(now.project), At: time.Now().UTC(), Effects: map[string]suites.Effect{}}
	for i, p := range y.payloads {
		a.Effects[p.ID] = is[i].effect
	}
	d, err := y.corpus.Dir().MakeSub(answersName)
	if err != nil {
		return err
	}
	defer d.Close()
	text, err := json.Marshal(a)
	if err == nil {
		err = d.Replace(a.Hooks+".json", text, disk.Unsynced)
	}
	if all := y.kept(d); err == nil && len(all) > mostAnswers {
		err = d.Remove(all[len(all)-1].Hooks + ".json")
	}
	return err
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
	Interrupted  bool                  `json:"interrupted,omitempty"`

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

// Line returns a change as a separate JSON line.
func (d replayDocument) Line(i int) any {
	return struct {
		replayedChange
		ranIn
	}{d.Changes[i], d.ranIn}
}

// add adds the answers and compares them with earlier ones.
func (d *replayDocument) add(y *replayer, is []replayed, was func(int) (suites.Effect, bool)) {
	d.Firings = y.firings
	for i, p := range y.payloads {
		if is[i].hooks > 0 {
			d.Fired++
			d.Effects[is[i].effect]++
		}
		before, known := was(i)
		if known {
			d.Compared++
		}
		if !known || before == is[i].effect {
			continue
		}
		change := replayedChange{What: changedEffect, Was: before, Is: is[i].effect, Because: y.corpus.Text(is[i].because), Payload: p}
		switch old, now := (seen{effect: before}).rank(), (seen{effect: is[i].effect}).rank(); {
		case now > old:
			change.What = newlyBlocked
			d.NewlyBlocked++
		case now < old:
			change.What = newlyAllowed
			d.LetThrough++
		}
		d.Changes = append(d.Changes, change)
	}
	slices.SortStableFunc(d.Changes, func(a, b replayedChange) int {
		return cmp.Or(slices.Index(whats, a.What)-slices.Index(whats, b.What), len(a.Input)-len(b.Input))
	})
}

// label returns what a payload is about.
func label(p corpus.Payload) string {
	var in struct {
		Prompt string `json:"prompt"`
		Input  struct {
			Command string `json:"command"`
			File    string `json:"file_path"`
		} `json:"tool_input"`
	}
	_ = json.Unmarshal(p.Input, &in) // fields of other types are none of these
	return conform.Short(cmp.Or(in.Input.Command, in.Input.File, in.Prompt, string(p.Input)))
}

func printReplay(w io.Writer, doc replayDocument, c program, verbose bool) {
	of := map[string]int{newlyAllowed: doc.LetThrough, newlyBlocked: doc.NewlyBlocked, changedEffect: len(doc.Changes) - doc.LetThrough - doc.NewlyBlocked}
	last := ""
	for _, change := range doc.Changes {
		if change.What == last && !verbose {
			continue
		}
		last = change.What
		writef(w, "%s  %s: %s\n", map[string]string{newlyAllowed: "LET THROUGH", newlyBlocked: "NEWLY BLOCKED", changedEffect: "CHANGED"}[change.What], strings.TrimSpace(change.Event+" "+change.Tool), label(change.Payload))
		writef(w, "  was %s, is %s: %s\n", change.Was, change.Is, change.Because)
		if more := of[change.What] - 1; more > 0 && !verbose {
			writef(w, "  and %d more, none smaller (-v shows all)\n", more)
		}
		expect := ""
		if change.What == newlyAllowed {
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
	writef(w, "of %s, %d newly blocked, %d let through, %d changed otherwise\n", session.Count(doc.Compared, "payload"), doc.NewlyBlocked, doc.LetThrough, of[changedEffect])
}

// recordCase prints a recorded payload as a case, or adds it to a suite file. The case expects what
// the hooks do now, unless an effect is given.
func (a *app) recordCase(cmd *cobra.Command, id, file string, expect suites.Effect) error {
	if expect != "" && !slices.Contains(suites.Effects, expect) {
		return fmt.Errorf("--expect %s: want one of %v", expect, suites.Effects)
	}
	p, c, r, close, err := a.recorded()
	if err != nil {
		return err
	}
	defer close()
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
		o, err := r.RunAndRemove(cmd.Context(), one)
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
		return a.appendToSuite(p, file, more)
	}
	text, _, err := more("", "recorded")
	for line := range strings.Lines(text) {
		writef(a.Out, "%s\n", whole(strings.TrimSuffix(line, "\n")))
	}
	return err
}
