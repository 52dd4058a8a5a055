// Package checked puts what a check found into a document and into text.
package checked

import (
	"fmt"
	"io"

	"hookwatch/cmd/internal/cli/page"
	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
)

// severityFormat begins a finding.
var severityFormat = map[suites.Severity]string{
	suites.Error: "ERROR    %s  %s\n", suites.Warning: "WARNING  %s  %s\n", suites.Info: "INFO     %s  %s\n",
}

// Text shows errors and warnings, and with verbose all that is known.
func Text(w io.Writer, doc Document, verbose bool) {
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
		page.Writef(w, severityFormat[f.Severity], f.At, what)
		if f.Printed != "" {
			page.Writef(w, "         printed: %s\n", f.Printed)
		}
		page.Writef(w, "         %s\n", f.Effect)
		page.Writef(w, "         to do: %s   [%s]\n", f.Remedy, f.Rule)
		if len(f.Hooks) > 1 {
			page.Writef(w, "         %s: %s\n", notify.Count(len(f.Hooks), "hook"), some(f.Hooks, verbose))
		}
	}
	if verbose {
		hooks(w, doc)
	} else {
		unjudged(w, doc)
	}
	for _, file := range doc.Foreign {
		page.Writef(w, "%s: hooks of another agent, not looked at\n", file)
	}
	if doc.Isolation != "" {
		page.Isolation(w, doc.Isolation, doc.IsolationWhy)
	}
	page.Writef(w, "%s\n", Summary(doc))
	if infos > 0 {
		page.Writef(w, "%s more with -v\n", notify.Count(infos, "remark"))
	}
}

func hooks(w io.Writer, doc Document) {
	for _, h := range doc.Hooks {
		switch {
		case h.NotRun != "":
			page.Writef(w, "%s  not run: %s\n", h.ID, h.NotRun)
		case h.Absent != "":
			page.Writef(w, "%s  not judged: %s\n", h.ID, h.Absent)
		case h.Denies != "":
			page.Writef(w, "%s  stops %s\n", h.ID, h.Denies)
		default:
			page.Writef(w, "%s  %s\n", h.ID, h.Effect)
		}
	}
}

// Summary is the last line: how much was looked at and found.
func Summary(doc Document) string {
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
	text := fmt.Sprintf("%s, %s; %s judged, %s in %.1f s", notify.Count(doc.Errors, "error"), notify.Count(doc.Warnings, "warning"),
		notify.Count(judged, "hook"), notify.Count(doc.Firings, "firing"), float64(doc.Millis)/1000)
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
