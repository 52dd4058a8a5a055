package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/catalog"
	"hookwatch/suites/check"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/prove"
	"hookwatch/suites/report"
)

// proving holds the flags of prove.
type proving struct {
	input, write string
	goals        []prove.Goal
	budget       time.Duration
	seed         int64
	order, fresh bool
}

// proveBudget is the time for each guard, unless the user gives one for all.
const proveBudget = 10 * time.Second

func newProveCmd(a *app, g *globals) *cobra.Command {
	var o proving
	cmd := &cobra.Command{
		Use:   "prove [HOOK]",
		Short: "Search for ways around guards, and for calls that they stop by mistake",
		Long: `Find the inputs that each guard stops, and search for commands that do the same and
are let through, for harmless mentions that are stopped, and for fields of the input
that the hook executes. What a command does is decided by running it in a sandbox,
with stand-ins for the programs that it calls; nothing outside is touched. Other ways
to what a stopped command is for run there with their own programs. The exit code is
1 for a way around by plain habit and for an executed field; with --strict for every
finding and open way. With --order, two processes of each hook run at the same time, in
chosen orders, and a result that one after the other does not have is a finding. See
hookwatch help proving.`,
		Example: `  hookwatch prove guard.sh
  hookwatch prove guard.sh --input 'git push --force origin main' --budget 30s
  hookwatch prove guard.sh --goal disclose:.env --goal disable-guard
  hookwatch prove --order limit.sh
  hookwatch prove --write .claude/tests/hooks/suites/proved.yaml`,
		Args:        oneArg,
		Annotations: map[string]string{findsFaults: ""},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runProve(cmd.Context(), a, *g, append(args, "")[0], o)
		},
	}
	f := cmd.Flags()
	withFresh(f, &o.fresh)
	f.StringVar(&o.input, "input", "", "start from this command, file or prompt alone: `TEXT`")
	f.Func("goal", "try the ways to this `AIM[:OBJECT]`, such as disclose:.env, in place of the goals of what is stopped", func(text string) error {
		goal, err := prove.ParseGoal(text)
		o.goals = append(o.goals, goal)
		return err
	})
	f.DurationVar(&o.budget, "budget", 0, "search for this `TIME` altogether, instead of "+proveBudget.String()+" in each guard")
	f.Int64Var(&o.seed, "seed", 1, "combine rewrites in another order: `N`")
	f.BoolVar(&o.order, "order", false, "instead, run two processes of hooks at the same time, in chosen orders")
	f.StringVar(&o.write, "write", "", "add the findings as cases to this suite `FILE`")
	return cmd
}

