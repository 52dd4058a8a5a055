package list

import (
	"io"
	"strings"
	"text/tabwriter"

	"hookwatch/cmd/internal/cli/page"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites/discover"
)

// Hooks is what list --hooks prints as JSON.
type Hooks struct {
	Version int      `json:"version"`
	Hooks   []Hook   `json:"hooks"`
	Foreign []string `json:"foreign,omitempty"` // hook files of other agents
	Off     string   `json:"off,omitempty"`     // where every hook is turned off: none is listed
}

// Hook is one registered hook of a Hooks.
type Hook struct {
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
	Idle    string   `json:"idle,omitempty"`    // why the client starts it in vain, or never
}

// HooksOf are the hooks that a project registers.
func HooksOf(p *project.Project) Hooks {
	doc := Hooks{Version: 1, Hooks: []Hook{}, Foreign: p.Foreign}
	idle := p.Idle()
	if at := p.Registered.DisabledBy; at.Line > 0 {
		doc.Off = at.String()
	}
	for _, hooks := range [][]discover.Hook{p.Registered.Hooks, p.Registered.Others} {
		for _, h := range hooks {
			doc.Hooks = append(doc.Hooks, Hook{
				ID: h.ID, Event: h.Event, Matcher: h.Matcher, Type: h.Type, Command: h.Command, Args: h.Args, Scripts: h.Scripts,
				Timeout: h.Timeout.Seconds(), Scope: string(h.Scope), Plugin: h.Plugin, At: h.Source.String(), NotRun: h.NotRun(), Idle: idle[h.ID],
			})
		}
	}
	return doc
}

// HooksText says it for people.
func HooksText(out io.Writer, doc Hooks) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, h := range doc.Hooks {
		event := h.Event
		if h.Matcher != "" {
			event += " " + h.Matcher
		}
		runs := "runs"
		switch {
		case h.NotRun != "":
			runs = "not run: " + h.NotRun
		case h.Idle != "":
			runs = "does not run: " + h.Idle
		}
		page.Rowf(w, "%s\t%s\t%s\t%s\n", event, h.what(), h.At, runs)
	}
	_ = w.Flush()
	if doc.Off != "" {
		page.Writef(out, "no hook runs: disableAllHooks is true at %s\n", doc.Off)
	}
	for _, file := range doc.Foreign {
		page.Writef(out, "%s: hooks of another agent, not looked at\n", file)
	}
}

// what names a hook by its script, or by the beginning of its command.
func (h Hook) what() string {
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
