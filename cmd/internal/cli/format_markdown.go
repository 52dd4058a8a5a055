package cli

import "hookwatch/suites/report"

var _ = register(&format{
	name: "markdown", help: "a table of the findings of check, prove and diff, for a pull request", layout: asText, findingsOnly: true,
	write: func(a *app, r result) error {
		_, err := a.raw.Out.Write(report.Summary("hookwatch: "+r.headline, summaryItems(r.findings)))
		return err
	},
})
