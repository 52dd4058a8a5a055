package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/cli/terminal"
	"hookwatch/cmd/internal/session"
	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/verdict"
	"hookwatch/watcher"
)

type runOptions struct {
	live   bool
	client string // with live
}

func newRunCmd(a *app, g *globals) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:         "run ID...",
		Short:       "Run single cases, with their controls",
		Annotations: map[string]string{runsCases: "", readsIndex: ""},
		Long: `Run the named cases, and the controls they need, and update the present state.
An ID is that of a case (P01), of a case in a suite (pm/P01), or a range (P01-P09, M9-M12).`,
		RunE: func(cmd *cobra.Command, ids []string) error { return runByID(cmd.Context(), a, *g, o, ids) },
	}
	withClient(cmd.Flags(), &o.client)
	cmd.Flags().BoolVar(&o.live, "live", false, "have the real client fire the hooks (see hookwatch help client)")
	return cmd
}

func runByID(ctx context.Context, a *app, g globals, o runOptions, ids []string) error {
	if o.client != "" && !o.live {
		return errors.New("run --client goes with --live; a case names its clients itself (see hookwatch help cases)")
	}
	if len(ids) == 0 {
		return fmt.Errorf("run needs an ID, such as hookwatch run P01; hookwatch list shows them")
	}
	p, err := g.loadToRun(o.live, o.client)
	if err != nil {
		return err
	}
	cases, err := pick(p, ids)
	if err != nil {
		return err
	}
	return runOnce(ctx, a, g, p, false, false, func(*opened) ([]verdict.Selected, bool, error) {
		return verdict.WithControls(verdict.All(cases, "asked for"), p.Every()), false, nil
	})
}

// runOnce runs the cases that choose selects, and returns the result as an error.
func runOnce(ctx context.Context, a *app, g globals, p *session.Project, changed, audit bool, choose func(*opened) ([]verdict.Selected, bool, error)) error {
	log := a.log()
	// Do not warn of a missing desktop, because there is often none without a user, as in CI.
	view := a.view(p, g.program, false, func(text string) { log.Debug().Msg(text) })
	o, err := openSession(a, g, p, view, g.openRecords(p.Config), true)
	if err != nil {
		return errors.Join(err, view.Close())
	}
	defer o.close()
	view.Handle(o.startEvent())
	if audit {
		o.Audit()
	}
	selected, full, err := choose(o)
	if err != nil {
		return errors.Join(err, view.Close())
	}
	sum := o.RunOnce(ctx, selected, full)
	o.Announce(sum.RunID)
	if audit {
		audited := o.TakeAudit()
		view.Handle(session.Warning{Text: fmt.Sprintf("audit: a selection would have left out %s; %d of their verdicts changed",
			session.Count(audited.Checked, "case"), len(audited.Missed))})
	}
	if p.Config.Run.Trace == config.TraceAlways && !sum.Interrupted {
		o.Trace(ctx, p.Cases)
	}
	if err := o.end(view, &sum); err != nil {
		return err
	}
	return outcome(a, g, sum, changed)
}

// end closes the view of a run or a session, and adds to its summary why nothing was recorded.
func (o *opened) end(view session.View, sum *session.Summary) error {
	if err := view.Close(); err != nil {
		return &abortedError{Why: fmt.Sprintf("output: %v", err)}
	}
	if o.lockErr != nil {
		sum.RecordError = o.lockErr
	}
	return nil
}

func bad(t suites.Tally, strict bool) bool { return t.Failed > 0 || strict && t.Unproven > 0 }

// instead returns advice for an aborted run, one line each.
func instead(sum session.Summary, by program) []string {
	var advised interface{ Advice() []string }
	if errors.As(sum.Fault, &advised) {
		return advised.Advice()
	}
	if len(sum.Missing) == 0 {
		return nil
	}
	return []string{
		"  install: " + toInstall(sum.Missing),
		"  run what can be run without: " + by.String() + " --once --preflight report",
	}
}

// outcome returns the error for a run, or nil. A run of what changed fails if other cases failed
// before and still do.
func outcome(a *app, g globals, sum session.Summary, changed bool) error {
	switch {
	case sum.Interrupted:
		return errInterrupted
	case sum.Aborted != "":
		return &abortedError{Why: sum.Aborted, Next: instead(sum, g.program)}
	case sum.RecordError != nil:
		return &abortedError{Why: sum.RecordError.Error()}
	case bad(sum.Tally, g.strict):
		return errFailed
	case changed && bad(sum.Present, g.strict):
		log := a.log()
		n := sum.Present.Failed
		if g.strict {
			n += sum.Present.Unproven
		}
		log.Error().Msgf("still failing, though nothing changed: %s (hookwatch --once runs all)", session.Count(n, "case"))
		return errFailed
	default:
		return nil
	}
}

