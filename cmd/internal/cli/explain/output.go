// Package explain puts what the client makes of outputs, and what rules mean, into
// documents and into text.
package explain

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"hookwatch/cmd/internal/cli/page"
	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/firing"
)

// Document is what explain prints as JSON of many outputs.
type Document struct {
	Version int    `json:"version"`
	Client  string `json:"client"`
	Outputs []Line `json:"outputs"`
}

// Line is what the client makes of one output.
type Line struct {
	ID        json.RawMessage `json:"id,omitempty"` // as it was given
	Effect    suites.Effect   `json:"effect"`
	Decision  string          `json:"decision"`
	Because   string          `json:"because"`
	Rule      string          `json:"rule"`
	ModelSees []string        `json:"model_sees"`
}

// Of tells what a client of a version makes of an output.
func Of(version client.Version, fired firing.Firing) (Line, client.Reading) {
	reading := client.Interpret(version, fired.Event, fired.Output)
	return Line{
		ID: fired.ID, Effect: reading.Effect, Decision: reading.Decision, Because: reading.Because(),
		Rule: string(reading.Cause.Kind), ModelSees: append([]string{}, reading.ModelSees...),
	}, reading
}

// LineText tells it of the output on a line of standard input, which goes by its ID or
// the line's number.
func LineText(w io.Writer, line Line, reading client.Reading, number int) {
	name := fmt.Sprintf("line %d", number)
	if line.ID != nil {
		name = string(line.ID)
		var text string
		if json.Unmarshal(line.ID, &text) == nil {
			name = text
		}
	}
	page.Writef(w, "%s\n", name)
	Text(w, reading)
}

// Text tells effect, reason and rule, and what the model sees.
func Text(w io.Writer, reading client.Reading) {
	rule := reading.Cause.Rule()
	page.Writef(w, "effect  %s\n", reading.Effect)
	page.Writef(w, "why     %s\n", reading.Because())
	page.Writef(w, "rule    %s (%s)\n", rule.ID, observedOn(rule))
	if rule.Remedy != "" {
		page.Writef(w, "remedy  %s\n", rule.Remedy)
	}
	if len(reading.ModelSees) == 0 {
		page.Writef(w, "model   (nothing)\n")
	}
	for _, text := range reading.ModelSees {
		name := "model "
		for line := range strings.Lines(text) {
			page.Writef(w, "%s  %s\n", page.Output(name), page.Output(strings.TrimRight(line, "\r\n")))
			name = "      "
		}
	}
}
