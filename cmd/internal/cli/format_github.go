package cli

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/printable"
	"hookwatch/suites/report"
)

// The commands of a workflow and the file of its summary are documented in "Workflow commands for
// GitHub Actions". A runner executes every line that starts with "::", so what comes from hooks is
// printed between stop-commands and its token.
var _ = register(&format{
	name: "github", help: "text, and annotations for GitHub Actions, where it is the default", layout: asText, onceOnly: true,
	view: func(a *app, p *session.Project, o notify.Options, watch bool) session.View {
		o.Verbose = a.verbose
		v := &github{
			workflow: startWorkflow(a.raw.Out),
			place:    func(at suites.Position) suites.Position { return annotationPosition(p, at) },
			describe: func(e session.CaseDone) string { return notify.Failure(e, o) },
		}
		return session.Multi(formats["human"].view(a, p, o, watch), v)
	},
	write: func(a *app, r result) error {
		w := startWorkflow(a.raw.Out)
		r.text(a.Out)
		shown := slices.DeleteFunc(slices.Clone(r.findings), func(f annotation) bool { return f.severity == suites.Info && !a.verbose })
		return w.end(shown, r.headline)
	},
})

// A workflow prints commands for the runner of GitHub Actions after text that may contain some.
type workflow struct {
	out   io.Writer
	token string
}

// startWorkflow makes the runner ignore commands until end.
func startWorkflow(out io.Writer) workflow {
	w := workflow{out, rand.Text()}
	writef(out, "::stop-commands::%s\n", w.token)
	return w
}

// end prints the annotations, and adds them with a headline to the summary of the job, if there is
// one.
func (w workflow) end(list []annotation, headline string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "::%s::\n", w.token)
	for _, a := range list {
		b.WriteString(a.command())
	}
	_, err := w.out.Write([]byte(b.String()))
	file := os.Getenv("GITHUB_STEP_SUMMARY")
	if file == "" || headline == "" {
		return err
	}
	f, openErr := os.OpenFile(file, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
	if openErr != nil {
		return errors.Join(err, openErr)
	}
	_, writeErr := f.Write(report.Summary("hookwatch: "+headline, summaryItems(list)))
	return errors.Join(err, writeErr, f.Close())
}

// summaryItems returns annotations as the rows of a table.
func summaryItems(list []annotation) (items []report.Item) {
	for _, a := range list {
		items = append(items, report.Item{Level: levels[a.severity], At: a.at, Title: a.title, Text: a.text})
	}
	return items
}

// levels are the commands that annotate, by severity.
var levels = map[suites.Severity]string{suites.Error: "error", suites.Warning: "warning", suites.Info: "notice"}

var (
	commandData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// command returns the line that annotates.
func (a annotation) command() string {
	var properties []string
	add := func(name, value string) {
		if value != "" && value != "0" {
			properties = append(properties, name+"="+commandProperty.Replace(printable.Field(value)))
		}
	}
	text := strings.TrimSpace(cmp.Or(a.text, a.title))
	if a.registered.File != "" {
		text += "\nregistered at " + a.registered.String()
	}
	add("file", a.at.File)
	add("line", fmt.Sprint(a.at.Line))
	add("col", fmt.Sprint(a.at.Column))
	add("title", a.title)
	return fmt.Sprintf("::%s %s::%s\n", levels[a.severity], strings.Join(properties, ","), commandData.Replace(printable.Lines(text)))
}

// github annotates the cases of one run that neither passed nor were skipped.
type github struct {
	workflow
	place    func(suites.Position) suites.Position
	describe func(session.CaseDone) string
	list     []annotation
	headline string
}

func (v *github) Handle(e session.Event) {
	switch e := e.(type) {
	case session.CaseDone:
		a, failed := failure(e)
		if !failed {
			return
		}
		if a.at = v.place(a.at); e.Verdict.Status == suites.Fail {
			a.text = v.describe(e)
		}
		v.list = append(v.list, a)
	case session.RunDone:
		v.headline = cmp.Or(verdictsText(e.Tally), "no cases")
		if e.Aborted != "" {
			v.headline += "; stopped early: " + e.Aborted
		}
	}
}

func (v *github) Close() error { return v.end(v.list, v.headline) }
