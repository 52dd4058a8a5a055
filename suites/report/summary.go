package report

import "hookwatch/suites"

// An Item is a finding, or a case that did not pass, in a summary.
type Item struct {
	Level string // such as "error"
	At    suites.Position
	Title string
	Text  string // the first line is shown
}

// Summary returns a section of Markdown with a table of items, as a page of CI shows it.
func Summary(headline string, items []Item) []byte {
	var d document
	d.heading(3, plain(headline))
	var rows [][]string
	for _, i := range items {
		rows = append(rows, []string{plain(i.Level), plain(i.At.String()), name(i.Title), plain(brief(i.Text, 300))})
	}
	if len(rows) > 0 {
		d.table([]string{"", "Where", "What", "Details"}, rows)
	}
	d.line("")
	return d.Bytes()
}
