package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/compare"
	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/check"
)

// diffBudget is the usual time for a comparison.
const diffBudget = time.Minute

func newDiffCmd(a *app, g *globals) *cobra.Command {
	var budget time.Duration
	var fresh bool
	cmd := &cobra.Command{
		Use:   "diff BASE [HEAD]",
		Short: "Compare what the hooks of two revisions do",
		Long: `Fire the hooks of two revisions with the same calls, and report what the client would
do otherwise: what is newly allowed or blocked, other messages and rewrites, other files
that a hook writes, and hooks that were registered, removed or moved. Without HEAD, the
work tree is compared.

The calls are those that only one revision's comparisons accept, those that run the lines
that differ, those of the cases and of recorded sessions (hookwatch record), and those
that guards usually stop. A hook that uses nothing that differs is fired with four calls
only. Output that differs between two runs of the same hook, such as a time, is not
compared. The exit code is 0; with --strict it is 1 if anything is newly allowed.

--format markdown prints text for a pull request. See hookwatch help proving.`,
		Example: `  hookwatch diff HEAD
  hookwatch diff main HEAD --format markdown
  hookwatch diff --strict origin/main`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 {
				return errors.New("diff needs a revision and may have a second one, as in hookwatch diff main HEAD")
			}
			return nil
		},
		Annotations: map[string]string{findsFaults: ""},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runDiff(cmd.Context(), a, *g, args[0], append(args, "")[1], budget, fresh)
		},
	}
	withFresh(cmd.Flags(), &fresh)
	cmd.Flags().DurationVar(&budget, "budget", diffBudget, "fire hooks for this `TIME` altogether; what was left out is listed")
	return cmd
}

func runDiff(ctx context.Context, a *app, g globals, base, head string, budget time.Duration, fresh bool) error {
	if !g.allCases() {
		return errors.New("--suite and --filter do not go with diff: it fires every hook that the change affects")
	}
	p, err := g.loadHooks()
	if err != nil {
		return err
	}
	t, err := newParallelTrial(a, p, "diff runs the hooks of other revisions")
	if err != nil {
		return err
	}
	t.remember(a, p, fresh)
	defer t.close()
	began := time.Now()
	x, err := t.compare(ctx, p, base, head)
	if err != nil {
		return err
	}
	defer x.Close()
	var calls []*compare.Call
	if c, err := openCorpus(p.Config); err == nil { // most projects have none
		defer func() { _ = c.Close() }()
		const most = 200
		all, err := c.Payloads()
		if err != nil {
			return err
		}
		calls = compare.Recorded(c, all[:min(len(all), most)])
	}
	doc := diffDocument{Version: 1, Project: p.Name()}
	x.Compared = func(hook string, changes []compare.Change) {
		t.progress.result(hook + "  " + changesText(changes))
	}
	doc.Result, err = x.Compare(calls, budget)
	t.progress.end()
	doc.ranIn, doc.leftOut = t.ranIn, t.leftOut()
	if doc.Interrupted = ctx.Err() != nil; err != nil && !doc.Interrupted {
		return err
	}
	doc.Millis = time.Since(began).Milliseconds()
	return a.reportAndWrite(ctx, result{
		doc, jsonLines(doc.Changes, doc.ranIn), func(w io.Writer) { printDiff(w, doc, a.verbose) }, doc.annotations(p, a.verbose), fmt.Sprintf("%s (%s affected, %s)", doc.headline(), session.Count(doc.Hooks, "hook"), session.Count(doc.Calls, "call")), topOf(p),
	}, g.strict && doc.Allowed > 0, "", nil)
}

// changesText counts changes by kind, the most important first.
func changesText(changes []compare.Change) string {
	count := map[string]int{}
	for _, c := range changes {
		count[c.What]++
	}
	var parts []string
	for _, what := range compare.Whats {
		if n := count[what]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, whatText[what]))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "nothing differs")
}

// compare opens states of a project at revisions, or of its work tree without a name.
func (t *trial) compare(ctx context.Context, p *session.Project, names ...string) (*compare.Comparison, error) {
	t.Reuse = true
	return compare.New(ctx, p, t.Runner, t.bench, names...)
}

// diffDocument is the JSON document of diff.
type diffDocument struct {
	Version int    `json:"version"`
	Project string `json:"project"`
	compare.Result
	Millis      int64 `json:"duration_ms"`
	Interrupted bool  `json:"interrupted,omitempty"`

	ranIn
	leftOut
}

