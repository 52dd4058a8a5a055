package cli

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/check"
	"hookwatch/cmd/internal/engine/sandboxes"
	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/conform"
)

// CheckDocument is what check prints as JSON.
type CheckDocument struct {
	Version  int               `json:"version"`
	Project  string            `json:"project"`
	Hooks    []CheckHook       `json:"hooks"`
	Findings []conform.Finding `json:"findings"`
	Errors   int               `json:"errors"`
	Warnings int               `json:"warnings"`
	Firings  int               `json:"firings"`
	Millis   int64             `json:"duration_ms"`
	Foreign  []string          `json:"foreign,omitempty"`
}

// CheckHook is what one registered hook did.
type CheckHook struct {
	ID      string `json:"id"`
	Event   string `json:"event"`
	At      string `json:"at"`
	Effect  string `json:"effect,omitempty"` // of a typical call
	Denies  string `json:"denies,omitempty"` // an input that it stopped
	NotRun  string `json:"not_run,omitempty"`
	Absent  string `json:"absent,omitempty"` // without which it was not judged
	Firings int    `json:"firings"`
}

func (a *app) checkCommand() *cobra.Command {
	var static bool
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Say of every registered hook whether it would protect anyone; needs no suite",
		Long: `Look at what registers hooks and at their scripts, fire every hook as the client
would, in isolation, and say which of them the client would drop, could not start or
would not heed, and which let through what they mean to stop. No suite and no
configuration are needed. Errors make the exit code 1; with --strict warnings too.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.checkHooks(cmd, static)
		},
	}
	cmd.Flags().BoolVar(&static, "static", false, "fire nothing; look only at files")
	return cmd
}

func (a *app) checkHooks(cmd *cobra.Command, static bool) error {
	p, err := a.loadHooks()
	if err != nil {
		return err
	}
	if len(p.Registered.Hooks)+len(p.Registered.Others)+len(p.Registered.Problems)+len(p.Scripts())+len(p.Stray) == 0 {
		return p.Empty
	}
	began := time.Now()
	res, err := a.asked(cmd, p, static)
	if err != nil {
		return err
	}
	doc := checkDocument(p, res, time.Since(began))
	if err := a.print(doc, len(doc.Findings), func(i int) any { return doc.Findings[i] }, func(w io.Writer) { checkHuman(w, doc, a.verbose) }); err != nil {
		return err
	}
	if doc.Errors > 0 || a.strict && doc.Warnings > 0 {
		return errFailed
	}
	return nil
}

// asked fires the hooks, unless only files are to be looked at.
func (a *app) asked(cmd *cobra.Command, p *project.Project, static bool) (check.Result, error) {
	tree := check.TreeOf(p, os.Environ())
	if static {
		return check.Run(cmd.Context(), tree, nil, 0, nil)
	}
	r, temp, err := a.bare(p)
	if err != nil {
		return check.Result{}, err
	}
	defer sandboxes.New(p.Root()).Close(temp)
	defer r.Close()
	jobs := p.Config.Run.Jobs
	if jobs == 0 {
		jobs = runtime.NumCPU()
	}
	r.KeepReady(jobs)
	return check.Run(cmd.Context(), tree, r, jobs, nil)
}

func checkDocument(p *project.Project, res check.Result, took time.Duration) CheckDocument {
	doc := CheckDocument{
		Version: 1, Project: p.Name(), Hooks: []CheckHook{}, Findings: res.Findings, Errors: res.Count(suites.Error), Warnings: res.Count(suites.Warning),
		Firings: res.Firings, Millis: took.Milliseconds(), Foreign: p.Foreign,
	}
	for _, r := range res.Reports {
		if r.Hook.ID == "" {
			continue // nothing was fired
		}
		doc.Hooks = append(doc.Hooks, CheckHook{
			ID: r.Hook.ID, Event: r.Hook.Event, At: r.Hook.Source.String(), Effect: string(r.Effect), Denies: r.Denies,
			NotRun: r.Hook.NotRun(), Absent: r.Absent, Firings: r.Firings,
		})
	}
	if doc.Findings == nil {
		doc.Findings = []conform.Finding{}
	}
	return doc
}

// severityFormat begins a finding.
var severityFormat = map[suites.Severity]string{
	suites.Error: "ERROR    %s  %s\n", suites.Warning: "WARNING  %s  %s\n", suites.Info: "INFO     %s  %s\n",
}

// checkHuman shows errors and warnings, and with verbose all that is known.
func checkHuman(w io.Writer, doc CheckDocument, verbose bool) {
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
		writef(w, severityFormat[f.Severity], f.At, what)
		writef(w, "         %s\n", f.Effect)
		writef(w, "         to do: %s   [%s]\n", f.Remedy, f.Rule)
		if len(f.Hooks) > 1 {
			writef(w, "         %s: %s\n", notify.Count(len(f.Hooks), "hook"), strings.Join(f.Hooks, ", "))
		}
	}
	if verbose {
		checkedHooks(w, doc)
	}
	for _, file := range doc.Foreign {
		writef(w, "%s: hooks of another agent, not looked at\n", file)
	}
	writef(w, "%s\n", checkSummary(doc))
	if infos > 0 {
		writef(w, "%s more with -v\n", notify.Count(infos, "remark"))
	}
}

func checkedHooks(w io.Writer, doc CheckDocument) {
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

// checkSummary is the last line: how much was looked at and found.
func checkSummary(doc CheckDocument) string {
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
	text := fmt.Sprintf("%s, %s; %s fired %s in %.1f s", notify.Count(doc.Errors, "error"), notify.Count(doc.Warnings, "warning"),
		notify.Count(judged, "hook"), notify.Count(doc.Firings, "time"), float64(doc.Millis)/1000)
	if guards > 0 {
		text += fmt.Sprintf(", %d seen to stop something", guards)
	}
	if absent > 0 {
		text += fmt.Sprintf("; %d not judged for what is absent here", absent)
	}
	if notRun > 0 {
		text += fmt.Sprintf("; %d not run", notRun)
	}
	return text
}
