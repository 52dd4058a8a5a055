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
	"time"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/bench"
	"hookwatch/suites/check"
	"hookwatch/suites/check/rounds"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/discover"
	"hookwatch/suites/run"
)

type checkOptions struct {
	static, user, live bool
	fresh              bool // fire also what is known
	client             string
	timeout            bool // run.timeout is a flag, and then that of every firing
}

func newCheckCmd(a *app, g *globals) *cobra.Command {
	var o checkOptions
	cmd := &cobra.Command{
		Use:   "check [HOOK]",
		Short: "Check that every registered hook works; needs no suite",
		Long: `Read the registrations of hooks and their scripts, fire every hook as the client
would, in isolation, and report hooks that the client would drop, could not start or
would ignore, and guards that let through the input they should stop. No suite and no
configuration are needed. HOOK is a part of the ID, command or script of the hooks to
check. The exit code is 1 for errors; with --strict also for warnings.

Hooks in the files of other clients (Codex, Copilot CLI, ...) are fired as those do, and
where a client does something else with a hook's output than Claude Code, check reports it.
--client names the clients instead; see hookwatch help clients.

With --live, the real client is started in a sandbox, against a scripted model and
without your login or settings (see hookwatch help client), and fires every command hook
that is registered, each once, with a call that its matcher lets through. For each hook,
check prints whether it fired or why not, its output, the reaction of the client, and the
text that the model was sent. A call runs all hooks that are registered for it. --client
names one other measured client, such as codex, which fires the hooks that it reads.
Nothing is judged and nothing recorded. Exit code 1: the client itself failed. Exit
code 3: it did not react as hookwatch predicts, which is an error of hookwatch.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if fi, err := os.Stat(args[0]); err != nil || !fi.IsDir() {
					return nil
				}
			}
			return noArgs(cmd, args)
		},
		Annotations: map[string]string{findsFaults: "", readsIndex: ""},
		RunE: func(cmd *cobra.Command, args []string) error {
			g := *g
			g.filter.Text = cmp.Or(strings.Join(args, ""), g.filter.Text)
			o.timeout = cmd.Flags().Changed("timeout")
			return checkHooks(cmd.Context(), a, g, o)
		},
	}
	cmd.Flags().BoolVar(&o.static, "static", false, "fire nothing; look only at files")
	withFresh(cmd.Flags(), &o.fresh)
	withUser(cmd.Flags(), &o.user)
	cmd.Flags().BoolVar(&o.live, "live", false, "have the real client fire every hook once, and judge nothing")
	withClients(cmd.Flags(), &o.client)
	for _, other := range []string{"static", "user", "fresh"} { // the client never gets your settings, and nothing is known of what it will do
		cmd.MarkFlagsMutuallyExclusive(other, "live")
	}
	return cmd
}

func checkHooks(ctx context.Context, a *app, g globals, o checkOptions) error {
	switch {
	case o.live && !g.allCases():
		return errors.New("check --live fires every hook: it takes no HOOK, --suite or --filter")
	case o.live && a.format.findingsOnly:
		return fmt.Errorf("--format %s prints findings, and check --live judges nothing", a.format.name)
	case o.live:
		return checkLive(ctx, a, g, o.client)
	case len(g.filter.Suites) > 0:
		return errors.New("--suite does not go with check: it judges registered hooks, not cases (--filter names hooks)")
	}
	filter := g.filter.Text
	g.filter.Text = "" // here it selects hooks, not cases
	p, err := g.loadWithUser(o.user)
	if err != nil {
		return err
	}
	tree, of, asked, err := treeOf(p, o.client)
	if err != nil {
		return err
	}
	if len(p.Registered.ElsewhereProblems)+len(p.Registered.Elsewhere)+len(p.Registered.Hooks)+len(p.Registered.Others)+len(p.Registered.Problems)+len(p.Scripts())+len(p.Stray) == 0 {
		return p.Empty
	}
	began := time.Now()
	if asked && len(tree.Asked()) == 0 {
		return noHooksError(of)
	}
	if tree.Named = g.hookName(p, filter); filter != "" && len(tree.Asked()) == 0 {
		return fmt.Errorf("no registered hook has %q in its ID, its command or its script (hookwatch list --hooks shows them)", filter)
	}
	if o.timeout {
		tree.Timeout = p.Config.Run.Timeout
	}
	doc, err := checkAsked(ctx, a, p, tree, of, o)
	if err != nil && ctx.Err() == nil {
		return err
	}
	doc.Millis, doc.Interrupted = time.Since(began).Milliseconds(), ctx.Err() != nil
	return a.reportAndWrite(ctx, result{
		doc, jsonLines(doc.Findings, doc.ranIn), func(w io.Writer) { printCheck(w, doc, a.verbose, proseColumns(a.Out)) }, doc.annotations(p), summary(doc), topOf(p),
	}, doc.Errors > 0 || g.strict && doc.Warnings > 0, "", nil)
}

// checkAsked fires the hooks, or only examines files if static is set.
func checkAsked(ctx context.Context, a *app, p *session.Project, tree check.Tree, of []clients.Client, o checkOptions) (doc checkDocument, err error) {
	if o.static {
		res, err := rounds.Check{Tree: tree}.Run(ctx)
		return newCheckDocument(p, of, res), err
	}
	t, err := newParallelTrial(a, p, "")
	if err != nil {
		return newCheckDocument(p, of, rounds.Result{}), err
	}
	t.remember(a, p, o.fresh)
	defer t.close()
	t.Reuse = true // a firing costs half then; a script that is saved meanwhile is checked by the next run
	c := roundsOf(tree, t.Runner, t.bench)
	c.Status, c.Judged = t.progress.show, func(r check.Report) { t.progress.result(judgedText(r)) }
	machine, end, err := session.Prover(t.Runner, t.bench)
	if err == nil { // without namespaces nothing that guards stop is executed
		defer end()
		c.Prover = machine
	}
	res, err := c.Run(ctx)
	if t.known != nil { // those of whole calls, too
		counts := t.known.Counts()
		res.Firings = max(res.Firings, counts.Known+counts.Made)
	}
	doc = newCheckDocument(p, of, res)
	doc.ranIn, doc.leftOut = t.ranIn, t.leftOut()
	return doc, err
}

// roundsOf returns a check that fires the hooks of a tree at a bench of r, and shows nothing.
func roundsOf(tree check.Tree, r *run.Runner, b *bench.Bench) rounds.Check {
	return rounds.Check{
		Tree: tree, Bench: b, Status: func(string, ...any) {}, Judged: func(check.Report) {},
		Report: func(_ discover.Hook, check func() (check.Report, error)) (check.Report, error) { return check() },
		Whole: func(ctx context.Context, c *suites.Case) (parts []check.Part, o suites.Outcome, err error) {
			fired, o, err := r.Fire(ctx, c)
			for _, f := range fired {
				if f.NotRun == "" {
					parts = append(parts, check.Part{Hook: f.Hook, Result: f.Result})
				}
			}
			return parts, o, err
		},
		Place: func(ctx context.Context, of *check.Firing, scripts []string) suites.Position {
			return session.PlaceOf(ctx, r, b.Fire, of.Case, of.Result, scripts)
		},
	}
}

// checkDocument is the JSON document of check.
type checkDocument struct {
	Version     int             `json:"version"`
	Project     string          `json:"project"`
	Hooks       []checkedHook   `json:"hooks"`
	Findings    []check.Finding `json:"findings"`
	Calls       []check.Latency `json:"calls"` // how long the client waits for all hooks of a call
	Errors      int             `json:"errors"`
	Warnings    int             `json:"warnings"`
	Firings     int             `json:"firings"`
	Millis      int64           `json:"duration_ms"`
	Interrupted bool            `json:"interrupted,omitempty"` // these are the hooks that were judged until then
	Foreign     []string        `json:"foreign,omitempty"`     // hook files of other clients
	Clients     []knownClient   `json:"clients,omitempty"`     // whose hooks were judged, if not Claude Code alone

	ranIn // empty if no hook was fired
	leftOut
}

// annotations returns the findings as annotations of the files of a project.
func (d checkDocument) annotations(p *session.Project) (list []annotation) {
	for _, f := range d.Findings {
		list = append(list, annotate(p, f))
	}
	return list
}

// annotate returns a finding as an annotation of the files of a project.
func annotate(p *session.Project, f check.Finding) annotation {
	text := f.Effect + "\nto do: " + f.Remedy
	if f.Input != "" {
		text = "on: " + f.Input + "\n" + text
	}
	a := annotation{rule: f.Rule, severity: f.Severity, at: annotationPosition(p, f.Where), title: f.What, text: text, subject: append([]string{f.Input}, f.Hooks...)}
	if f.Fault.Line > 0 {
		a.at, a.registered = annotationPosition(p, f.Fault), a.at
	}
	return a
}

// checkedHook is the result of one registered hook.
type checkedHook struct {
	ID      string `json:"id"`
	Event   string `json:"event"`
	Client  string `json:"client,omitempty"` // whose own file registers it; Claude Code's without it
	At      string `json:"at"`
	Effect  string `json:"effect,omitempty"` // of a typical call
	Denies  string `json:"denies,omitempty"` // an input that it stopped
	NotRun  string `json:"not_run,omitempty"`
	Absent  string `json:"absent,omitempty"` // missing tool because of which it was not judged
	Firings int    `json:"firings"`
}

// newCheckDocument converts the result of a check.
func newCheckDocument(p *session.Project, of []clients.Client, res rounds.Result) checkDocument {
	doc := checkDocument{
		Version: 1, Project: p.Name(), Hooks: []checkedHook{}, Findings: append([]check.Finding{}, res.Findings...), Errors: res.Count(suites.Error), Warnings: res.Count(suites.Warning),
		Firings: res.Firings, Foreign: p.Foreign, Clients: knownClients(of), Calls: append([]check.Latency{}, res.Calls...),
	}
	for _, r := range res.Reports {
		if r.Hook.ID == "" {
			continue // nothing was fired
		}
		notRun := r.Hook.WhyNotRun()
		if r.Absent != "" { // which is why, and how long
			notRun = ""
		}
		doc.Hooks = append(doc.Hooks, checkedHook{
			ID: r.Hook.ID, Event: cmp.Or(r.Hook.ClientEvent, r.Hook.Event), Client: r.Hook.Client, At: r.Hook.Source.String(), Effect: string(r.Effect), Denies: r.Denies,
			NotRun: notRun, Absent: r.Absent, Firings: r.Firings,
		})
	}
	return doc
}

// printCheck prints errors and warnings, and with verbose also remarks and all hooks.
func printCheck(w io.Writer, doc checkDocument, verbose bool, columns int) {
	const indent = "         "

	infos := 0
	for _, f := range doc.Findings {
		if f.Severity == suites.Info && !verbose {
			infos++
			continue
		}
		what := f.What
		if f.Input != "" {
			what += " (on: " + f.Input + ")"
		}
		prosef(w, columns, fmt.Sprintf("%-9s", strings.ToUpper(string(f.Severity))), "%s  %s", cmp.Or(f.FaultAt, f.At), what)
		if f.FaultAt != "" {
			writef(w, indent+"registered at %s\n", f.At)
		}
		if f.Printed != "" {
			writef(w, indent+"printed: %s\n", f.Printed)
		}
		prosef(w, columns, indent, "%s", f.Effect)
		prosef(w, columns, indent, "to do: %s   [%s]", f.Remedy, f.Rule)
		if len(f.Hooks) > 1 {
			prosef(w, columns, indent, "%s: %s", session.Count(len(f.Hooks), "hook"), some(f.Hooks, verbose))
		}
	}
	if verbose {
		hooks(w, doc)
	} else {
		printUnjudged(w, doc)
	}
	printCalls(w, doc.Calls, verbose)
	foreignText(w, doc.Foreign, doc.Clients)
	if doc.Isolation != "" {
		printIsolation(w, doc.ranIn)
		doc.leftOut.print(w)
	}
	writef(w, "%s\n", summary(doc))
	if doc.Interrupted {
		writef(w, "interrupted: these are the findings so far\n")
	}
	if infos > 0 {
		writef(w, "%s more with -v\n", session.Count(infos, "remark"))
	}
}

func hooks(w io.Writer, doc checkDocument) {
	for _, h := range doc.Hooks {
		switch {
		case h.NotRun != "":
			writef(w, "%s  not run: %s\n", h.ID, h.NotRun)
		case h.Absent != "":
			writef(w, "%s  not judged: %s\n", h.ID, h.Absent)
		case h.Denies != "":
			writef(w, "%s  stops %s\n", h.ID, h.Denies)
		default:
			writef(w, "%s  %s\n", h.ID, h.Effect)
		}
	}
}

// summary returns the last line, with the number of hooks and findings.
func summary(doc checkDocument) string {
	judged, absent, notRun, guards := 0, 0, 0, 0
	for _, h := range doc.Hooks {
		switch {
		case h.NotRun != "":
			notRun++
		case h.Absent != "":
			absent++
		default:
			judged++
		}
		if h.Denies != "" {
			guards++
		}
	}
	text := fmt.Sprintf("%s, %s; %s judged, %s in %.1f s", session.Count(doc.Errors, "error"), session.Count(doc.Warnings, "warning"),
		session.Count(judged, "hook"), session.Count(doc.Firings, "firing"), float64(doc.Millis)/1000)
	if guards > 0 {
		text += fmt.Sprintf(", %d seen to stop something", guards)
	}
	if absent > 0 {
		text += fmt.Sprintf("; %d not judged", absent)
	}
	if notRun > 0 {
		text += fmt.Sprintf("; %d not run", notRun)
	}
	return text
}

// course describes what happens at an event whose hook has this effect on every input.
func course(event string, effect suites.Effect) string {
	about, _ := client.EventByName(event)
	if check.Stops(effect) && about.No() != "" {
		return about.No()
	}
	return about.Fill("{proceeds} as if there were no hook")
}

// printUnjudged prints one line for each reason why hooks were not judged, the most frequent first.
// Files that the client does not read are counted as one reason.
func printUnjudged(w io.Writer, doc checkDocument) {
	const unread = "the client does not read "
	count, files := map[string]int{}, []string{}
	var reasons []string
	for _, h := range doc.Hooks {
		reason := cmp.Or(h.NotRun, h.Absent)
		if reason == "" {
			continue
		}
		if h.NotRun == "" && h.Effect != "" { // of the hook as it is, which the user has until the reason is gone
			reason += "; until then " + course(h.Event, suites.Effect(h.Effect))
		}
		if file, ok := strings.CutPrefix(reason, unread); ok {
			if reason = unread; !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
		if count[reason]++; count[reason] == 1 {
			reasons = append(reasons, reason)
		}
	}
	slices.SortStableFunc(reasons, func(a, b string) int { return count[b] - count[a] })
	for _, reason := range reasons {
		text := reason
		if reason == unread {
			text += some(files, false) + ": they never run"
		}
		writef(w, "not judged: %s (%s)\n", text, session.Count(count[reason], "hook"))
	}
}

// some joins the first names and the number of the remaining ones.
func some(names []string, all bool) string {
	const most = 3
	if all || len(names) <= most+1 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// judgedText returns one line about a hook that was judged.
func judgedText(r check.Report) string {
	text := r.Hook.ID + "  "
	for _, s := range []suites.Severity{suites.Error, suites.Warning} {
		for _, f := range r.Findings {
			if f.Severity == s {
				return text + string(s) + ": " + f.What
			}
		}
	}
	switch {
	case r.Absent != "":
		return text + "not judged: " + r.Absent
	case r.Denies != "":
		return text + "stops " + r.Denies
	}
	return text + string(r.Effect)
}
