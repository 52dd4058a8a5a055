// Package topics has the pages of reference text that help shows.
package topics

import _ "embed"

// Strings, and not a file system, since what is embedded in a string is never
// copied to memory that a watching session then holds.
var (
	//go:embed hooks.md
	hooksTopic string
	//go:embed cases.md
	casesTopic string
	//go:embed verdicts.md
	verdictsTopic string
	//go:embed selection.md
	selectionTopic string
	//go:embed watching.md
	watchingTopic string
	//go:embed isolation.md
	isolationTopic string
	//go:embed client.md
	clientTopic string
	//go:embed markers.md
	markersTopic string
	//go:embed configuration.md
	configurationTopic string
	//go:embed consent.md
	consentTopic string
	//go:embed records.md
	recordsTopic string
	//go:embed json.md
	jsonTopic string
	//go:embed exit-codes.md
	exitCodesTopic string
	//go:embed limits.md
	limitsTopic string
)

// A Topic is a page of reference text. Its Markdown is shown as it is, so that it
// reads the same in the repository.
type Topic struct{ Name, Short, Text string }

// All are the topics, listed in the order in which a newcomer needs them. None has the
// name of a command: help would show one of the two only.
func All() []Topic {
	return []Topic{
		{"hooks", "Hooks of any project: check, and where they are found", hooksTopic},
		{"cases", "Suites, cases, and how a script is run", casesTopic},
		{"verdicts", "The five verdicts, why a case failed, preflight", verdictsTopic},
		{"selection", "Which cases a change affects, and how that is known", selectionTopic},
		{"watching", "Keys, what a save shows, notifications", watchingTopic},
		{"isolation", "What keeps a case from your files", isolationTopic},
		{"client", "The real client fires the hook: --live and layer 2", clientTopic},
		{"markers", "[verify: ...]: what a claim depends on", markersTopic},
		{"configuration", ".hookwatch.yaml, variables and flags", configurationTopic},
		{"consent", "What in a clone's configuration needs your agreement", consentTopic},
		{"records", "What is kept of runs, and how to ask it", recordsTopic},
		{"json", "Every document and event for programs", jsonTopic},
		{"exit-codes", "What the exit codes mean", exitCodesTopic},
		{"limits", "Bounds of what is read, and systems", limitsTopic},
	}
}

// Names are the words by which help knows them.
func Names() []string {
	var names []string
	for _, t := range All() {
		names = append(names, t.Name)
	}
	return names
}