// changedGroup are the changes of a hook of one kind, the shortest input that begins as a command, a
// file or a sentence first.
type changedGroup []compare.Change

// groups joins the changes of a hook of one kind, the most important first. Output that the client
// drops is left out unless all is set.
func (d diffDocument) groups(all bool) (groups []changedGroup) {
	type key struct {
		what, hook, shape string
		together          bool
	}
	const shapes = 3 // of messages of a hook
	at, n := map[key]int{}, map[string]int{}
	for _, c := range d.Changes {
		k := key{c.What, c.Hook, "", c.Together != ""}
		if c.What == compare.Message {
			k.shape = shape(c)
			if _, known := at[k]; !known && n[c.Hook] == shapes {
				k.shape = ""
			} else if !known {
				n[c.Hook]++
			}
		}
		if _, known := at[k]; !known {
			at[k] = len(groups)
			groups = append(groups, nil)
		}
		groups[at[k]] = append(groups[at[k]], c)
	}
	groups = slices.DeleteFunc(groups, func(g changedGroup) bool { return g[0].What == compare.Output && !all })
	slices.SortStableFunc(groups, func(a, b changedGroup) int {
		return cmp.Or(slices.Index(compare.Whats, a[0].What)-slices.Index(compare.Whats, b[0].What), min(len(a[0].Together), 1)-min(len(b[0].Together), 1))
	})
	for _, g := range groups {
		odd := func(c compare.Change) int {
			r, _ := utf8.DecodeRuneInString(c.Input)
			return map[bool]int{false: 1}[unicode.IsLetter(r) || r == '.' || r == '/' || r == '~']
		}
		slices.SortStableFunc(g, func(a, b compare.Change) int { return cmp.Or(odd(a)-odd(b), len(a.Input)-len(b.Input)) })
	}
	return groups
}

// inputs returns the first inputs of a group, and the number of others.
func (g changedGroup) inputs(all bool) string {
	var names []string
	for _, c := range g {
		names = append(names, strings.ReplaceAll(c.Input, "\n", `\n`))
	}
	return some(names, all)
}

// whatText are the first words of a group.
var whatText = map[string]string{
	compare.NewlyAllowed: "newly allowed", compare.NewlyBlocked: "newly blocked", compare.Rewrite: "rewritten otherwise", compare.Message: "another message",
	compare.Effect: "another effect", compare.Files: "writes other files", compare.Output: "other output, which the client drops",
}

// details returns what the two sides do with the first input of a group.
func (g changedGroup) details() []string {
	c := g[0]
	of := func(s compare.Seen) string { return s.Sees }
	switch c.What {
	case compare.Rewrite:
		of = func(s compare.Seen) string { return s.Rewrite }
	case compare.Output:
		of = func(s compare.Seen) string { return s.Output }
	case compare.Files:
		of = func(s compare.Seen) string { return s.Wrote }
	case compare.Message:
	default:
		lines := []string{fmt.Sprintf("%s -> %s", c.Base.Effect, c.Head.Effect), "before: " + c.Base.Because, "after: " + c.Head.Because}
		if c.Together != "" {
			lines[0] += fmt.Sprintf("; with all hooks and permission rules together it is %s as before", c.Together)
		}
		return lines
	}
	var lines [4][]string
	least := math.MaxInt
	for i, s := range c.Runs {
		lines[i] = strings.Split(of(s), "\n")
		least = min(least, len(lines[i]))
	}
	shown := func(line string) string {
		if c.Call.Shown != nil {
			line = c.Call.Shown(line)
		}
		return cmp.Or(check.Short(line), "(nothing)")
	}
	if c.What == compare.Files {
		return []string{"before: " + shown(firstOnly(lines[0], lines[2])), "after: " + shown(firstOnly(lines[2], lines[0]))}
	}
	at := 0 // the first line that differs otherwise than between two runs of the same
	for at < least-1 && !compare.Different([4]string{lines[0][at], lines[1][at], lines[2][at], lines[3][at]}) {
		at++
	}
	return []string{"before: " + shown(lines[0][at]), "after: " + shown(lines[2][at])}
}

// numbered matches parts of names that differ from session to session.
var numbered = regexp.MustCompile(`[0-9a-f]{6,}|\d+`)

// firstOnly returns the first line of which the others have none that differs in numbers alone; "" if there is none.
func firstOnly(lines, others []string) string {
	known := map[string]bool{}
	for _, line := range others {
		known[numbered.ReplaceAllString(line, "0")] = true
	}
	for _, line := range lines {
		if !known[numbered.ReplaceAllString(line, "0")] {
			return line
		}
	}
	return ""
}

