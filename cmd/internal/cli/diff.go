package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/cli/terminal"
	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/conform"
	"hookwatch/suites/discover"
)

func (a *app) diffCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "diff BASE [HEAD]",
		Short: "Compare what the hooks of two revisions do",
		Long: `Fire the hooks of two revisions with the same calls, and report what the client would
do otherwise: what is newly allowed or blocked, other messages and rewrites, and hooks
that were registered, removed or moved. Without HEAD, the work tree is compared.

The calls are those of the cases, of recorded sessions (hookwatch record), those that
guards usually stop, and those that the scripts of either revision mention. A hook that is not affected is not fired. Output
that differs between two runs of the same hook, such as a time, is not compared. The
exit code is 0; with --strict it is 1 if anything is newly allowed.

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
			return a.diff(cmd, args[0], append(args, "")[1])
		},
	}
}

func (a *app) diff(cmd *cobra.Command, base, head string) error {
	if len(a.suites) > 0 || a.filter != "" {
		return errors.New("--suite and --filter do not go with diff: it fires every hook that the change affects")
	}
	p, err := a.loadHooks()
	if err != nil {
		return err
	}
	r, close, err := a.bare(p)
	if err != nil {
		return err
	}
	defer close()
	if err := refuseInPlace(r, "diff runs the hooks of other revisions"); err != nil {
		return err
	}
	most, err := jobs(p)
	if err != nil {
		return err
	}
	r.Reuse = true
	r.KeepReady(most)
	d := differ{ctx: cmd.Context(), jobs: most, lacking: map[string]bool{}}
	for i, name := range []string{base, head} {
		s, err := a.side(d.ctx, p, r, name)
		if err != nil {
			return err
		}
		defer s.close()
		s.runner.KeepReady(most)
		d.sides[i] = askedSide{side: s, tree: checkTree(s.project, os.Environ()), seen: map[string]seen{}}
	}
	if c, err := openCorpus(p.Config, false); err == nil { // most projects have none
		defer func() { _ = c.Close() }()
		if err := d.addRecorded(c); err != nil {
			return err
		}
	}
	if terminal.Is(cmd.ErrOrStderr()) && !a.verbose {
		d.progress = func(h *discover.Hook) {
			writef(cmd.ErrOrStderr(), clearLine+"%s  %.40s", session.Count(d.fired, "firing"), h.ID)
		}
		defer writef(cmd.ErrOrStderr(), clearLine)
	}
	began := time.Now()
	doc, err := d.compare()
	if err != nil {
		return err
	}
	doc.Project, doc.ranIn, doc.Millis = p.Name(), inIsolation(r.Isolation), time.Since(began).Milliseconds()
	if err := a.printFindings(result{
		doc, len(doc.Changes), doc.Line, func(w io.Writer) { printDiff(w, doc, a.verbose) }, doc.annotations(p, a.verbose), doc.headline(),
	}); err != nil {
		return err
	}
	if a.strict && doc.Allowed > 0 {
		return ErrFailed
	}
	return nil
}

// registration reports how the registration of a hook differs between the sides.
func registration(p hookPair) (r changedRegistration, changed bool) {
	base, head := p.hooks[0], p.hooks[1]
	r = changedRegistration{Hook: p.any().ID, Event: p.any().Event, At: p.any().Source.String(), What: "changed", at: p.any().Source}
	switch {
	case base == nil:
		r.What, r.Head = "added", registrationText(*head)
		return r, true
	case head == nil:
		r.What, r.Base = "removed", registrationText(*base)
		return r, true
	case base.Matcher != head.Matcher:
		r.What = "matcher"
	case !slices.Equal(base.Scripts, head.Scripts):
		r.What = "moved"
	}
	r.Base, r.Head = registrationText(*base), registrationText(*head)
	return r, r.Base != r.Head
}

// registrationText describes a registration in a line.
func registrationText(h discover.Hook) string {
	text := h.Event
	if h.Matcher != "" {
		text += " " + h.Matcher
	}
	text += ": " + strings.Join(append([]string{cmp.Or(h.Command, h.Type)}, h.Args...), " ")
	if h.If != "" {
		text += " if " + h.If
	}
	if h.Timeout != client.DefaultTimeout(h.Event, h.Type) {
		text += " timeout " + h.Timeout.String()
	}
	for name, set := range map[string]bool{"async": h.Entry.Async} {
		if set {
			text += " " + name
		}
	}
	if h.Entry.OnFailure != "" {
		text += " onFailure " + h.Entry.OnFailure
	}
	if h.Dead {
		text += " (dropped by the client)"
	}
	if !h.Scope.Everywhere() {
		text += " (" + string(h.Scope) + ")"
	}
	return text
}

// diffDocument is the JSON document of diff.
type diffDocument struct {
	Version       int                   `json:"version"`
	Project       string                `json:"project"`
	Base          string                `json:"base"`
	Head          string                `json:"head"`
	Registrations []changedRegistration `json:"registrations"`
	Changes       []changedBehaviour    `json:"changes"`
	Allowed       int                   `json:"newly_allowed"` // calls that no other hook stops
	Hooks         int                   `json:"hooks"`         // that the change may affect
	Unaffected    int                   `json:"unaffected"`
	NotFired      []string              `json:"not_compared,omitempty"`
	Calls         int                   `json:"calls"`
	Firings       int                   `json:"firings"`
	Left          int                   `json:"files_left_out,omitempty"` // files that differ and are far from any hook, if there are many
	Millis        int64                 `json:"duration_ms"`

	ranIn
}

// changedRegistration is a hook that one side alone registers, or both otherwise.
type changedRegistration struct {
	Hook  string `json:"hook"`
	Event string `json:"event"`
	At    string `json:"at"`
	What  string `json:"what"` // added, removed, matcher, moved, changed
	Base  string `json:"base,omitempty"`
	Head  string `json:"head,omitempty"`

	at suites.Position
}

// changedBehaviour is a call that the sides of a hook treat otherwise.
type changedBehaviour struct {
	Hook     string        `json:"hook"`
	Event    string        `json:"event"`
	At       string        `json:"at"`
	What     string        `json:"what"`
	Input    string        `json:"input"`
	Case     string        `json:"case,omitempty"`
	Base     answer        `json:"base"`
	Head     answer        `json:"head"`
	Together suites.Effect `json:"together,omitempty"` // of all hooks, if another one decides on both sides

	call *sentCall
	runs [4]seen         // two of the base and two of the head
	at   suites.Position // of the script, or of the registration of a command without one
}

// place returns the position that an annotation of a hook has.
func place(h *discover.Hook) suites.Position {
	if len(h.Scripts) > 0 {
		return suites.Position{File: h.Scripts[0], Line: 1}
	}
	return h.Source
}

// answer is what a hook did, and the client's reaction.
type answer struct {
	Effect  suites.Effect `json:"effect"`
	Because string        `json:"because"`
	Sees    string        `json:"model_sees,omitempty"`
	Rewrite string        `json:"rewrite,omitempty"`
	Output  string        `json:"output,omitempty"`
}

// Line returns a change as a separate JSON line.
func (d diffDocument) Line(i int) any {
	return struct {
		changedBehaviour
		ranIn
	}{d.Changes[i], d.ranIn}
}

// changedGroup are the changes of a hook of one kind, the shortest input first.
type changedGroup []changedBehaviour

// groups joins the changes of a hook of one kind, the most important first. Output that the client
// drops is left out unless all is set.
func (d diffDocument) groups(all bool) (groups []changedGroup) {
	for _, what := range whats {
		for _, together := range []bool{false, true} {
			at := map[string]int{}
			for _, c := range d.Changes {
				if c.What != what || (c.Together != "") != together || what == changedOutput && !all {
					continue
				}
				i, known := at[c.Hook]
				if !known {
					i = len(groups)
					at[c.Hook] = i
					groups = append(groups, nil)
				}
				groups[i] = append(groups[i], c)
			}
		}
	}
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b changedBehaviour) int { return len(a.Input) - len(b.Input) })
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
	newlyAllowed: "newly allowed", newlyBlocked: "newly blocked", changedRewrite: "rewritten otherwise", changedMessage: "another message",
	changedEffect: "another effect", changedOutput: "other output, which the client drops",
}

// details returns what the two sides do with the first input of a group.
func (g changedGroup) details() []string {
	c := g[0]
	of := func(s seen) string { return s.sees }
	switch c.What {
	case changedRewrite:
		of = func(s seen) string { return s.rewrite }
	case changedOutput:
		of = func(s seen) string { return s.output }
	case changedMessage:
	default:
		lines := []string{fmt.Sprintf("%s -> %s", c.Base.Effect, c.Head.Effect), "before: " + c.Base.Because, "after: " + c.Head.Because}
		if c.Together != "" {
			lines[0] += fmt.Sprintf("; with all hooks together it is %s as before", c.Together)
		}
		return lines
	}
	var lines [4][]string
	least := math.MaxInt
	for i, s := range c.runs {
		lines[i] = strings.Split(of(s), "\n")
		least = min(least, len(lines[i]))
	}
	at := 0 // the first line that differs otherwise than between two runs of the same
	for at < least-1 && !different([4]string{lines[0][at], lines[1][at], lines[2][at], lines[3][at]}) {
		at++
	}
	shown := func(line string) string {
		if c.call != nil && c.call.text != nil {
			line = c.call.text(line)
		}
		return cmp.Or(conform.Short(line), "(nothing)")
	}
	return []string{"before: " + shown(lines[0][at]), "after: " + shown(lines[2][at])}
}

// annotations returns the changes as annotations of the files of a project.
func (d diffDocument) annotations(p *session.Project, all bool) (list []annotation) {
	for _, r := range d.Registrations {
		list = append(list, annotation{"registration-" + r.What, suites.Warning, annotated(p, r.at), "registration " + r.What + ": " + cmp.Or(r.Head, r.Base), r.text(), []string{r.Hook}})
	}
	for _, g := range d.groups(all) {
		c := g[0]
		severity := suites.Warning
		if c.Together != "" || c.What != newlyAllowed && c.What != newlyBlocked && c.What != changedRewrite {
			severity = suites.Info
		}
		list = append(list, annotation{strings.ReplaceAll(c.What, "_", "-"), severity, annotated(p, c.at), whatText[c.What] + ": " + g.inputs(false), strings.Join(g.details(), "; "), []string{c.Hook, c.Input}})
	}
	return list
}

func (r changedRegistration) text() string {
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
		if g[0].What == newlyAllowed && g[0].Together == "" {
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
	writef(w, "%s\n", doc.summary())
}

// summary returns the last line.
func (d *diffDocument) summary() string {
	return d.headline() + fmt.Sprintf("; %s affected, %d not; %s, %s in %.1f s", session.Count(d.Hooks, "hook"), d.Unaffected, session.Count(d.Calls, "call"), session.Count(d.Firings, "firing"), float64(d.Millis)/1000)
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
	text += fmt.Sprintf("%s newly allowed, %d newly blocked", session.Count(count[newlyAllowed], "call"), count[newlyBlocked])
	for _, what := range whats[2:5] {
		if count[what] > 0 {
			text += fmt.Sprintf(", %d with %s", count[what], map[string]string{changedRewrite: "another rewrite", changedMessage: "another message", changedEffect: "another effect"}[what])
		}
	}
	return text
}
