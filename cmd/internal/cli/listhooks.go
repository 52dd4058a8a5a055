package cli

import (
	"io"
	"strings"
	"text/tabwriter"

	"hookwatch/cmd/internal/project"
	"hookwatch/suites/discover"
)

// HooksDocument is what list --hooks prints as JSON.
type HooksDocument struct {
	Version int        `json:"version"`
	Hooks   []ListHook `json:"hooks"`
	Foreign []string   `json:"foreign,omitempty"` // hook files of other agents
}

// ListHook is one registered hook of a HooksDocument.
type ListHook struct {
	ID      string   `json:"id"`
	Event   string   `json:"event"`
	Matcher string   `json:"matcher,omitempty"`
	Type    string   `json:"type"`
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	Scripts []string `json:"scripts,omitempty"` // that lie in the tree
	Timeout float64  `json:"timeout_s"`
	Scope   string   `json:"scope"`
	Plugin  string   `json:"plugin,omitempty"`
	At      string   `json:"at"`
	NotRun  string   `json:"not_run,omitempty"` // why hookwatch does not run it
}

func (a *app) listHooks(p *project.Project) error {
	doc := HooksDocument{Version: 1, Hooks: []ListHook{}, Foreign: p.Foreign}
	for _, hooks := range [][]discover.Hook{p.Registered.Hooks, p.Registered.Others} {
		for _, h := range hooks {
			doc.Hooks = append(doc.Hooks, ListHook{
				ID: h.ID, Event: h.Event, Matcher: h.Matcher, Type: h.Type, Command: h.Command, Args: h.Args, Scripts: h.Scripts,
				Timeout: h.Timeout.Seconds(), Scope: string(h.Scope), Plugin: h.Plugin, At: h.Source.String(), NotRun: h.NotRun(),
			})
		}
	}
	return a.print(doc, len(doc.Hooks), func(i int) any { return doc.Hooks[i] }, func(w io.Writer) { listHooksHuman(w, doc) })
}

func listHooksHuman(out io.Writer, doc HooksDocument) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, h := range doc.Hooks {
		event := h.Event
		if h.Matcher != "" {
			event += " " + h.Matcher
		}
		runs := "runs"
		if h.NotRun != "" {
			runs = "not run: " + h.NotRun
		}
		rowf(w, "%s\t%s\t%s\t%s\n", event, h.what(), h.At, runs)
	}
	_ = w.Flush()
	for _, file := range doc.Foreign {
		writef(out, "%s: hooks of another agent, not looked at\n", file)
	}
}

// what names a hook by its script, or by the beginning of its command.
func (h ListHook) what() string {
	const most = 60
	switch {
	case len(h.Scripts) > 0:
		return h.Scripts[0]
	case h.Type != "command":
		return h.Type
	}
	text := strings.Join(strings.Fields(h.Command), " ")
	if len([]rune(text)) > most {
		text = string([]rune(text)[:most-3]) + "..."
	}
	return text
}
