package history

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"hookwatch/cmd/internal/cli/page"
	"hookwatch/suites"
)

// Text says it for people.
func Text(out io.Writer, doc Document) {
	if len(doc.Cases) > 0 && doc.Cases[0].Entries != nil {
		for i := range doc.Cases {
			ofCase(out, &doc.Cases[i])
		}
		return
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	flaky := 0
	for _, c := range doc.Cases {
		mark := ""
		if c.Flaky {
			mark = "flaky: " + verdictsText(c.Verdicts)
			flaky++
		}
		page.Rowf(w, "%s\t%s\t%d runs\t%s since %s\t%d ms\t%s\n", c.title(), c.Name, c.Runs, c.Status, c.Since, c.MedianMS, mark)
	}
	_ = w.Flush()
	page.Writef(out, "%d cases on record, %d flaky\n", len(doc.Cases), flaky)
}

func (c *Case) title() string {
	if c.Suite == "" {
		return c.ID
	}
	return c.Suite + "/" + c.ID
}

func ofCase(out io.Writer, c *Case) {
	page.Writef(out, "%s %s   %d runs: %s   median %d ms\n", c.title(), c.Name, c.Runs, verdictsText(c.Verdicts), c.MedianMS)
	if c.Flaky {
		page.Writef(out, "  flaky: different verdicts on equal content with equal tools\n")
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for i := range c.Entries {
		e := &c.Entries[i]
		for _, changed := range e.Changed {
			page.Rowf(w, "  \t%s\n", changed)
		}
		page.Rowf(w, "  %s\t%s\t%d ms\t%s\n", e.Time, e.Status, e.DurationMS, e.Note)
	}
	_ = w.Flush()
	if tools := c.Entries[len(c.Entries)-1].Tools; len(tools) > 0 {
		page.Writef(out, "  tools now: %s\n", toolsText(tools))
	}
	page.Writef(out, "\n")
}

func toolsText(tools []suites.Tool) string {
	var names []string
	for _, t := range tools {
		switch {
		case !t.Present():
			names = append(names, t.Name+" absent")
		case t.Version != "":
			names = append(names, t.Name+" ("+t.Version+")")
		default:
			names = append(names, t.Name)
		}
	}
	return strings.Join(names, ", ")
}

// verdictsText names the verdicts that there were: "3 pass, 1 fail".
func verdictsText(t suites.Tally) string {
	var parts []string
	for i, n := range []int{t.Passed, t.Failed, t.Skipped, t.Unproven, t.Aborted} {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, suites.Statuses[i]))
		}
	}
	return strings.Join(parts, ", ")
}
