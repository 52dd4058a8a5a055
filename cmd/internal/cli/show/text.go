package show

import (
	"fmt"
	"io"
	"strings"

	"hookwatch/cmd/internal/cli/page"
	"hookwatch/suites"
)

// Text is a suite file, below comments that say where it comes from, what its case
// sends and what became of it.
func Text(w io.Writer, doc *Document) {
	if len(doc.Cases) == 1 {
		caseText(w, doc.Suite, &doc.Cases[0])
	} else {
		page.Writef(w, "# %s: %d cases, the first at %s\n", doc.Suite, len(doc.Cases), doc.Cases[0].At)
		for _, c := range doc.Cases {
			page.Writef(w, "# %s  %s\n", page.Output(fmt.Sprintf("%-8s", c.ID)), lastText(c.Last))
		}
	}
	for line := range strings.Lines(doc.text) {
		_, _ = w.Write([]byte(line)) // as it is: it is a file that can be used
	}
}

func caseText(w io.Writer, suite string, c *Case) {
	page.Writef(w, "# %s/%s %s, at %s\n", suite, c.ID, c.Name, c.At)
	for i, sent := range c.Sent {
		label := "sends"
		if len(c.Sent) > 1 {
			label = fmt.Sprintf("step %d sends", i+1)
		}
		page.Writef(w, "# %s  %s\n", label, page.Whole(strings.TrimSuffix(sent, "\n")))
	}
	page.Writef(w, "# last   %s\n", lastText(c.Last))
	if c.Last == nil {
		return
	}
	for _, stream := range []struct{ name, text string }{{"stdout", c.Last.ActualOutput}, {"stderr", c.Last.ActualStderr}} {
		for line := range strings.Lines(stream.text) {
			page.Writef(w, "# %s %s\n", stream.name, page.Output(strings.TrimRight(line, "\r\n")))
		}
	}
}

// lastText is a verdict with its outcome in a line.
func lastText(r *suites.Record) string {
	if r == nil {
		return "no verdict yet"
	}
	parts := []string{string(r.Status())}
	if r.ActualExit != nil {
		parts = append(parts, fmt.Sprintf("exit %d", *r.ActualExit))
	}
	if r.ActualDecision != "" {
		parts = append(parts, r.ActualDecision)
	}
	if r.Note != "" {
		parts = append(parts, r.Note)
	}
	return strings.Join(parts, ", ") + "  (" + r.Timestamp + ")"
}
