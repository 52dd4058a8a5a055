package cli

import (
	"cmp"
	"io"

	"hookwatch/cmd/internal/notify"
)

// A contractDocument is a result for programs: two of different clients differ in what the
// clients do differently.
type contractDocument struct {
	Version      int           `json:"version"`
	Client       string        `json:"client"`
	Confirmed    int           `json:"confirmed"`
	Changed      int           `json:"changed"`
	NotReachable int           `json:"not_reachable"`
	Skipped      string        `json:"skipped,omitempty"`
	Fault        string        `json:"fault,omitempty"`
	Cells        []contractRow `json:"cells"`

	ranIn
}

// Line is a cell as a line of its own.
func (d contractDocument) Line(i int) any {
	return struct {
		contractRow
		ranIn
	}{d.Cells[i], d.ranIn}
}

// newDocument makes the document of a result.
func newDocument(r contractResult) contractDocument {
	doc := contractDocument{Version: 1, Client: r.Client, Skipped: r.Absent, Fault: r.Fault, Cells: r.Rows}
	for _, row := range r.Rows {
		switch row.Verdict {
		case confirmed:
			doc.Confirmed++
		case changed:
			doc.Changed++
		case notReachable:
			doc.NotReachable++
		}
	}
	return doc
}

// Failed reports whether the client does not do what is predicted, or went wrong.
func (d contractDocument) Failed() bool { return d.Changed > 0 || d.Fault != "" }

// printContract shows what changed, and with verbose each cell.
func printContract(w io.Writer, d contractDocument, verbose bool) {
	if d.Skipped != "" {
		writef(w, "SKIP  absent: %s\n", d.Skipped)
		return
	}
	for _, row := range d.Cells {
		switch {
		case row.Verdict == changed:
			writef(w, "CHANGED  %s on %s: predicted %s, seen %s\n", row.ID, d.Client, row.Predicted, cmp.Or(string(row.Seen), "nothing"))
			writef(w, "         %s\n", row.Because)
		case verbose && row.Verdict == confirmed:
			writef(w, "confirmed  %s  %s\n", row.ID, row.Predicted)
		case verbose:
			writef(w, "not reachable  %s  %s\n", row.ID, row.Because)
		}
	}
	if !verbose {
		reasons(w, d)
	}
	if d.Fault != "" {
		writef(w, "FAULT  %s\n", d.Fault)
	}
	writef(w, "client %s: %d confirmed, %d changed, %d not reachable, of %d cells\n", cmp.Or(d.Client, "unknown"), d.Confirmed, d.Changed, d.NotReachable, len(d.Cells))
}

// reasons tells for what cells could not be had, each once.
func reasons(w io.Writer, d contractDocument) {
	of := make(map[string]int)
	var order []string
	for _, row := range d.Cells {
		if row.Verdict != notReachable {
			continue
		}
		if of[row.Because] == 0 {
			order = append(order, row.Because)
		}
		of[row.Because]++
	}
	for _, why := range order {
		writef(w, "not reachable: %s (%s)\n", why, notify.Count(of[why], "cell"))
	}
}
