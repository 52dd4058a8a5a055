package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/run"
	"hookwatch/suites/shell"

	"hookwatch/cmd/internal/session"
)

// launchesDocument is the JSON document of fire --explain.
type launchesDocument struct {
	Version  int            `json:"version"`
	Event    string         `json:"event"`
	Tool     string         `json:"tool,omitempty"`
	Disabled string         `json:"disabled,omitempty"` // the setting that switches all hooks off
	Together int            `json:"together"`           // entries that the client starts at the same time
	Entries  []plannedEntry `json:"entries"`
}

// plannedEntry is what the client would start for an entry.
type plannedEntry struct {
	ID        string              `json:"id"`
	At        string              `json:"at"`
	NotRun    string              `json:"not_run,omitempty"` // why nothing is started
	Argv      []string            `json:"argv,omitempty"`
	Env       []discover.Variable `json:"env,omitempty"`
	Cwd       string              `json:"cwd,omitempty"`
	Stdin     string              `json:"stdin,omitempty"`
	TimeoutMS int64               `json:"timeout_ms,omitempty"`
	Bound     string              `json:"bound,omitempty"` // what ends it earlier here
}

// caseDir stands for the directory that a firing has for itself.
const caseDir = "/{case}"

// planLaunches returns what fire would start.
func planLaunches(p *session.Project, c *suites.Case) (launchesDocument, error) {
	o := run.Options{
		Root: p.Root(), Env: run.Environment(os.Environ(), p.Config.Run.PassEnv), Timeout: p.Config.Run.Timeout, Backstop: p.Config.Run.Backstop,
		InForce: func() []discover.Hook { return p.Registered.Hooks },
	}
	all, err := o.Plan(c, p.Registered, caseDir)
	if err != nil {
		return launchesDocument{}, err
	}
	doc := launchesDocument{Version: 1, Event: c.Steps[0].Event, Tool: c.Steps[0].Tool, Entries: []plannedEntry{}}
	if at := p.Registered.DisabledBy; at.Line > 0 {
		doc.Disabled = at.String()
	}
	for _, one := range all {
		e := plannedEntry{ID: one.Hook.ID, At: one.Hook.Source.String(), NotRun: one.NotRun}
		if one.NotRun == "" {
			doc.Together++
			e.Argv, e.Env, e.Cwd, e.Stdin, e.TimeoutMS, e.Bound = one.Argv, one.Variables, one.Dir, string(one.Stdin), one.Timeout.Milliseconds(), one.Limit
		}
		doc.Entries = append(doc.Entries, e)
	}
	return doc, nil
}

// print prints the document as text.
func (d launchesDocument) print(w io.Writer) {
	if d.Disabled != "" {
		writef(w, "%s switches all hooks off\n", d.Disabled)
	}
	if d.Together > 1 {
		writef(w, "%d entries are started at the same time\n", d.Together)
	}
	for _, e := range d.Entries {
		writef(w, "%s  %s\n", e.ID, e.At)
		if e.NotRun != "" {
			writef(w, "  this entry does not run, because %s\n", output(e.NotRun))
			continue
		}
		words := make([]string, len(e.Argv))
		for i, word := range e.Argv {
			words[i] = shell.Quote(word)
		}
		writef(w, "  argv    %s\n  cwd     %s\n", output(strings.Join(words, " ")), output(e.Cwd))
		bound := ""
		if e.Bound != "" {
			bound = " (" + e.Bound + ")"
		}
		writef(w, "  timeout %s%s\n", time.Duration(e.TimeoutMS)*time.Millisecond, output(bound))
		section(w, "stdin ", e.Stdin)
		for _, v := range e.Env {
			writef(w, "  env     %s\n", output(fmt.Sprintf("%s=%s  from %s", v.Name, v.Value, v.From)))
		}
	}
}