// shape returns the words that only one side's message has.
func shape(c compare.Change) string {
	words := [2][]string{strings.Fields(c.Base.Sees), strings.Fields(c.Head.Sees)}
	text := ""
	for i, of := range words {
		for _, word := range of {
			if !slices.Contains(words[1-i], word) {
				text += fmt.Sprint(i, word, " ")
			}
		}
	}
	return text
}

// annotations returns the changes as annotations of the files of a project.
func (d diffDocument) annotations(p *session.Project, all bool) (list []annotation) {
	for _, r := range d.Registrations {
		list = append(list, annotation{rule: "registration-" + r.What, severity: suites.Warning, at: annotationPosition(p, r.Place),
			title: "registration " + r.What + ": " + cmp.Or(r.Head, r.Base), text: registrationText(r), subject: []string{r.Hook}})
	}
	for _, g := range d.groups(all) {
		c := g[0]
		severity := suites.Warning
		if c.Together != "" || c.What == compare.Message || c.What == compare.Output {
			severity = suites.Info
		}
		list = append(list, annotation{rule: strings.ReplaceAll(c.What, "_", "-"), severity: severity, at: annotationPosition(p, c.Place),
			title: whatText[c.What] + ": " + g.inputs(false), text: strings.Join(g.details(), "; "), subject: []string{c.Hook, c.Input}})
	}
	for _, text := range slices.Sorted(maps.Keys(d.Lacking)) {
		list = append(list, annotation{rule: "not-compared", severity: suites.Info, at: annotationPosition(p, d.Lacking[text]), title: "not compared in full", text: text, subject: []string{text}})
	}
	return list
}

func registrationText(r compare.Registration) string {
	switch {
	case r.Base == "":
		return "now: " + r.Head
	case r.Head == "":
		return "before: " + r.Base
	}
	return "before: " + r.Base + "; now: " + r.Head
}

// printDiff prints the changes.
func printDiff(w io.Writer, doc diffDocument, verbose bool) {
	for _, r := range doc.Registrations {
		writef(w, "registration %s  %s\n", r.What, output(r.Hook))
		if r.Base != "" {
			writef(w, "  - %s\n", output(r.Base))
		}
		if r.Head != "" {
			writef(w, "  + %s\n", output(r.Head))
		}
	}
	for _, g := range doc.groups(verbose) {
		head := whatText[g[0].What]
		if g[0].What == compare.NewlyAllowed && g[0].Together == "" {
			head = strings.ToUpper(head)
		}
		writef(w, "%s  %s\n  on: %s\n", head, output(g[0].Hook), output(g.inputs(verbose)))
		for _, line := range g.details() {
			writef(w, "  %s\n", output(line))
		}
	}
	for _, why := range doc.NotFired {
		writef(w, "not compared: %s\n", output(why))
	}
	if doc.Left > 0 {
		writef(w, "%s far from any hook are as in the work tree, because too many differ\n", session.Count(doc.Left, "file"))
	}
	printIsolation(w, doc.ranIn)
	doc.leftOut.print(w)
	writef(w, "%s\n", doc.headline()+fmt.Sprintf("; %s affected, %d not; %s, %s in %.1f s", session.Count(doc.Hooks, "hook"), doc.Unaffected, session.Count(doc.Calls, "call"), session.Count(doc.Firings, "firing"), float64(doc.Millis)/1000))
	if doc.Interrupted {
		writef(w, "interrupted: this is what differs so far\n")
	}
}

// headline returns the changes in a sentence.
func (d *diffDocument) headline() string {
	count := map[string]int{}
	for _, c := range d.Changes {
		if c.Together == "" {
			count[c.What]++
		}
	}
	text := fmt.Sprintf("%s -> %s: ", d.Base, d.Head)
	if len(d.Registrations) > 0 {
		text += session.Count(len(d.Registrations), "registration") + " changed, "
	}
	if d.Calls == 0 && d.Hooks > 0 { // "0 newly allowed" would read as if all were well
		return text + "no call was compared"
	}
	text += fmt.Sprintf("%s newly allowed, %d newly blocked", session.Count(count[compare.NewlyAllowed], "call"), count[compare.NewlyBlocked])
	for _, what := range compare.Whats[2:6] {
		if count[what] > 0 {
			text += fmt.Sprintf(", %d with %s", count[what], map[string]string{compare.Rewrite: "another rewrite", compare.Message: "another message", compare.Effect: "another effect", compare.Files: "other files written"}[what])
		}
	}
	return text
}
