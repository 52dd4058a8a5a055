package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
)

// severityFormat begins a finding.
var severityFormat = map[suites.Severity]string{
	suites.Error: "ERROR    %s  %s\n", suites.Warning: "WARNING  %s  %s\n", suites.Info: "INFO     %s  %s\n",
}

// printCheck shows errors and warnings, and with verbose all that is known.
func printCheck(w io.Writer, doc checkDocument, verbose bool) {
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
		if f.Printed != "" {
			writef(w, "         printed: %s\n", f.Printed)
		}
		writef(w, "         %s\n", f.Effect)
		writef(w, "         to do: %s   [%s]\n", f.Remedy, f.Rule)
		if len(f.Hooks) > 1 {
			writef(w, "         %s: %s\n", notify.Count(len(f.Hooks), "hook"), some(f.Hooks, verbose))
		}
	}
	if verbose {
		hooks(w, doc)
	} else {
		unjudged(w, doc)
	}
	for _, file := range doc.Foreign {
		writef(w, "%s: hooks of another agent, not looked at\n", file)
	}
	if doc.Isolation != "" {
		printIsolation(w, doc.ranIn)
	}
	writef(w, "%s\n", summary(doc))
	if infos > 0 {
		writef(w, "%s more with -v\n", notify.Count(infos, "remark"))
	}
}

func hooks(w io.Writer, doc checkDocument) {
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

// summary is the last line: how much was looked at and found.
func summary(doc checkDocument) string {
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

// A progressLine is a line on a terminal that shows how far a check is, and is overwritten as
// the check goes on.
type progressLine struct {
	w     io.Writer // nil shows nothing
	hooks int
}

// newProgressLine shows the line for a number of hooks, unless shown is false.
func newProgressLine(w io.Writer, shown bool, hooks int) *progressLine {
	if !shown || hooks == 0 {
		return &progressLine{}
	}
	l := &progressLine{w: w, hooks: hooks}
	l.Show(checkProgress{})
	return l
}

// Show replaces the line.
func (l *progressLine) Show(p checkProgress) {
	if l.w == nil {
		return
	}
	const most = 40
	name := []rune(p.Hook)
	writef(l.w, clearLine+"firing hooks: %d of %d  %s  %s", p.Done, l.hooks, notify.Count(p.Firings, "firing"), string(name[:min(len(name), most)]))
}

// End removes the line.
func (l *progressLine) End() {
	if l.w != nil {
		writef(l.w, clearLine)
	}
}

// clearLine goes to the line's beginning and empties it.
const clearLine = "\r\x1b[K"

// unjudged says in a line each why hooks were not judged, the reason of most hooks
// first. Files that the client does not read are one reason.
func unjudged(w io.Writer, doc checkDocument) {
	const unread = "the client does not read "
	count, files := map[string]int{}, []string{}
	var reasons []string
	for _, h := range doc.Hooks {
		reason := cmp.Or(h.NotRun, h.Absent)
		if reason == "" {
			continue
		}
		if file, ok := strings.CutPrefix(reason, unread); ok {
			if reason = unread; !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
		if count[reason]++; count[reason] == 1 {
			reasons = append(reasons, reason)
		}
	}
	slices.SortStableFunc(reasons, func(a, b string) int { return count[b] - count[a] })
	for _, reason := range reasons {
		text := reason
		if reason == unread {
			text += some(files, false)
		}
		writef(w, "not judged: %s (%s)\n", text, notify.Count(count[reason], "hook"))
	}
}

// some names the first of many, and how many more there are.
func some(names []string, all bool) string {
	const most = 2
	if all || len(names) <= most+1 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