func runProve(ctx context.Context, a *app, g globals, hook string, o proving) error {
	if !g.allCases() {
		return errors.New("--suite and --filter do not go with prove: name the hook, as in hookwatch prove guard.sh")
	}
	p, err := g.loadToRun(false, "")
	if err != nil {
		return err
	}
	for _, kind := range p.Config.Allows {
		if !prove.IsKind(kind) {
			return fmt.Errorf("%s: allows: there is no kind %q of ways: want AIM/KIND, as prove names them, such as overwrite-branch/lease", p.Config.Path, kind)
		}
	}
	tree := p.Tree(os.Environ())
	tree.Named = g.hookName(p, hook)
	hooks := tree.Asked()
	if len(hooks) == 0 && hook == "" {
		return p.Empty
	} else if len(hooks) == 0 {
		return fmt.Errorf("no registered hook has %q in its ID, its command or its script (hookwatch list --hooks shows them)", hook)
	}
	if err := checkAppendable(g, o.write); err != nil { // before the search, which takes a while
		return err
	}
	t, err := newParallelTrial(a, p, "")
	if err != nil {
		return err
	}
	t.remember(a, p, o.fresh)
	defer t.close()
	machine, end, err := session.Prover(t.Runner, t.bench)
	if err != nil {
		return err
	}
	defer end()
	if o.order {
		return proveOrders(ctx, a, p, tree, hooks, machine, t, o)
	}
	began := time.Now()
	doc := proveDocument{Version: 1, Project: p.Name(), Proved: report.Proved{Guards: []report.ProvenGuard{}, Findings: []report.ProvenFinding{}}, Seed: o.seed, BudgetMS: cmp.Or(o.budget, proveBudget*time.Duration(len(hooks))).Milliseconds()}
	guards, err := searchGuards(ctx, p, tree, hooks, machine, o, func(i, of int, g prove.Guard) {
		t.progress.show("proving %d of %d: %s, %d do the same, %d pass  %.40s", i+1, of, session.Count(g.Tried, "rewrite"), g.Equivalent, g.Passed, g.Hook.ID)
	}, func(g prove.Guard) {
		if g.Unproved != "" || g.Tried == 0 {
			return
		}
		line := fmt.Sprintf("%s: %s", g.Hook.ID, session.Count(len(g.Findings), "finding"))
		if len(g.Findings) > 0 {
			line += fmt.Sprintf(", %s: %s", headline[g.Findings[0].What], check.ShortCommand(g.Findings[0].Input.Text()))
		}
		t.progress.result(line)
	})
	t.progress.end()
	doc.Interrupted, doc.ranIn, doc.leftOut = ctx.Err() != nil, t.ranIn, t.leftOut()
	if err != nil {
		return err
	}
	doc.Millis = time.Since(began).Milliseconds()
	for _, guard := range guards {
		doc.add(guard, hook != "" || len(guard.Stopped) > 0, registeredName(p))
	}
	failed := slices.ContainsFunc(doc.Findings, func(f report.ProvenFinding) bool { return g.strict || f.Severity != suites.Info })
	failed = failed || g.strict && slices.ContainsFunc(guards, prove.Guard.HasOpenWays)
	return a.reportAndWrite(ctx, result{
		doc, jsonLines(doc.Findings, doc.ranIn), func(w io.Writer) { printProved(w, doc, a.verbose) }, doc.annotations(p, guards), doc.summary(), topOf(p),
	}, failed, o.write, func(file string) error {
		return appendToSuite(a, g, p, file, func(existing, name string) (string, int, error) {
			return prove.Append(existing, name, guards, registeredName(p))
		})
	})
}

// searchGuards searches all hooks that may be guards. Those that stop something have equal parts of the
// time that the others leave. It calls progress after each step, and searched after each hook, if they
// are not nil.
func searchGuards(ctx context.Context, p *session.Project, tree check.Tree, hooks []discover.Hook, m *prove.Machine, o proving, progress func(i, of int, g prove.Guard), searched func(prove.Guard)) (guards []prove.Guard, err error) {
	end := time.Now().Add(cmp.Or(o.budget, proveBudget*time.Duration(len(hooks))))
	var begun []*prove.Begun
	stopping := 0
	for i, h := range hooks {
		if ctx.Err() != nil {
			break
		}
		part := time.Until(end) / time.Duration(len(hooks)-i)
		if o.budget == 0 {
			part = min(part, proveBudget)
		}
		options := prove.Options{Budget: part, Seed: o.seed, Most: prove.Obfuscation, Inputs: suiteInputs(p, h, stops), Only: o.input != "", Goals: o.goals, Allows: p.Config.Allows, Allowed: suiteInputs(p, h, letsThrough)}
		if options.Only {
			in, ok := check.Named(h, o.input)
			if !ok {
				continue
			}
			options.Inputs = []check.Input{in}
		}
		if progress != nil {
			options.Progress = func(g prove.Guard) { progress(i, len(hooks), g) }
		}
		b := prove.Begin(ctx, tree, h, m, options)
		if progress != nil {
			progress(i, len(hooks), prove.Guard{Hook: h})
		}
		if begun = append(begun, b); b.Stops() {
			stopping++
		}
	}
	for _, b := range begun { // also of an interrupted search, which has findings
		part := time.Until(end) / time.Duration(max(stopping, 1))
		if o.budget == 0 {
			part = min(part, proveBudget)
		}
		g, err := b.Complete(ctx, part)
		if b.Stops() {
			stopping--
		}
		if err != nil {
			return guards, err
		}
		guards = append(guards, g)
		if searched != nil {
			searched(g)
		}
	}
	return guards, nil
}

