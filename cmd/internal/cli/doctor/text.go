package doctor

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"hookwatch/cmd/internal/cli/page"
	"hookwatch/cmd/internal/notify"
)

// Text says it for people.
func Text(out io.Writer, doc *Document, compared bool) {
	page.Writef(out, "hookwatch %s on %s\n%s: %s, %s\n\n", doc.Hookwatch, doc.OS, doc.Project,
		notify.Count(doc.Hooks, "hook"), notify.Count(doc.Cases, "case"))
	page.Writef(out, "isolation: %s\n", doc.Isolation.text())
	if doc.Isolation.Why != "" {
		page.Writef(out, "  why: %s\n", doc.Isolation.Why)
	}
	if doc.Isolation.Mend != "" {
		page.Writef(out, "  better with: %s\n", doc.Isolation.Mend)
	}
	if doc.Isolation.Mode == "unavailable" {
		page.Writef(out, "  on a copy instead: --isolation copy, or run.isolation: copy in .hookwatch.yaml and hookwatch trust; your HOME,\n    all other files and the network are open to hooks then\n")
	}
	bounds(out, doc.Isolation.Bounds)
	if compared {
		page.Writef(out, "\n%d cases in place and isolated: %d verdicts differ\n", doc.Compared, len(doc.Differ))
		for _, d := range doc.Differ {
			page.Writef(out, "  %s/%s  %s in place, %s isolated\n", d.Suite, d.ID, d.None, d.Isolated)
			for _, b := range d.Because {
				page.Writef(out, "      %s\n", b)
			}
		}
	}
	tools(out, doc.Tools)
}

func bounds(out io.Writer, bounds map[string]string) {
	if len(bounds) == 0 {
		return
	}
	page.Writef(out, "\nwhat a case gets at most:\n")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, what := range slices.Sorted(maps.Keys(bounds)) {
		page.Rowf(w, "  %s\t%s\n", what, bounds[what])
	}
	_ = w.Flush()
}

func (i Isolation) text() string {
	text := i.Mode
	switch i.Mode {
	case "namespaces":
		text += ": each case has its own views of the project and HOME, and no network"
	case "copy":
		text += ": each case has a copy of the project; HOME, the network and other places are open to it"
	case "unavailable":
		text += ": no command runs a hook here"
	case "none":
		text += ": cases run in place, on your files"
	}
	return text
}

func tools(out io.Writer, tools []Tool) {
	if len(tools) == 0 {
		return
	}
	page.Writef(out, "\ntools that the hooks call:\n")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, t := range tools {
		at, version := t.Path, t.Version
		if !t.Present() {
			at = "absent"
		}
		page.Rowf(w, "  %s\t%s\t%s\n", t.Name, at, version)
	}
	_ = w.Flush()
	for _, t := range tools {
		if !t.Present() {
			page.Writef(out, "\nabsent: %s: %s\n", t.Name, t.cost())
			if t.Install != "" {
				page.Writef(out, "  install: %s\n", t.Install)
			}
		}
	}
}

// cost says what the tool's absence means.
func (t Tool) cost() string {
	var parts []string
	if t.Required {
		parts = append(parts, "a full run does not start without it")
	}
	if n := len(t.Fails); n > 0 {
		parts = append(parts, fmt.Sprintf("%d cases fail (%s)", n, firstFew(t.Fails)))
	}
	if n := len(t.Skips); n > 0 {
		parts = append(parts, fmt.Sprintf("%d cases are skipped (%s)", n, firstFew(t.Skips)))
	}
	if len(t.Hooks) > 0 {
		parts = append(parts, "called by "+firstFew(t.Hooks))
	}
	return strings.Join(parts, "; ")
}

func firstFew(items []string) string {
	const few = 4
	if len(items) > few {
		return strings.Join(items[:few], ", ") + fmt.Sprintf(" and %d more", len(items)-few)
	}
	return strings.Join(items, ", ")
}
