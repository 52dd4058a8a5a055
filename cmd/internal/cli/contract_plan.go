package cli

import (
	"hookwatch/suites"
	"hookwatch/suites/client"
)

// A question is what a client can be asked by having it play: an output of a hook
// (cells.Cell), a matcher (inforce.Matcher) or a settings file (inforce.File).
type question interface{ ID() string }

// questions are all that there are.
func questions() (all []question) {
	for _, c := range client.Cells() {
		all = append(all, c)
	}
	for _, m := range client.Matchers() {
		all = append(all, m)
	}
	for _, f := range client.Files() {
		all = append(all, f)
	}
	return all
}

// A play is one client that is asked some questions.
type play interface {
	ids() []string
	hooksAnswer() bool // hooks may answer what the client asks a person
	asCase(number int) *suites.Case
	judge(i int, r suites.Result, named func(string) string) []contractRow // of a step
}

// playsOf shares the questions out to clients.
func playsOf(questions []question) (plays []play) {
	var outputs []client.Cell
	var matchers []client.InForceMatcher
	var files []client.InForceFile
	for _, q := range questions {
		switch q := q.(type) {
		case client.Cell:
			outputs = append(outputs, q)
		case client.InForceMatcher:
			matchers = append(matchers, q)
		case client.InForceFile:
			files = append(files, q)
		}
	}
	for _, s := range sessions(outputs) {
		plays = append(plays, s)
	}
	for _, s := range together(matchers) {
		plays = append(plays, s)
	}
	for _, f := range files {
		plays = append(plays, settingsFile(f))
	}
	return plays
}

// unplayed says why a question is not put to a client, "" where it is.
func unplayed(q question) string {
	if m, ok := q.(client.InForceMatcher); ok && m.Event == "StopFailure" {
		return "the client fires StopFailure now and then only"
	}
	c, ok := q.(client.Cell)
	if !ok {
		return ""
	}
	switch e := c.Output.Entry; {
	case e.Plugin:
		return "the hook is a plugin's, and cells are played by a settings file"
	case e.Type == "prompt" || e.Type == "agent":
		return "the hook asks a model, and the model of a cell has no answer to it"
	case e.Type == "mcp_tool":
		return "the hook is a tool of an MCP server, and none is started"
	case e.AsyncRewake:
		return "a hook with asyncRewake runs in the background of a client that is talked to"
	default:
		return ""
	}
}

// A contractVerdict is what became of a cell.
type contractVerdict string

// The verdicts.
const (
	confirmed    contractVerdict = "confirmed"
	changed      contractVerdict = "changed"
	notReachable contractVerdict = "not reachable"
)

// A contractRow is one question with its verdict. Of an output predicted and seen are effects; of
// a matcher whether the hook runs, and of a settings file which of its hooks do.
type contractRow struct {
	ID        string          `json:"id"`
	Verdict   contractVerdict `json:"verdict"`
	Predicted string          `json:"predicted,omitempty"`
	Seen      string          `json:"seen,omitempty"`
	Because   string          `json:"because,omitempty"` // of a question that is not confirmed
}