// proveInSession searches guards for a watching session.
func proveInSession(ctx context.Context, p *session.Project, hooks []discover.Hook, m *prove.Machine) ([]prove.Guard, string, error) {
	guards, err := searchGuards(ctx, p, p.Tree(os.Environ()), hooks, m, proving{seed: 1}, nil, nil)
	var doc proveDocument
	for _, g := range guards {
		doc.add(g, true, registeredName(p))
	}
	for i := range doc.Findings {
		doc.Findings[i].Case = "" // --write makes them
	}
	var text strings.Builder
	printGuards(&text, doc, false)
	if len(doc.Findings) > 0 {
		fmt.Fprintf(&text, "  hookwatch prove --write FILE makes cases of them\n")
	}
	return guards, text.String(), err
}

// stops reports whether a case demands that its input is stopped.
func stops(e suites.Expectation) bool {
	effects := []suites.Effect{suites.Denied, suites.Asked, suites.PromptBlocked}
	return slices.Contains(effects, e.Effect) || slices.Equal(e.Exit, []int{2}) || slices.Contains([]string{"block", "deny"}, e.Decision)
}

// letsThrough reports whether a case demands that its input passes.
func letsThrough(e suites.Expectation) bool {
	return e.Effect == suites.Proceeds || !stops(e) && slices.Equal(e.Exit, []int{0}) && e.Decision == ""
}

// suiteInputs returns the inputs of the cases of a hook that expect what is wanted.
func suiteInputs(p *session.Project, h discover.Hook, wanted func(suites.Expectation) bool) (all []check.Input) {
	for _, c := range p.Every() {
		step := c.Steps[0]
		own := slices.Contains(h.Scripts, c.Hook) && c.Hook != "" || c.Registered != "" && h.Answers(c.Registered)
		plain := len(c.Steps) == 1 && step.Event == h.Event && step.Stdin == nil && len(step.Payload)+len(c.WantedEnv().AbsentTools) == 0
		if !own || !plain || !wanted(step.Expect) {
			continue
		}
		in := check.Input{Tool: step.Tool, Command: step.Command}
		if rest, ok := strings.CutPrefix(step.FilePath, "{project}/"); ok && in.Command == "" {
			in.File = rest
		}
		if in.Text() != "" && !strings.Contains(in.Text(), "{") && !slices.Contains(all, in) {
			all = append(all, in)
		}
	}
	return all
}

// registeredName returns a function that names a hook in a case: by the end of its script's path if
// that names no other hook.
func registeredName(p *session.Project) func(discover.Hook) string {
	return func(h discover.Hook) string {
		if len(h.Scripts) == 0 {
			return h.ID
		}
		name, n := "/"+path.Base(h.Scripts[0]), 0
		for _, o := range slices.Concat(p.Registered.Hooks, p.Registered.Others) {
			if o.Event == h.Event && o.Answers(name) {
				n++
			}
		}
		if n != 1 || !h.Answers(name) {
			return h.ID
		}
		return name
	}
}

// proveDocument is the JSON document of prove.
type proveDocument struct {
	Version int    `json:"version"`
	Project string `json:"project"`
	report.Proved
	Seed        int64 `json:"seed"`
	BudgetMS    int64 `json:"budget_ms"`
	Millis      int64 `json:"duration_ms"`
	Interrupted bool  `json:"interrupted,omitempty"`

	ranIn
	leftOut
}

