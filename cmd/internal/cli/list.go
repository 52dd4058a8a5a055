package cli

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/catalog"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/discover"
)

type listOptions struct {
	hooks, suites bool // instead of cases
	user          bool
	client        string
}

func newListCmd(a *app, g *globals) *cobra.Command {
	var o listOptions
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the cases with their markers, the registered hooks or the suites",
		Long: `List the cases, -v with the markers that authorise them; with --suite also those of a
built-in suite or family that is not switched on. With --hooks: every hook that is
registered, in settings, plugins, and the fronts of skills, agents and commands.
With --suites: the project's suites and the built-in ones: how many cases each has,
for which hooks, whether it is switched on, and how to do that. A suite that is on is
not applicable where the project has none of its hooks. hookwatch show SUITE shows
one. -v lists each suite of a family, and every hook.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return runList(a, *g, o) },
	}
	cmd.Flags().BoolVar(&o.hooks, "hooks", false, "the registered hooks instead of cases")
	cmd.Flags().BoolVar(&o.suites, "suites", false, "the suites instead of cases, built-in ones too, and how to switch one on")
	withUser(cmd.Flags(), &o.user)
	withClients(cmd.Flags(), &o.client)
	cmd.MarkFlagsMutuallyExclusive("hooks", "suites")
	return cmd
}

func runList(a *app, g globals, o listOptions) error {
	switch {
	case o.client != "" && !o.hooks:
		return errors.New("--client goes with --hooks: cases name their client themselves")
	case o.user && !o.hooks:
		return errors.New("--user goes with --hooks: cases are never your own settings'")
	case o.suites && !g.allCases():
		return errors.New("list --suites lists all suites: it takes no --suite or --filter")
	case o.suites:
		return listSuites(a, g)
	case o.hooks:
		p, err := g.loadWithUser(o.user)
		if err != nil {
			return err
		}
		of, _, err := clientsOf(p, o.client)
		if err != nil {
			return err
		}
		doc := hooksOf(p, of)
		return a.print(doc, jsonLines(doc.Hooks, ranIn{}), func(w io.Writer) { hooksText(w, doc) })
	}
	p, off, err := loadListed(g)
	if err != nil {
		return err
	}
	a.warn(p.Unread)
	doc := newListDocument(p, off)
	return a.print(doc, jsonLines(doc.Cases, ranIn{}), func(w io.Writer) { printList(w, doc, a.verbose) })
}

// loadListed loads the project and, of the suites given by --suite, the built-in cases that the
// project does not run. An unknown suite is an error only if there are none of these.
func loadListed(g globals) (p *session.Project, off []suites.Case, err error) {
	asked := g.filter.Suites
	if len(asked) > 0 {
		builtin, err := catalog.Builtin()
		if err != nil {
			return nil, nil, err
		}
		every := g
		every.filter.Suites = nil
		if p, err = every.loadHooks(); err != nil {
			return nil, nil, err
		}
		off = slices.DeleteFunc(casesOff(p.Suites, builtin, asked), func(c suites.Case) bool { return !session.Filter{Text: g.filter.Text}.Matches(&c) })
	}
	if len(off) == 0 {
		p, err = g.loadCases()
		return p, nil, err
	}
	p.Cases = slices.DeleteFunc(p.Cases, func(c *suites.Case) bool {
		return !asksFor(c.Suite, asked) || slices.ContainsFunc(off, func(o suites.Case) bool { return o.Key() == c.Key() })
	})
	return p, off, nil
}

// hooksDocument is the JSON document of list --hooks.
type hooksDocument struct {
	Version int          `json:"version"`
	Hooks   []listedHook `json:"hooks"`
	Foreign []string     `json:"foreign,omitempty"` // hook files of other clients
	// Clients are those whose hooks are listed, if not Claude Code alone.
	Clients []knownClient `json:"clients,omitempty"`
	Off     string        `json:"off,omitempty"` // place of disableAllHooks: no hook is listed
}

// listedHook is one registered hook of a hooksDocument.
type listedHook struct {
	discover.Hook
	Timeout float64 `json:"timeout_s"`
	At      string  `json:"at"`
	NotRun  string  `json:"not_run,omitempty"` // why hookwatch does not run it
	Idle    string  `json:"idle,omitempty"`    // why the client starts it without effect, or never
	// Clients are all that run it, if not Claude Code alone.
	Clients []string `json:"clients,omitempty"`
}

// hooksOf returns the document of the hooks that a project registers for clients; without any, for
// Claude Code. A hook that several of them run is listed once.
func hooksOf(p *session.Project, of []clients.Client) hooksDocument {
	doc := hooksDocument{Version: 1, Hooks: []listedHook{}, Foreign: p.Foreign, Clients: knownClients(of)}
	idle := p.Idle()
	if at := p.Registered.DisabledBy; at.Line > 0 {
		doc.Off = at.String()
	}
	for _, h := range slices.Concat(p.Registered.Hooks, p.Registered.Others, p.Registered.Elsewhere) {
		var run []string
		for _, c := range of {
			own := c.Name == h.Client || h.Client == "" && c.Name == clients.Claude
			if _, known := c.EventFor(h.Event, h.Source.File); own || h.Client == "" && known && c.Reads(h.Source.File) {
				run = append(run, c.Name)
			}
		}
		if of != nil && len(run) == 0 {
			continue
		}
		if len(run) == 1 && (h.Client != "" || run[0] == clients.Claude) {
			run = nil
		}
		doc.Hooks = append(doc.Hooks, listedHook{h, h.Timeout.Seconds(), h.Source.String(), h.WhyNotRun(), idle[h.ID], run})
	}
	return doc
}

// hooksText prints the document as text.
func hooksText(out io.Writer, doc hooksDocument) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, h := range doc.Hooks {
		event := strings.TrimRight(h.Event+" "+h.Matcher, " ")
		if h.ClientEvent != "" {
			event = strings.TrimRight(h.ClientEvent+" "+cmp.Or(h.ClientMatcher, h.Matcher), " ")
		}
		runs := "runs"
		switch {
		case h.NotRun != "":
			runs = "not run: " + h.NotRun
		case h.Idle != "":
			runs = "does not run: " + h.Idle
		case len(h.Clients) > 0:
			runs = "runs in " + strings.Join(h.Clients, ", ")
		case h.Client != "":
			runs = "runs in " + h.Client
		}
		rowf(w, "%s\t%s\t%s\t%s\n", event, h.what(), h.At, runs)
	}
	_ = w.Flush()
	if doc.Off != "" {
		writef(out, "no hook runs: disableAllHooks is true at %s\n", doc.Off)
	}
	foreignText(out, doc.Foreign, doc.Clients)
}

// what returns the script of a hook, or the beginning of its command.
func (h listedHook) what() string {
	switch {
	case len(h.Scripts) > 0:
		return h.Scripts[0]
	case h.Type != "command":
		return h.Type
	}
	return oneLine(h.Command, 60)
}

// listDocument is the JSON document of list.
type listDocument struct {
	Version int          `json:"version"`
	Cases   []listedCase `json:"cases"`
}

// listedCase is one case of a listDocument.
type listedCase struct {
	ID     string           `json:"id"`
	Name   string           `json:"name"`
	Suite  string           `json:"suite"`
	Hook   string           `json:"hook"`
	Event  string           `json:"event"`
	Layer  suites.Layer     `json:"layer"`
	Verify []session.Marker `json:"verify"`

	Summary string `json:"-"`
}

// newListDocument returns the document of a project's cases, and of others that it does not run.
func newListDocument(p *session.Project, others []suites.Case) listDocument {
	doc := listDocument{Version: 1, Cases: []listedCase{}}
	add := func(c *suites.Case) {
		doc.Cases = append(doc.Cases, listedCase{
			ID: c.ID, Name: c.Name, Suite: c.Suite, Hook: cmp.Or(c.Hook, strings.TrimPrefix(c.Registered, "/")), Event: c.Steps[0].Event,
			Layer: c.Layer, Verify: p.Markers(c), Summary: c.Summary,
		})
	}
	for _, c := range p.Cases {
		add(c)
	}
	for i := range others {
		add(&others[i])
	}
	return doc
}

// printList prints the document as text, and with verbose the markers.
func printList(out io.Writer, doc listDocument, verbose bool) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	defer w.Flush()
	for _, c := range doc.Cases {
		hook := c.Hook
		switch {
		case hook == "" && c.Event == "":
			hook = "checks " + c.Summary
		case hook == "":
			hook = "all hooks of " + c.Event
		}
		rowf(w, "%s\t%s\t%s\t%s\n", c.Suite, c.ID, c.Name, hook)
		if !verbose {
			continue
		}
		for _, m := range c.Verify {
			at := m.At
			if at == "" {
				at = "unresolved: " + m.Why
			}
			rowf(w, "\t\t  %s\t%s\n", m.Ref(), at)
		}
	}
}