// pickCases returns the elements whose case matches an ID: a case ID, optionally qualified by its
// suite, or a case name, or otherwise a range of IDs.
func pickCases[T any](all []T, id string, of func(T) (key suites.Key, name string)) []T {
	suite, rest, qualified := strings.Cut(id, "/")
	if !qualified {
		suite, rest = "", id
	}
	pick := func(is func(id, name string) bool) (out []T) {
		for _, one := range all {
			if key, name := of(one); (suite == "" || key.Suite == suite) && is(key.ID, name) {
				out = append(out, one)
			}
		}
		return out
	}
	exact := pick(func(id, name string) bool { return strings.EqualFold(id, rest) || name == rest })
	if span, isRange := suites.ParseIDRange(rest); isRange && len(exact) == 0 {
		return pick(func(id, _ string) bool { return span.Holds(id) })
	}
	return exact
}

// severalCases returns the error for an argument that matches several cases.
func severalCases(arg string, found []*suites.Case) error {
	var names []string
	for _, c := range found[:min(5, len(found))] {
		names = append(names, c.Key().String())
	}
	if len(found) > len(names) {
		names = append(names, "...")
	}
	return fmt.Errorf("%s means %d cases: %s (write one of them)", arg, len(found), strings.Join(names, ", "))
}

// pick finds the cases for IDs.
func pick(p *session.Project, asked []string) ([]*suites.Case, error) {
	return pickEach(asked, "no case %s (hookwatch list shows all)", func(id string) []*suites.Case { return findCases(p, id) })
}

// pickEach returns all that find returns for IDs. Its error lists every ID for which that is nothing.
func pickEach[T any](asked []string, missing string, find func(id string) []T) (picked []T, err error) {
	var unknown []string
	for _, id := range asked {
		found := find(id)
		if len(found) == 0 {
			unknown = append(unknown, id)
		}
		picked = append(picked, found...)
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf(missing, strings.Join(unknown, ", "))
	}
	return picked, nil
}

// findCases finds the cases of a project that match an ID.
func findCases(p *session.Project, id string) []*suites.Case {
	return pickCases(p.Cases, id, func(c *suites.Case) (suites.Key, string) { return c.Key(), c.Name })
}

// watch follows saves until the user quits, which is no error because a session has no verdict of
// its own. A signal interrupts it.
func watch(ctx context.Context, a *app, g globals) error {
	cfg, err := g.loadConfig()
	if err != nil {
		return err
	}
	notes := make(chan string, 16)
	// Watching starts before anything is read, so that every save is either read or reported.
	note := func(text string) {
		select {
		case notes <- text:
		default: // the buffer is full, which is rare because notes are few: drop it
		}
	}
	w, err := watcher.New(watcher.Options{Interest: session.FirstInterest(cfg), Open: g.pinned.Open, Note: note})
	if err != nil {
		return err
	}
	defer w.Close()
	kept := make(chan records, 1)
	go func() { kept <- g.openRecords(cfg) }() // in parallel with loading the project
	p, err := g.loadToRun(false, "")
	if err != nil && p != nil && err == p.Empty && len(p.Every()) == 0 && !p.IsGone() && g.allCases() {
		note(err.Error() + "; waiting for the first") // many start to watch before they write a hook
		err = nil
	}
	if err != nil {
		return errors.Join(err, (<-kept).close())
	}
	if err := session.Follow(ctx, p, w); err != nil {
		return errors.Join(err, (<-kept).close())
	}
	return followProject(ctx, a, g, p, w, notes, note, <-kept)
}

// followProject runs the session once the watcher follows the project.
func followProject(ctx context.Context, a *app, g globals, p *session.Project, w *watcher.Watcher, notes <-chan string, note func(string), kept records) error {
	view := a.view(p, g.program, true, note)
	o, err := openSession(a, g, p, view, kept, false)
	if err != nil {
		return errors.Join(err, view.Close())
	}
	defer o.close()
	var commands <-chan session.Command
	if keys := terminal.Open(ctx, a.In, a.Out); keys != nil {
		defer keys.Close()
		done := make(chan struct{})
		defer close(done)
		commands = listen(keys, done)
	}
	watched := session.WatchOptions{Started: o.startEvent(), Watcher: w, Notes: notes, Commands: commands, Prove: proveInSession, Reload: g.tryLoad}
	if a.format.checks {
		watched.Check = checkInSession()
	}
	sum := o.Watch(ctx, watched)
	if err := o.end(view, &sum); err != nil {
		return err
	}
	if sum.RecordError != nil {
		return &abortedError{Why: sum.RecordError.Error()}
	}
	if ctx.Err() != nil {
		return errInterrupted
	}
	return nil
}