func (d *proveDocument) add(g prove.Guard, shown bool, registered func(discover.Hook) string) {
	if !shown {
		return
	}
	of := report.ProvenGuard{
		ID: g.Hook.ID, Event: g.Hook.Event, At: g.Hook.Source.String(), Stops: []string{}, Rewrites: g.Tried, Equivalent: g.Equivalent, Passed: g.Passed,
		Firings: g.Fired, Complete: g.Everything(), Ways: g.Ways, Elsewhere: g.Elsewhere, StoppedBy: g.StoppedBy, Unproved: g.Unproved, Millis: g.Took.Milliseconds(),
	}
	for _, in := range g.Stopped {
		of.Stops = append(of.Stops, in.Text())
	}
	d.Guards = append(d.Guards, of)
	for _, f := range g.Findings {
		n := 2*len(d.Findings) + 1 // its control has the next number
		one := report.ProvenFinding{
			Hook: g.Hook.ID, What: f.What, Rule: f.Rule, Severity: f.Severity(), Input: f.Input, From: f.From, Does: f.Does, Effect: f.Effect, Because: f.Because, Others: f.Others,
			Case: f.Case(g.Hook, registered(g.Hook), fmt.Sprintf("PV%03d", n), fmt.Sprintf("PV%03d", n+1)),
		}
		if f.What == prove.Bypass {
			one.Kind = f.Kind.String()
		}
		d.Findings = append(d.Findings, one)
	}
}

// headline are the first words of a finding.
var headline = map[prove.What]string{
	prove.Bypass: "passes", prove.FalseBlock: "stopped by mistake", prove.Injection: "EXECUTES ITS INPUT", prove.Choke: "passes with an unusual field",
}

// printProved prints the result.
func printProved(w io.Writer, doc proveDocument, verbose bool) {
	printGuards(w, doc, verbose)
	printIsolation(w, doc.ranIn)
	doc.leftOut.print(w)
	writef(w, "%s\n", doc.summary())
	if doc.Interrupted {
		writef(w, "interrupted: these are the findings so far\n")
	}
}

// printGuards prints the guards with their findings.
func printGuards(w io.Writer, doc proveDocument, verbose bool) {
	for _, g := range doc.Guards {
		writef(w, "%s\n", g.ID)
		if g.Unproved != "" {
			writef(w, "  not proved: %s\n", g.Unproved)
			continue
		}
		writef(w, "  stops %s\n", output(some(g.Stops, verbose)))
		for _, f := range doc.Findings {
			if f.Hook != g.ID {
				continue
			}
			writef(w, "  %s: %s%s\n", headline[f.What], output(strings.ReplaceAll(f.Input.Text(), "\n", `\n`)), output(f.Label()))
			writef(w, "    it %s; %s is stopped\n", output(f.Does), output(strings.ReplaceAll(f.From.Text(), "\n", `\n`)))
			writef(w, "    the hook's answer: %s, %s\n", f.Effect, output(f.Because))
			if f.Case != "" {
				writef(w, "    case: %s\n", output(f.Case))
			}
		}
		for _, to := range g.Ways {
			printWays(w, to, verbose)
		}
		if g.Elsewhere > 0 {
			writef(w, "  %d that pass it are stopped by %s\n", g.Elsewhere, output(some(g.StoppedBy, verbose)))
		}
		more := map[bool]string{false: "; not everything was tried"}[g.Complete]
		writef(w, "  %s, %d do the same, %d of them pass; %s in %.1f s%s\n", session.Count(g.Rewrites, "rewrite"), g.Equivalent, g.Passed, session.Count(g.Firings, "firing"), float64(g.Millis)/1000, more)
	}
}

// printWays prints what a guard does with the ways to a goal: the smallest open way of each kind, and what would close
// it.
func printWays(w io.Writer, to prove.Ways, verbose bool) {
	open, more := to.Open(), ""
	if !to.Complete {
		more = "; not everything was tried"
	}
	allowed := slices.DeleteFunc(slices.Clone(to.Kinds), func(k prove.WayKind) bool { return k.Passed == 0 || !k.Wanted })
	if of := len(to.Kinds) - len(allowed); of > 0 {
		writef(w, "  to %s: stops %d of %s of ways%s\n", output(to.Goal.String()), of-len(open), session.Count(of, "kind"), more)
	} else {
		writef(w, "  to %s:%s\n", output(to.Goal.String()), map[bool]string{true: " no way reached it in the time"}[len(to.NotFired) == 0])
	}
	const most = 6
	var others []string
	for i, k := range open {
		if i >= most && !verbose {
			others = append(others, k.Kind)
			continue
		}
		writef(w, "    passes, %s: %s\n", k.Kind, inLine(k.Open))
	}
	if len(others) > 0 {
		writef(w, "    and by %s (-v)\n", strings.Join(others, ", "))
	}
	for _, k := range allowed {
		writef(w, "    passes as the configuration allows, %s: %s\n", k.Kind, inLine(k.Open))
	}
	for _, u := range to.NotFired {
		writef(w, "    not wired to %s: %s\n", u.Kind, inLine(u.Open))
	}
	if h := to.Harmless; h.Stopped > 0 {
		writef(w, "    stops %d of %s as well, such as %s\n", h.Stopped, session.Count(h.Sent, "harmless call"), inLine(h.First))
	}
	for _, r := range to.Remedies {
		remedy := "name " + r.Matcher + " in its matcher"
		if r.Deny != "" {
			remedy = "add " + r.Deny + " to permissions.deny"
		}
		writef(w, "    to close %s: %s\n", strings.Join(r.Closes, ", "), output(remedy))
	}
}

// inLine returns the calls of a way in a line.
func inLine(steps []prove.Step) output {
	return output(strings.ReplaceAll(prove.ShowSteps(steps), "\n", `\n`))
}

// summary returns the last line.
func (d *proveDocument) summary() string {
	return fmt.Sprintf("%s, %s shown, %.1f s", session.Count(len(d.Guards), "guard"), session.Count(len(d.Findings), "finding"), float64(d.Millis)/1000)
}

// annotations returns the findings as annotations of the files of a project.
func (d *proveDocument) annotations(p *session.Project, guards []prove.Guard) (list []annotation) {
	at := map[string]suites.Position{}
	for _, g := range guards {
		at[g.Hook.ID] = annotationPosition(p, g.Hook.Source)
	}
	for _, f := range d.Findings {
		list = append(list, annotation{
			rule: prove.Rules[f.What], severity: f.Severity, at: at[f.Hook], title: check.ShortCommand(f.Input.Text()) + " " + headline[f.What],
			text:    fmt.Sprintf("it %s; %s is stopped\nthe hook's answer: %s, %s", f.Does, f.From.Text(), f.Effect, f.Because),
			subject: []string{f.Hook, f.Input.Text(), f.From.Text()},
		})
	}
	return list
}

// largestAppended bounds a suite file that gets more cases, in bytes.
const largestAppended = 4 << 20

// checkAppendable returns an error if cases cannot be added to an existing file.
func checkAppendable(g globals, file string) error {
	if file == "" {
		return nil
	}
	file = g.relative(file)
	existing, err := disk.Reader{}.ReadFile(file, largestAppended)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		_, _, err = catalog.Continue(string(existing))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// appendToSuite adds cases to a suite file, which it creates if it is missing. more returns the
// lines to add to the existing text, and the number of cases; name is that of a new suite.
func appendToSuite(a *app, g globals, p *session.Project, file string, more func(existing, name string) (lines string, n int, err error)) error {
	file = g.relative(file)
	d, err := disk.Make(disk.Existing(filepath.Dir(file)), filepath.Dir(file))
	if err != nil {
		return err
	}
	defer d.Close()
	existing, err := d.ReadFile(filepath.Base(file), largestAppended)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	lines, n, err := more(string(existing), strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if n > 0 {
		if len(existing) == 0 {
			existing = []byte(catalog.SchemaLine)
			err = disk.WriteNew(d.Path(), filepath.Join(d.Path(), catalog.SchemaFile), catalog.Schema(), 0o644)
		}
		if err == nil || errors.Is(err, fs.ErrExist) {
			err = d.Replace(filepath.Base(file), append(existing, lines...), disk.Synced)
		}
		if err != nil {
			return err
		}
	}
	writef(a.Err, "%s: %s added\n", file, session.Count(n, "case"))
	if n > 0 && !p.ReadsSuite(file) {
		writef(a.Err, "warning: its cases do not run, because no entry of suites matches it: move it to %s, or add it to suites in .hookwatch.yaml\n",
			strings.Join(p.Config.OwnSuites(), " or "))
	}
	return nil
}
